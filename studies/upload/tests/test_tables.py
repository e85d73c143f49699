"""The six tables of the upload paper, beside a synthetic campaign."""

from pathlib import Path

import campaigns
import pytest
from finished import read_rows

from studies.upload.tables import Printed
from uploadlab.analysis.analysis_files import write_analysis
from uploadlab.results.campaign import Campaign
from uploadlab.table_file import format_number
from uploadlab.tables.study_tables import Measured

NOWHERE = Campaign(folder=Path("nowhere"), record={"study": {"id": "upload"}, "runs": []}, runs=(), damaged=())
PAPER = Measured(campaign=NOWHERE, runs=(), replicates=())


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """Every table of a campaign of four samples, the paper's among them, by its name."""
    made = campaigns.write_campaign(
        tmp_path_factory.mktemp("tables") / "campaign", samples=(1, 5, 8, 10), repeats=2, requests=300
    )
    write_analysis(made.folder)
    return {path.stem: read_rows(path) for path in (made.folder / "analysis").rglob("*.csv")}


def test_table_6_recomputed_from_the_papers_printed_tables_is_the_one_it_prints():
    found, (printed,) = Printed(PAPER).correlations(), PAPER.printed("table6_correlation.csv")
    assert {series: f"{correlation.pearson:.2f}" for series, correlation in found.items()} == printed
    assert (found["node"].n, found["tomcat"].n, found["differences"].n) == (10, 10, 10)


def test_one_sample_carries_the_papers_correlation_for_node():
    found = Printed(PAPER).correlations()
    assert found["node"].loo_min_without == "sample 10 (S)"
    assert found["node"].loo_min == pytest.approx(-0.63, abs=0.005)
    assert found["node"].spearman == pytest.approx(-0.05, abs=0.005)
    assert found["tomcat"].spearman == pytest.approx(0.76, abs=0.005)
    assert found["differences"].loo_min == pytest.approx(0.45, abs=0.005)


def test_all_six_tables_are_written(tables):
    assert sorted(name for name in tables if name.startswith("table")) == [f"table{number}" for number in range(1, 7)]


def test_every_row_of_the_paper_stands_in_its_table_measured_or_not(tables):
    rows = [(row["sample"], row["disk_paper"]) for row in tables["table2"] if row["sample"].isdigit()]
    assert rows == [(str(n), "D") for n in range(1, 5)] + [("5", "S"), ("5", "D")] + [
        (str(n), "S") for n in range(6, 11)
    ]
    assert len([row for row in tables["table3"] if row["sample"].isdigit()]) == 10


def test_ours_is_the_selected_repeat_beside_the_papers_number_and_the_ratio(tables):
    cell = next(cell for cell in tables["cells"] if cell["cell"] == "s08-local-tomcat")
    run = next(row for row in tables["runs"] if (row["cell"], row["repeat"]) == (cell["cell"], cell["selected_repeat"]))
    row = next(row for row in tables["table3"] if row["sample"] == "8")
    assert row["repeat"] == cell["selected_repeat"]
    for figure, printed in (("mean_ms", 1933), ("sd_ms", 4685), ("mad_ms", 1973), ("cpu_pct", 54), ("wait_pct", 2)):
        assert row[figure] == run[figure]
        assert float(row[f"{figure}_paper"]) == printed
        assert float(row[f"{figure}_ratio"]) == pytest.approx(float(run[figure]) / printed, rel=1e-5)
    errors = [float(row["error_pct"]) for row in tables["runs"] if row["cell"] == cell["cell"]]
    assert row["max_error_pct"] == format_number(max(errors))


def test_the_sums_cover_the_same_samples_on_both_sides(tables):
    measured = [row for row in tables["table2"] if row["sample"].isdigit() and row["mean_ms"]]
    total = next(row for row in tables["table2"] if row["sample"] == "sum of 4")
    assert float(total["mean_ms"]) == pytest.approx(sum(float(row["mean_ms"]) for row in measured), rel=1e-5)
    assert float(total["mean_ms_paper"]) == 428 + 785 + 1544 + 93
    ratio = next(row for row in tables["table2"] if row["sample"] == "deviation / mean")
    assert float(ratio["sd_ms_paper"]) == pytest.approx((728 + 1144 + 2190 + 243) / 2850, rel=1e-5)


def test_tables_4_and_5_hold_both_systems_and_the_papers_values(tables):
    row = next(row for row in tables["table4"] if (row["sample"], row["disk_paper"]) == ("10", "S"))
    assert (row["node_paper"], row["tomcat_paper"]) == ("2.59", "1.94")
    assert float(row["node_ratio"]) == pytest.approx(float(row["node"]) / 2.59, rel=1e-4)
    row = next(row for row in tables["table5"] if row["sample"] == "10")
    assert (row["node_paper"], row["tomcat_paper"]) == ("2008", "799")


def test_table_1_compares_the_load_in_the_papers_gigabytes(tables):
    row = next(row for row in tables["table1"] if row["sample"] == "8")
    selected = next(
        run for run in tables["runs"] if (run["cell"], run["repeat"]) == ("s08-local-node", row["selected_node"])
    )
    assert float(row["load_gb"]) == pytest.approx(int(selected["sent_bytes"]) / 1.024e9, rel=1e-5)
    assert row["selected_node_paper"] == "d"
    assert (row["threads_paper"], row["loops_paper"]) == ("1000", "500")


def test_a_mechanical_disk_is_put_beside_the_papers_mechanical_row(tmp_path):
    made = campaigns.write_campaign(tmp_path / "c", samples=(5,), disk="hdd", repeats=2, requests=200)
    write_analysis(made.folder)
    rows = read_rows(made.folder / "analysis" / "tables" / "table2.csv")
    row = next(row for row in rows if row["mean_ms"])
    assert (row["disk"], row["disk_paper"], row["mean_ms_paper"]) == ("hdd", "D", "887")


def test_a_study_without_tables_gets_none(tmp_path):
    made = campaigns.write_campaign(tmp_path / "c", samples=(5,), repeats=1, requests=200, study="another")
    write_analysis(made.folder)
    assert not (made.folder / "analysis" / "tables").exists()
    assert (made.folder / "analysis" / "runs.csv").exists()
