"""Which server-side indicator goes with the variability of the response time, how sure that is, and where it fails.

Two levels. ``cells``: across the scenarios of a system, an indicator against the coefficient of variation, as the
paper did. ``seconds``: within runs, an indicator of each second against that second's mean response time and against
its coefficient of variation; one correlation a run, averaged over the runs on Fisher's z scale, because the seconds of
a run are not independent and the runs are.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict

import numpy as np

from uploadlab.statistics.correlations import correlate, partial_r, pearson_r, spearman_rho
from uploadlab.statistics.intervals import t_quantile
from uploadlab.table_file import Row, Value, as_number
from uploadlab.tables.comparisons import system_key

INDICATOR_COLUMNS = (
    "level", "system", "y", "indicator", "n", "pearson", "lo", "hi", "spearman", "loo_min", "loo_max", "partial",
    "rank",
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
FEWEST_SECONDS = 8
LARGEST_Z = 4.0


def indicator_rows(
    runs: Sequence[Row], timeline: Sequence[Row], *, cpu_limited: bool = False
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
        yield from _ranked({"level": "cells", "system": system, "y": "cv"}, _across_cells(of_system, of_cells))
        measured = [by_run.get((str(run["cell"]), str(run["repeat"])), []) for run in of_system]
        for outcome in SECOND_OUTCOMES:
            found = _within_runs(measured, of_seconds, outcome)
            yield from _ranked({"level": "seconds", "system": system, "y": outcome}, found)


def _ranked(head: Row, found: Mapping[str, Row]) -> Iterator[dict[str, Value]]:
    """Yield the rows of one question, the strongest indicator first."""
    known_r = {name: row.get("pearson") for name, row in found.items()}
    strength = {name: abs(r) if isinstance(r, float) else 0.0 for name, r in known_r.items()}
    order = sorted(found, key=lambda name: (-strength[name], name))
    for place, name in enumerate(order, 1):
        yield {**head, "indicator": name, **found[name], "rank": place if strength[name] > 0 else None}


def _across_cells(runs: Sequence[Row], indicators: Sequence[str]) -> dict[str, Row]:
    """Correlate the cells' mean indicators with their mean CV."""
    scenarios = sorted({str(run["scenario"]) for run in runs})
    cells = {
        scenario: {
            column: _mean_of([run.get(column) for run in runs if run["scenario"] == scenario])
            for column in ("cv", "throughput_rps", "sent_bytes", *indicators)
        }
        for scenario in scenarios
    }
    found: dict[str, Row] = {}
    for indicator in indicators:
        known = {name: cell for name, cell in cells.items() if cell[indicator] is not None and cell["cv"] is not None}
        correlation = correlate({name: (cell[indicator], cell["cv"]) for name, cell in known.items()})
        given = [[cell[column] or 0.0 for cell in known.values()] for column in ("throughput_rps", "sent_bytes")]
        x, y = [cell[indicator] or 0.0 for cell in known.values()], [cell["cv"] or 0.0 for cell in known.values()]
        found[indicator] = {**asdict(correlation), "partial": partial_r(x, y, given) if x else None}
    return found


def _within_runs(measured: Sequence[Sequence[Row]], indicators: Sequence[str], outcome: str) -> dict[str, Row]:
    """Correlate each indicator with the outcome over the seconds of each run; average the runs' correlations."""
    windows = [[row for row in rows if row.get(outcome) is not None] for rows in measured]
    windows = [rows[:-1] for rows in windows]  # the last second is not a whole one
    runs = [rows for rows in windows if len(rows) >= FEWEST_SECONDS]
    found: dict[str, Row] = {}
    for indicator in indicators:
        pearson, spearman, partial = [], [], []
        for rows in runs:
            pairs = [(row[indicator], row[outcome], row["requests"]) for row in rows if row.get(indicator) is not None]
            x, y, requests = ([float(pair[side] or 0) for pair in pairs] for side in range(3))
            pearson.append(pearson_r(x, y) if len(pairs) >= FEWEST_SECONDS else None)
            spearman.append(spearman_rho(x, y) if len(pairs) >= FEWEST_SECONDS else None)
            partial.append(partial_r(x, y, [requests]) if len(pairs) >= FEWEST_SECONDS else None)
        found[indicator] = _average_row(pearson, spearman, partial)
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


def _average(correlations: Sequence[float | None]) -> float | None:
    z = [_z(r) for r in correlations if r is not None]
    return math.tanh(sum(z) / len(z)) if z else None


def _z(r: float) -> float:
    return max(-LARGEST_Z, min(LARGEST_Z, math.atanh(r))) if abs(r) < 1 else math.copysign(LARGEST_Z, r)


def _mean_of(values: Sequence[Value]) -> float | None:
    known = [number for value in values if (number := as_number(value)) is not None]
    return sum(known) / len(known) if known else None
