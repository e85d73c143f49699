"""The answer of a campaign of windows, whose truth is known."""

import json

import campaigns
import pytest
from windowed_campaigns import Server, write_windowed_campaign

from uploadlab.analysis.analysis_files import write_analysis
from uploadlab.analysis.decisions import decisions
from uploadlab.analysis.summarise import summarise

SAMPLES = (1, 3, 5, 7, 10)
BYTES = [4, 790, 22857, 96838, 410243]
NODE = Server(capacity_per_s=400, cpu_us=400, median_ms=4, tail_ms=10, scatter=0.005)
TOMCAT = Server(capacity_per_s=600, cpu_us=400, median_ms=2, tail_ms=5, scatter=0.005)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("answer") / "c"
    return write_windowed_campaign(
        folder, {"node": NODE, "tomcat": TOMCAT}, samples=SAMPLES, loads=("saturated", 20, 50)
    )


@pytest.fixture(scope="module")
def answer(folder):
    return write_analysis(folder).answer


def headlines(answer, metric):
    return [one for one in answer.comparisons if one.decided and one.metric == metric]


def test_decided_are_capacity_at_saturation_and_p99_and_cpu_at_half_load_of_every_size(answer):
    found = {(one.metric, one.load) for one in answer.comparisons if one.decided}
    assert found == {("capacity_per_s", "saturated"), ("p99_ms", 50), ("server_cpu_us_per_request", 50)}
    assert all([one.size_bytes for one in headlines(answer, metric)] == BYTES for metric, _ in found)


def test_the_verdicts_are_those_of_the_law_and_hold_the_true_ratio(answer):
    for metric, ratio, verdict in (
        ("capacity_per_s", 400 / 600, "worse"),
        ("p99_ms", 2.0, "worse"),
        ("server_cpu_us_per_request", 1.0, "equal"),
    ):
        for one in headlines(answer, metric):
            assert (one.system_a, one.system_b, one.verdict) == ("node", "tomcat", verdict)
            assert one.lo < ratio < one.hi
            assert one.ratio == pytest.approx(one.a / one.b, rel=0.05)


def test_a_cell_has_the_values_of_its_load_with_intervals(answer):
    (half,) = [one for one in answer.cells if (one.size_bytes, one.load, one.system) == (22857, 50, "tomcat")]
    assert {"median_ms", "p99_ms", "p999_ms", "server_cpu_us_per_request", "rate_per_s", "memory_peak_mb"} <= {
        *half.values
    }
    assert "capacity_per_s" not in half.values
    assert (half.runs, half.valid_runs, half.held_runs) == (4, 4, 4)
    assert half.values["rate_per_s"].value == pytest.approx(300)
    p99 = half.values["p99_ms"]
    assert (p99.lo < p99.value < p99.hi, p99.n) == (True, 4)
    (saturated,) = [one for one in answer.cells if (one.size_bytes, one.load, one.system) == (4, "saturated", "node")]
    assert saturated.held_runs is None
    assert saturated.values["capacity_per_s"].value == pytest.approx(400, rel=0.15)


def test_what_the_plan_waits_for_are_the_same_comparisons_in_the_scenarios_it_has_all_open_before_the_first_look(
    folder, answer
):
    told = decisions(folder)["comparisons"]
    assert len(told) == 15
    assert {json.dumps(one["factors"]) for one in told} == {json.dumps({"sample": n, "disk": "local"}) for n in SAMPLES}
    keys = {"capacity_per_s": "capacity_per_s", "scheduled_p99_ms": "p99_ms"}
    size_of = dict(zip(SAMPLES, BYTES, strict=True))
    answered = {(one.size_bytes, one.metric, one.ratio) for one in answer.comparisons}
    for one in told:
        metric = keys.get(one["metric"], one["metric"])
        assert (size_of[one["factors"]["sample"]], metric, one["ratio"]) in answered
        assert (one["lo"], one["hi"], one["verdict"]) == (None, None, "open")


def test_a_campaign_at_the_load_that_its_profile_gives_decides_what_a_paper_asked(tmp_path):
    folder = write_windowed_campaign(
        tmp_path / "c", {"node": NODE, "tomcat": TOMCAT}, samples=(1, 5), loads=("as_given",), minutes=None
    )
    summary = summarise(write_analysis(folder))
    assert [metric.id for metric in summary.metrics if metric.decided] == ["mean_ms", "cv", "server_cpu_us_per_request"]
    assert {metric.id for metric in summary.metrics if metric.shown} >= {"mean_ms", "cv", "p99_ms"}
    assert "Tomcat answers in 0." in summary.answer


def test_a_profile_that_names_its_metrics_is_answered_by_them(tmp_path):
    made = campaigns.write_campaign(tmp_path / "c", samples=(5,), repeats=3, requests=400, threads=20)
    named = ["first_mean_ms", "first_max_ms", "throughput_rps"]
    with campaigns.edited(made.folder / "campaign.json") as record:
        record["profile"]["settings"]["metrics"] = named
    compared = write_analysis(made.folder).answer.comparisons
    assert [one.metric for one in compared if one.decided] == named
    assert all(0 < one.lo < one.ratio < one.hi for one in compared)
