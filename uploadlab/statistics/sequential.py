"""Intervals of paired ratios, and how they stay honest when a campaign stops as soon as they decide.

A block is one run of each system of a scenario, one after the other, so a host that is slow for a while slows both:
what is compared is the log of their ratio within each block, whose mean and scatter give Student's t interval.

A campaign that looks after every block and stops when it likes what it sees would be wrong more often than one that
looks once. Its intervals are repeated confidence intervals (Jennison and Turnbull, Group Sequential Methods, 2000,
chapter 9): wide enough that, with 95 % probability, *all* of them hold the true ratio, whatever makes the campaign
stop. How much of the 5 % each look may use up is a spending function (Lan and DeMets, Biometrika 70, 1983; their
function of Pocock's kind, which leaves enough for early looks). The critical values are those of the t statistic
itself, found by simulating it, since few blocks are far from the normal limit that tables are made for. Where other
scenarios tell how much such a ratio scatters, the statistic is Smyth's moderated one (`prior_variance`).

Where several comparisons are to hold together, each has its part of the 5 % to spend (``families``).

The values for campaigns of few blocks are kept beside this module, since to simulate them takes seconds, and a campaign
asks after every block. ``tests/statistics/critical_values.py`` makes the file again.
"""

import csv
import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

import numpy as np

from uploadlab.statistics.intervals import CONFIDENCE, Interval, t_quantile
from uploadlab.statistics.prior_variance import UNKNOWN, PriorVariance

KEPT = Path(__file__).with_name("critical_values.csv")
MOST_KEPT_BLOCKS = 12
LEAST_BLOCKS = 3
FAMILIES = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 30, 45)
"""Among how many comparisons the error is divided, where the courses are simulated."""
_PATHS = 400_000
_SEED = 1983


def interval_of_paired_ratio(
    a: Sequence[float],
    b: Sequence[float],
    most_blocks: int | None,
    prior: PriorVariance = UNKNOWN,
    family: int = 1,
) -> Interval | None:
    """Return the geometric mean of a / b over blocks with its 95 % interval; None without values or one not above 0.

    Parameters
    ----------
    a, b
        The figures of two systems, block by block, of equal length.
    most_blocks
        Where the number of blocks was left open, how many there could be: the interval then is the common part of the
        repeated intervals of all looks so far, so that what was decided once stays decided (`_common` says when it is
        not). None: plain t interval.
    prior
        What other scenarios tell of the scatter, where the number of blocks was left open.
    family
        Among how many comparisons the error of 5 % is divided.
    """
    if not len(a) or min(*a, *b) <= 0:
        return None
    logs = log_ratios(a, b)
    ratio = math.exp(float(logs.mean()))
    if most_blocks is None:
        if len(logs) < 2:
            return Interval(estimate=ratio, lo=None, hi=None, method="none")
        lo, hi = _around(logs, t_quantile(len(logs) - 1, family), UNKNOWN)
        return Interval(estimate=ratio, lo=lo, hi=hi, method="paired t")
    if len(logs) < LEAST_BLOCKS:
        return Interval(estimate=ratio, lo=None, hi=None, method="none")
    lo, hi = _common(logs, critical_values(max(most_blocks, LEAST_BLOCKS, len(logs)), prior.degrees, family), prior)
    return Interval(estimate=ratio, lo=lo, hi=hi, method="sequential")


def log_ratios(a: Sequence[float], b: Sequence[float]) -> np.ndarray:
    """Return the log of a / b, block by block."""
    return np.log(np.asarray(a, dtype=np.float64)) - np.log(np.asarray(b, dtype=np.float64))


def more_blocks(
    a: Sequence[float],
    b: Sequence[float],
    most_blocks: int,
    margin: float,
    prior: PriorVariance = UNKNOWN,
    family: int = 1,
    *,
    looks: bool = True,
) -> int | None:
    """Return how many more blocks would decide, were ratio and scatter to stay; None where not even the most would.

    Decided means that the interval of a / b excludes 1, or lies inside the margin of equivalence: the repeated interval
    of a campaign that ``looks`` after each block, else the plain one of a paired t.
    """
    logs = log_ratios(a, b)
    distance, scatter = abs(float(logs.mean())), _scatter(logs, prior)
    repeated = critical_values(max(most_blocks, LEAST_BLOCKS), prior.degrees, family) if looks else ()
    for total in range(len(logs) + 1, most_blocks + 1):
        critical = repeated[total - LEAST_BLOCKS] if looks else t_quantile(total - 1, family)
        half = critical * scatter / math.sqrt(total)
        if half < distance or distance + half < math.log1p(margin):
            return total - len(logs)
    return None


def critical_after(degrees: float, most_blocks: int) -> float:
    """Return the critical value of a look with these degrees of freedom, those of a block more than there are."""
    values = critical_values(max(most_blocks, LEAST_BLOCKS))
    return values[min(max(math.floor(degrees) + 1, LEAST_BLOCKS) - LEAST_BLOCKS, len(values) - 1)]


def _scatter(logs: np.ndarray, prior: PriorVariance) -> float:
    if not prior.degrees:
        return float(logs.std(ddof=1))
    return math.sqrt(prior.moderate(float(logs.var(ddof=1)), len(logs) - 1))


