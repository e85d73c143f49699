"""Intervals of paired ratios, and how they stay honest when a campaign stops as soon as they decide.

A block is one run of each system of a scenario, one after the other, so a host that is slow for a while slows both:
what is compared is the log of their ratio within each block, whose mean and scatter give Student's t interval.

A campaign that looks after every block and stops when it likes what it sees would be wrong more often than one that
looks once. So nothing is decided before a first look (`first_look`), and a campaign that ends before it has looked
once: its interval is Student's. From there on intervals are repeated confidence intervals (Jennison and Turnbull, Group
Sequential Methods, 2000, chapter 9): wide enough that, with 95 % probability, *all* of them hold the true ratio,
whatever makes the campaign stop. How much of the 5 % each look may use up is a spending function (Lan and DeMets,
Biometrika 70, 1983; their function of Pocock's kind, which leaves enough for early looks). The critical values are
those of the t statistic itself, found by simulating it, since few blocks are far from the normal limit that tables are
made for. Where other scenarios tell how much such a ratio scatters, the statistic is Smyth's moderated one
(`prior_variance`).

Where one of two was measured twice in each block, its figure is the geometric mean of the two, and the two tell, beside
the blocks' ratios, how much processes scatter: twice the degrees of freedom (`Blocks`).

Where several comparisons are to hold together, each has its part of the 5 % to spend (``families``).

The values for campaigns of few blocks are kept beside this module, since to simulate them takes seconds, and a campaign
asks after every block. ``tests/statistics/critical_values.py`` makes the file again.
"""

import csv
import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np

from uploadlab.statistics.intervals import CONFIDENCE, Interval, t_quantile
from uploadlab.statistics.prior_variance import UNKNOWN, PriorVariance

KEPT = Path(__file__).with_name("critical_values.csv")
MOST_KEPT_BLOCKS = 12
LEAST_BLOCKS = 3
"""Fewer say nothing of how much a ratio scatters."""
FIRST_LOOK = 5
"""Blocks: earlier looks have so few degrees of freedom that they decide little, and what they spend is missed later."""
FAMILIES = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 30, 45)
"""Among how many comparisons the error is divided, where the courses are simulated."""
_PATHS = 400_000
_SEED = 1983


NOISE_SHARE = 3 / 4
"""Of three figures alike, the variance of one over the mean of the others, 3/2, to that of one over another, 2."""


@dataclass(frozen=True, kw_only=True)
class Blocks:
    """Two systems' figures block by block, as logs of ratios, and what tells how much these scatter."""

    logs: np.ndarray
    """Of a to b."""
    noise: np.ndarray
    """Of b to itself, where it was measured twice in each block; else empty."""
    prior: PriorVariance = UNKNOWN

    @classmethod
    def of(
        cls, a: Sequence[float], b: Sequence[float], again: Sequence[float] = (), prior: PriorVariance = UNKNOWN
    ) -> "Blocks":
        """Take the figures, all above 0; ``again``, those of b's second measurement, tell instead of a prior."""
        if not len(again):
            return cls(logs=log_ratios(a, b), noise=np.empty(0), prior=prior)
        both: Sequence[float] = np.sqrt(np.multiply(b, again)).tolist()
        return cls(logs=log_ratios(a, both), noise=log_ratios(b, again))

    def __len__(self) -> int:
        return len(self.logs)

    def begin(self, blocks: int) -> "Blocks":
        """Return the first so many."""
        return replace(self, logs=self.logs[:blocks], noise=self.noise[:blocks])

    @property
    def ratio(self) -> float:
        """The geometric mean of the ratios."""
        return math.exp(float(self.logs.mean()))

    @property
    def scatter(self) -> float:
        """The standard deviation of the log of a ratio, pooled over all that tells of it; of two blocks or more."""
        own = len(self.logs) - 1
        variance = float(self.logs.var(ddof=1))
        if self.measured_twice:
            return math.sqrt((variance + NOISE_SHARE * float(self.noise.var(ddof=1))) / 2)
        return math.sqrt(self.prior.moderate(variance, own)) if self.prior.degrees else math.sqrt(variance)

    @property
    def measured_twice(self) -> bool:
        """Whether b was, in each block."""
        return len(self.noise) > 0

    def t_quantile(self, blocks: int, family: int) -> float:
        """Return Student's critical value after so many blocks."""
        return t_quantile(_degrees(blocks, self.prior.degrees, measured_twice=self.measured_twice), family)

    def around(self, critical: float) -> tuple[float, float]:
        """Return the interval of the ratio by this critical value."""
        middle = float(self.logs.mean())
        half = min(critical * self.scatter / math.sqrt(len(self)), 700.0)
        return math.exp(middle - half), math.exp(middle + half)

    def critical_values(self, most_blocks: int, family: int) -> tuple[float, ...]:
        """Return the critical value of each look, the last after ``most_blocks`` blocks."""
        return critical_values(most_blocks, self.prior.degrees, family, measured_twice=self.measured_twice)


