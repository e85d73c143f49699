from dataclasses import replace
from xml.etree import ElementTree

import campaigns
import pytest

from uploadlab.analysis.__main__ import main
from uploadlab.analysis.analysis_files import Analysis, write_analysis
from uploadlab.analysis.campaign_comparison import compare_campaigns, junit_xml, markdown
from uploadlab.errors import LabError
from uploadlab.results.campaign import Campaign

CALM = replace(campaigns.paper_like_truth(5, "node"), between_runs=0.01, drift=0.02)
TRUTHS = {"s05-local-node": CALM, "s05-local-tomcat": CALM}


def campaign(folder, seed, **options):
    settings = {"samples": (5,), "repeats": 4, "requests": 3000, "truths": TRUTHS, **options}
    return campaigns.write_campaign(folder, seed=seed, **settings).folder


@pytest.fixture(scope="module")
def before(tmp_path_factory):
    return campaign(tmp_path_factory.mktemp("compare") / "before", 1)


@pytest.fixture(scope="module")
def slower(tmp_path_factory):
    truths = {**TRUTHS, "s05-local-node": replace(CALM, mean_ms=1.3 * CALM.mean_ms, server_cpu_us=300)}
    return campaign(tmp_path_factory.mktemp("compare") / "slower", 2, truths=truths)


@pytest.fixture(scope="module")
def comparison(before, slower):
    return compare_campaigns(write_analysis(before), write_analysis(slower))


def test_what_got_worse_and_better_beyond_the_margin_is_found(comparison):
    verdicts = {(change.cell, change.metric.column): change.verdict for change in comparison.changes}
    assert verdicts["s05-local-node", "mean_ms"] == "worse"
    assert verdicts["s05-local-node", "throughput_rps"] == "worse"
    assert verdicts["s05-local-node", "server_cpu_us_per_request"] == "better"
    assert verdicts["s05-local-tomcat", "mean_ms"] == "unchanged"
    assert verdicts["s05-local-tomcat", "server_cpu_us_per_request"] == "unchanged"
    change = next(change for change in comparison.changes if change.metric.column == "mean_ms")
    assert change.lo < 1.3 < change.hi


def test_the_junit_file_fails_where_a_figure_got_worse(comparison):
    suite = ElementTree.fromstring(junit_xml(comparison))
    failed = {case.get("name") for case in suite if case.find("failure") is not None}
    assert {"mean_ms", "throughput_rps"} <= failed
    assert suite.get("tests") == str(len(suite)) == "10"
    assert suite.get("failures") == str(len(failed))


def test_a_campaign_against_itself_has_no_regression_and_exit_code_0(before, tmp_path, capsys):
    assert main(["compare", str(before), str(before), "--junit", str(tmp_path / "junit.xml")]) == 0
    assert "Nothing is worse by more than 5%." in capsys.readouterr().out
    assert ElementTree.parse(tmp_path / "junit.xml").getroot().get("failures") == "0"


def test_a_regression_has_exit_code_1_unless_the_margin_allows_it(before, slower, capsys):
    assert main(["compare", str(before), str(slower)]) == 1
    assert main(["compare", str(before), str(slower), "--margin", "0.6"]) == 0
    capsys.readouterr()


def test_a_cell_of_which_no_run_is_valid_any_more_or_was_made_is_a_regression(before, tmp_path, capsys):
    after = campaign(tmp_path / "after", 2, requests=300, invalid=[("s05-local-node", f"0{n}") for n in (1, 2, 3, 4)])
    for run in (after / "runs/s05-local-tomcat").iterdir():
        (run / "run.json").unlink()
    assert main(["compare", str(before), str(after), "--junit", str(tmp_path / "junit.xml")]) == 1
    said = capsys.readouterr().out
    assert "**No valid run left** of s05-local-node, s05-local-tomcat. Nothing is worse by more than 5%." in said
    suite = ElementTree.parse(tmp_path / "junit.xml").getroot()
    assert suite.get("failures") == suite.get("tests") == str(len(suite.findall("testcase/failure"))) == "10"
    assert "mean response time: no run is valid any more." in suite.find("testcase/failure").get("message")


def test_campaigns_that_can_not_be_compared_are_refused(before, tmp_path):
    few = {"requests": 200, "repeats": 1, "systems": ("node",)}
    other_study = write_analysis(campaign(tmp_path / "a", 1, study="sockets", **few))
    other_cells = write_analysis(campaign(tmp_path / "b", 1, samples=(1,), **few))
    with pytest.raises(LabError, match="different studies: upload and sockets"):
        compare_campaigns(write_analysis(before), other_study)
    with pytest.raises(LabError, match="no cell in common"):
        compare_campaigns(write_analysis(before), other_cells)


def of_queues(folder, delivered_per_s, latency_ms):
    """Return the analysis of a campaign of a study with metrics of its own: a cell in the loop of each, four runs."""
    metrics = {
        "latency": {"column": "mean_ms", "unit": "ms", "where": {"loop": "open"}},
        "rate": {"column": "delivered_per_s", "unit": "/s", "better": "higher", "where": {"loop": ["closed"]}},
        "cpu": {"column": "cpu_us_per_operation", "unit": "µs"},
    }
    loops = ("closed", "open")
    planned = [{"cell": f"{loop}-a", "repeat": "01", "factors": {"loop": loop}} for loop in loops]
    record = {"study": {"id": "queue", "metrics": metrics}, "systems": {"a": {}}, "runs": planned}
    runs = [
        {"cell": f"{loop}-a", "system": "a", "stack": "current", "loop": loop, "valid": True}
        | {"mean_ms": latency_ms + n / 100, "delivered_per_s": delivered_per_s + n, "cpu_us_per_operation": 50 + n / 10}
        for loop in loops
        for n in range(4)
    ]
    campaign = Campaign(folder=folder, record=record, runs=(), damaged=())
    names = set(Analysis.__dataclass_fields__) - {"campaign", "runs"}  # a comparison reads no others
    return Analysis(campaign=campaign, runs=runs, **dict.fromkeys(names, ()))


def test_a_study_with_metrics_of_its_own_is_compared_by_those_that_its_scenarios_are_asked_for(tmp_path):
    found = compare_campaigns(of_queues(tmp_path / "a", 513, 4), of_queues(tmp_path / "b", 174, 2))
    assert {(change.cell, change.metric.key): change.verdict for change in found.changes} == {
        ("closed-a", "rate"): "worse",
        ("closed-a", "cpu"): "unchanged",
        ("open-a", "latency"): "better",
        ("open-a", "cpu"): "unchanged",
    }
    assert [change.metric.column for change in found.regressions] == ["delivered_per_s"]
    assert "**Worse by more than 5%**" in markdown(found)


def test_that_one_campaign_was_measured_in_turns_stands_above_the_values(comparison):
    told = markdown(replace(comparison, differences=[("profile.settings.turn_ms", "0", "500")]))
    apart = (
        "**Not measured alike:** the servers ran one after the other in before, and took turns of 500 ms on the core"
    )
    assert f"{apart} in slower." in told
    assert "Not measured alike" not in markdown(comparison)
