import json
import shutil

import campaigns
import pytest

from analysis.analysis_files import write_analysis


@pytest.fixture
def campaign(tmp_path):
    folder = campaigns.write_campaign(tmp_path / "c", samples=(5,), systems=("node",), repeats=2, requests=300).folder
    write_analysis(folder)
    return folder


def tables(folder):
    return {path.name: path.read_bytes() for path in (folder / "analysis").rglob("*.csv")}


def kept(folder):
    return {path.name: path.stat().st_mtime_ns for path in (folder / "analysis" / "cache").iterdir()}


def test_kept_runs_give_the_same_tables_as_raw_ones(campaign):
    with_cache, before = tables(campaign), kept(campaign)
    write_analysis(campaign)
    assert kept(campaign) == before  # nothing was analysed again
    assert tables(campaign) == with_cache
    shutil.rmtree(campaign / "analysis")
    write_analysis(campaign)
    assert tables(campaign) == with_cache


def test_a_raw_file_that_was_cut_since_is_noticed(campaign):
    path = campaign / "runs" / "s05-local-node" / "02" / "requests.jtl"
    path.write_bytes(path.read_bytes()[:-100])
    assert len(write_analysis(campaign).damaged) == 1


def test_a_changed_record_is_analysed_again(campaign):
    path = campaign / "runs" / "s05-local-node" / "02" / "run.json"
    record = json.loads(path.read_text())
    record["phases"]["measure_end_ns"] -= 2 * campaigns.SECOND_NS
    before = kept(campaign)
    campaigns.write_json(path, record)
    write_analysis(campaign)
    changed = [name for name, time in kept(campaign).items() if time != before[name]]
    assert changed == ["s05-local-node-02.json"]


def test_kept_files_that_are_broken_in_any_way_cost_nothing_but_time(tmp_path):
    contents = ["", "{", "[]", "{}", '{"state": 1}']
    folder = campaigns.write_campaign(
        tmp_path / "c", samples=(5,), systems=("node",), repeats=len(contents), requests=300
    ).folder
    write_analysis(folder)
    before = tables(folder)
    for path, content in zip((folder / "analysis" / "cache").iterdir(), contents, strict=True):
        path.write_text(content)
    write_analysis(folder)
    assert tables(folder) == before
