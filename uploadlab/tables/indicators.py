"""Which server-side indicator goes with the variability of the response time, how sure that is, and where it fails.

Two levels. ``cells``: across the scenarios of a system, an indicator against the coefficient of variation, as the
paper did. ``seconds``: within runs, an indicator of each second against that second's mean response time and against
its coefficient of variation; one correlation a run, averaged over the runs on Fisher's z scale, because the seconds of
a run are not independent and the runs are.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from uploadlab.statistics.correlations import correlate, partial_r, pearson_r, spearman_rho
from uploadlab.statistics.intervals import generator_for, t_quantile
from uploadlab.table_file import Row, Value, as_number
from uploadlab.tables.comparisons import system_key

INDICATOR_COLUMNS = (
    "level", "system", "y", "indicator", "n", "pearson", "lo", "hi", "spearman", "loo_min", "loo_max", "partial",
    "rank", "top_share",
)  # fmt: skip
CELL_INDICATORS = (
    "pswitch_per_s", "server_switches_per_request", "server_voluntary_per_request", "server_involuntary_per_request",
    "server_wait_ms_per_request", "cpu_pct", "wait_pct", "steal_pct", "psi_cpu_pct", "psi_io_pct", "retransmits",
    "listen_overflows", "dirty_mb_max", "gc_pct", "safepoint_pct", "loop_delay_mean_ms", "injector_wait_ms_per_request",
)  # fmt: skip
SECOND_INDICATORS = (
    "switches_per_s", "server_switches_per_s", "server_wait_ms_per_s", "server_cpu_pct", "cpu_pct", "wait_pct",
    "steal_pct", "psi_cpu_pct", "psi_io_pct", "retransmits", "listen_overflows", "dirty_mb", "gc_ms", "safepoint_ms",
    "loop_delay_mean_ms", "injector_cpu_pct",
)  # fmt: skip
SECOND_OUTCOMES = ("mean_ms", "cv")
CPU_SHARES = frozenset(("cpu_pct", "server_cpu_pct"))
RESAMPLES = 1000
FEWEST_SECONDS = 8
LARGEST_Z = 4.0
Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class _Found:
    """One indicator's row, and its strength in each resample (0 where it has none)."""

    row: dict[str, Value]
    resampled: Floats


def indicator_rows(
    runs: Sequence[Row], timeline: Sequence[Row], seed: int, *, cpu_limited: bool = False
) -> Iterator[dict[str, Value]]:
    """Yield the rows of ``indicators.csv`` from the rows of ``runs.csv`` and ``timeline.csv``.

    With ``cpu_limited`` shares of the server's CPU are left out: they show the limit it was held to.
    """
    left_out = CPU_SHARES if cpu_limited else frozenset()
    of_cells = [name for name in CELL_INDICATORS if name not in left_out]
    of_seconds = [name for name in SECOND_INDICATORS if name not in left_out]
    valid = [run for run in runs if run["valid"] is True]
    systems = dict.fromkeys(system_key(run) for run in valid)
    by_run: dict[tuple[str, str], list[Row]] = {}
    for row in timeline:
        by_run.setdefault((str(row["cell"]), str(row["repeat"])), []).append(row)
    for system in systems:
        of_system = [run for run in valid if system_key(run) == system]
        yield from _ranked(
            {"level": "cells", "system": system, "y": "cv"}, _across_cells(of_system, of_cells, seed, system)
        )
        measured = [by_run.get((str(run["cell"]), str(run["repeat"])), []) for run in of_system]
        for outcome in SECOND_OUTCOMES:
            found = _within_runs(measured, of_seconds, outcome, seed, system)
            yield from _ranked({"level": "seconds", "system": system, "y": outcome}, found)


def _ranked(head: Row, found: Mapping[str, _Found]) -> Iterator[dict[str, Value]]:
    """Yield the rows of one question, the strongest indicator first, with how often each is first when resampled."""
    known_r = {name: one.row.get("pearson") for name, one in found.items()}
    strength = {name: abs(r) if isinstance(r, float) else 0.0 for name, r in known_r.items()}
    order = sorted(found, key=lambda name: (-strength[name], name))
    resampled = np.array([found[name].resampled for name in order])
    winners = resampled.argmax(axis=0) if len(order) else np.zeros(0, dtype=np.int64)
    decided = resampled.max(axis=0) > 0 if len(order) else np.zeros(0, dtype=np.bool_)
    for place, name in enumerate(order):
        known = strength[name] > 0
        share = float((winners[decided] == place).mean()) if known and decided.any() else None
        yield {**head, "indicator": name, **found[name].row, "rank": place + 1 if known else None, "top_share": share}


