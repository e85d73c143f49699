import statistics
from fractions import Fraction

import numpy as np
import pytest

from uploadlab.statistics.distribution import Distribution

FIVE = Distribution.of([10, 20, 30, 40, 100])


def test_mean_deviation_and_variation_of_five_numbers_by_hand():
    assert FIVE.mean == 40
    assert FIVE.sd == pytest.approx(1250**0.5)  # (900 + 400 + 100 + 0 + 3600) / 4
    assert FIVE.mad == 24  # (30 + 20 + 10 + 0 + 60) / 5
    assert FIVE.cv == pytest.approx(1250**0.5 / 40)


@pytest.mark.parametrize(
    ("quantile", "value"), [(0, 10), (0.2, 10), (0.2001, 20), (0.4, 20), (0.5, 30), (0.8, 40), (0.81, 100), (1, 100)]
)
def test_the_nearest_rank_is_the_smallest_value_with_that_share_at_or_below_it(quantile, value):
    assert FIVE.percentile(quantile) == value


def test_a_rank_that_is_whole_is_not_pushed_up_by_binary_fractions():
    hundred = Distribution.of(range(1, 101))
    for percent in range(1, 101):  # 0.07 * 100 is 7.000000000000001
        assert hundred.percentile(percent / 100) == percent


def test_counted_values_are_the_same_as_repeated_ones():
    counted = Distribution.of([3, 1, 2], [1, 2, 3])
    repeated = Distribution.of([1, 1, 2, 2, 2, 3])
    assert counted.n == repeated.n == 6
    assert counted.values.tolist() == repeated.values.tolist()
    assert counted.counts.tolist() == repeated.counts.tolist() == [2, 3, 1]


def test_distributions_are_pooled():
    pooled = Distribution.together([FIVE, Distribution.of([10, 5])])
    assert pooled.values.tolist() == [5, 10, 20, 30, 40, 100]
    assert pooled.counts.tolist() == [1, 2, 1, 1, 1, 1]


def test_large_values_lose_nothing_to_rounding():
    values = [10**9 + step for step in (0, 1, 2)]
    assert Distribution.of(values).sd == 1.0


def test_many_values_agree_with_the_standard_library():
    values = np.random.default_rng(5).lognormal(4, 1.5, 5000).astype(int).tolist()
    found = Distribution.of(values)
    assert found.mean == pytest.approx(statistics.fmean(values), rel=1e-14)
    assert found.sd == pytest.approx(statistics.stdev(values), rel=1e-12)
    assert found.mad == pytest.approx(statistics.fmean(abs(value - statistics.fmean(values)) for value in values))
    ordered = sorted(values)
    for quantile in ("0.5", "0.9", "0.99", "0.999", "0.9999"):
        rank = -(-Fraction(quantile) * len(values) // 1)
        assert found.percentile(float(quantile)) == ordered[int(rank) - 1]


def test_what_is_not_defined_is_none_and_not_a_number():
    nothing, one, zeros = Distribution.of([]), Distribution.of([7]), Distribution.of([0, 0])
    assert (nothing.mean, nothing.sd, nothing.cv, nothing.mad, nothing.percentile(0.5)) == (None,) * 5
    assert (one.mean, one.sd, one.cv) == (7, None, None)
    assert (zeros.sd, zeros.cv) == (0, None)
