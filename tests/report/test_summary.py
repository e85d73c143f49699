"""analysis/summary.json: its published schema, and what it holds of a known campaign."""

import dataclasses
import json
import re
from pathlib import Path

import campaigns
import msgspec
import pytest
import windowed_campaigns
from summaries import plausible

from uploadlab.analysis.__main__ import main
from uploadlab.report import summary as summaries
from uploadlab.report.campaign_page import campaign_page
from uploadlab.report.summary import Summary, schema
from uploadlab.report.terminal import lines

SERVER = windowed_campaigns.Server(scatter=0.001)
PUBLISHED = Path(__file__).parents[2] / "docs" / summaries.SCHEMA


def test_the_published_schema_is_the_one_of_the_file():
    """Renew it with: PYTHONPATH=tests:tests/report python tests/report/test_summary.py."""
    assert json.loads(PUBLISHED.read_text(encoding="utf-8")) == json.loads(json.dumps(schema()))


def test_what_is_written_is_read_back_as_it_was(tmp_path):
    summary = plausible()
    summaries.write(summary, tmp_path / "analysis" / "summary.json")
    read = msgspec.json.decode((tmp_path / "analysis" / "summary.json").read_bytes(), type=Summary)
    assert [cell.values for cell in read.cells] == [cell.values for cell in summary.cells]
    assert (read.answer, read.comparisons) == (summary.answer, summary.comparisons)


@pytest.fixture(scope="module")
def found(tmp_path_factory) -> Summary:
    folder = tmp_path_factory.mktemp("summary") / "campaign"
    invalid = [("s05-local-tomcat", "01")]
    campaigns.write_campaign(folder, samples=(1, 5), repeats=3, requests=600, invalid=invalid)
    assert main(["report", str(folder), "--require", "p99_ms < 10000", "--require", "p99_ms < 0.001"]) == 1
    return msgspec.json.decode((folder / "analysis" / "summary.json").read_bytes(), type=Summary)


def test_a_verdict_is_that_on_the_first_system_and_fits_the_ratio(found):
    cpu = [one for one in found.comparisons if one.metric == "server_cpu_us_per_request"]
    assert [(one.system_a, one.verdict, one.decided) for one in cpu] == [("node", "better", True)] * 2
    assert all(one.a / one.b == pytest.approx(one.ratio, rel=0.01) and one.lo < one.ratio < one.hi for one in cpu)


def test_each_cell_says_what_its_slowest_requests_met_beside_all(tmp_path):
    folder = windowed_campaigns.write_windowed_campaign(tmp_path / "c", {"node": SERVER, "tomcat": SERVER}, repeats=3)
    assert main(["report", str(folder)]) == 0
    summary = msgspec.json.decode((folder / "analysis" / "summary.json").read_bytes(), type=Summary)
    (slow,) = [grid for grid in summary.grids if grid.id == "slow"]
    assert [row[:2] for row in slow.rows[:2]] == [["4 B, at half load", "Node.js"], ["4 B, at half load", "Tomcat"]]
    assert len(slow.rows) == len(summary.cells)
    for row in slow.rows:
        of_slow, of_all = (float(value.replace(",", "")) for value in row[2].strip(")").split(" ("))
        assert of_slow >= of_all > 0


def _grids(folder: Path) -> set[str]:
    main(["report", str(folder)])
    summary = msgspec.json.decode((folder / "analysis" / "summary.json").read_bytes(), type=Summary)
    return {grid.id for grid in summary.grids}


def test_what_goes_with_the_variability_is_told_where_a_paper_asked(tmp_path):
    as_published = campaigns.write_campaign(tmp_path / "paper", samples=(1, 3, 5, 7), repeats=2, requests=300).folder
    at_half_load = windowed_campaigns.write_windowed_campaign(tmp_path / "half", {"node": SERVER}, repeats=3)
    assert ("indicators" in _grids(as_published), "indicators" in _grids(at_half_load)) == (True, False)


