"""What a clock of whole milliseconds adds to the scatter of response times, and the scatter without it.

JMeter's ``elapsed`` is the end minus the start, each cut to whole milliseconds. A true time of k + f ms (k whole,
0 <= f < 1) that starts at a moment u after a tick, u evenly spread over [0, 1), is printed as k + 1 when u + f >= 1
and as k else: k + 1 with probability f. Its expectation is k + f, so a mean is not shifted; its variance is f (1 - f)
ms², and the variance of all printed times is that of the true ones plus the mean of f (1 - f). Where the true times
spread over a millisecond or more, f is even over [0, 1) and that mean is 1/2 - 1/3 = 1/6 ms²; it is never above 1/4.
1/6 is twice the h²/12 of one grouping into steps of h = 1 ms (W. F. Sheppard, Proceedings of the London Mathematical
Society s1-29, 1898, pages 353 to 380): there are two cuts here.
"""

import math
from dataclasses import dataclass

from uploadlab.statistics.distribution import Distribution

CLOCK_VARIANCE_MS2 = 1 / 6
NEVER_BARE_BELOW_MS = 10.0
"""A coefficient of variation of a smaller mean is never printed without what it is without the clock."""


@dataclass(frozen=True, kw_only=True)
class Quantisation:
    """What the clock does to the mean and to the standard deviation of some response times; None where not known."""

    mean_error_us: float | None
    """Standard error that the clock alone gives the mean."""
    variance_pct: float | None
    """Share of the variance that the clock alone explains, 0 to 100; None where the times do not vary."""
    sd_ms: float | None
    """Standard deviation with the clock's variance taken away; 0 where the clock explains all of it."""
    cv: float | None


def quantisation(n: int, mean_ms: float | None, sd_ms: float | None) -> Quantisation:
    """Return what the clock adds to ``n`` response times of whole milliseconds with this mean and deviation."""
    without_ms = None if sd_ms is None else math.sqrt(max(0.0, sd_ms**2 - CLOCK_VARIANCE_MS2))
    return Quantisation(
        mean_error_us=1000 * math.sqrt(CLOCK_VARIANCE_MS2 / n) if n else None,
        variance_pct=min(100.0, 100 * CLOCK_VARIANCE_MS2 / sd_ms**2) if sd_ms else None,
        sd_ms=without_ms,
        cv=without_ms / mean_ms if without_ms is not None and mean_ms else None,
    )


def clock_of(distribution: Distribution) -> Quantisation:
    """Return what the clock adds to some response times: nothing where it counted microseconds."""
    n, mean, sd = distribution.n, distribution.mean, distribution.sd
    if distribution.is_exact:
        return Quantisation(mean_error_us=0.0, variance_pct=0.0, sd_ms=sd, cv=distribution.cv)
    return quantisation(n, mean, sd)


def is_never_bare(mean_ms: object) -> bool:
    """Return whether a coefficient of variation of this mean must not be printed alone."""
    return isinstance(mean_ms, (int, float)) and mean_ms < NEVER_BARE_BELOW_MS