def interval_of_paired_ratio(
    a: Sequence[float],
    b: Sequence[float],
    most_blocks: int | None,
    prior: PriorVariance = UNKNOWN,
    family: int = 1,
    again: Sequence[float] = (),
) -> Interval | None:
    """Return the geometric mean of a / b over blocks with its 95 % interval; None without values or one not above 0.

    Parameters
    ----------
    a, b
        The figures of two systems, block by block, of equal length.
    most_blocks
        Where the number of blocks was left open, how many there could be: the interval then is the common part of the
        repeated intervals of all looks so far, so that what was decided once stays decided (`_common` says when it is
        not). Before the first look it is the one of a campaign that ends here. None: plain t interval.
    prior
        What other scenarios tell of the scatter, where the number of blocks was left open.
    family
        Among how many comparisons the error of 5 % is divided.
    again
        The figures of b's second measurement in each block, where it was measured twice.
    """
    if not len(a) or min(*a, *b, *again) <= 0:
        return None
    blocks = Blocks.of(a, b, again, UNKNOWN if most_blocks is None else prior)
    if len(blocks) < (2 if most_blocks is None else LEAST_BLOCKS):
        return Interval(estimate=blocks.ratio, lo=None, hi=None, method="none")
    if most_blocks is None:
        lo, hi = blocks.around(blocks.t_quantile(len(blocks), family))
        return Interval(estimate=blocks.ratio, lo=lo, hi=hi, method="paired t")
    most_blocks = max(most_blocks, LEAST_BLOCKS, len(blocks))
    if len(blocks) < first_look(most_blocks):
        lo, hi = blocks.around(blocks.t_quantile(len(blocks), family))
    else:
        lo, hi = _common(blocks, blocks.critical_values(most_blocks, family))
    return Interval(estimate=blocks.ratio, lo=lo, hi=hi, method="sequential")


def first_look(most_blocks: int) -> int:
    """Return after how many blocks a campaign first looks whether a comparison is decided."""
    return min(FIRST_LOOK, most_blocks)


def critical_value(
    blocks: int, most_blocks: int, prior_degrees: int, family: int, *, measured_twice: bool = False
) -> float:
    """Return the critical value of a campaign that ends after so many blocks: Student's where it never looked.

    ``measured_twice``: one of the two systems is, in each block.
    """
    first = first_look(most_blocks)
    if blocks < first:
        return t_quantile(_degrees(blocks, prior_degrees, measured_twice=measured_twice), family)
    return critical_values(most_blocks, prior_degrees, family, measured_twice=measured_twice)[blocks - first]


def _degrees(blocks: int, prior_degrees: int, *, measured_twice: bool) -> int:
    """Return the degrees of freedom of the scatter of so many blocks."""
    return 2 * (blocks - 1) if measured_twice else prior_degrees + blocks - 1


