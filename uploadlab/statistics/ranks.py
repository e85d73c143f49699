"""Ranks of many systems that hold together: with 95 % probability every system's true rank lies in its set.

Each block measures every system once, so what a block shares is taken out first, by subtracting the mean of its logs.
Two systems differ where their difference exceeds the Games-Howell bound: Welch's standard error and degrees of freedom
with the critical value of the studentised range, which holds for all pairs at once also where scatters differ (Games
and Howell, Journal of Educational Statistics 1, 1976). A system's rank set then goes from one more than the number of
systems that are better to all but the number that are worse; since all pairs hold together, so do all sets (Al Mohamad,
van Zwet, Solari and Goeman, Electronic Journal of Statistics 15, 2021).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from uploadlab.statistics.intervals import CONFIDENCE

LEAST_BLOCKS = 2


@dataclass(frozen=True, kw_only=True)
class RankSet:
    """The ranks that a system may have, the best being 1."""

    best: int
    worst: int

    @property
    def shares_the_best(self) -> bool:
        """Whether no system is surely better."""
        return self.best == 1


def rank_sets(values: Sequence[Sequence[float]], *, higher_is_better: bool = False) -> list[RankSet]:
    """Return each system's simultaneous 95 % set of ranks.

    Parameters
    ----------
    values
        One row a system, one positive value a block, of shape (systems, blocks); the blocks of all rows are the same.
    higher_is_better
        Whether the largest value has rank 1.

    Raises
    ------
    ValueError
        The rows differ in length, or a value is not above 0.
    """
    table = np.asarray(values, dtype=np.float64)
    if table.ndim != 2 or not (table > 0).all():
        raise ValueError("expected one row of positive values a system, all of one length")
    systems, blocks = table.shape
    if blocks < LEAST_BLOCKS or systems < 2:
        return [RankSet(best=1, worst=systems)] * systems
    logs = np.log(table) * (-1 if higher_is_better else 1)
    below = _surely_below(logs - logs.mean(axis=0))
    return [RankSet(best=1 + int(below[:, one].sum()), worst=systems - int(below[one].sum())) for one in range(systems)]


def _surely_below(centred: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return for each pair whether the first's mean is surely below the second's, shape (systems, systems)."""
    systems, blocks = centred.shape
    means = centred.mean(axis=1)
    # Centring takes 1/systems of each residual's variance away; what is left is scaled back.
    of_mean = centred.var(axis=1, ddof=1) / blocks * systems / (systems - 1)
    below = np.zeros((systems, systems), dtype=np.bool_)
    for one in range(systems):
        for other in range(systems):
            squared = of_mean[one] + of_mean[other]
            if means[one] < means[other]:
                degrees = _degrees(of_mean[one], of_mean[other], blocks)
                bound = critical_value(systems, degrees) * math.sqrt(squared)
                below[one, other] = means[other] - means[one] > bound
    return below


def _degrees(one: float, other: float, blocks: int) -> int:
    """Return Welch's degrees of freedom of a difference, rounded down."""
    if one + other == 0:
        return blocks - 1
    return max(1, math.floor((one + other) ** 2 * (blocks - 1) / (one**2 + other**2)))


@cache
def critical_value(systems: int, degrees: int) -> float:
    """Return how many standard errors a difference must exceed: the studentised range's quantile over root 2."""
    from scipy.stats import studentized_range

    return float(studentized_range.ppf(CONFIDENCE, systems, degrees)) / math.sqrt(2)
