"""The answer of a campaign from the rows of its tables."""

from collections.abc import Mapping, Sequence

from msgspec.structs import asdict

from uploadlab.metrics.figures import valid_figures
from uploadlab.results.campaign import Campaign
from uploadlab.results.declarations import Declarations, declarations
from uploadlab.table_file import Row, as_number
from uploadlab.tables.answer import Answer, Cell, Comparison, Estimate, Load, Scenario, Verdict
from uploadlab.tables.comparisons import CANNOT_TELL, system_key

_PERCENTILES = {"median": "p50", "p99": "p99", "p999": "p999"}
_OF_WINDOWS = (
    "capacity_per_s", "server_cpu_us_per_request", "rate_per_s", "in_flight", "memory_peak_mb", "memory_per_upload_kb",
    "error_pct",
)  # fmt: skip


def answer_of(
    campaign: Campaign,
    scenarios: Mapping[str, Scenario],
    runs: Sequence[Row],
    cells: Sequence[Row],
    comparisons: Sequence[Row],
) -> Answer:
    """Return the answer from the rows of ``runs.csv``, ``cells.csv`` and ``comparisons.csv``."""
    declared = declarations(campaign.record)
    return Answer(
        cells=[_cell(campaign, declared, scenarios[str(row["scenario"])], row, runs) for row in cells],
        comparisons=[_comparison(declared, scenarios[str(row["scenario"])], row) for row in comparisons],
    )


def _columns(declared: Declarations, load: Load) -> dict[str, str]:
    """Return the column of each metric of a cell. Response times of open arrivals count from when they were due."""
    columns = {metric.key: metric.column for metric in declared.metrics.values()}
    if load is None:
        return columns
    from_due = "scheduled_" if isinstance(load, int) else ""
    times = {f"{name}_ms": f"{from_due}{column}_ms" for name, column in _PERCENTILES.items()}
    return columns | times | {name: name for name in _OF_WINDOWS}


def _cell(campaign: Campaign, declared: Declarations, scenario: Scenario, row: Row, runs: Sequence[Row]) -> Cell:
    valid = [run for run in runs if run["cell"] == row["cell"] and run["valid"] is True]
    held = [run["held"] for run in valid if run.get("held") is not None]
    return Cell(
        **asdict(scenario),
        system=system_key(row),
        values={
            name: Estimate(
                value=value,
                lo=as_number(row.get(f"{column}_lo")),
                hi=as_number(row.get(f"{column}_hi")),
                n=len(valid_figures(valid, column)),
            )
            for name, column in _columns(declared, scenario.load).items()
            if (value := as_number(row.get(column))) is not None
        },
        factors={name: row.get(name) for name in campaign.factors},
        runs=int(str(row["runs"])),
        valid_runs=int(str(row["valid_runs"])),
        held_runs=held.count(True) if held else None,
    )


def _comparison(declared: Declarations, scenario: Scenario, row: Row) -> Comparison:
    metric = declared.metric(str(row["metric"]))
    headline, more = row.get("headline"), row.get("more_repeats")
    return Comparison(
        **(asdict(scenario) | {name: as_number(row.get(name)) for name in ("a", "b", "ratio", "lo", "hi")}),
        metric=metric.key,
        system_a=str(row["system_a"]),
        system_b=str(row["system_b"]),
        verdict=_verdict(row),
        decided=metric.column in declared.questions if headline is None else headline is True,
        more_repeats=more if isinstance(more, int) else None,
    )


def _verdict(row: Row) -> Verdict:
    if row["verdict"] == CANNOT_TELL:
        return "undecided"
    if not row["better"]:
        return "equal"
    return "better" if row["better"] == row["system_a"] else "worse"
