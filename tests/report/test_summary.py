"""analysis/summary.json: its published schema, and what it holds of a known campaign."""

import dataclasses
import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import campaigns
import msgspec
import pytest
import windowed_campaigns
from campaigns import edited
from summaries import plausible

from uploadlab.analysis.__main__ import main
from uploadlab.report import summary as summaries
from uploadlab.report.campaign_page import campaign_page
from uploadlab.report.summary import Summary, schema
from uploadlab.report.terminal import lines

SERVER = windowed_campaigns.Server(scatter=0.001)
TWO = {"node": SERVER, "tomcat": SERVER}
PUBLISHED = Path(__file__).parents[2] / "docs" / summaries.SCHEMA


def test_the_published_schema_is_the_one_of_the_file():
    """Renew it with: PYTHONPATH=tests:tests/report python tests/report/test_summary.py."""
    assert json.loads(PUBLISHED.read_text(encoding="utf-8")) == json.loads(json.dumps(schema()))


def test_what_is_written_is_read_back_as_it_was(tmp_path):
    summary = plausible()
    summaries.write(summary, tmp_path / "summary.json")
    again = read(tmp_path / "summary.json")
    assert (again.answer, again.cells, again.comparisons) == (summary.answer, summary.cells, summary.comparisons)


def read(path: Path) -> Summary:
    return msgspec.json.decode(path.read_bytes(), type=Summary)


def reported(folder: Path, *required: str) -> Summary:
    """Return what `./lab report` finds in a campaign."""
    assert main(["report", str(folder), *(f"--require={one}" for one in required)]) == (1 if required else 0)
    return read(folder / "analysis" / "summary.json")


def of_windows(folder: Path, servers: Any = TWO, **options: Any) -> Path:
    return windowed_campaigns.write_windowed_campaign(folder / "c", servers, **options)


@pytest.fixture
def paper(tmp_path) -> Path:
    """Give a small campaign of a study whose runs have no windows."""
    return campaigns.write_campaign(tmp_path / "campaign", samples=(5,), repeats=2, requests=300).folder


def runs_of(folder: Path) -> Iterator[dict[str, Any]]:
    """Yield each run's record, to be changed."""
    for path in folder.glob("runs/*/*/run.json"):
        with edited(path) as record:
            yield record


@pytest.fixture(scope="module")
def found(tmp_path_factory) -> Summary:
    folder = tmp_path_factory.mktemp("summary") / "campaign"
    invalid = [("s05-local-tomcat", "01")]
    campaigns.write_campaign(folder, samples=(1, 5), repeats=3, requests=600, invalid=invalid)
    return reported(folder, "p99_ms < 10000", "p99_ms < 0.001")


def test_a_verdict_is_that_on_the_first_system_and_fits_the_ratio(found):
    cpu = [one for one in found.comparisons if one.metric == "server_cpu_us_per_request"]
    assert [(one.system_a, one.verdict, one.decided) for one in cpu] == [("node", "better", True)] * 2
    assert all(one.a / one.b == pytest.approx(one.ratio, rel=0.01) and one.lo < one.ratio < one.hi for one in cpu)


def test_each_cell_says_what_its_slowest_requests_met_beside_all(tmp_path):
    summary = reported(of_windows(tmp_path, repeats=3))
    (slow,) = [grid for grid in summary.grids if grid.id == "slow"]
    assert [row[:2] for row in slow.rows[:2]] == [["4 B, at half load", "Node.js"], ["4 B, at half load", "Tomcat"]]
    assert len(slow.rows) == len(summary.cells)
    for row in slow.rows:
        of_slow, of_all = (float(value.replace(",", "")) for value in row[2].strip(")").split(" ("))
        assert of_slow >= of_all > 0


def test_what_goes_with_the_variability_is_told_where_a_paper_asked(tmp_path):
    as_published = campaigns.write_campaign(tmp_path / "paper", samples=(1, 3, 5, 7), repeats=2, requests=300).folder
    at_half_load = of_windows(tmp_path, {"node": SERVER}, repeats=3)
    told = [{grid.id for grid in reported(folder).grids} for folder in (as_published, at_half_load)]
    assert ["indicators" in ids for ids in told] == [True, False]