def log_ratios(a: Sequence[float], b: Sequence[float]) -> np.ndarray:
    """Return the log of a / b, block by block."""
    return np.log(np.asarray(a, dtype=np.float64)) - np.log(np.asarray(b, dtype=np.float64))


def more_blocks(blocks: Blocks, most_blocks: int, margin: float, family: int = 1, *, looks: bool = True) -> int | None:
    """Return how many more blocks would decide, were ratio and scatter to stay; None where not even the most would.

    Decided means that the interval of a / b excludes 1, or lies inside the margin of equivalence: the repeated interval
    of a campaign that ``looks`` after each block, else the plain one of a paired t.
    """
    distance, scatter = abs(math.log(blocks.ratio)), blocks.scatter
    first = first_look(max(most_blocks, LEAST_BLOCKS)) if looks else 0
    repeated = blocks.critical_values(max(most_blocks, LEAST_BLOCKS), family) if looks else ()
    for total in range(max(len(blocks) + 1, first), most_blocks + 1):
        critical = repeated[total - first] if looks else blocks.t_quantile(total, family)
        half = critical * scatter / math.sqrt(total)
        if half < distance or distance + half < math.log1p(margin):
            return total - len(blocks)
    return None


def critical_after(degrees: float, most_blocks: int) -> float:
    """Return the critical value of a look with these degrees of freedom, those of a block more than there are.

    With fewer than the first look has, it is the one that spends as much as the first look does.
    """
    first, blocks = first_look(max(most_blocks, LEAST_BLOCKS)), math.floor(degrees) + 1
    if blocks < first:
        return t_quantile(max(degrees, 1.0), 1 / _spent(first, max(most_blocks, LEAST_BLOCKS)))
    values = critical_values(max(most_blocks, LEAST_BLOCKS))
    return values[min(blocks - first, len(values) - 1)]


def _common(blocks: Blocks, critical: Sequence[float]) -> tuple[float, float]:
    """Return what the intervals of all looks have in common; the last look's alone where that leaves out its estimate.

    Ratios that are of two kinds, or drift, can leave the interval of an early look: the early look was wrong then, and
    an estimate outside its own interval would say nothing.
    """
    first = min(FIRST_LOOK, len(blocks))
    counts = range(first, len(blocks) + 1)
    looks = [blocks.begin(n).around(value) for n, value in zip(counts, critical, strict=False)]
    lo, hi = max(lo for lo, _ in looks), min(hi for _, hi in looks)
    return (lo, hi) if lo <= blocks.ratio <= hi else looks[-1]


@cache
def critical_values(
    most_blocks: int, prior_degrees: int = 0, family: int = 1, *, measured_twice: bool = False
) -> tuple[float, ...]:
    """Return the two-sided critical values of the t statistic at each look, the last after ``most_blocks`` blocks.

    Where the first look is the last they are Student's. After n of N blocks ln(1 + (e - 1) n / N) of the error is spent
    (Lan and DeMets 1983): of 5 %, divided among a family of comparisons. The values are quantiles of 400,000 simulated
    courses of the statistic, from a fixed seed. With degrees of freedom of a prior variance it is the moderated
    statistic, of courses whose variances are drawn from the prior; where one system was ``measured_twice`` it is the
    one whose scatter is pooled (`Blocks`). Of families between those simulated the next larger one's are taken; of
    larger ones, whose quantiles 400,000 courses do not tell, each look spends what is new as if it were alone, which is
    a little more careful.
    """
    if most_blocks <= FIRST_LOOK:
        return (t_quantile(_degrees(most_blocks, prior_degrees, measured_twice=measured_twice), family),)
    simulated = next((one for one in FAMILIES if one >= family), None)
    if simulated is None:
        return _alone(most_blocks, prior_degrees, family, measured_twice=measured_twice)
    kept = _kept_values().get((most_blocks, prior_degrees, measured_twice, simulated))
    if kept is not None:
        return tuple(kept)
    return simulated_critical_values(most_blocks, prior_degrees, measured_twice=measured_twice)[simulated]


