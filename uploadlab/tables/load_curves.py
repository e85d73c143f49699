"""Response time and CPU against the offered rate, where a campaign measures shares of the capacity.

The knee is where the rate over the mean response time, Kleinrock's power, is largest (Power and Deterministic Rules of
Thumb for Probabilistic Problems in Computer Communications, ICC 1979): beyond it response times grow faster than the
rate.
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from uploadlab.metrics.figures import valid_figures
from uploadlab.results.campaign import Campaign
from uploadlab.statistics.intervals import generator_for, interval_of_mean
from uploadlab.table_file import Row, Value, as_number
from uploadlab.tables.comparisons import system_key

CURVE_COLUMNS = (
    "curve", "system", "rate_per_s", "runs", "mean_ms", "mean_ms_lo", "mean_ms_hi", "p99_ms", "p99_ms_lo", "p99_ms_hi",
    "cpu_pct", "cpu_pct_lo", "cpu_pct_hi", "knee",
)  # fmt: skip
LIMIT_COLUMNS = ("curve", "system", "p99_limit_ms", "holds", "rate_per_s", "rate_per_s_lo", "rate_per_s_hi", "blocks")
FIGURES = {
    "mean_ms": ("scheduled_mean_ms", "mean_ms"),
    "p99_ms": ("scheduled_p99_ms", "p99_ms"),
    "cpu_pct": ("server_cpu_pct",),
}
"""Each figure of a curve, and the column of ``runs.csv`` that has it: times count from when a request was due."""
LEAST_MS = 0.001


@dataclass(frozen=True, kw_only=True)
class _Curve:
    name: str
    system: str
    by_rate: Mapping[float, Sequence[Row]]
    """Its valid runs at each rate, the rates ascending."""


def load_curves(
    campaign: Campaign, runs: Sequence[Row], seed: int
) -> tuple[list[dict[str, Value]], list[dict[str, Value]]]:
    """Return the rows of ``load_curves.csv`` and, where the campaign has a limit, of ``load_limits.csv``."""
    points, limits = [], []
    for curve in _curves(campaign, runs):
        rows = [_point(curve, rate, of_rate, seed) for rate, of_rate in curve.by_rate.items()]
        powers = [rate / mean if isinstance(mean := row["mean_ms"], float) and mean > 0 else 0.0
                  for rate, row in zip(curve.by_rate, rows, strict=True)]  # fmt: skip
        points += [{**row, "knee": power == max(powers)} for row, power in zip(rows, powers, strict=True)]
        if campaign.p99_limit_ms is not None:
            limits.append(_limit(curve, campaign.p99_limit_ms, seed))
    return points, limits


def _curves(campaign: Campaign, runs: Sequence[Row]) -> list[_Curve]:
    factor = campaign.windows_factor
    grouped: dict[tuple[str, str], dict[float, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for run in runs:
        rate = as_number(run.get("rate_per_s"))
        if factor is None or rate is None or run.get("valid") is not True:
            continue
        others = ", ".join(f"{name} {run[name]}" for name in campaign.factors if name != factor)
        grouped[others, system_key(run)][rate].append(run)
    return [
        _Curve(name=name, system=system, by_rate={rate: by_rate[rate] for rate in sorted(by_rate)})
        for (name, system), by_rate in grouped.items()
    ]


def _point(curve: _Curve, rate_per_s: float, runs: Sequence[Row], seed: int) -> dict[str, Value]:
    row: dict[str, Value] = {"curve": curve.name, "system": curve.system, "rate_per_s": rate_per_s, "runs": len(runs)}
    for name in FIGURES:
        values = [value for run in runs if (value := _figure(run, name)) is not None]
        generator = generator_for(seed, f"{curve.name} {curve.system} {rate_per_s} {name}")
        interval = interval_of_mean(values, generator, least=0.0)
        if interval is not None:
            row |= {name: interval.estimate, f"{name}_lo": interval.lo, f"{name}_hi": interval.hi}
    return row


def _figure(run: Row, name: str) -> float | None:
    return next((values[0] for column in FIGURES[name] if (values := valid_figures([run], column))), None)


def _limit(curve: _Curve, limit_ms: float, seed: int) -> dict[str, Value]:
    """Return up to which rate a system's p99 stays within the limit: from each block of runs, then over the blocks.

    A block has a valid run at each rate, the first ones of all rates, then the second ones: where a run was not valid,
    a later one stands for it. `holds` is ``all`` where no block passes the limit at any rate measured, ``none`` where
    every block does at the lowest, ``some`` where some do at the lowest, else ``to``; `rate_per_s` is the highest rate
    measured, the lowest, or the mean of the rates at which blocks pass it.
    """
    of_rates = [
        [(rate, p99_ms) for run in runs if (p99_ms := _figure(run, "p99_ms")) is not None]
        for rate, runs in curve.by_rate.items()
    ]
    crossings = [crossing(points, limit_ms) for points in zip(*of_rates, strict=False)]
    passed = [rate for rate in crossings if rate is not None]
    lowest, highest = min(curve.by_rate), max(curve.by_rate)
    row: dict[str, Value] = {"curve": curve.name, "system": curve.system, "p99_limit_ms": limit_ms}
    row["blocks"] = len(crossings)
    if not passed:
        return row | {"holds": "all", "rate_per_s": highest}
    if min(passed) <= lowest:
        every = len(passed) == len(crossings) and max(passed) <= lowest
        return row | {"holds": "none" if every else "some", "rate_per_s": lowest}
    if len(passed) < len(crossings):  # in some blocks never: of those only the highest rate measured is known
        return row | {"holds": "to", "rate_per_s": min(passed)}
    interval = interval_of_mean(passed, generator_for(seed, f"{curve.name} {curve.system} limit"), least=0.0)
    if interval is not None:
        row |= {"rate_per_s": interval.estimate, "rate_per_s_lo": interval.lo, "rate_per_s_hi": interval.hi}
    return row | {"holds": "to"}


def crossing(points: Sequence[tuple[float, float]], limit: float) -> float | None:
    """Return the rate at which a figure first passes a limit, None where it does at none of the points (rate, figure).

    Between two points the logarithm of the figure is taken to grow in proportion to the rate; the first point's rate
    where the figure is beyond the limit from the start. A figure that a clock of whole ms shows as 0 counts as 1 µs.
    """
    before: tuple[float, float] | None = None
    for rate, figure in sorted(points):
        if figure > limit:
            if before is None:
                return rate
            share = math.log(limit / before[1]) / math.log(figure / before[1])
            return before[0] + share * (rate - before[0])
        before = rate, max(figure, LEAST_MS)
    return None
