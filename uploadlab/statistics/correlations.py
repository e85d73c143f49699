"""Correlations with their certainty: Pearson with Fisher's interval, Spearman, and what one point does to it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from uploadlab.statistics.intervals import CONFIDENCE
from uploadlab.table_file import Value

CORRELATION_COLUMNS = (
    "source", "series", "x", "y", "n", "pearson", "pearson_lo", "pearson_hi", "spearman", "loo_min", "loo_max",
    "loo_min_without", "loo_max_without", "printed",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Correlation:
    """Pearson's r of paired points and what it rests on; unknown parts are None."""

    n: int
    pearson: float | None
    lo: float | None
    hi: float | None
    spearman: float | None
    loo_min: float | None
    loo_max: float | None
    loo_min_without: str | None
    loo_max_without: str | None

    def row(self) -> dict[str, Value]:
        """Return the correlation as columns of ``correlations.csv``."""
        return {f"pearson_{name}" if name in ("lo", "hi") else name: value for name, value in asdict(self).items()}


Points = Mapping[str, tuple[float | None, float | None]]


def correlate_series(series: Mapping[str, Points]) -> dict[str, Correlation]:
    """Correlate the points of each series and the differences of each two: `a - b`, or `differences` of a single pair.

    Differences are taken between points of the same name.
    """
    pairs = list(combinations(series, 2))
    differences = {
        "differences" if len(pairs) == 1 else f"{a} - {b}": _differences(series[a], series[b]) for a, b in pairs
    }
    return {name: correlate(points) for name, points in {**series, **differences}.items()}


def _differences(first: Points, second: Points) -> Points:
    return {
        name: (_difference(first[name][0], second[name][0]), _difference(first[name][1], second[name][1]))
        for name in first
        if name in second
    }


def _difference(a: float | None, b: float | None) -> float | None:
    return None if a is None or b is None else a - b


def correlate(points: Points) -> Correlation:
    """Correlate named points (x, y); points with an unknown coordinate are left out."""
    known = {name: (x, y) for name, (x, y) in points.items() if x is not None and y is not None}
    names = list(known)
    x, y = [known[name][0] for name in names], [known[name][1] for name in names]
    pearson = pearson_r(x, y)
    lo, hi = fisher_interval(pearson, len(x))
    without = {
        name: r
        for place, name in enumerate(names)
        if (r := pearson_r(x[:place] + x[place + 1 :], y[:place] + y[place + 1 :])) is not None
    }
    least = min(without, key=lambda name: without[name], default=None)
    most = max(without, key=lambda name: without[name], default=None)
    return Correlation(
        n=len(x),
        pearson=pearson,
        lo=lo,
        hi=hi,
        spearman=spearman_rho(x, y),
        loo_min=without[least] if least is not None else None,
        loo_max=without[most] if most is not None else None,
        loo_min_without=least,
        loo_max_without=most,
    )


def pearson_r(x: Sequence[float], y: Sequence[float]) -> float | None:
    """Return Pearson's r; None below three points or when one side does not vary."""
    if len(x) < 3 or _constant(x) or _constant(y):
        return None
    # numpy's: scipy's pearsonr takes a millisecond, and there are thousands
    return max(-1.0, min(1.0, float(np.corrcoef(x, y)[0, 1])))


def lag_1(values: Sequence[float] | NDArray[np.float64]) -> float:
    """Return the autocorrelation of a series with itself one place on; 0 where it does not vary."""
    centred = np.asarray(values) - np.mean(values)
    below = float(np.dot(centred, centred))
    return float(np.dot(centred[1:], centred[:-1])) / below if below else 0.0


def spearman_rho(x: Sequence[float], y: Sequence[float]) -> float | None:
    """Return Spearman's rank correlation; None below three points or when one side does not vary."""
    if len(x) < 3 or _constant(x) or _constant(y):
        return None
    return pearson_r(_ranks(x), _ranks(y))


def fisher_interval(r: float | None, n: int) -> tuple[float | None, float | None]:
    """Return the 95 % interval of a correlation by Fisher's z; unknown below four points.

    Fisher, On the Probable Error of a Coefficient of Correlation (1921): artanh r is near normal with sd 1/sqrt(n - 3).
    """
    if r is None or n < 4:
        return None, None
    if abs(r) >= 1:
        return r, r
    half = NormalDist().inv_cdf(1 - (1 - CONFIDENCE) / 2) / math.sqrt(n - 3)
    return math.tanh(math.atanh(r) - half), math.tanh(math.atanh(r) + half)


def spearman_interval(rho: float, n: int) -> tuple[float, float]:
    """Return the interval of a rank correlation of n points, at least 4; a perfect one as if two neighbours swapped.

    Fisher's, with the standard error 1.06 / sqrt(n - 3) (Fieller, Hartley and Pearson 1957).
    """
    below_perfect = 1 - 12 / (n * (n**2 - 1))
    centre = max(-below_perfect, min(below_perfect, rho))
    half = 1.06 * NormalDist().inv_cdf(1 - (1 - CONFIDENCE) / 2) / math.sqrt(n - 3)
    lo, hi = math.tanh(math.atanh(centre) - half), math.tanh(math.atanh(centre) + half)
    return min(lo, rho), max(hi, rho)


def partial_r(x: Sequence[float], y: Sequence[float], given: Sequence[Sequence[float]]) -> float | None:
    """Return the correlation of x and y once a straight line on the ``given`` series is taken from both.

    None when fewer than two points more than series remain, or one side has nothing left.
    """
    if len(x) < len(given) + 3:
        return None
    design = np.column_stack([np.ones(len(x)), *(np.asarray(series, dtype=np.float64) for series in given)])
    rests = []
    for side in (x, y):
        values = np.asarray(side, dtype=np.float64)
        rest = values - design @ np.linalg.lstsq(design, values, rcond=None)[0]
        if np.linalg.norm(rest) <= 1e-9 * max(1.0, float(np.linalg.norm(values))):
            return None
        rests.append(rest.tolist())
    return pearson_r(rests[0], rests[1])


def _ranks(values: Sequence[float]) -> list[float]:
    """Return ranks from 1, ties sharing their mean; scipy.stats has this but takes longer to import than to analyse."""
    _, place, counts = np.unique(np.asarray(values), return_inverse=True, return_counts=True)
    ranks: list[float] = (np.cumsum(counts) - (counts - 1) / 2)[place].tolist()
    return ranks


def _constant(values: Sequence[float]) -> bool:
    return max(values) - min(values) <= 1e-12 * max(1.0, abs(max(values, key=abs)))
