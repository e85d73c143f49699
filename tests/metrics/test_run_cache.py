import shutil

import campaigns
import pytest

from uploadlab.analysis.analysis_files import write_analysis


@pytest.fixture
def campaign(tmp_path):
    folder = campaigns.write_campaign(tmp_path / "c", samples=(5,), repeats=3, requests=300).folder
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


def test_kept_files_that_are_broken_in_any_way_cost_nothing_but_time(campaign):
    before = tables(campaign)
    contents = ["", "{", "[]", "{}", "null", '{"state": 1}']
    for path, content in zip((campaign / "analysis" / "cache").iterdir(), contents, strict=True):
        path.write_text(content)
    write_analysis(campaign)
    assert tables(campaign) == before
