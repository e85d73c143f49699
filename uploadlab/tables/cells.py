"""Runs to cells: means over the valid repeats with intervals, and the repeat the paper's rule selects."""

from collections.abc import Iterable, Mapping, Sequence

from uploadlab.metrics.figures import FIGURES, valid_figures
from uploadlab.metrics.rounds import ROUND
from uploadlab.metrics.window_figures import WINDOW_FIGURES
from uploadlab.results.campaign import Campaign, Run
from uploadlab.results.declarations import declarations
from uploadlab.statistics.intervals import generator_for, interval_of_mean
from uploadlab.table_file import Row, Value

METRICS = (
    "mean_ms", "sd_ms", "mad_ms", "cv", "steady_cv", "first_mean_ms", "first_max_ms",
    "first_variance_pct", "later_mean_ms", "later_cv", "later_p99_ms", "p50_ms", "p99_ms", "throughput_rps", "cpu_pct",
    "wait_pct", "pswitch_per_s", "error_pct", "server_cpu_us_per_request", "server_switches_per_request",
    "server_wait_ms_per_request", "clock_variance_pct", "sd_without_clock_ms", "cv_without_clock", "wire_mean_ms",
    "wire_cv", "wire_receive_ms", "wire_answer_ms", "client_mean_ms", "connect_mean_ms", "wire_variance_pct",
    "client_variance_pct", "connect_variance_pct",
    "scheduled_mean_ms", "scheduled_p50_ms", "scheduled_p99_ms", "whole_mean_ms", "whole_p99_ms",
)  # fmt: skip
CELL_WINDOW_FIGURES = (*(name for name in WINDOW_FIGURES if name != "held"), "scheduled_p999_ms", "p999_ms")


def run_columns(campaign: Campaign) -> list[str]:
    """Return the columns of ``runs.csv``."""
    identity = ["cell", "scenario", "system", "stack", *campaign.factors, "threads", "repeat", "block", "order"]
    declared = (one.column for one in declarations(campaign.record).metrics.values())
    of_windows = WINDOW_FIGURES if campaign.windows_factor else ()
    return [*identity, *dict.fromkeys(("status", "valid", "reason", *FIGURES, *of_windows, *declared))]


def run_row(run: Run, figures: Mapping[str, Value], problems: Iterable[str] = ()) -> dict[str, Value]:
    """Return one row of ``runs.csv``."""
    return {
        "cell": run.cell,
        "scenario": run.scenario,
        "system": run.system.partition("@")[0],
        "stack": run.stack,
        **run.factors,
        "threads": run.threads,
        "repeat": run.repeat,
        "block": run.block,
        "order": run.order,
        "status": "complete" if run.complete else "failed",
        "valid": run.valid,
        "reason": " ".join([*([run.reason] if run.reason else []), *problems]),
        **figures,
    }


def _metrics(campaign: Campaign) -> list[str]:
    """Return the figures of a cell: the usual ones, and those of the study's own metrics."""
    of_windows = CELL_WINDOW_FIGURES if campaign.windows_factor else ()
    declared = (one.column for one in declarations(campaign.record).metrics.values())
    return list(dict.fromkeys((*METRICS, *of_windows, *declared)))


def cell_columns(campaign: Campaign) -> list[str]:
    """Return the columns of ``cells.csv``."""
    measured = [column for metric in _metrics(campaign) for column in (metric, f"{metric}_lo", f"{metric}_hi")]
    identity = ["cell", "scenario", "system", "stack", *campaign.factors, "threads"]
    return [*identity, "runs", "valid_runs", *measured, "selected_repeat"]


def cell_row(campaign: Campaign, rows: Sequence[Row], seed: int) -> dict[str, Value]:
    """Return one row of ``cells.csv`` from the rows of one cell: those of its runs, or of the rounds of its one run."""
    first = rows[0]
    row: dict[str, Value] = {
        name: first.get(name) for name in ("cell", "scenario", "system", "stack", *campaign.factors, "threads")
    }
    runs = [run for run in rows if run.get("status") != ROUND]
    row["runs"] = len(runs)
    row["valid_runs"] = sum(run.get("valid") is True for run in runs)
    for metric in _metrics(campaign):
        interval = interval_of_mean(
            valid_figures(rows, metric), generator_for(seed, f"{first['cell']} {metric}"), least=0.0
        )
        if interval is not None:
            row |= {metric: interval.estimate, f"{metric}_lo": interval.lo, f"{metric}_hi": interval.hi}
    row["selected_repeat"] = selected_repeat(rows)
    return row


def selected_repeat(rows: Sequence[Row]) -> str | None:
    """Return the repeat the paper's rule selects among a cell's valid runs; None when there is none.

    Fewest errors; among those, the mean response time nearest to the mean of all the repeats' means; then the first.
    """
    valid = [row for row in rows if row.get("valid") is True and isinstance(row.get("mean_ms"), (int, float))]
    if not valid:
        return None
    means = valid_figures(valid, "mean_ms")
    middle = sum(means) / len(means)
    candidates = zip(valid, means, strict=True)
    chosen, _ = min(candidates, key=lambda pair: (pair[0]["errors"], abs(pair[1] - middle), str(pair[0]["repeat"])))
    return str(chosen["repeat"])
