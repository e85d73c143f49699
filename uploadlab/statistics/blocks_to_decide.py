"""How long a campaign would have to go on to decide what it left open, by what it has measured."""

import math


def times_as_long(ratio: float, lo: float, hi: float, margin: float) -> float:
    """Return how many times the measuring would decide a comparison, were its ratio and scatter to stay.

    The interval, `lo` to `hi`, narrows on the log scale with the root of what was measured. Decided is that it leaves
    out 1, or lies within the margin of equivalence (0.1: from 1/1.1 to 1.1). That a few blocks widen Student's t and
    that each look has its price is left out: it is an order of size, to choose a campaign's time by.
    """
    half, distance = math.log(hi / lo) / 2, abs(math.log(ratio))
    narrow_enough = max(distance, math.log1p(margin) - distance)
    return (half / narrow_enough) ** 2


def blocks_to_decide(ratio: float, lo: float, hi: float, blocks: int, margin: float) -> int:
    """Return how many more blocks would decide a comparison that so many left open; at least one."""
    return max(1, math.ceil(blocks * times_as_long(ratio, lo, hi, margin)) - blocks)
