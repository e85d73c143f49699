"""How the comparisons of a campaign hold together: at most 5 % of campaigns name a winner where there is none.

Holm's procedure (A Simple Sequentially Rejective Multiple Test Procedure, Scandinavian Journal of Statistics 6, 1979):
the 5 % are divided among all comparisons; once some have found a winner, among those that are left, until none is
found any more. The intervals of those left hold together with the winners that were named (Strassburger and Bretz,
Statistics in Medicine 27, 2008). It holds for repeated intervals too, because the smallest error at which one of them
excludes equality is a valid p-value whenever a campaign stops (Maurer and Bretz, Statistics in Biopharmaceutical
Research 5, 2013).
"""

from collections.abc import Callable, Sequence

from uploadlab.statistics.intervals import Interval

IntervalOf = Callable[[int], Interval | None]
"""The interval of one comparison where the error is divided among so many; None where there is none yet."""


def families(comparisons: Sequence[IntervalOf], planned: int = 0) -> list[int]:
    """Return among how many comparisons the error of each is divided; ``planned`` counts those not begun, too."""
    family = whole = max(planned, len(comparisons))
    won: dict[int, int] = {}
    while True:
        left = [place for place in range(len(comparisons)) if place not in won]
        found = [place for place in left if _names_a_winner(comparisons[place](family))]
        won |= dict.fromkeys(found, family)
        if not found:
            return [won.get(place, family) for place in range(len(comparisons))]
        family = max(1, whole - len(won))


def _names_a_winner(interval: Interval | None) -> bool:
    if interval is None or interval.lo is None or interval.hi is None:
        return False
    return interval.hi < 1 or interval.lo > 1
