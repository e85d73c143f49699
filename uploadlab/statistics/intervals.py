"""95 % intervals over repeats. Requests of one run are not independent, so they never enter as such.

Below 10 repeats the interval is Student's t on the log of the mean (delta method), which stays positive and says
honestly how little few repeats tell. From 10 on repeats are resampled, and the levels of the percentile interval are
expanded for n and for t (Hesterberg, What Teachers Should Know About the Bootstrap, 2015, section 4.3); with fewer,
no resample lies outside the few values seen and such an interval covers too rarely (91 % at n = 5).

Whole runs are resampled and requests are not drawn again inside them: the scatter of the repeats already contains the
noise within runs, and drawing twice would count it twice (Davison and Hinkley, Bootstrap Methods, 1997, section 3.8).
"""

import math
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

CONFIDENCE = 0.95
BOOTSTRAP_FROM = 10
RESAMPLES = 10_000


@dataclass(frozen=True, kw_only=True)
class Interval:
    """An estimate and its interval; ``lo`` and ``hi`` are None where none can be given."""

    estimate: float
    lo: float | None
    hi: float | None
    method: str
    """``t``, ``bootstrap``, ``chi-square`` or ``none``."""

    def through(self, change: Callable[[float], float]) -> "Interval":
        """Return the interval of a figure that only rises, or only falls, with this one."""
        if self.lo is None or self.hi is None:
            return replace(self, estimate=change(self.estimate))
        lo, hi = sorted((change(self.lo), change(self.hi)))
        return replace(self, estimate=change(self.estimate), lo=lo, hi=hi)


def interval_of_mean(
    values: Sequence[float], generator: np.random.Generator, *, least: float = -math.inf
) -> Interval | None:
    """Return the mean over repeats with its interval; None without values.

    For positive values the t interval is laid on the log of the mean (delta method), so that it stays positive.
    Otherwise its lower end is cut at ``least``, the smallest value the figure can have.
    """
    if not len(values):
        return None
    sample = np.asarray(values, dtype=np.float64)
    mean = float(sample.mean())
    n = len(sample)
    if n < 2:
        return Interval(estimate=mean, lo=None, hi=None, method="none")
    if n >= BOOTSTRAP_FROM:
        means = resample_means(sample, generator)
        lo, hi = np.quantile(means, expanded_levels(n, n - 1))
        return Interval(estimate=mean, lo=float(lo), hi=float(hi), method="bootstrap")
    half = t_quantile(n - 1) * float(sample.std(ddof=1)) / math.sqrt(n)
    if sample.min() > 0:
        factor = _exp(half / mean)
        return Interval(estimate=mean, lo=mean / factor, hi=mean * factor, method="t")
    return Interval(estimate=mean, lo=max(least, mean - half), hi=mean + half, method="t")


def interval_of_ratio(
    a: Sequence[float], b: Sequence[float], generator: np.random.Generator, family: int = 1
) -> Interval | None:
    """Return mean(a) / mean(b) over repeats with its interval; None without values or with a value not above 0.

    It is one of a family of comparisons that share the error.

    Below 10 repeats of either: Welch's t interval on the log of the ratio, standard errors by the delta method.
    """
    first, second = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if not len(first) or not len(second) or min(first.min(), second.min()) <= 0:
        return None
    ratio = float(first.mean() / second.mean())
    if min(len(first), len(second)) < 2:
        return Interval(estimate=ratio, lo=None, hi=None, method="none")
    variance, degrees = welch(first, second)
    if min(len(first), len(second)) >= BOOTSTRAP_FROM:
        logs = np.log(resample_means(first, generator)) - np.log(resample_means(second, generator))
        lo, hi = np.quantile(logs, expanded_levels(min(len(first), len(second)), degrees, family))
        return Interval(estimate=ratio, lo=math.exp(lo), hi=math.exp(hi), method="bootstrap")
    factor = _exp(t_quantile(degrees, family) * math.sqrt(variance))
    return Interval(estimate=ratio, lo=ratio / factor, hi=ratio * factor, method="t")


def interval_of_variation(values: Sequence[float]) -> Interval | None:
    """Return the coefficient of variation over repeats with its interval; None of fewer than two, or not above 0.

    That of a normal sample's deviation (chi-square). The mean's own error is left out: up to a CV of a third it hardly
    counts (Vangel, Confidence Intervals for a Normal Coefficient of Variation, 1996).
    """
    sample = np.asarray(values, dtype=np.float64)
    n = len(sample)
    if n < 2 or sample.min() <= 0:
        return None
    from scipy import special  # here, as for Student's t

    cv = float(sample.std(ddof=1) / sample.mean())
    tail = (1 - CONFIDENCE) / 2
    lo, hi = (cv * math.sqrt((n - 1) / float(special.chdtri(n - 1, above))) for above in (tail, 1 - tail))
    return Interval(estimate=cv, lo=lo, hi=hi, method="chi-square")


def clopper_pearson(count: int, total: int) -> tuple[float, float]:
    """Return the exact interval of the probability of what was seen ``count`` times of ``total``, from 0 to 1.

    The quantiles of two beta distributions (Clopper and Pearson, The Use of Confidence or Fiducial Limits Illustrated
    in the Case of the Binomial, 1934). Not ``scipy.stats.binomtest``: to import that takes longer than most analyses.
    """
    from scipy import special  # here, as for Student's t

    tail = (1 - CONFIDENCE) / 2
    lo = float(special.betaincinv(count, total - count + 1, tail)) if count else 0.0
    hi = float(special.betaincinv(count + 1, total - count, 1 - tail)) if count < total else 1.0
    return lo, hi


def welch(a: NDArray[np.float64], b: NDArray[np.float64]) -> tuple[float, float]:
    """Return the variance of log(mean(a) / mean(b)) and its Welch-Satterthwaite degrees of freedom (both n above 1)."""
    parts = [float(part.var(ddof=1)) / len(part) / float(part.mean()) ** 2 for part in (a, b)]
    total = sum(parts)
    if total == 0:
        return 0.0, float(len(a) + len(b) - 2)
    spread = sum(part**2 / (n - 1) for part, n in zip(parts, (len(a), len(b)), strict=True))
    return total, total**2 / spread


def generator_for(seed: int, key: str) -> np.random.Generator:
    """Return the generator of one figure, so that no figure depends on which others were computed before it."""
    return np.random.default_rng([seed, zlib.crc32(key.encode())])


@cache
def t_quantile(degrees: float, family: float = 1) -> float:
    """Return the two-sided quantile of Student's t, of one comparison of a family that share the error."""
    from scipy import special  # here, because importing it takes as long as analysing half a million requests

    return float(special.stdtrit(degrees, 1 - (1 - CONFIDENCE) / family / 2))


def expanded_levels(n: int, degrees: float, family: int = 1) -> tuple[float, float]:
    """Return the levels of the expanded percentile interval for n resampled units (Hesterberg 2015, section 4.3)."""
    level = NormalDist().cdf(-math.sqrt(n / (n - 1)) * t_quantile(degrees, family))
    return level, 1 - level


def resample_means(sample: NDArray[np.float64], generator: np.random.Generator) -> NDArray[np.float64]:
    """Return the means of bootstrap resamples of a sample, shape (RESAMPLES,)."""
    return np.asarray(sample[generator.integers(0, len(sample), (RESAMPLES, len(sample)))].mean(axis=1))


def _exp(exponent: float) -> float:
    return math.exp(min(exponent, 700.0))
