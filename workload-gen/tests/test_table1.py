import math

import numpy as np
import pytest

from workload_gen import WorkloadError
from workload_gen.lists.as_printed import printed_lognormal, printed_pareto
from workload_gen.lists.size_list import stratified_sizes
from workload_gen.lists.sources import MAX_FILE_BYTES
from workload_gen.lists.table1 import table1_model, table1_sample, table1_sizes
from workload_gen.models.heavy_tailed import Lognormal, Pareto
from workload_gen.models.simple import Exponential, Uniform
from workload_gen.models.solve import integer_moments, model_for_targets, solve_splice

SAMPLES = list(range(1, 11))


@pytest.mark.parametrize("sample", SAMPLES)
def test_a_samples_model_has_the_tables_mean_and_deviation_a_continuous_density_and_the_papers_tail(sample):
    row, model = table1_sample(sample), table1_model(table1_sample(sample))
    mean, sd = integer_moments(model, model.cap)
    assert mean == pytest.approx(row.mean_bytes, rel=1e-6)
    assert sd == pytest.approx(row.sd_bytes, rel=1e-6)
    below, at = model.density([model.cut * (1 - 1e-12), model.cut])
    assert below == pytest.approx(at, rel=1e-5)
    assert model.alpha == 1.9
    assert model.cap <= MAX_FILE_BYTES
    if sample >= 3:
        assert model.scale == pytest.approx(row.pareto_k, rel=1e-6)
    # The tail is the paper's k / u^(1 / alpha), u up to the cap being that of a value between the cap's and the cut's.
    u_at_cap, u_at_cut = ((model.scale / x) ** 1.9 for x in (model.cap, model.cut))
    share = np.array([0.0, 0.2, 0.5, 0.9])
    expected = model.scale / (u_at_cap + (1 - share) * (u_at_cut - u_at_cap)) ** (1 / 1.9)
    np.testing.assert_allclose(model.quantile(1 - model.tail_weight * (1 - share)), expected, rtol=1e-9)


@pytest.mark.parametrize("count", [2_000, 10_000])
@pytest.mark.parametrize("sample", SAMPLES)
def test_a_samples_list_meets_the_mean_within_half_a_percent_and_the_deviation_within_five(sample, count):
    row = table1_sample(sample)
    for seed in (1, 2, 3):
        sizes = table1_sizes(row, count=count, seed=seed)
        assert sizes.shape == (count,)
        assert sizes.mean() == pytest.approx(row.mean_bytes, rel=0.005)
        assert sizes.std(ddof=1) == pytest.approx(row.sd_bytes, rel=0.05)
        assert 1 <= sizes.min() <= sizes.max() <= MAX_FILE_BYTES


def test_a_seed_decides_the_list_and_its_order_is_random():
    row = table1_sample(5)
    first, again = table1_sizes(row, count=2_000, seed=1), table1_sizes(row, count=2_000, seed=1)
    assert first.tolist() == again.tolist() != table1_sizes(row, count=2_000, seed=2).tolist()
    follows = np.corrcoef(first[:-1], first[1:])[0, 1]
    assert abs(follows) < 4 / math.sqrt(2_000)


def test_a_stratified_list_has_one_value_in_each_slice():
    sizes = stratified_sizes(Uniform(low=0.5, high=1000.5).quantile, 1000, np.random.default_rng(1))
    assert sorted(sizes.tolist()) == list(range(1, 1001))


def test_the_moments_of_whole_sizes_are_those_summed_by_hand():
    """An exponential rounded to whole sizes is geometric, but for the first: P(N > n) = q^(n + 1/2), n from 1."""
    q = math.exp(-1 / 3)
    mean, sd = integer_moments(Exponential(scale=3), 1000)
    tail = q**1.5 / (1 - q)
    assert mean == pytest.approx(1 + tail, rel=1e-12)
    assert sd**2 == pytest.approx(1 + tail * (3 + 2 * q / (1 - q)) - (1 + tail) ** 2, rel=1e-9)
    model = Lognormal(mu=9, sigma=0.4, cap=49_000)
    summed, closed = integer_moments(model, 49_000), integer_moments(model, 51_000)
    np.testing.assert_allclose(summed, closed, rtol=1e-8)


def test_other_targets_are_met_too():
    model = solve_splice(mean=50_000, sd=60_000, alpha=1.5, tail_weight=0.05, cap=1e6)
    assert model.mean() == pytest.approx(50_000, rel=1e-6)
    assert math.sqrt(model.variance()) == pytest.approx(60_000, rel=1e-6)
    assert model_for_targets(mean=1e5, sd=6e4, limit_bytes=2e8).mean() == pytest.approx(1e5, rel=1e-6)
    pareto = model_for_targets(mean=1e5, cut=4e4, limit_bytes=2e8)
    assert pareto == Pareto(alpha=1e5 / 6e4, x_min=4e4)
    bounded = model_for_targets(mean=1e5, alpha=1.5, cap=1e7, limit_bytes=2e8)
    assert bounded.alpha == 1.5
    assert bounded.mean() == pytest.approx(1e5, rel=1e-9)


@pytest.mark.parametrize(
    ("targets", "sentence"),
    [
        ({"mean": 100, "sd": 50, "alpha": 1.0}, "alpha must be above 1"),
        ({"mean": -5, "sd": 50}, "mean must be"),
        ({"mean": 1, "sd": 50}, "no size is below 1 byte"),
        ({"mean": 100, "sd": 50, "tail_weight": 1.0}, "tail weight must"),
        ({"mean": 100, "sd": 5000, "cap": 150}, "No lognormal body"),
        ({"mean": 100, "cut": 100}, "does not lie above the cut"),
        ({"mean": 100, "alpha": 2, "cap": 90}, "cannot be reached with a cap"),
        ({"mean": 100}, "give --sd"),
    ],
)
def test_impossible_targets_are_refused_in_one_sentence(targets, sentence):
    with pytest.raises(WorkloadError, match=sentence):
        model_for_targets(**targets, limit_bytes=2e8)


def test_the_printed_formulas_are_taken_literally():
    """k/(U*(1/a)) at U = 0.5 is 2 k a; NORM.INV(1-U) at U = 0.5 is the mean, and goes below zero."""
    assert printed_pareto(np.array([0.5]), k=1.2, a=1.9)[0] == pytest.approx(2 * 1.2 * 1.9, rel=1e-12)
    assert printed_lognormal(np.array([0.5]), mean=4, sd=5)[0] == pytest.approx(4, rel=1e-12)
    assert printed_lognormal(np.array([0.9]), mean=4, sd=5)[0] == pytest.approx(4 - 5 * 1.2815515655446004, rel=1e-9)
