import math

import numpy as np
import pytest
from scipy import stats

from uploadlab.statistics.intervals import (
    clopper_pearson,
    expanded_levels,
    interval_of_mean,
    interval_of_ratio,
    interval_of_variation,
    resample_means,
    t_quantile,
    welch,
)

GENERATOR = np.random.default_rng(1)
A, B = [90.0, 100.0, 110.0], [118.0, 130.0, 145.0, 127.0]


def test_the_quantile_of_t_is_the_tables():
    assert t_quantile(1) == pytest.approx(12.706, abs=0.001)
    assert t_quantile(9) == pytest.approx(2.262, abs=0.001)


def test_the_mean_of_three_repeats_by_hand():
    interval = interval_of_mean(A, GENERATOR)
    half = 4.302653 * 10 / math.sqrt(3) / 100  # t(2) * sd / sqrt(n), relative to the mean
    assert interval.estimate == 100
    assert interval.lo == pytest.approx(100 * math.exp(-half))
    assert interval.hi == pytest.approx(100 * math.exp(half))
    assert interval.method == "t"


def test_a_mean_of_figures_that_may_be_0_or_less_has_a_plain_interval_cut_at_the_least_that_there_can_be():
    half = 4.302653 / math.sqrt(3)  # of a deviation of 1
    assert bounds(interval_of_mean([0, 1, 2], GENERATOR)) == pytest.approx((1 - half, 1 + half))
    assert bounds(interval_of_mean([0, 1, 2], GENERATOR, least=0.0)) == pytest.approx((0, 1 + half))
    assert bounds(interval_of_mean([-1, 1, 3], GENERATOR)) == pytest.approx((1 - 2 * half, 1 + 2 * half))


def bounds(interval):
    return interval.lo, interval.hi


def test_the_ratio_of_two_repeats_each_by_hand():
    # each mean has a relative variance of 0.01 and one degree of freedom: together 0.02 and two
    factor = math.exp(4.302653 * math.sqrt(0.02))
    assert bounds(interval_of_ratio([90, 110], [45, 55], GENERATOR)) == pytest.approx((2 / factor, 2 * factor))


def test_the_ratio_of_two_small_groups_is_welchs_test_on_the_relative_scale():
    interval = interval_of_ratio(A, B, GENERATOR)
    # Welch's interval of the difference of x/mean(x): scipy's, moved onto the log of the ratio
    expected = stats.ttest_ind(np.array(A) / np.mean(A), np.array(B) / np.mean(B), equal_var=False)
    low, high = expected.confidence_interval(0.95)
    assert math.log(interval.lo / interval.estimate) == pytest.approx(low)
    assert math.log(interval.hi / interval.estimate) == pytest.approx(high)
    assert interval.estimate == pytest.approx(100 / 130)
    _, degrees = welch(np.array(A), np.array(B))
    assert degrees == pytest.approx(expected.df)


def test_the_variation_over_repeats_has_the_interval_of_a_normal_deviation():
    interval = interval_of_variation(A)
    assert interval.estimate == pytest.approx(0.1)
    # chi-square of 2 degrees is -2 ln of what lies above: 7.3778 and 0.0506
    assert interval.lo == pytest.approx(0.1 * math.sqrt(2 / 7.377759))
    assert interval.hi == pytest.approx(0.1 * math.sqrt(2 / 0.050636), rel=1e-4)
    assert interval_of_variation([1.0]) is interval_of_variation([1.0, 0.0]) is None


@pytest.mark.parametrize(("count", "total"), [(0, 5), (1, 20), (7, 9), (5, 5)])
def test_the_exact_interval_of_a_probability_is_that_of_the_binomial_test(count, total):
    expected = stats.binomtest(count, total).proportion_ci(method="exact")
    assert clopper_pearson(count, total) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_two_repeats_have_a_very_wide_interval_rather_than_a_false_one():
    interval = interval_of_mean([100.0, 110.0], GENERATOR)
    assert interval.hi / interval.lo > 2
    assert interval.lo > 0


