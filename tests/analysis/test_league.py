"""A league: ranks of many servers that hold together, the table and the page of them, and what one less changes."""

import json
import re
import shutil
from pathlib import Path

import msgspec
import pytest
from campaigns import edited
from windowed_campaigns import Server, write_windowed_campaign

from uploadlab.analysis.analysis_files import write_analysis
from uploadlab.analysis.summarise import summarise
from uploadlab.cli import main
from uploadlab.report.league_page import league_page
from uploadlab.report.summary import LeftOut, Rank, Summary
from uploadlab.report.terminal import lines

SERVERS = {
    "node": Server(capacity_per_s=500, cpu_us=400),
    "tomcat": Server(capacity_per_s=505, cpu_us=500),
    "go": Server(capacity_per_s=900, cpu_us=300),
    "twin": Server(capacity_per_s=900, cpu_us=300),
    "slow": Server(capacity_per_s=100, cpu_us=2000, held=False),
}


@pytest.fixture(scope="module")
def campaign(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("league") / "campaign"
    return write_windowed_campaign(folder, SERVERS, samples=(5,), loads=("saturated", 25), repeats=6, minutes=None)


@pytest.fixture(scope="module")
def summary(campaign) -> Summary:
    return summarise(write_analysis(campaign))


def _ranks(summary: Summary, metric: str, load: str | int) -> dict[str, Rank]:
    return {one.system: one for one in summary.ranks if (one.metric, one.load) == (metric, load)}


def test_servers_that_can_not_be_told_apart_share_a_place_and_others_have_their_own(summary):
    found = {system: rank.text for system, rank in _ranks(summary, "capacity_per_s", "saturated").items()}
    assert (found["go"], found["twin"], found["slow"]) == ("1–2", "1–2", "5")
    cost = {system: rank.text for system, rank in _ranks(summary, "server_cpu_us_per_request", "saturated").items()}
    assert cost == {"go": "1–2", "twin": "1–2", "node": "3", "tomcat": "4", "slow": "5"}


def test_a_server_that_does_not_hold_a_rate_is_shown_behind_those_that_do(summary):
    for metric in ("p99_ms", "server_cpu_us_per_request"):
        ranks = _ranks(summary, metric, 25)
        assert (ranks["slow"].held, ranks["slow"].text) == (False, "5")
        assert all(ranks[system].held and ranks[system].worst <= 4 for system in ("node", "tomcat", "go", "twin"))


def test_the_page_gives_the_reason_why_a_value_is_missing(summary):
    late = LeftOut(run="s05-tmpfs-lean-go/01", reason="Requests were sent 0.40 ms late on average.")
    for left_out, titles in (((), []), ((late,), ["Invalid runs"])):
        page = league_page(msgspec.structs.replace(summary, left_out=left_out))
        assert [section.title for section in page.sections if section.title == "Invalid runs"] == titles
    (section,) = (section for section in page.sections if section.title == "Invalid runs")
    assert [[cell.text for cell in row] for row in section.blocks[0].rows] == [[late.run, late.reason]]


def test_what_can_t_be_told_apart_of_many_servers_is_said_of_pairs(summary):
    assert any(re.match(r"\d+ of 30 pairs of systems can't be told apart", one.text) for one in summary.warnings)


def test_removing_one_server_changes_no_other_s_figures(campaign, summary, tmp_path):
    shutil.copytree(campaign, tmp_path / "less")
    with edited(tmp_path / "less" / "campaign.json") as record:
        del record["systems"]["slow"]
        record["runs"] = [run for run in record["runs"] if run["system"] != "slow"]
    for folder in (tmp_path / "less" / "runs").glob("*-slow"):
        shutil.rmtree(folder)
    less = summarise(write_analysis(tmp_path / "less"))
    assert less.cells == [cell for cell in summary.cells if cell.system != "slow"]
    assert {one.system for one in less.ranks} == SERVERS.keys() - {"slow"}
    for metric, load in (("capacity_per_s", "saturated"), ("server_cpu_us_per_request", "saturated")):
        before, after = (_ranks(of, metric, load) for of in (summary, less))
        assert {system: rank.text for system, rank in after.items()} == {
            system: rank.text for system, rank in before.items() if system != "slow"
        }


def test_the_terminal_and_the_page_show_the_same_places(campaign, summary, tmp_path, capsys):
    said = list(lines(summary))
    assert max(map(len, said)) <= 80
    assert any(line.split()[-1] == "1–2" for line in said if "Twin" in line)
    assert main(["league", "--of", str(campaign), "--out", str(tmp_path / "page")]) == 0
    page = tmp_path / "page" / "index.html"
    assert capsys.readouterr().out.split() == [str(page)]
    assert "<b>1–2</b>" in page.read_text(encoding="utf-8")
    assert "not held" in page.read_text(encoding="utf-8")
    assert json.loads((tmp_path / "page" / "summary.json").read_text())["ranks"]


def test_of_two_systems_there_is_no_league(tmp_path, capsys):
    two = {name: SERVERS[name] for name in ("node", "tomcat")}
    folder = write_windowed_campaign(tmp_path / "two", two, samples=(5,), repeats=2, minutes=None)
    assert main(["league", "--of", str(folder)]) == 2
    assert "has no three systems with valid runs" in capsys.readouterr().err
    assert main(["league", "--systems", "node,tomcat", "--dry-run"]) == 2
    assert "a ranking needs three" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("width", [1280, 390])
def test_the_page_is_sorted_and_chosen_from_offline(campaign, tmp_path, drawn_page, width):
    assert main(["league", "--of", str(campaign), "--out", str(tmp_path)]) == 0
    page = drawn_page(tmp_path / "index.html", width)
    assert page.locator(".drawing svg").count() == 1
    table = page.locator("table[data-sortable]").first
    by_cost = table.locator("th", has_text="CPU per upload").first
    for order, first in ((1, "Go"), (2, "Slow")):
        by_cost.click()
        assert table.locator("tbody th").first.inner_text() in (first, "Twin"), order
