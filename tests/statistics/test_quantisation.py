import campaigns
import numpy as np
import pytest
from campaigns import Truth
from finished import read_table

from uploadlab.analysis.analysis_files import write_analysis
from uploadlab.statistics.distribution import Distribution
from uploadlab.statistics.quantisation import quantisation

REQUESTS = 400_000


def printed_by_jmeter(true_ms, generator):
    """Return end minus start, each cut to whole milliseconds, the starts anywhere between two ticks."""
    start = 1e6 + generator.uniform(0, 1000, len(true_ms))
    return (np.floor(start + true_ms) - np.floor(start)).astype(np.int64)


def test_worked_out_by_hand():
    found = quantisation(600, 5.0, 0.5)
    assert found.mean_error_us == pytest.approx(1000 / 60)  # 1000 times the root of 1/6 / 600 = 1/3600
    assert found.variance_pct == pytest.approx(100 * 4 / 6)  # 1/6 of 1/4
    assert found.sd_ms == pytest.approx((1 / 12) ** 0.5)  # 1/4 - 1/6
    assert found.cv == pytest.approx((1 / 12) ** 0.5 / 5)


@pytest.mark.parametrize("mean_ms", [3.0, 5.0, 9.0])
@pytest.mark.parametrize("cv", [0.2, 0.5, 1.0])
def test_the_true_deviation_is_recovered_from_whole_milliseconds(mean_ms, cv):
    generator = np.random.default_rng(5)
    sigma = np.sqrt(np.log1p(cv**2))
    true = mean_ms * generator.lognormal(-(sigma**2) / 2, sigma, REQUESTS)
    printed = Distribution.of(printed_by_jmeter(true, generator))
    found = quantisation(printed.n, printed.mean, printed.sd)
    assert found.sd_ms == pytest.approx(true.std(ddof=1), rel=0.01)
    assert found.cv == pytest.approx(true.std(ddof=1) / true.mean(), rel=0.01)
    assert abs(printed.mean - true.mean()) < 4 * found.mean_error_us / 1000


@pytest.fixture(scope="module")
def fast(tmp_path_factory):
    """Means of 3 ms and of 50 ms."""
    truths = {"s10-local-node": Truth(mean_ms=3, cv=0.3, drift=0), "s10-local-tomcat": Truth(mean_ms=50, cv=0.3)}
    folder = tmp_path_factory.mktemp("fast") / "campaign"
    return campaigns.write_campaign(folder, samples=(10,), repeats=3, requests=8000, truths=truths).folder


def test_a_campaign_of_fast_answers_gets_its_cv_back(fast):
    write_analysis(fast)
    rows = {row["cell"]: row for row in read_table(fast, "cells")}
    node, tomcat = rows["s10-local-node"], rows["s10-local-tomcat"]
    assert float(node["cv"]) > 0.31
    assert float(node["cv_without_clock"]) == pytest.approx(0.3, rel=0.03)
    assert float(node["clock_variance_pct"]) == pytest.approx(100 / 6 / (0.81 + 1 / 6), rel=0.1)
    assert float(tomcat["cv_without_clock"]) == pytest.approx(float(tomcat["cv"]), rel=0.01)
    run = read_table(fast, "runs")[0]
    assert float(run["sd_without_clock_ms"]) ** 2 == pytest.approx(float(run["sd_ms"]) ** 2 - 1 / 6, rel=1e-4)
    assert float(run["clock_mean_error_us"]) == pytest.approx(1000 * (1 / 6 / 8000) ** 0.5, rel=1e-4)
