import math

import numpy as np
import pytest

from workload_gen import WorkloadError, read_table1, table1_sample
from workload_gen.lists.as_printed import printed_lognormal, printed_pareto
from workload_gen.lists.size_list import stratified_sizes
from workload_gen.lists.sources import MAX_FILE_BYTES
from workload_gen.lists.table1_list import meets_targets, table1_sizes
from workload_gen.models.integer_moments import integer_moments
from workload_gen.models.lognormal import Lognormal
from workload_gen.models.pareto import Pareto
from workload_gen.models.simple import Uniform
from workload_gen.models.solve import model_for_targets, solve_splice, table1_model

SAMPLES = list(range(1, 11))
PAPER = """1 4 5 1.2 3 1000
2 55 89 22.1 5 1000
3 790 451 243.4 8 1000
4 5403 3137 1673.7 13 1000
5 22857 13272 7081 21 1000
6 59864 34759 18545 34 1000
7 96838 56227 30000 55 1000
8 156702 90986 48545 89 1000
9 253540 147214 78545 144 400
10 410243 238200 127091 233 25"""


def test_the_samples_are_those_of_the_papers_table():
    for row in PAPER.splitlines():
        sample, mean, sd, k, scale, threads = (float(v) for v in row.split())
        read = table1_sample(int(sample))
        assert (read.mean_bytes, read.sd_bytes, read.pareto_k) == (mean, sd, k)
        assert (read.scale, read.threads, read.loops, read.alpha) == (scale, threads, 500, 1.9)
    assert [s.disk for s in read_table1().values()] == [("hdd",)] * 4 + [("hdd", "ssd")] + [("ssd",)] * 5


@pytest.mark.parametrize("sample", SAMPLES)
def test_a_samples_model_has_exactly_the_tables_mean_and_deviation_and_a_continuous_density(sample):
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


@pytest.mark.parametrize("sample", SAMPLES)
def test_a_samples_tail_is_the_papers_k_over_u_to_the_one_over_alpha(sample):
    """Up to the cap: with a cap, the uniform number is that of a value between the cap's and the cut's."""
    model = table1_model(table1_sample(sample))
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
    sizes = stratified_sizes(Uniform(low=0.5, high=1000.5), 1000, np.random.default_rng(1))
    assert sorted(sizes.tolist()) == list(range(1, 1001))


def test_the_moments_of_whole_sizes_are_those_summed_by_hand():
    """Uniform on 0.5 to 3.5 rounds to 1, 2 and 3 alike."""
    mean, sd = integer_moments(Uniform(low=0.5, high=3.5), 3.5)
    assert mean == pytest.approx(2, rel=1e-12)
    assert sd == pytest.approx(math.sqrt(2 / 3), rel=1e-12)
    model = Lognormal(mu=9, sigma=0.4, cap=49_000)
    summed, closed = integer_moments(model, 49_000), integer_moments(model, 51_000)
    np.testing.assert_allclose(summed, closed, rtol=1e-8)


def test_other_targets_are_met_too():
    model = solve_splice(mean=50_000, sd=60_000, alpha=1.5, tail_weight=0.05, cap=1e6)
    assert model.mean() == pytest.approx(50_000, rel=1e-6)
    assert math.sqrt(model.variance()) == pytest.approx(60_000, rel=1e-6)
    targets = {"tail_weight": None, "limit_bytes": 2e8}
    found = model_for_targets(mean=1e5, sd=6e4, alpha=None, cut=None, cap=None, **targets)
    assert found.mean() == pytest.approx(1e5, rel=1e-6)
    pareto = model_for_targets(mean=1e5, sd=None, alpha=None, cut=4e4, cap=None, **targets)
    assert pareto == Pareto(alpha=1e5 / 6e4, x_min=4e4)
    bounded = model_for_targets(mean=1e5, sd=None, alpha=1.5, cut=None, cap=1e7, **targets)
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
        ({"mean": 100}, "give --sd"),
    ],
)
def test_impossible_targets_are_refused_in_one_sentence(targets, sentence):
    wanted = {"sd": None, "alpha": None, "tail_weight": None, "cut": None, "cap": None, "limit_bytes": 2e8, **targets}
    with pytest.raises(WorkloadError, match=sentence):
        model_for_targets(**wanted)


def test_the_printed_formulas_are_taken_literally():
    """k/(U*(1/a)) at U = 0.5 is 2 k a; NORM.INV(1-U) at U = 0.5 is the mean, and goes below zero."""
    assert printed_pareto(np.array([0.5]), k=1.2, a=1.9)[0] == pytest.approx(2 * 1.2 * 1.9, rel=1e-12)
    assert printed_lognormal(np.array([0.5]), mean=4, sd=5)[0] == pytest.approx(4, rel=1e-12)
    assert printed_lognormal(np.array([0.9]), mean=4, sd=5)[0] == pytest.approx(4 - 5 * 1.2815515655446004, rel=1e-9)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("alpha = 1.9\n[[samples]]\nsample = 1\nmean_bytes = 4\ndisk = []\n", "sample 1"),
        ("alpha = 1.9\n[[samples]]\nsample = 1\nmode = 3\ndisk = []\n", "mode"),
        ("alpha = ", "cannot read"),
    ],
)
def test_a_damaged_table_is_refused_by_name(tmp_path, text, sentence):
    path = tmp_path / "table1.toml"
    path.write_text(text)
    with pytest.raises(WorkloadError, match=f"table1.toml.*{sentence}"):
        read_table1(path)


@pytest.mark.parametrize("sample", [1, 2])
def test_with_the_printed_k_few_lists_of_samples_1_and_2_would_have_the_deviation_and_with_ours_all_do(sample):
    row = table1_sample(sample)
    printed = solve_splice(mean=row.mean_bytes, sd=row.sd_bytes, alpha=1.9, tail_weight=0.02, scale=row.pareto_k)
    rng = np.random.default_rng(1)
    shares = [
        np.mean([meets_targets(row, stratified_sizes(model, 10_000, rng)) for _ in range(100)])
        for model in (printed, table1_model(row))
    ]
    assert shares[0] < 0.2
    assert shares[1] > 0.95
