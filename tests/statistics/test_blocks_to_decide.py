"""How many more blocks would decide, by hand: half an interval over what it has to be, squared, times the blocks."""

import math

from uploadlab.statistics.blocks_to_decide import blocks_to_decide


def test_an_interval_is_to_leave_out_1():
    # half of it is log 1.5 = 0.4055, the ratio's distance from 1 log 1.2 = 0.1823: 4 * 2.224^2 = 19.8
    assert blocks_to_decide(1.2, 1.2 / 1.5, 1.2 * 1.5, 4, margin=0.1) == 20 - 4
    assert blocks_to_decide(1 / 1.2, 1 / 1.2 / 1.5, 1 / 1.2 * 1.5, 4, margin=0.1) == 20 - 4


def test_or_to_lie_within_the_margin_where_that_is_sooner():
    # log 1.1 = 0.0953: 4 * 4.254^2 = 72.4
    assert blocks_to_decide(1.0, 1 / 1.5, 1.5, 4, margin=0.1) == 73 - 4


def test_a_ratio_between_the_two_takes_the_most_and_one_block_is_the_least():
    edge = math.exp(math.log(1.1) / 2)
    assert blocks_to_decide(edge, edge / 1.5, edge * 1.5, 4, margin=0.1) == math.ceil(4 * 8.508**2) - 4
    assert blocks_to_decide(2.0, 0.99, 4.04, 5, margin=0.1) == 1