def _alone(most_blocks: int, prior_degrees: int, family: int, *, measured_twice: bool) -> tuple[float, ...]:
    """Return critical values by which the looks' errors add up to what may be spent (Bonferroni over the looks)."""
    spent = [0.0, *(_spent(n, most_blocks) for n in range(FIRST_LOOK, most_blocks + 1))]
    return tuple(
        t_quantile(_degrees(n, prior_degrees, measured_twice=measured_twice), family / (after - before))
        for n, (before, after) in enumerate(itertools.pairwise(spent), FIRST_LOOK)
    )


def _spent(blocks: int, most_blocks: int) -> float:
    """Return which share of the error is spent after so many blocks."""
    return math.log1p((math.e - 1) * blocks / most_blocks)


@cache
def _kept_values() -> dict[tuple[int, int, bool, int], list[float]]:
    """Return the values in the file, by most blocks, degrees of the prior, whether measured twice, and family."""
    found: dict[tuple[int, int, bool, int], list[float]] = {}
    with KEPT.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            twice = bool(int(row["measured_twice"]))
            key = int(row["most_blocks"]), int(row["prior_degrees"]), twice, int(row["family"])
            found.setdefault(key, []).append(float(row["critical_value"]))
    return found


@cache
def simulated_critical_values(
    most_blocks: int, prior_degrees: int, *, measured_twice: bool = False
) -> dict[int, tuple[float, ...]]:
    """Return them of each family from simulated courses, as ``critical_values`` says."""
    statistics = list(simulated_statistics(most_blocks, prior_degrees, measured_twice=measured_twice))
    return {family: spent_by(statistics, most_blocks, family) for family in FAMILIES}


def simulated_statistics(most_blocks: int, prior_degrees: int, *, measured_twice: bool = False) -> Iterator[np.ndarray]:
    """Yield the size of the statistic at each look up to ``most_blocks`` blocks, of each of the simulated courses."""
    generator = np.random.default_rng(_SEED)
    scale = np.sqrt(prior_degrees / generator.chisquare(prior_degrees, _PATHS)) if prior_degrees else 1.0
    ratio, noise = (_Course(np.zeros(_PATHS), np.zeros(_PATHS)) for _ in range(2))
    for n in range(1, most_blocks + 1):
        ratio.add(generator.standard_normal(_PATHS) * scale)
        if measured_twice:
            noise.add(generator.standard_normal(_PATHS))
        if n >= FIRST_LOOK:
            degrees = _degrees(n, prior_degrees, measured_twice=measured_twice)
            variance = (prior_degrees + ratio.rest(n) + noise.rest(n)) / degrees
            yield np.abs(ratio.sums) / np.sqrt(n * variance)


@dataclass(frozen=True)
class _Course:
    """Of each course the sum of what was drawn, and of the squares."""

    sums: np.ndarray
    squares: np.ndarray

    def add(self, drawn: np.ndarray) -> None:
        np.add(self.sums, drawn, out=self.sums)
        np.add(self.squares, drawn * drawn, out=self.squares)

    def rest(self, n: int) -> np.ndarray:
        """Return the squared distances from the mean of n draws."""
        return np.asarray(self.squares - self.sums * self.sums / n)


def spent_by(statistics: Iterable[np.ndarray], most_blocks: int, family: int = 1) -> tuple[float, ...]:
    """Return the critical values of courses with these statistics, which end after ``most_blocks`` blocks."""
    alive = np.ones(_PATHS, dtype=bool)
    values: list[float] = []
    for n, statistic in enumerate(statistics, FIRST_LOOK):
        spent = (1 - CONFIDENCE) / family * _spent(n, most_blocks)
        crossing = max(1, round(spent * _PATHS) - int(np.count_nonzero(~alive)))
        value = float(np.partition(statistic[alive], -crossing)[-crossing])
        alive &= statistic < value
        values.append(value)
    return tuple(values)
