"""Ranks of many systems that hold together: with 95 % probability every system's true rank lies in its set.

Each block measures every system once, so what a block shares is taken out first: the logs less the block's effect, as
the additive model of systems and blocks fits it (where nothing is missing, the block's mean). Two systems differ where
their difference exceeds the Games-Howell bound: Welch's standard error and degrees of freedom with the critical value
of the studentised range, which holds for all pairs at once also where scatters differ (Games and Howell, Journal of
Educational Statistics 1, 1976). A system's rank set then goes from one more than the number of systems that are better
to all but the number that are worse; since all pairs hold together, so do all sets (Al Mohamad, van Zwet, Solari and
Goeman, Electronic Journal of Statistics 15, 2021).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from uploadlab.statistics.intervals import CONFIDENCE

LEAST_BLOCKS = 2
_ROUNDS = 50
"""Of fitting systems and blocks in turn; one is enough where nothing is missing."""


@dataclass(frozen=True, kw_only=True)
class RankSet:
    """The ranks that a system may have, the best being 1."""

    best: int
    worst: int


def rank_sets(
    values: Sequence[Sequence[float | None]], *, higher_is_better: bool = False, looks: int = 1
) -> list[RankSet]:
    """Return each system's simultaneous 95 % set of ranks.

    Parameters
    ----------
    values
        One row a system, one positive value a block, of shape (systems, blocks); None where a block lacks it. A system
        with fewer than two values may have any rank.
    higher_is_better
        Whether the largest value has rank 1.
    looks
        How often a campaign that stops when it likes what it sees may have looked: the error is divided among them.

    Raises
    ------
    ValueError
        The rows differ in length, or a value is not above 0.
    """
    table = np.asarray(values, dtype=np.float64)  # None becomes NaN
    if table.ndim != 2 or (table <= 0).any():
        raise ValueError("expected one row of positive values a system, all of one length")
    systems = len(table)
    known = (~np.isnan(table)).sum(axis=1) >= LEAST_BLOCKS
    below = np.zeros((systems, systems), dtype=np.bool_)
    if known.sum() > 1:
        logs = np.log(table[known]) * (-1 if higher_is_better else 1)
        below[np.ix_(known, known)] = _surely_below(logs - _block_effects(logs), 1 - (1 - CONFIDENCE) / looks)
    return [RankSet(best=1 + int(below[:, one].sum()), worst=systems - int(below[one].sum())) for one in range(systems)]


def _block_effects(logs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what each block shares, by least squares of the additive model, fitted in turns."""
    shared = np.zeros(logs.shape[1])
    there = ~np.isnan(logs).all(axis=0)
    for _ in range(_ROUNDS if np.isnan(logs).any() else 1):
        of_system = np.nanmean(logs - shared, axis=1)
        shared[there] = np.nanmean(logs[:, there] - of_system[:, None], axis=0)
    return shared


def _surely_below(centred: NDArray[np.float64], confidence: float) -> NDArray[np.bool_]:
    """Return for each pair whether the first's mean is surely below the second's, shape (systems, systems)."""
    systems = len(centred)
    blocks = (~np.isnan(centred)).sum(axis=1)
    means = np.nanmean(centred, axis=1)
    # Centring takes 1/systems of each residual's variance away; what is left is scaled back.
    of_mean = np.nanvar(centred, axis=1, ddof=1) / blocks * systems / (systems - 1)
    below = np.zeros((systems, systems), dtype=np.bool_)
    for one in range(systems):
        for other in range(systems):
            squared = of_mean[one] + of_mean[other]
            if means[one] < means[other]:
                degrees = _degrees(of_mean[one], of_mean[other], blocks[one] - 1, blocks[other] - 1)
                bound = critical_value(systems, degrees, confidence) * math.sqrt(squared)
                below[one, other] = means[other] - means[one] > bound
    return below


def _degrees(one: float, other: float, of_one: int, of_other: int) -> int:
    """Return Welch's degrees of freedom of a difference, rounded down."""
    if one + other == 0:
        return min(of_one, of_other)
    return max(1, math.floor((one + other) ** 2 / (one**2 / of_one + other**2 / of_other)))


@cache
def critical_value(systems: int, degrees: int, confidence: float = CONFIDENCE) -> float:
    """Return how many standard errors a difference must exceed: the studentised range's quantile over root 2."""
    from scipy.stats import studentized_range

    return float(studentized_range.ppf(confidence, systems, degrees)) / math.sqrt(2)
