"""Holm's procedure by hand: who shares the 5 % with whom."""

from collections.abc import Callable

from uploadlab.statistics.families import families
from uploadlab.statistics.intervals import Interval


def excludes_1_up_to(family: int) -> Callable[[int], Interval]:
    """Return a comparison whose interval excludes 1 as long as no more than so many share the error."""
    return lambda asked: Interval(estimate=2.0, lo=1.1 if asked <= family else 0.9, hi=3.0, method="sequential")


def unknown(_: int) -> None:
    """Return no interval: too few blocks."""


def test_a_comparison_that_is_alone_has_the_whole_error():
    assert families([excludes_1_up_to(1)]) == [1]
    assert families([]) == []


def test_a_winner_leaves_its_part_to_those_that_are_left():
    # The first is told among three; then two are left, of which the second is told; the last has all and is not.
    assert families([excludes_1_up_to(3), excludes_1_up_to(2), excludes_1_up_to(0)]) == [3, 2, 1]
    # That the second would be told among two helps nobody while three are left.
    assert families([excludes_1_up_to(2), excludes_1_up_to(2), excludes_1_up_to(2)]) == [3, 3, 3]


def test_what_has_no_interval_yet_or_no_run_keeps_its_part():
    assert families([excludes_1_up_to(3), unknown, excludes_1_up_to(0)]) == [3, 2, 2]
    assert families([excludes_1_up_to(9)], planned=15) == [15]
    assert families([excludes_1_up_to(15), excludes_1_up_to(9)], planned=15) == [15, 14]