def test_what_was_required_is_said_for_each_cell(found):
    said = {(one.text, one.row, one.system): one.verdict for one in found.requirements}
    assert {verdict for (text, *_), verdict in said.items() if text == "p99_ms < 10000"} == {"pass"}
    assert said["p99_ms < 0.001", "4 B", "node"] == "fail"
    table = next(section for section in campaign_page(found).sections if section.title == "Requirements").blocks[0]
    assert len(table.rows) == len(found.requirements) == 8
    told = [line for line in lines(found) if line.startswith("= ")]
    assert len(told) == 8
    assert max(map(len, told)) <= 80


def test_a_system_whose_bytes_nobody_can_compare_is_warned_of(tmp_path):
    folder = tmp_path / "campaign"
    campaigns.write_campaign(folder, samples=(5,), repeats=2, requests=300)
    record = json.loads((folder / "campaign.json").read_text(encoding="utf-8"))
    record["systems"]["node"]["bytes_verified"] = False
    (folder / "campaign.json").write_text(json.dumps(record), encoding="utf-8")
    assert main(["report", str(folder)]) == 0
    warnings = json.loads((folder / "analysis" / "summary.json").read_text(encoding="utf-8"))["warnings"]
    assert warnings[0]["text"].startswith("Bytes not verified: Node.js")
    assert warnings[0]["command"] == "./lab conformance node"


@pytest.mark.parametrize(
    ("profile", "command"),
    [("quick", "./lab run --profile quick --repeats 4"), ("smoke", "./lab run"), ("league-smoke", "./lab league")],
)
def test_what_would_decide_is_a_command_that_measures(profile, command, tmp_path):
    folder = campaigns.write_campaign(tmp_path / "c", samples=(5,), repeats=2, requests=300).folder
    record = json.loads((folder / "campaign.json").read_text(encoding="utf-8"))
    made = ["league", "--profile", "smoke"] if profile == "league-smoke" else ["run", "--profile", profile]
    record |= {"command": ["./lab", *made, "--out", "x"], "profile": {"name": profile, "settings": {"repeats": 2}}}
    (folder / "campaign.json").write_text(json.dumps(record), encoding="utf-8")
    main(["report", str(folder)])
    warnings = json.loads((folder / "analysis" / "summary.json").read_text(encoding="utf-8"))["warnings"]
    assert [one["command"] for one in warnings if one["text"].endswith("it takes more runs.")] == [command]


@pytest.mark.parametrize(("slower", "warned"), [(1.2, 0), (3.0, 2)])
def test_a_rate_that_is_another_share_of_the_capacity_than_it_is_called_is_warned_of(tmp_path, slower, warned):
    folder = windowed_campaigns.write_windowed_campaign(
        tmp_path / "campaign", dict.fromkeys(["node", "tomcat"], SERVER)
    )
    for path in folder.glob("runs/*/*/run.json"):
        record = json.loads(path.read_text(encoding="utf-8"))
        for window in record["windows"]:
            window["rate_per_s"] = window["rate_per_s"] and window["rate_per_s"] / slower
        path.write_text(json.dumps(record), encoding="utf-8")
    assert main(["report", str(folder)]) == 0
    warnings = json.loads((folder / "analysis" / "summary.json").read_text(encoding="utf-8"))["warnings"]
    said = [one["text"] for one in warnings if "of the lowest capacity" in one["text"]]
    assert len(said) == warned
    assert all(re.search(r"the rate was 1[5-8]% of", text) for text in said)


@pytest.mark.parametrize(
    ("shares_of", "command"),
    [("", "./lab run --systems node,tomcat --capacity 20,30,40"), ("node", "")],
    ids=["lower rates can be measured", "all meet the same rates"],
)
def test_a_rate_that_was_not_held_is_said_with_what_would_be(shares_of, command, tmp_path):
    servers = {"node": SERVER, "tomcat": dataclasses.replace(SERVER, held=False)}
    folder = windowed_campaigns.write_windowed_campaign(tmp_path / "campaign", servers, samples=[5])
    record = json.loads((folder / "campaign.json").read_text(encoding="utf-8"))
    record["profile"]["settings"]["shares_of"] = shares_of
    record["command"] = ["./lab", "run", "--systems", "node,tomcat", "--capacity", "50", "--out", "x"]
    (folder / "campaign.json").write_text(json.dumps(record), encoding="utf-8")
    assert main(["report", str(folder)]) == 0
    warnings = json.loads((folder / "analysis" / "summary.json").read_text(encoding="utf-8"))["warnings"]
    (said,) = (one for one in warnings if one["text"].startswith("The rate was held by Tomcat in 0 of 4 runs"))
    assert said.get("command", "") == command


