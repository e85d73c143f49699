"""What the other scenarios of a campaign tell of how much a ratio scatters between blocks.

Three blocks say little of their own scatter: with its two degrees of freedom an interval is twice as wide as it need
be. But blocks of ten scenarios were measured in the same way on the same machine. Smyth's moderated variance
(Statistical Applications in Genetics and Molecular Biology 3, 2004, sections 3 and 6.2) takes the variances of all
scenarios to be drawn from one scaled inverse chi-square distribution, estimates how widely they are spread from the
variances themselves, and gives a scenario's own variance as many further degrees of freedom as that supports: many
where the scenarios scatter alike, none where each scatters in its own way.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

LEAST_OTHERS = 4
"""Fewer variances say nothing of how widely variances are spread."""
DEGREES = (0, 1, 2, 3, 4, 6, 8, 12, 16)
"""What an estimate is rounded down to: each has critical values of its own."""
_MOST_HALF_DEGREES = math.exp(12)
_MOST_STEPS = 50


@dataclass(frozen=True, kw_only=True)
class PriorVariance:
    """A variance of the log ratio within blocks, and of how many degrees of freedom it is worth."""

    variance: float
    degrees: int

    def moderate(self, variance: float, degrees: int) -> float:
        """Return a sample's own variance, of its own degrees of freedom, drawn towards this one."""
        return (self.degrees * self.variance + degrees * variance) / (self.degrees + degrees)


UNKNOWN = PriorVariance(variance=0.0, degrees=0)
"""Nothing is known but a sample's own variance."""


def prior_variance(others: Iterable[NDArray[np.float64]], *, alone: bool = True) -> PriorVariance:
    """Return what the log ratios of other scenarios, each a sample of blocks, tell of this one's variance.

    It is worth at most a quarter of the degrees of freedom that the others have together: it is only estimated, and
    with more, where scenarios differ in their scatter, simulated campaigns of equals found too many differences. Where
    a comparison does not stand ``alone`` but holds together with others, further out in the tails, at most an eighth.
    """
    found = [(float(np.var(logs, ddof=1)), len(logs) - 1) for logs in others if len(logs) > 1]
    found = [(variance, degrees) for variance, degrees in found if variance > 0]
    if len(found) < LEAST_OTHERS:
        return UNKNOWN
    variances, degrees = (np.asarray(column, dtype=np.float64) for column in zip(*found, strict=True))
    variance, own = _fit(variances, degrees)
    most = min(own, float(degrees.sum()) / (4 if alone else 8))
    return PriorVariance(variance=variance, degrees=max(one for one in DEGREES if one <= most))


def _fit(variances: np.ndarray, degrees: np.ndarray) -> tuple[float, float]:
    """Return the variance and the degrees of freedom of the prior (Smyth 2004, equations of section 6.2)."""
    from scipy import special  # here, because importing it takes long

    logs = np.log(variances) - special.psi(degrees / 2) + np.log(degrees / 2)
    middle, n = float(logs.mean()), len(logs)
    spread = float(np.mean((logs - middle) ** 2 * n / (n - 1) - special.polygamma(1, degrees / 2)))
    if spread <= float(special.polygamma(1, _MOST_HALF_DEGREES)):
        return float(np.average(variances, weights=degrees)), math.inf  # they scatter no more than one variance does
    half = _inverse_trigamma(spread)
    return math.exp(middle + float(special.psi(half)) - math.log(half)), 2 * half


def _inverse_trigamma(value: float) -> float:
    """Return where the trigamma function has a value, by Newton's steps on its inverse (Smyth 2004, appendix).

    ``scipy.optimize`` finds it too, but takes longer to import than all comparisons of a campaign to make.
    """
    from scipy import special  # here, as above

    place = 0.5 + 1 / value
    for _ in range(_MOST_STEPS):
        # Trigamma is Hurwitz's zeta of 2, its derivative -2 times that of 3; `polygamma` gives the same, later.
        found = float(special.zeta(2, place))
        step = found * (1 - found / value) / (-2 * float(special.zeta(3, place)))
        place += step
        if abs(step) < 1e-12 * place:
            break
    return place