def test_the_claims_of_a_paper_are_not_judged_by_a_profile_that_asks_another_question(tmp_path):
    folder = campaigns.write_campaign(tmp_path / "paper", samples=(1, 3, 5, 7), repeats=3, requests=300).folder
    assert reported(folder).claims
    with edited(folder / "campaign.json") as record:
        record["profile"]["settings"]["metrics"] = ["p99_ms", "throughput_rps"]
    summary = reported(folder)
    assert not summary.claims
    assert not {"indicators", "table1"} & {grid.id for grid in summary.grids}


def test_a_campaign_of_one_share_of_the_capacity_asks_what_a_paper_asked(tmp_path):
    summary = reported(of_windows(tmp_path, samples=(5,), loads=(80,)))
    assert {one.metric for one in summary.comparisons if one.decided} == {"mean_ms", "cv", "server_cpu_us_per_request"}
    assert "table1" in {grid.id for grid in summary.grids}


def test_a_run_that_counts_at_some_of_its_loads_is_none_that_is_invalid(tmp_path):
    failed = [("s01-local-node", "02", "saturated")]
    summary = reported(of_windows(tmp_path, repeats=3, failed_gates=failed), "p99_ms < 0.001")
    assert summary.campaign.runs == "11 of 12 runs valid, 1 more at some loads"
    assert summary.campaign.invalid_runs == 0
    assert [one.text for one in summary.warnings if "Not counted" in one.text] == [
        "Not counted at some of their loads: 1 run; the report lists where and why."
    ]


def test_what_was_required_is_said_for_each_cell(found):
    said = {(one.text, one.row, one.system): one.verdict for one in found.requirements}
    assert {verdict for (text, *_), verdict in said.items() if text == "p99_ms < 10000"} == {"pass"}
    assert said["p99_ms < 0.001", "4 B", "node"] == "fail"
    table = next(section for section in campaign_page(found).sections if section.title == "Requirements").blocks[0]
    assert len(table.rows) == len(found.requirements) == 8
    told = [line for line in lines(found) if line.startswith("= ")]
    assert len(told) == 8
    assert max(map(len, told)) <= 80


def test_a_system_whose_bytes_nobody_can_compare_is_warned_of(paper):
    with edited(paper / "campaign.json") as record:
        record["systems"]["node"]["bytes_verified"] = False
    first = reported(paper).warnings[0]
    assert first.text.startswith("Bytes not verified: Node.js")
    assert first.command == "./lab conformance node"


@pytest.mark.parametrize(
    ("profile", "command"),
    [("quick", "./lab run --profile quick --repeats 4"), ("smoke", "./lab run"), ("league-smoke", "./lab league")],
)
def test_what_would_decide_is_a_command_that_measures(profile, command, paper):
    made = ["league", "--profile", "smoke"] if profile == "league-smoke" else ["run", "--profile", profile]
    with edited(paper / "campaign.json") as record:
        record |= {"command": ["./lab", *made, "--out", "x"], "profile": {"name": profile, "settings": {"repeats": 2}}}
    warnings = reported(paper).warnings
    assert [one.command for one in warnings if " undecided: it takes " in one.text] == [command]


@pytest.mark.parametrize(("seed", "option"), [(3, "--minutes"), (2, "--repeats")], ids=["few", "many"])
def test_what_is_undecided_says_how_many_more_blocks_it_takes_and_the_command_makes_them(seed, option, tmp_path):
    server = dataclasses.replace(SERVER, scatter=0.08)
    other = dataclasses.replace(server, cpu_us=450, tail_ms=60, capacity_per_s=1500)
    folder = of_windows(tmp_path, {"node": server, "tomcat": other}, samples=[5], repeats=5, seed=seed)
    (said,) = (one for one in reported(folder).warnings if " undecided: it takes " in one.text)
    more = re.search(r"it takes (about|more than) (\d+) more blocks?\.$", said.text)
    assert more, said.text
    words = said.command.split()
    assert words[:2] == ["./lab", "run"]
    asked = int(words[words.index(option) + 1])
    blocks = int(more[2])
    assert asked == (math.ceil(15 * (5 + blocks) / 5) if option == "--minutes" else 5 + blocks)


