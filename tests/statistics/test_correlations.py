import math

import numpy as np
import pytest
from scipy import stats

from uploadlab.statistics.correlations import (
    correlate,
    fisher_interval,
    partial_r,
    pearson_r,
    spearman_interval,
    spearman_rho,
)

LINE = {"a": (1.0, 2.0), "b": (2.0, 4.0), "c": (3.0, 6.5), "d": (4.0, 7.5), "e": (5.0, 10.0)}


def test_fishers_interval_is_scipys():
    x, y = [point[0] for point in LINE.values()], [point[1] for point in LINE.values()]
    low, high = stats.pearsonr(x, y).confidence_interval(0.95)
    assert fisher_interval(pearson_r(x, y), 5) == pytest.approx((low, high))


def test_a_correlation_has_no_interval_below_four_points_and_none_of_width_where_it_is_perfect():
    assert fisher_interval(0.5, 3) == fisher_interval(None, 9) == (None, None)
    assert fisher_interval(-1.0, 4) == (-1.0, -1.0)


def test_the_interval_of_a_rank_correlation_by_hand():
    # artanh 0.5 = 0.549306; 1.06 * 1.959964 / sqrt(7 - 3) = 1.038781
    assert spearman_interval(0.5, 7) == pytest.approx((math.tanh(-0.489475), math.tanh(1.588087)), abs=1e-5)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_perfect_rank_correlation_is_taken_as_if_two_neighbours_had_swapped(sign):
    # two of four swapped: 1 - 6 * 2 / (4 * 15) = 0.8, artanh 1.098612; 1.06 * 1.959964 / 1 = 2.077562
    near, far = sorted(spearman_interval(sign, 4), key=abs)
    assert (near, far) == (pytest.approx(-sign * math.tanh(0.978950), abs=1e-5), sign)


@pytest.mark.parametrize("correlation", [pearson_r, spearman_rho])
def test_what_does_not_vary_or_has_two_points_correlates_with_nothing(correlation):
    assert correlation([1, 1, 1], [1, 2, 3]) is correlation([1, 2, 3], [1, 1, 1]) is correlation([1, 2], [2, 1]) is None


def test_leaving_one_out_names_the_point_a_correlation_rests_on():
    cloud = {"a": (1.0, 2.0), "b": (2.0, 1.0), "c": (1.5, 1.4), "d": (1.2, 1.1)}
    found = correlate({**cloud, "far": (10.0, 10.0)})
    assert found.pearson > 0.9
    assert found.loo_min_without == "far"
    assert found.loo_min == pytest.approx(pearson_r([1, 2, 1.5, 1.2], [2, 1, 1.4, 1.1]))


def test_a_partial_correlation_is_that_of_the_formula_for_one_covariate():
    generator = np.random.default_rng(6)
    z = generator.normal(size=50)
    x, y = z + generator.normal(size=50), 2 * z + generator.normal(size=50)
    xy, xz, yz = (np.corrcoef(pair)[0, 1] for pair in ((x, y), (x, z), (y, z)))
    expected = (xy - xz * yz) / math.sqrt((1 - xz**2) * (1 - yz**2))
    assert partial_r(x.tolist(), y.tolist(), [z.tolist()]) == pytest.approx(expected)


def test_both_agree_with_scipy_ties_included():
    generator = np.random.default_rng(9)
    x, y = generator.integers(0, 6, 40).astype(float), generator.integers(0, 6, 40).astype(float)
    assert pearson_r(x.tolist(), y.tolist()) == pytest.approx(stats.pearsonr(x, y).statistic)
    assert spearman_rho(x.tolist(), y.tolist()) == pytest.approx(stats.spearmanr(x, y).statistic)
