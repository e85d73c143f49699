import math

import pytest

from uploadlab.statistics.intervals import t_quantile
from uploadlab.statistics.smallest_difference import smallest_difference


def test_a_single_look_at_three_blocks_by_hand():
    # Student's t of two degrees for one of 60 comparisons, and 1.2816 for nine of ten
    wanted = math.expm1((t_quantile(2, 60) + 1.2816) * 0.03 / math.sqrt(3))
    assert smallest_difference(0.03, 3, 3, 60, 1) == pytest.approx(wanted, rel=1e-4)


def test_more_blocks_and_more_scenarios_decide_less_and_a_larger_family_more():
    found = smallest_difference(0.03, 4, 6, 15, 5)
    assert smallest_difference(0.03, 6, 6, 15, 5) < found < smallest_difference(0.03, 4, 6, 15, 1)
    assert smallest_difference(0.03, 4, 6, 1, 5) < found
    assert smallest_difference(0.03, 2, 6, 1, 5) is None