@pytest.mark.parametrize(
    ("seed", "cpu_us", "scatter", "told", "command"),
    [
        (1, 600, 0.2, "about 4 more blocks would decide 1 of them, more than 100 the rest", "--minutes 30"),
        (2, 600, 0.2, "about 11 more blocks would decide 1 of them, more than 100 the rest", "--repeats 15"),
        (1, 415, 0.6, "it takes more than 100 more blocks", ""),
    ],
)
def test_what_more_blocks_than_can_be_asked_for_would_decide_is_in_no_command(
    seed, cpu_us, scatter, told, command, tmp_path
):
    server = dataclasses.replace(SERVER, scatter=scatter)
    other = dataclasses.replace(server, cpu_us=cpu_us, capacity_per_s=520)
    folder = of_windows(tmp_path, {"node": server, "tomcat": other}, samples=[5], seed=seed)
    (said,) = (one for one in reported(folder).warnings if " comparisons are undecided: " in one.text)
    assert said.text.partition(": ")[2] == f"{told}."
    assert said.command == (f"./lab run {command}" if command else "")


@pytest.mark.parametrize(("slower", "warned"), [(1.2, 0), (3.0, 2)])
def test_a_rate_that_is_another_share_of_the_capacity_than_it_is_called_is_warned_of(tmp_path, slower, warned):
    folder = of_windows(tmp_path)
    for run in runs_of(folder):
        for window in run["windows"]:
            window["rate_per_s"] = window["rate_per_s"] and window["rate_per_s"] / slower
    said = [one.text for one in reported(folder).warnings if "of the lowest capacity" in one.text]
    assert len(said) == warned
    assert all(re.search(r"the rate was 1[5-8]% of", text) for text in said)


@pytest.mark.parametrize(
    ("shares_of", "command"),
    [("", "./lab run --systems node,tomcat --capacity 20,30,40"), ("node", "")],
    ids=["lower rates can be measured", "all meet the same rates"],
)
def test_a_rate_that_was_not_held_is_said_with_what_would_be(shares_of, command, tmp_path):
    folder = of_windows(tmp_path, {"node": SERVER, "tomcat": dataclasses.replace(SERVER, held=False)}, samples=[5])
    with edited(folder / "campaign.json") as record:
        record["profile"]["settings"]["shares_of"] = shares_of
        record["command"] = ["./lab", "run", "--systems", "node,tomcat", "--capacity", "50", "--out", "x"]
    warnings = reported(folder).warnings
    (said,) = (one for one in warnings if one.text.startswith("The rate was held by Tomcat in 0 of 4 runs"))
    assert said.command == command


def test_where_the_order_turns_between_two_shares_is_named_with_what_measures_between(tmp_path):
    fast, slow = windowed_campaigns.Server(median_ms=2, tail_ms=1), windowed_campaigns.Server(median_ms=20, tail_ms=1)
    at = {20: {"node": slow, "tomcat": fast}, 50: {"node": fast, "tomcat": slow}}
    folder = of_windows(tmp_path, at[20], samples=(5,), loads=(20, 50), apart=True, at=at)
    (turn,) = [one for one in reported(folder).warnings if one.text.startswith("The order by p99_ms turns")]
    assert turn.text == "The order by p99_ms turns at 23 KB: Tomcat to 20%, Node.js from 50% on."
    assert turn.command == "./lab run --capacity 20,35,50"


