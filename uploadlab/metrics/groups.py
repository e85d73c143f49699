"""Do the runs of a cell fall into groups? A mean over two kinds of run, with its interval, hides both.

The test for clusters of Engelman and Hartigan (Percentage Points of a Test for Clusters, JASA 64, 1969): the largest
ratio of the sum of squares between two groups to that within them, over all ways to part the ordered values, against
what it is in samples of one normal distribution. Here of logarithms, and each group has at least two runs: one run is
not a kind. What may have made the difference is named where it parts the same runs: a figure that is higher in every
run of the slower kind, as is seldom by chance.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import groupby
from math import comb

import numpy as np
from numpy.typing import NDArray

from uploadlab.metrics.figures import valid_figures
from uploadlab.table_file import Value

GROUP_COLUMNS = ("cell", "scenario", "system", "stack", "metric", "n_low", "low_from", "low_to", "n_high", "high_from",
                 "high_to", "p", "goes_with", "with_low_from", "with_low_to", "with_high_from",
                 "with_high_to")  # fmt: skip
METRICS = ("mean_ms", "p99_ms", "cv")
CAUSES = ("gc_pct", "wait_pct", "steal_pct")
"""Time that is taken from a server."""
LEAST_IN_A_GROUP = 2
FALSE_ALARMS = 0.05
"""At most, in a campaign whose cells each have runs of one kind: shared out over its cells and metrics (Bonferroni)."""
LEAST_GAP = 1.25
"""The least of the higher group over the largest of the lower: groups that lie nearer together mislead nobody."""
SIMULATED = 40_000
_SEED = 14
Floats = NDArray[np.float64]


def group_rows(runs: Sequence[Mapping[str, Value]]) -> Iterator[dict[str, Value]]:
    """Yield the rows of ``groups.csv``: the cells, and the metrics, whose valid runs fall into two groups."""
    cells = [list(rows) for _, rows in groupby(runs, key=lambda row: str(row["cell"]))]
    figures = [
        (rows, metric, np.sort(values))
        for rows in cells
        for metric in METRICS
        if len(values := np.array(valid_figures(rows, metric))) >= 2 * LEAST_IN_A_GROUP and values.min() > 0
    ]
    for rows, metric, values in figures:
        low, high = parted(values)
        p = chance(values)
        if high[0] >= LEAST_GAP * low[-1] and p <= FALSE_ALARMS / len(figures):
            yield {
                **{name: rows[0][name] for name in ("cell", "scenario", "system", "stack")},
                "metric": metric,
                **{"n_low": len(low), "low_from": float(low[0]), "low_to": float(low[-1])},
                **{"n_high": len(high), "high_from": float(high[0]), "high_to": float(high[-1])},
                "p": p,
                **_goes_with(rows, metric, float(low[-1])),
            }


def _goes_with(rows: Sequence[Mapping[str, Value]], metric: str, low_to: float) -> dict[str, Value]:
    """Return what else parts the runs of a cell as `metric` does, the clearest of it, and the ends of both groups."""
    found = []
    for cause in CAUSES:
        runs = [row for row in rows if valid_figures([row], metric)]
        low, high = (
            valid_figures([row for row in runs if (valid_figures([row], metric)[0] <= low_to) is is_low], cause)
            for is_low in (True, False)
        )
        if len(low) + len(high) < len(runs) or len(CAUSES) / comb(len(runs), len(high)) > FALSE_ALARMS:
            continue
        if min(high) > LEAST_GAP * max(low):
            found.append((min(high) / max(max(low), np.finfo(np.float64).tiny), cause, low, high))
    if not found:
        return {}
    _, cause, low, high = max(found)
    return {
        "goes_with": cause,
        **{"with_low_from": min(low), "with_low_to": max(low), "with_high_from": min(high), "with_high_to": max(high)},
    }


def parted(values: Floats) -> tuple[Floats, Floats]:
    """Return the two groups of sorted positive values, at least four, with the largest ratio between to within."""
    cut = LEAST_IN_A_GROUP + int(np.argmax(_ratios(np.log(values)[np.newaxis])[0]))
    return values[:cut], values[cut:]


def chance(values: Floats) -> float:
    """Return how often as many values of one normal distribution part as clearly as the logs of these do, or more.

    By simulation, so never below 1 / (SIMULATED + 1).
    """
    clearest = float(_ratios(np.log(np.sort(values))[np.newaxis]).max())
    at_least = SIMULATED - int(np.searchsorted(_of_one_kind(len(values)), clearest))
    return (at_least + 1) / (SIMULATED + 1)


@cache
def _of_one_kind(n: int) -> Floats:
    """Return the sorted largest ratios of samples of one normal distribution."""
    samples = np.random.default_rng(_SEED).standard_normal((SIMULATED, n))
    return np.sort(_ratios(np.sort(samples, axis=1)).max(axis=1))


def _ratios(ordered: Floats) -> Floats:
    """Return between / within of each way to part rows of ordered values, shape (rows, n - 3)."""
    n = ordered.shape[1]
    centred = ordered - ordered.mean(axis=1, keepdims=True)
    sizes = np.arange(LEAST_IN_A_GROUP, n - LEAST_IN_A_GROUP + 1)
    sums = np.cumsum(centred, axis=1)[:, sizes - 1]
    between = sums**2 * (1 / sizes + 1 / (n - sizes))
    within = np.maximum((centred**2).sum(axis=1, keepdims=True) - between, 0.0)
    ratios: Floats = between / np.maximum(within, np.finfo(np.float64).tiny + 1e-12 * between)
    return ratios
