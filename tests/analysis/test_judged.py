"""The report of a judgement: HEAD against BASE, and what shows the noise beside them."""

import pytest
from campaigns import edited
from windowed_campaigns import Server, write_windowed_campaign

from monitoring.pages.document import Chart
from uploadlab.analysis.analysis_files import write_analysis
from uploadlab.analysis.summarise import summarise
from uploadlab.report.answer_table import AnswerTable
from uploadlab.report.campaign_page import campaign_page
from uploadlab.report.terminal import lines

ARMS = {
    "base": Server(capacity_per_s=900, cpu_us=300),
    "head": Server(capacity_per_s=600, cpu_us=450),
    "again": Server(capacity_per_s=900, cpu_us=300),
}


def test_the_report_answers_for_the_change_alone_and_shows_the_noise_among_the_cells(tmp_path):
    folder = write_windowed_campaign(tmp_path / "c", ARMS, samples=(5,), loads=("saturated", 50), repeats=6)
    with edited(folder / "campaign.json") as record:
        record |= {"judged_against": "base", "noise": "again"}
    summary = summarise(write_analysis(folder))
    table = AnswerTable(summary)
    assert [system.id for system in table.systems] == ["base", "head"]
    assert {cell.system for cell in summary.cells} == {"base", "head", "again"}
    assert {(one.system_a, one.system_b) for one in summary.comparisons} == {("base", "head")}
    capacity = next(one for one in summary.comparisons if one.metric == "capacity_per_s" and one.decided)
    change = capacity.turned()
    assert (change.system_a, change.system_b) == ("head", "base")
    assert change.lo < change.ratio < change.hi < 1
    assert summary.answer.startswith("At half load head needs 1.5")
    assert any("head of base" in line for line in lines(summary))
    first = next(block for block in campaign_page(summary).sections[0].blocks if isinstance(block, Chart))
    drawn = {row["metric"]: row["value"] for row in first.rows}
    assert drawn["capacity, uploads/s"] == change.ratio


def test_the_values_beside_a_ratio_are_of_both_measurements_of_base(tmp_path):
    arms = ARMS | {"again": Server(capacity_per_s=1600, cpu_us=300)}
    folder = write_windowed_campaign(tmp_path / "c", arms, samples=(5,), loads=("saturated", 50), repeats=6)
    with edited(folder / "campaign.json") as record:
        record |= {"judged_against": "base", "noise": "again"}
    table = AnswerTable(summarise(write_analysis(folder)))
    capacity = next(measure for measure in table.measures if measure.metric.id == "capacity_per_s")
    assert table.value(table.rows[0], capacity, "base").value == pytest.approx((900 * 1600) ** 0.5, rel=0.03)
