import shutil

import campaigns
import pytest

from uploadlab.analysis import report_once
from uploadlab.analysis.analysis_files import write_analysis
from uploadlab.analysis.report_once import write_report_once


@pytest.fixture(scope="module")
def reported(tmp_path_factory):
    """A campaign of one run, analysed, and reported."""
    folder = tmp_path_factory.mktemp("once") / "campaign"
    campaigns.write_campaign(folder, samples=(5,), systems=("node",), repeats=1, requests=300, monitors=False)
    write_analysis(folder)
    write_report_once(folder)
    return folder


@pytest.fixture
def campaign(reported, tmp_path):
    """The same folder, moved back to where it was after the test has changed it."""
    kept = tmp_path / "kept"
    shutil.copytree(reported, kept)
    yield reported
    shutil.rmtree(reported)
    shutil.copytree(kept, reported)


def time_of(folder):
    return (folder / "report" / "index.html").stat().st_mtime_ns


def test_a_second_report_of_the_same_campaign_is_the_first(campaign):
    before = time_of(campaign)
    write_analysis(campaign)
    assert write_report_once(campaign) == campaign / "report" / "index.html"
    assert time_of(campaign) == before


def replace(path, old, new):
    path.write_text(path.read_text().replace(old, new))


CHANGES = {
    "a setting": lambda folder: replace(folder / "campaign.json", '"seed": 1', '"seed": 99'),
    "the sentence of a gate": lambda folder: replace(folder / "runs/s05-local-node/01/run.json", "62 %", "63 %"),
    "a table": lambda folder: (folder / "analysis" / "claims.csv").write_text(
        "claim,text,verdict,why\nx,A claim by hand.,holds,Because.\n"
    ),
    "a chart is gone": lambda folder: (folder / "report" / "charts" / "mean.svg").unlink(),
    "the page was written over": lambda folder: (folder / "report" / "index.html").write_text("<p>no</p>"),
    "a file too many": lambda folder: (folder / "report" / "data" / "mine.csv").write_text("x\n"),
    "the note of what was made is broken": lambda folder: (folder / "analysis" / "cache" / "report.json").write_text(
        "["
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("change", CHANGES)
def test_what_changed_is_reported_again(campaign, change):
    page = (campaign / "report" / "index.html").read_text()
    before = time_of(campaign)
    CHANGES[change](campaign)
    write_report_once(campaign)
    assert time_of(campaign) != before
    written = (campaign / "report" / "index.html").read_text()
    assert written.startswith("<!doctype html>")
    assert (written == page) == (change not in ("a setting", "a table"))
    assert not (campaign / "report" / "data" / "mine.csv").exists()


def test_other_code_reports_again(campaign, monkeypatch):
    before = time_of(campaign)
    monkeypatch.setattr(report_once, "code_digest", lambda: "other code")
    write_report_once(campaign)
    assert time_of(campaign) != before
