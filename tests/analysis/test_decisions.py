import json

import campaigns
import pytest

from uploadlab.analysis.__main__ import main
from uploadlab.analysis.decisions import decisions


@pytest.fixture(scope="module")
def clear(tmp_path_factory):
    """Five blocks in which Node.js's mean is three quarters of Tomcat's, told in a profile that stops when sure."""
    folder = tmp_path_factory.mktemp("decisions") / "c"
    campaigns.write_campaign(folder, samples=(5,), repeats=5, requests=1500)
    return folder


def retell(folder, **told):
    with campaigns.edited(folder / "campaign.json") as record:
        record |= told


def test_each_question_of_a_scenario_has_a_verdict_and_its_figures(clear, capsys):
    retell(clear, profile={"name": "quick", "settings": {"minutes": 15, "most_repeats": 12, "equal_margin_pct": 10}})
    assert main(["decisions", str(clear)]) == 0
    told = json.loads(capsys.readouterr().out)["comparisons"]
    assert [one["metric"] for one in told] == ["mean_ms", "cv", "server_cpu_us_per_request"]
    speed = told[0]
    assert speed["factors"] == {"sample": 5, "disk": "local"}
    assert (speed["systems"], speed["verdict"]) == (["node", "tomcat"], "lower")
    assert speed["lo"] < speed["ratio"] < speed["hi"] < 1


def test_before_the_first_look_everything_is_open_whatever_its_figures_say(tmp_path):
    folder = campaigns.write_campaign(tmp_path / "c", samples=(5,), repeats=4, requests=1500).folder
    retell(folder, profile={"name": "quick", "settings": {"minutes": 15, "most_repeats": 12, "equal_margin_pct": 10}})
    told = decisions(folder)["comparisons"]
    assert told[0]["ratio"] < 0.9
    assert {(one["verdict"], one["better"], one["hi"], one["more_blocks"]) for one in told} == {("open", "", None, 1)}


def test_a_scenario_whose_runs_are_all_damaged_is_open(tmp_path):
    folder = campaigns.write_campaign(tmp_path / "c", samples=(1, 5), repeats=2, requests=300).folder
    for path in folder.glob("runs/s01-*/*/run.json"):
        path.write_text("{")
    told = [one for one in decisions(folder)["comparisons"] if one["factors"] == {"sample": 1, "disk": "local"}]
    assert {one["verdict"] for one in told} == {"open"}


def test_a_folder_that_is_none_of_results_is_refused_in_a_sentence(tmp_path, capsys):
    assert main(["decisions", str(tmp_path)]) == 2
    assert capsys.readouterr().err == f"{tmp_path} is not a results folder: it has no campaign.json.\n"
