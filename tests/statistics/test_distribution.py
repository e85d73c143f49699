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


def test_of_nothing_there_is_no_mean_and_parts_are_pooled_and_taken_out_again():
    nothing = Distribution.together([])
    assert (nothing.n, nothing.mean) == (0, None)
    pooled = Distribution.together([FIVE, Distribution.of([20, 20, 7])])
    assert (pooled.values.tolist(), pooled.counts.tolist()) == ([7, 10, 20, 30, 40, 100], [1, 1, 3, 1, 1, 1])
    left = pooled.without(Distribution.of([7, 20]))
    assert (left.values.tolist(), left.counts.tolist()) == ([10, 20, 30, 40, 100], [1, 2, 1, 1, 1])