def _across_cells(runs: Sequence[Row], indicators: Sequence[str], seed: int, system: str) -> dict[str, _Found]:
    """Correlate the cells' mean indicators with their mean CV."""
    scenarios = sorted({str(run["scenario"]) for run in runs})
    cells = {
        scenario: {
            column: _mean_of([run.get(column) for run in runs if run["scenario"] == scenario])
            for column in ("cv", "throughput_rps", "sent_bytes", *indicators)
        }
        for scenario in scenarios
    }
    draws = generator_for(seed, f"indicators {system}").integers(0, max(1, len(cells)), (RESAMPLES, len(cells)))
    found: dict[str, _Found] = {}
    for indicator in indicators:
        known = {name: cell for name, cell in cells.items() if cell[indicator] is not None and cell["cv"] is not None}
        correlation = correlate({name: (cell[indicator], cell["cv"]) for name, cell in known.items()})
        given = [[cell[column] or 0.0 for cell in known.values()] for column in ("throughput_rps", "sent_bytes")]
        x, y = [cell[indicator] or 0.0 for cell in known.values()], [cell["cv"] or 0.0 for cell in known.values()]
        row: dict[str, Value] = {**asdict(correlation), "partial": partial_r(x, y, given) if x else None}
        complete = len(known) == len(cells)
        found[indicator] = _Found(row=row, resampled=_resampled_r(x, y, draws) if complete else np.zeros(RESAMPLES))
    return found


def _resampled_r(x: Sequence[float], y: Sequence[float], draws: NDArray[np.int64]) -> Floats:
    """Return |r| of each resample of paired points, 0 where one side does not vary."""
    a, b = np.asarray(x)[draws], np.asarray(y)[draws]
    a, b = a - a.mean(axis=1, keepdims=True), b - b.mean(axis=1, keepdims=True)
    below = np.sqrt((a**2).sum(axis=1) * (b**2).sum(axis=1))
    r: Floats = np.divide((a * b).sum(axis=1), below, out=np.zeros(len(draws)), where=below > 1e-12)
    return np.abs(r)


def _within_runs(
    measured: Sequence[Sequence[Row]], indicators: Sequence[str], outcome: str, seed: int, system: str
) -> dict[str, _Found]:
    """Correlate each indicator with the outcome over the seconds of each run; average the runs' correlations."""
    windows = [[row for row in rows if row.get(outcome) is not None] for rows in measured]
    windows = [rows[:-1] for rows in windows]  # the last second is not a whole one
    runs = [rows for rows in windows if len(rows) >= FEWEST_SECONDS]
    draws = generator_for(seed, f"seconds {outcome} {system}").integers(0, max(1, len(runs)), (RESAMPLES, len(runs)))
    found: dict[str, _Found] = {}
    for indicator in indicators:
        pearson, spearman, partial = [], [], []
        for rows in runs:
            pairs = [(row[indicator], row[outcome], row["requests"]) for row in rows if row.get(indicator) is not None]
            x, y, requests = ([float(pair[side] or 0) for pair in pairs] for side in range(3))
            pearson.append(pearson_r(x, y) if len(pairs) >= FEWEST_SECONDS else None)
            spearman.append(spearman_rho(x, y) if len(pairs) >= FEWEST_SECONDS else None)
            partial.append(partial_r(x, y, [requests]) if len(pairs) >= FEWEST_SECONDS else None)
        found[indicator] = _Found(
            row=_average_row(pearson, spearman, partial), resampled=_resampled_average(pearson, draws)
        )
    return found


def _average_row(
    pearson: Sequence[float | None], spearman: Sequence[float | None], partial: Sequence[float | None]
) -> dict[str, Value]:
    z = [_z(r) for r in pearson if r is not None]
    row: dict[str, Value] = {"n": len(z)}
    if not z:
        return row
    mean = sum(z) / len(z)
    row["pearson"] = math.tanh(mean)
    row["spearman"] = _average(spearman)
    row["partial"] = _average(partial)
    if len(z) > 1:
        half = t_quantile(len(z) - 1) * float(np.std(z, ddof=1)) / math.sqrt(len(z))
        left_out = [math.tanh((sum(z) - each) / (len(z) - 1)) for each in z]
        row |= {"lo": math.tanh(mean - half), "hi": math.tanh(mean + half)}
        row |= {"loo_min": min(left_out), "loo_max": max(left_out)}
    return row


def _resampled_average(pearson: Sequence[float | None], draws: NDArray[np.int64]) -> Floats:
    """Return |mean z| of each resample of runs; an indicator without a value in some run takes no part."""
    z = [_z(r) for r in pearson if r is not None]
    if len(z) < len(pearson) or not z:
        return np.zeros(len(draws))
    means: Floats = np.asarray(z)[draws].mean(axis=1)
    return np.abs(means)


def _average(correlations: Sequence[float | None]) -> float | None:
    z = [_z(r) for r in correlations if r is not None]
    return math.tanh(sum(z) / len(z)) if z else None


def _z(r: float) -> float:
    return max(-LARGEST_Z, min(LARGEST_Z, math.atanh(r))) if abs(r) < 1 else math.copysign(LARGEST_Z, r)


def _mean_of(values: Sequence[Value]) -> float | None:
    known = [number for value in values if (number := as_number(value)) is not None]
    return sum(known) / len(known) if known else None