def _around(logs: np.ndarray, critical: float, prior: PriorVariance) -> tuple[float, float]:
    middle = float(logs.mean())
    half = min(critical * _scatter(logs, prior) / math.sqrt(len(logs)), 700.0)
    return math.exp(middle - half), math.exp(middle + half)


def _common(logs: np.ndarray, critical: Sequence[float], prior: PriorVariance) -> tuple[float, float]:
    """Return what the intervals of all looks have in common; the last look's alone where that leaves out its estimate.

    Ratios that are of two kinds, or drift, can leave the interval of an early look: the early look was wrong then, and
    an estimate outside its own interval would say nothing.
    """
    until = critical[: len(logs) - LEAST_BLOCKS + 1]
    looks = [_around(logs[:n], value, prior) for n, value in enumerate(until, LEAST_BLOCKS)]
    lo, hi = max(lo for lo, _ in looks), min(hi for _, hi in looks)
    return (lo, hi) if lo <= math.exp(float(logs.mean())) <= hi else looks[-1]


@cache
def critical_values(most_blocks: int, prior_degrees: int = 0, family: int = 1) -> tuple[float, ...]:
    """Return the two-sided critical values of the t statistic after 3, 4, … ``most_blocks`` blocks.

    After n of N blocks ln(1 + (e - 1) n / N) of the error is spent (Lan and DeMets 1983): of 5 %, divided among a
    family of comparisons. The values are quantiles of 400,000 simulated courses of the statistic, from a fixed seed.
    With degrees of freedom of a prior variance it is the moderated statistic, of courses whose variances are drawn from
    the prior. Of families between those simulated the next larger one's are taken; of larger ones, whose quantiles
    400,000 courses do not tell, each look spends what is new as if it were alone, which is a little more careful.
    """
    simulated = next((one for one in FAMILIES if one >= family), None)
    if simulated is None:
        return _alone(most_blocks, prior_degrees, family)
    kept = _kept_values().get((most_blocks, prior_degrees, simulated))
    return simulated_critical_values(most_blocks, prior_degrees)[simulated] if kept is None else tuple(kept)


def _alone(most_blocks: int, prior_degrees: int, family: int) -> tuple[float, ...]:
    """Return critical values by which the looks' errors add up to what may be spent (Bonferroni over the looks)."""
    spent = [0.0, *(_spent(n, most_blocks) for n in range(LEAST_BLOCKS, most_blocks + 1))]
    return tuple(
        t_quantile(prior_degrees + n - 1, family / (after - before))
        for n, (before, after) in enumerate(itertools.pairwise(spent), LEAST_BLOCKS)
    )


def _spent(blocks: int, most_blocks: int) -> float:
    """Return which share of the error is spent after so many blocks."""
    return math.log1p((math.e - 1) * blocks / most_blocks)


@cache
def _kept_values() -> dict[tuple[int, int, int], list[float]]:
    """Return the values in the file, by most blocks, degrees of freedom of the prior, and family."""
    found: dict[tuple[int, int, int], list[float]] = {}
    with KEPT.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            key = int(row["most_blocks"]), int(row["prior_degrees"]), int(row["family"])
            found.setdefault(key, []).append(float(row["critical_value"]))
    return found


@cache
def simulated_critical_values(most_blocks: int, prior_degrees: int) -> dict[int, tuple[float, ...]]:
    """Return them of each family from simulated courses, as ``critical_values`` says."""
    statistics = list(simulated_statistics(most_blocks, prior_degrees))
    return {family: spent_by(statistics, most_blocks, family) for family in FAMILIES}


def simulated_statistics(most_blocks: int, prior_degrees: int) -> Iterator[np.ndarray]:
    """Yield the size of the statistic after 3, 4, … ``most_blocks`` blocks, of each of the simulated courses."""
    generator = np.random.default_rng(_SEED)
    scale = np.sqrt(prior_degrees / generator.chisquare(prior_degrees, _PATHS)) if prior_degrees else 1.0
    sums, squares = np.zeros(_PATHS), np.zeros(_PATHS)
    for n in range(1, most_blocks + 1):
        drawn = generator.standard_normal(_PATHS) * scale
        sums += drawn
        squares += drawn * drawn
        if n >= LEAST_BLOCKS:
            variance = (prior_degrees + squares - sums * sums / n) / (prior_degrees + n - 1)
            yield np.abs(sums) / np.sqrt(n * variance)


def spent_by(statistics: Iterable[np.ndarray], most_blocks: int, family: int = 1) -> tuple[float, ...]:
    """Return the critical values of courses with these statistics, which end after ``most_blocks`` blocks."""
    alive = np.ones(_PATHS, dtype=bool)
    values: list[float] = []
    for n, statistic in enumerate(statistics, LEAST_BLOCKS):
        spent = (1 - CONFIDENCE) / family * _spent(n, most_blocks)
        crossing = max(1, round(spent * _PATHS) - int(np.count_nonzero(~alive)))
        value = float(np.partition(statistic[alive], -crossing)[-crossing])
        alive &= statistic < value
        values.append(value)
    return tuple(values)
