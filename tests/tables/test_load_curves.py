"""Load curves by hand: where p99 passes a limit, where the knee is, and what is said of it."""

from pathlib import Path

import campaigns
import pytest
from finished import read_table
from windowed_campaigns import Server, write_windowed_campaign

from uploadlab.analysis.analysis_files import write_analysis
from uploadlab.tables.load_curves import crossing


def test_a_limit_is_passed_between_two_rates_where_the_logarithm_of_the_figure_meets_it():
    # From 10 to 1,000 over 100 a second: 100 lies halfway.
    assert crossing([(100, 10.0), (200, 1000.0)], 100) == pytest.approx(150)
    assert crossing([(200, 1000.0), (100, 10.0)], 100) == pytest.approx(150)
    assert crossing([(100, 10.0), (200, 100.0)], 100) is None
    assert crossing([(100, 120.0), (200, 300.0)], 100) == 100
    assert 100 < crossing([(100, 0.0), (200, 300.0)], 100) < 200, "a clock of whole milliseconds may show 0"


RATES = {10: 100.0, 50: 500.0, 90: 900.0}
MEDIANS_MS = {"node": {10: 10, 50: 20, 90: 200}, "tomcat": {10: 10, 50: 200, 90: 600}}


@pytest.fixture(scope="module")
def curve(tmp_path_factory) -> Path:
    """Return a campaign of three rates: Node.js is slow at the last, Tomcat from the second on."""
    folder = tmp_path_factory.mktemp("curve") / "campaign"
    at = {
        share: {
            system: Server(capacity_per_s=1000, median_ms=medians[share], tail_ms=medians[share] / 4, scatter=0.01)
            for system, medians in MEDIANS_MS.items()
        }
        for share in RATES
    }
    write_windowed_campaign(folder, at[10], samples=(5,), loads=tuple(RATES), repeats=3, apart=True, at=at)
    with campaigns.edited(folder / "campaign.json") as record:
        record["profile"]["settings"]["p99_limit_ms"] = 100
    write_analysis(folder)
    return folder


def test_each_rate_of_each_system_is_a_point_with_its_interval_and_one_is_the_knee(curve):
    rows = {(row["system"], float(row["rate_per_s"])): row for row in read_table(curve, "load_curves")}
    assert len(rows) == 6
    for system, medians in MEDIANS_MS.items():
        for share, median_ms in medians.items():
            row = rows[system, RATES[share]]
            assert float(row["mean_ms"]) == pytest.approx(1.0625 * median_ms, rel=0.3)
            assert float(row["mean_ms_lo"]) < float(row["mean_ms"]) < float(row["mean_ms_hi"])
            assert row["runs"] == "3"
    # Rate over mean: Node.js 100, 250 and 45; Tomcat 100, 25 and 15.
    assert [key for key, row in rows.items() if row["knee"] == "true"] == [("node", 500.0), ("tomcat", 100.0)]


def test_up_to_which_rate_each_holds_is_said_with_its_interval_and_who_holds_longer(curve):
    rows = {row["system"]: row for row in read_table(curve, "load_limits")}
    # p99 is some 1.8 times the median: Node.js passes 100 ms between 500 and 900 a second, Tomcat between 100 and 500.
    assert 500 < float(rows["node"]["rate_per_s"]) < 900
    assert 100 < float(rows["tomcat"]["rate_per_s"]) < 500
    assert {row["holds"] for row in rows.values()} == {"to"}
