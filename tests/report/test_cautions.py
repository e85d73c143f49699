"""What stands before any figure: a server held to a share of its core, and runs of two kinds."""

from dataclasses import replace
from pathlib import Path

import campaigns
import pytest
from campaigns import Truth
from handmade import ENGLISH, PORTUGUESE, results_by_hand, run
from test_report_command import summary_of

from uploadlab.analysis.analysis_files import write_analysis
from uploadlab.report import facts, page_of
from uploadlab.report.sentences.cautions import cautions

NODE, TOMCAT = "s05-local-node", "s05-local-tomcat"
STEADY = dict.fromkeys((NODE, TOMCAT), Truth(mean_ms=100, cv=0.6, between_runs=0.02))


def _measured(folder: Path, **settings: object) -> tuple[str, str]:
    """Return the page of a small campaign and what the terminal says."""
    campaigns.write_campaign(folder, samples=(5,), requests=1500, monitors=False, repeats=2, truths=STEADY, **settings)
    said = summary_of(write_analysis(folder))
    return page_of(folder), said


def test_of_a_server_held_to_a_share_of_its_core_page_and_terminal_say_that_the_order_may_be_another(tmp_path):
    whole_page, whole_text = _measured(tmp_path / "whole")
    page, text = _measured(tmp_path / "share", server_cpu_limit_pct=15)
    first_screen = page[page.index("<h1>") : page.index('class="lead"')]
    assert "held to 15" in first_screen
    assert "their order too" in first_screen
    assert "limitado a 15" in page
    assert "held to 15 % of its cores" in text
    assert "caution" not in whole_page[whole_page.index("<h1>") :]
    assert "held to" not in whole_text


def test_runs_of_two_kinds_are_named_before_the_figures_and_in_the_terminal(tmp_path, monkeypatch):
    folder, write_run = tmp_path / "campaign", campaigns.write_run

    def of_two_kinds(run_folder, entry, *, truth, **settings):
        slow = entry["cell"] == NODE and entry["repeat"] in ("01", "02")
        return write_run(
            run_folder, entry, truth=replace(truth, mean_ms=truth.mean_ms * 8) if slow else truth, **settings
        )

    monkeypatch.setattr(campaigns, "write_run", of_two_kinds)
    campaigns.write_campaign(folder, samples=(5,), requests=800, monitors=False, repeats=6, truths=STEADY)
    analysis = write_analysis(folder)
    page = page_of(folder)
    first_screen = page[page.index("<h1>") : page.index('class="lead"')]
    assert "The runs of Node.js, sample 5, are of two kinds" in first_screen
    assert "in 4\u00a0runs" in first_screen
    assert "in 2\u00a0runs" in first_screen
    assert "Tomcat, sample 5, are" not in first_screen
    assert "s05-local-node: the runs are of two kinds" in summary_of(analysis)


@pytest.mark.parametrize("words", [ENGLISH, PORTUGUESE], ids=["en", "pt"])
def test_many_cells_of_two_kinds_are_counted(tmp_path, words):
    rows = [run(f"s{sample:02}-local-node", mean_ms=1, cv=1) for sample in range(1, 7)]
    groups = [
        {"cell": row["cell"], "metric": "cv", "n_low": 2, "low_from": 1, "low_to": 1, "n_high": 2, "high_from": 9,
         "high_to": 9}
        for row in rows
    ]  # fmt: skip
    results = results_by_hand(tmp_path / "six", rows, tables={"groups": groups})
    (said,) = cautions(words, results, facts.doubts(results))
    assert "6" in said
    assert "groups.csv" in said
    ends = {"with_low_from": 1.04, "with_low_to": 1.5, "with_high_from": 9, "with_high_to": 19}
    why = [{**groups[0], "goes_with": "gc_pct", **ends}]
    few = results_by_hand(tmp_path / "one", rows[:1], tables={"groups": why})
    (said,) = cautions(words, few, facts.doubts(few))
    assert "lixo" in said or "garbage" in said
    assert said.index("19\u00a0%") < said.index("1,5\u00a0%" if words is PORTUGUESE else "1.5\u00a0%")


@pytest.mark.parametrize("words", [ENGLISH, PORTUGUESE], ids=["en", "pt"])
def test_a_variance_of_first_requests_is_called_that(tmp_path, words):
    rows = [
        run("s05-local-node", mean_ms=91, cv=5.9, first_variance_pct=98, first_max_ms=9210, later_cv=0.39),
        run("s05-local-tomcat", mean_ms=127, cv=1.8, first_variance_pct=31, first_max_ms=4010, later_cv=1.4),
    ]
    results = results_by_hand(tmp_path / "out", rows)
    (said,) = cautions(words, results, facts.doubts(results))
    for part in ("98\u00a0%", words.figures.short(9210), words.figures.short(0.39, 2), words.figures.short(5.9, 2)):
        assert part in said
    assert "Node.js" in said
    assert "Tomcat" not in said


@pytest.mark.parametrize("words", [ENGLISH, PORTUGUESE], ids=["en", "pt"])
def test_a_cost_that_differs_by_half_between_thirds_of_the_measurement_is_said(tmp_path, words):
    rows = [
        run("s05-local-tomcat", repeat, mean_ms=1.7, cv=1.8, server_cpu_of_thirds=times)
        for repeat, times in (("01", 2.0), ("02", 2.4))
    ] + [run("s05-local-node", mean_ms=1.9, cv=0.9, server_cpu_of_thirds=1.4)]
    results = results_by_hand(tmp_path / "out", rows)
    (said,) = cautions(words, results, facts.doubts(results))
    assert "Tomcat" in said
    assert f"{words.figures.short(2.2, 2)}" in said
    assert "Node.js" not in said