@pytest.mark.parametrize(("load", "said"), [(None, True), (50, False)], ids=["in one process", "each in its own"])
def test_the_page_says_that_half_load_depends_on_the_saturation_before_it(load, said, tmp_path):
    folder = windowed_campaigns.write_windowed_campaign(tmp_path / "campaign", {"node": SERVER, "tomcat": SERVER})
    if load:
        for path in folder.glob("runs/*/*/run.json"):
            record = json.loads(path.read_text(encoding="utf-8"))
            record["windows"] = [window for window in record["windows"] if window["load"] == load]
            path.write_text(json.dumps(record), encoding="utf-8")
    assert main(["report", str(folder)]) == 0
    page = (folder / "report" / "index.html").read_text("utf-8")
    assert ("follows saturation in the same process" in page) is said


def test_a_summary_names_no_folder_of_the_machine(tmp_path):
    folder = tmp_path / "campaign"
    campaigns.write_campaign(folder, samples=(5,), repeats=2, requests=300)
    record = json.loads((folder / "campaign.json").read_text(encoding="utf-8"))
    disk = {"label": "emulated HDD", "path": "/srv/mine/files", "mount_point": "/srv/mine/files", "filesystem": "xfs"}
    record["rig"]["disks"] = {"hdd": disk}
    (folder / "campaign.json").write_text(json.dumps(record), encoding="utf-8")
    assert main(["report", str(folder)]) == 0
    machine = json.loads((folder / "analysis" / "summary.json").read_text(encoding="utf-8"))["campaign"]["machine"]
    assert machine["rig disks hdd filesystem"] == "xfs"
    assert not [text for text in machine.values() if "/srv/mine" in text]


def test_what_was_known_of_broken_requests_stands_on_the_page_or_what_would_tell(tmp_path):
    folder = tmp_path / "campaign"
    campaigns.write_campaign(folder, samples=(5,), repeats=2, requests=300)
    record = json.loads((folder / "campaign.json").read_text(encoding="utf-8"))
    record["systems"]["node"]["conformance"] = "must 344 of 344, should 150 of 155"
    record["systems"]["tomcat"] |= {"conformance": "", "folder": "/srv/my server"}
    (folder / "campaign.json").write_text(json.dumps(record), encoding="utf-8")
    assert main(["report", str(folder)]) == 0
    told = json.loads((folder / "analysis" / "summary.json").read_text(encoding="utf-8"))["conformance"]
    assert told == {
        "node": "must 344 of 344, should 150 of 155",
        "tomcat": "not known; ./lab conformance '/srv/my server' tells",
    }
    assert "Node.js: must 344 of 344, should 150 of 155." in (folder / "report" / "index.html").read_text("utf-8")


if __name__ == "__main__":
    PUBLISHED.write_text(json.dumps(schema(), indent=2) + "\n", encoding="utf-8")


def test_the_command_for_longer_loads_sets_each_setting_once(tmp_path):
    servers = {"node": SERVER, "tomcat": SERVER}
    folder = windowed_campaigns.write_windowed_campaign(tmp_path / "campaign", servers)
    record = json.loads((folder / "campaign.json").read_text(encoding="utf-8"))
    record["command"] = ["./lab", "run", "--load", "share_s=20", "--load", "rows=50", "--out", "x"]
    (folder / "campaign.json").write_text(json.dumps(record), encoding="utf-8")
    for path in folder.glob("runs/*/*/run.json"):
        made = json.loads(path.read_text(encoding="utf-8"))
        for window in made["windows"]:
            window["settled"] = False
        path.write_text(json.dumps(made), encoding="utf-8")
    assert main(["report", str(folder)]) == 0
    warnings = json.loads((folder / "analysis" / "summary.json").read_text(encoding="utf-8"))["warnings"]
    longer = "./lab run --load rows=50 --load settling_s=10 --load saturated_s=14 --load share_s=16"
    assert {one["command"] for one in warnings if "had settled" in one["text"]} == {longer}
