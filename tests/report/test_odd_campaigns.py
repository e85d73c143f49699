"""Campaigns that say little or nothing: the report still comes, and says what can't be said."""

import re

import campaigns
import pytest
from campaigns import Truth
from handmade import run, write_results
from test_page import UNWRITABLE, visible

from uploadlab.analysis.analysis_files import write_analysis
from uploadlab.report import write

CELLS = [f"s05-local-{system}" for system in ("node", "tomcat")]


def page_of(tmp_path, **campaign):
    folder = tmp_path / "campaign"
    campaigns.write_campaign(folder, **{"samples": (5,), "repeats": 2, "requests": 300, **campaign})
    write_analysis(folder)
    html = write(folder).read_text()
    assert not UNWRITABLE.search(visible(html))
    for table in (folder / "report" / "data").glob("*.csv"):
        assert not re.search(r"\b(?:nan|inf)\b", table.read_text(), re.IGNORECASE)
    return html.partition('id="pt"')[0]


def test_one_system_once(tmp_path):
    html = page_of(tmp_path, systems=("tomcat",), repeats=1, monitors=False)
    assert "Tomcat was measured alone: there is nothing to compare it with." in html
    assert "Each cell has one valid run at most" in html


def test_one_repeat_decides_nothing(tmp_path):
    html = page_of(tmp_path, repeats=1, monitors=False)
    assert "tell which system is best.</h1>" in html
    assert "no interval can be given" in html


def test_no_valid_run(tmp_path):
    html = page_of(tmp_path, invalid=[(cell, repeat) for cell in CELLS for repeat in ("01", "02")])
    assert "No run of this campaign counts" in html
    assert "4\u00a0runs did not pass a gate" in html


def test_one_system_has_only_failed_runs(tmp_path):
    failed = [(cell, repeat) for cell in CELLS if cell.endswith("tomcat") for repeat in ("01", "02")]
    html = page_of(tmp_path, failed=failed, monitors=False)
    assert "Node.js was measured alone" in html
    assert "JMeter ended with exit code 1." in html


def test_every_request_failed(tmp_path):
    html = page_of(tmp_path, truths={cell: Truth(error_rate=1.0) for cell in CELLS})
    assert "Up to 100\u00a0% of a run&#39;s requests failed" in html


def test_no_variance_at_all(tmp_path):
    truth = Truth(cv=1e-9, between_runs=0.0, drift=0.0, mean_ms=100.5)
    page_of(tmp_path, truths=dict.fromkeys(CELLS, truth))


def test_nothing_was_monitored(tmp_path):
    html = page_of(tmp_path, monitors=False)
    assert "The server CPU time per upload is not known" in html
    assert "the load generator was not sampled" in html
    assert 'id="en-chart-cpu"' not in html


def test_three_systems(tmp_path):
    html = page_of(tmp_path, samples=(1, 5), repeats=1, systems=("node", "tomcat", "node@paper-2016"), monitors=False)
    assert "Node.js (paper-2016)" in html


def test_a_table_that_is_missing_leaves_its_chart_out(tmp_path):
    folder = tmp_path / "campaign"
    campaigns.write_campaign(folder, samples=(5,), repeats=1, requests=400)
    write_analysis(folder)
    for path in (folder / "analysis").rglob("*.csv"):
        if path.name != "runs.csv":
            path.unlink()
    html = write(folder).read_text()
    assert 'id="en-chart-mean"' in html
    assert 'id="en-chart-percentiles"' not in html
    assert "The analysis wrote no tables for this campaign." in html


@pytest.mark.parametrize("missing", ["rig", "machine", "versions", "profile", "study", "systems"])
def test_a_campaign_that_tells_little_of_itself(tmp_path, missing):
    folder = write_results(tmp_path / "c", [run("s05-local-node", mean_ms=10)], **{missing: None})
    assert not UNWRITABLE.search(visible(write(folder).read_text()))
