"""Known answers: closed forms by hand, scipy, and numerical integration."""

import math

import numpy as np
import pytest
from scipy import integrate, stats

from workload_gen import WorkloadError
from workload_gen.models.heavy_tailed import Lognormal, LognormalPareto, Pareto
from workload_gen.models.simple import Constant, Empirical, Exponential, Normal, Uniform, Zipf

SPLICE = LognormalPareto(mu=10, sigma=1, cut=60_000, alpha=1.9, tail_weight=0.1)
CAPPED_SPLICE = LognormalPareto(mu=10, sigma=1, cut=60_000, alpha=1.9, tail_weight=0.1, cap=2e6)

SCIPY_TWINS = {
    "lognormal": (Lognormal(mu=9.357, sigma=1.318), stats.lognorm(s=1.318, scale=math.exp(9.357))),
    "pareto": (Pareto(alpha=1.9, x_min=30_000), stats.pareto(b=1.9, scale=30_000)),
    "bounded pareto": (Pareto(alpha=1.9, x_min=30_000, cap=900_000), stats.truncpareto(b=1.9, c=30.0, scale=30_000)),
    "exponential": (Exponential(scale=22_857), stats.expon(scale=22_857)),
    "normal": (Normal(mu=22_857, sigma=13_272), stats.norm(22_857, 13_272)),
}
P = np.array([1e-6, 0.001, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 1 - 1e-6])


@pytest.mark.parametrize("name", SCIPY_TWINS)
def test_a_distribution_agrees_with_scipy_to_a_billionth(name):
    ours, scipys = SCIPY_TWINS[name]
    x = scipys.ppf(P)
    np.testing.assert_allclose(ours.quantile(P), x, rtol=1e-9)
    np.testing.assert_allclose(ours.cdf(x), scipys.cdf(x), rtol=1e-9)
    np.testing.assert_allclose(ours.survival(x), scipys.sf(x), rtol=1e-9)
    np.testing.assert_allclose(ours.density(x), scipys.pdf(x), rtol=1e-9)
    np.testing.assert_allclose(ours.mean(), scipys.mean(), rtol=1e-9)
    if math.isfinite(ours.variance()):
        np.testing.assert_allclose(ours.variance(), scipys.var(), rtol=1e-9)


def test_closed_forms_worked_out_by_hand():
    assert Pareto(alpha=2, x_min=100).quantile(0.99) == pytest.approx(1000, rel=1e-12)
    bounded = Pareto(alpha=1, x_min=100, cap=200)  # density 200/x^2 on [100, 200]
    assert bounded.mean() == pytest.approx(200 * math.log(2), rel=1e-12)
    assert bounded.variance() == pytest.approx(200 * 100 - (200 * math.log(2)) ** 2, rel=1e-9)
    assert bounded.cdf(150) == pytest.approx(2 / 3, rel=1e-12)
    assert Lognormal(mu=0, sigma=1).variance() == pytest.approx((math.e - 1) * math.e, rel=1e-12)
    assert Lognormal(mu=0, sigma=1, cap=1).cdf(math.exp(-1)) == pytest.approx(0.15865525393145707 / 0.5, rel=1e-9)
    uniform = Uniform(low=2, high=6)
    assert (uniform.quantile(0.25), uniform.mean(), uniform.variance()) == (3, 4, pytest.approx(16 / 12, rel=1e-12))
    zipf = Zipf(exponent=1, items=3)  # 6/11, 3/11, 2/11
    np.testing.assert_array_equal(zipf.quantile([0.0, 0.54, 0.55, 0.81, 0.82, 1.0]), [1, 1, 2, 2, 3, 3])
    measured = Empirical(sizes=np.array([1, 5, 5, 9]))
    np.testing.assert_array_equal(measured.quantile([0.0, 0.25, 0.26, 0.75, 0.76, 1.0]), [1, 1, 5, 5, 9, 9])
    assert (measured.mean(), measured.variance()) == (5, 8)
    assert Constant(value=7).sample(3, np.random.default_rng(1)).tolist() == [7, 7, 7]


@pytest.mark.parametrize("alpha", [1.9, 1.0, 0.7, 2.0, 3.5])
def test_the_moments_of_a_bounded_pareto_agree_with_its_integral(alpha):
    model = Pareto(alpha=alpha, x_min=1000, cap=50_000)
    for order in (1, 2):
        by_integral, _ = integrate.quad(lambda x: x**order * float(model.density(x)), 1000, 50_000, epsrel=1e-12)  # noqa: B023
        assert model.moment(order) == pytest.approx(by_integral, rel=1e-9)


@pytest.mark.parametrize("model", [SPLICE, CAPPED_SPLICE])
def test_a_splice_is_a_truncated_lognormal_below_the_cut_and_a_pareto_above(model):
    lognormal = stats.lognorm(s=1, scale=math.exp(10))
    below = np.array([100.0, 5_000, 22_026, 59_999])
    np.testing.assert_allclose(model.cdf(below), 0.9 * lognormal.cdf(below) / lognormal.cdf(60_000), rtol=1e-9)
    np.testing.assert_allclose(model.density(below), 0.9 * lognormal.pdf(below) / lognormal.cdf(60_000), rtol=1e-9)
    above = np.array([60_000.0, 100_000, 1_999_999])
    beyond = (60_000 / model.cap) ** 1.9
    expected = 0.1 * ((60_000 / above) ** 1.9 - beyond) / (1 - beyond)
    np.testing.assert_allclose(model.survival(above), expected, rtol=1e-9)
    np.testing.assert_allclose(model.cdf(model.quantile(P)), P, rtol=1e-9)
    np.testing.assert_allclose(model.survival(model.quantile(P)), 1 - P, rtol=1e-9)


def test_the_mean_and_variance_of_a_splice_agree_with_their_integrals():
    def integral(order):
        parts = [(0.0, 20_000.0), (20_000.0, 60_000.0), (60_000.0, 300_000.0), (300_000.0, 2e6)]
        return sum(
            integrate.quad(lambda x: x**order * float(CAPPED_SPLICE.density(x)), *p, epsrel=1e-12, limit=200)[0]
            for p in parts
        )

    assert integral(0) == pytest.approx(1, rel=1e-9)
    assert CAPPED_SPLICE.mean() == pytest.approx(integral(1), rel=1e-9)
    assert CAPPED_SPLICE.variance() == pytest.approx(integral(2) - integral(1) ** 2, rel=1e-9)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Lognormal(mu=math.nan, sigma=1), "mu must be"),
        (lambda: Pareto(alpha=-1, x_min=1), "alpha must be"),
        (lambda: Pareto(alpha=1, x_min=10, cap=5), "cap .* above x_min"),
        (lambda: Exponential(scale=math.inf), "scale must be"),
        (lambda: Zipf(exponent=1, items=0), "items must be"),
    ],
)
def test_impossible_parameters_are_refused_in_one_sentence(make, sentence):
    with pytest.raises(WorkloadError, match=sentence):
        make()