def test_one_repeat_has_no_interval_and_none_has_no_mean():
    assert (interval_of_mean([5.0], GENERATOR).lo, interval_of_mean([], GENERATOR)) == (None, None)
    assert interval_of_ratio([5.0], [6.0, 7.0], GENERATOR).lo is None
    assert interval_of_ratio([], [6.0], GENERATOR) is None


def test_from_ten_repeats_on_the_bootstrap_is_used_and_agrees_with_t_for_normal_repeats():
    values = np.random.default_rng(8).normal(100, 5, 40)
    interval = interval_of_mean(values, np.random.default_rng(2))
    low, high = stats.t.interval(0.95, 39, values.mean(), stats.sem(values))
    assert interval.method == "bootstrap"
    assert interval.lo == pytest.approx(low, rel=0.005)
    assert interval.hi == pytest.approx(high, rel=0.005)


def test_of_ten_repeats_the_quantiles_of_the_resampled_means_are_taken_at_the_expanded_levels():
    a, b = np.arange(10.0, 20.0), np.arange(31.0, 41.0)
    generator = np.random.default_rng(3)
    of_a, of_b = resample_means(a, generator), resample_means(b, generator)
    expected = np.quantile(of_a, expanded_levels(10, 9))
    assert bounds(interval_of_mean(a, np.random.default_rng(3))) == pytest.approx(tuple(expected), rel=1e-12)
    degrees = welch(a, b)[1]
    expected = np.quantile(of_a / of_b, expanded_levels(10, degrees, 3))
    found = interval_of_ratio(a, b, np.random.default_rng(3), family=3)
    assert (found.method, bounds(found)) == ("bootstrap", pytest.approx(tuple(expected), rel=1e-3))


def test_the_expanded_levels_are_wider_than_the_plain_ones_and_approach_them():
    assert expanded_levels(10, 9)[0] == pytest.approx(stats.norm.cdf(-math.sqrt(10 / 9) * stats.t.ppf(0.975, 9)))
    assert expanded_levels(10, 9)[0] < 0.025
    assert expanded_levels(10_000, 9_999)[0] == pytest.approx(0.025, abs=1e-4)


CAMPAIGNS = 500


def coverage(draw_figures, true_ratio, generator):
    """Return the share of campaigns whose interval of the ratio holds the truth."""
    covered = 0
    for _ in range(CAMPAIGNS):
        a, b = draw_figures(), draw_figures()
        interval = interval_of_ratio(a * true_ratio, b, generator)
        covered += interval.lo <= true_ratio <= interval.hi
    return covered / CAMPAIGNS


@pytest.mark.parametrize("n", [2, 3, 4])
@pytest.mark.parametrize("between_runs", [0.05, 0.3])
def test_intervals_of_few_repeats_cover_the_truth_at_least_as_often_as_they_say(n, between_runs):
    generator = np.random.default_rng(1000 * n + int(100 * between_runs))
    assert coverage(lambda: np.exp(generator.normal(0, between_runs, n)), 0.8, generator) >= 0.93


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize("n", [5, 7, 10, 20])
@pytest.mark.parametrize("figure", ["mean", "p99", "cv"])
@pytest.mark.parametrize("between_runs", [0.02, 0.2])
def test_intervals_cover_the_truth_in_92_to_98_percent_of_500_campaigns(n, figure, between_runs):
    """Runs of 500 requests, lognormal with CV 1, in seconds that drift together; every run has its own factor."""
    generator = np.random.default_rng(n)
    seconds, per_second = 10, 50

    def draw():
        factor = np.exp(generator.normal(0, between_runs, (n, 1, 1)))
        drift = np.exp(generator.normal(0, 0.1, (n, seconds, 1)))
        elapsed = factor * drift * generator.lognormal(4, 0.83, (n, seconds, per_second))
        requests = elapsed.reshape(n, -1)
        if figure == "mean":
            return requests.mean(axis=1)
        if figure == "p99":
            return np.quantile(requests, 0.99, axis=1, method="inverted_cdf")
        return requests.std(axis=1, ddof=1) / requests.mean(axis=1)

    assert 0.92 <= coverage(draw, 1.0 if figure == "cv" else 0.8, generator) <= 0.98
