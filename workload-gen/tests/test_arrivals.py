import math

import numpy as np
import pytest
from scipy import stats

from workload_gen import WorkloadError
from workload_gen.lists.arrivals import draw_schedule, write_schedule
from workload_gen.models.heavy_tailed import Lognormal, Pareto
from workload_gen.models.simple import Exponential


@pytest.mark.parametrize(
    ("process", "gaps"),
    [
        ("poisson", Exponential(scale=0.02)),
        ("pareto", Pareto(alpha=1.5, x_min=0.02 / 3)),
        ("lognormal", Lognormal(mu=math.log(0.02) - 0.5, sigma=1)),
    ],
)
def test_the_gaps_between_arrivals_have_the_processes_distribution_and_mean(process, gaps):
    schedule = draw_schedule(process, rate_per_s=50, duration_s=400, seed=1)
    assert gaps.mean() == pytest.approx(1 / 50, rel=1e-9)
    drawn = np.diff(schedule.start_s, prepend=0.0)
    assert stats.kstest(drawn, gaps.cdf).pvalue > 0.01
    assert schedule.session.tolist() == list(range(1, drawn.size + 1))


def test_sessions_start_by_poisson_and_upload_a_pareto_number_of_files_at_pareto_gaps():
    schedule = draw_schedule("sessions", rate_per_s=50, duration_s=2000, seed=1)
    sessions, first, counts = np.unique(schedule.session, return_index=True, return_counts=True)
    starts = schedule.start_s[first]
    expected_gap = (1 + sum((n + 0.5) ** -2.43 for n in range(1, 200_000))) / 50
    assert stats.kstest(np.diff(starts), Exponential(scale=expected_gap).cdf).pvalue > 0.01
    early = counts[starts < 500]
    assert (early == 1).mean() == pytest.approx(1 - 1.5**-2.43, abs=0.02)
    within = np.concatenate([np.diff(schedule.start_s[schedule.session == s]) for s in sessions[counts > 1][:200]])
    assert within.min() >= 1.0


def test_the_schedule_is_written_as_jmeter_reads_it(tmp_path):
    schedule = draw_schedule("poisson", rate_per_s=20, duration_s=5, seed=1)
    write_schedule(schedule, tmp_path / "arrivals.csv")
    heading, *lines = (tmp_path / "arrivals.csv").read_text().splitlines()
    assert heading == "start_ms,session"
    assert lines == [f"{math.floor(1000 * start_s)},{number}" for number, start_s in enumerate(schedule.start_s, 1)]


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"rate_per_s": 0}, "rate must be"),
        ({"duration_s": math.nan}, "duration must be"),
        ({"duration_s": math.inf}, "duration must be"),
        ({"rate_per_s": 1e6, "duration_s": 1e6}, "more than 50000000 arrivals"),
        ({"rate_per_s": 1e-9}, "No upload starts within"),
    ],
)
def test_impossible_settings_are_refused_in_one_sentence(settings, sentence):
    with pytest.raises(WorkloadError, match=sentence):
        draw_schedule("poisson", **{"rate_per_s": 10, "duration_s": 10, "seed": 1, **settings})
