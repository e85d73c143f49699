import math

import numpy as np
import pytest
from scipy import stats

from uploadlab.statistics.correlations import correlate, fisher_interval, partial_r, pearson_r, spearman_rho

LINE = {"a": (1.0, 2.0), "b": (2.0, 4.0), "c": (3.0, 6.5), "d": (4.0, 7.5), "e": (5.0, 10.0)}


def test_fishers_interval_is_scipys():
    x, y = [point[0] for point in LINE.values()], [point[1] for point in LINE.values()]
    low, high = stats.pearsonr(x, y).confidence_interval(0.95)
    assert fisher_interval(pearson_r(x, y), 5) == pytest.approx((low, high))


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