@pytest.mark.parametrize("apart", [False, True], ids=["in one process", "each in its own"])
def test_the_page_says_that_half_load_depends_on_the_saturation_before_it(apart, tmp_path):
    folder = of_windows(tmp_path)
    for run in runs_of(folder) if apart else ():
        run["windows"] = [window for window in run["windows"] if window["load"] == 50]
    reported(folder)
    page = (folder / "report" / "index.html").read_text("utf-8")
    assert ("follows saturation in the same process" in page) is not apart


def test_a_summary_names_no_folder_of_the_machine(paper):
    disk = {"label": "emulated HDD", "path": "/srv/mine/files", "mount_point": "/srv/mine/files", "filesystem": "xfs"}
    with edited(paper / "campaign.json") as record:
        record["rig"]["disks"] = {"hdd": disk}
    machine = reported(paper).campaign.machine
    assert machine["rig disks hdd filesystem"] == "xfs"
    assert not [text for text in machine.values() if "/srv/mine" in text]


def test_what_was_known_of_broken_requests_stands_on_the_page_or_what_would_tell(paper):
    with edited(paper / "campaign.json") as record:
        record["systems"]["node"]["conformance"] = "must 344 of 344, should 150 of 155"
        record["systems"]["tomcat"] |= {"conformance": "", "folder": "/srv/my server"}
    assert reported(paper).conformance == {
        "node": "must 344 of 344, should 150 of 155",
        "tomcat": "not known; ./lab conformance '/srv/my server' tells",
    }
    assert "Node.js: must 344 of 344, should 150 of 155." in (paper / "report" / "index.html").read_text("utf-8")


def test_the_command_for_longer_loads_sets_each_setting_once_and_to_more_than_it_was(tmp_path):
    folder = of_windows(tmp_path)
    with edited(folder / "campaign.json") as record:
        record["command"] = ["./lab", "run", "--load=share_s=20", "--load", "rows=50", "--out=x"]
        record["profile"]["settings"]["load"] = {"share_s": 20, "saturated_s": 4}
    for run in runs_of(folder):
        for window in run["windows"]:
            window["settled"] = False
    longer = "./lab run --load rows=50 --load settling_s=10 --load saturated_s=14 --load share_s=40"
    assert {one.command for one in reported(folder).warnings if "had settled" in one.text} == {longer}


def test_loads_that_had_not_settled_are_said_once_and_of_cold_servers_that_they_were_cold(tmp_path):
    folder = of_windows(tmp_path, repeats=3)
    for run in runs_of(folder):
        for window in run["windows"]:
            window["settled"] = False
    said = [one.text for one in reported(folder).warnings]
    rows = "4 B, at half load; 4 B, saturated; 23 KB, at half load; 23 KB, saturated"
    assert f"The load had settled for Node.js in 0 of 3 runs, Tomcat in 0 of 3 runs: {rows}." in said
    with edited(folder / "campaign.json") as record:
        record["profile"]["settings"]["load"] = {"warmup_loops": 0}
    said = [one.text for one in reported(folder).warnings]
    assert not [text for text in said if "had settled" in text or "between thirds" in text]
    assert any(text.startswith("Servers were measured cold") for text in said)


def test_of_loads_that_had_settled_in_different_runs_it_is_said_how_many_and_where_the_fewest(tmp_path):
    folder = of_windows(tmp_path, repeats=3)
    unsettled = {("node", 1, "saturated"): 3, ("node", 1, 50): 2, ("node", 5, "saturated"): 1, ("tomcat", 5, 50): 1}
    for run in runs_of(folder):
        for window in run["windows"]:
            of = (run["system"], run["factors"]["sample"], window["load"])
            window["settled"] = int(run["repeat"]) > unsettled.get(of, 0)
    (said,) = [one.text for one in reported(folder).warnings if "had settled" in one.text]
    where = "in the fewest for Node.js, 4 B, saturated: 0 of 3"
    assert said == f"The load had settled in 17 of 24 measurements, {where} (settled in analysis/runs.csv)."


if __name__ == "__main__":
    PUBLISHED.write_text(json.dumps(schema(), indent=2) + "\n", encoding="utf-8")
