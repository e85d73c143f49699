"""The chart of disks: there when a sample was measured on more than one, named as the campaign names them."""

import campaigns
import pytest
from campaigns import Truth
from handmade import ENGLISH, results_by_hand, run
from recomputation import read_csv
from test_page import hold_the_schema

from uploadlab.analysis.analysis_files import write_analysis
from uploadlab.report import write
from uploadlab.report.charts import paired_levels
from uploadlab.report.figures import figures

pytestmark = pytest.mark.xdist_group("report")
LABELS = {"ssd": "SSD", "hdd": "emulated HDD"}


@pytest.fixture(scope="module")
def two_disks(tmp_path_factory):
    """Samples 1 and 5 on SSD, 5 on an emulated HDD too, where everything takes 40 ms more."""
    folder = tmp_path_factory.mktemp("disks") / "campaign"
    truths = {
        f"s{sample:02d}-{disk}-{system}": Truth(mean_ms=50 + 40 * (disk == "hdd") + 20 * (system == "tomcat"), cv=0.3)
        for sample, disk in ((1, "ssd"), (5, "ssd"), (5, "hdd"))
        for system in ("node", "tomcat")
    }
    campaigns.write_campaign(
        folder,
        samples=(1, 5),
        disk="ssd",
        also_on={"hdd": (5,)},
        disk_labels=LABELS,
        repeats=2,
        requests=400,
        truths=truths,
    )
    write_analysis(folder)
    write(folder)
    return folder


def test_the_chart_shows_the_sample_of_both_disks_and_no_other(two_disks):
    rows = read_csv(two_disks / "report" / "data" / "disks.csv")
    assert {row["scenario"] for row in rows} == {"s05-ssd", "s05-hdd"}
    assert {row["disk"] for row in rows} == {"SSD", "emulated HDD"}
    cells = {(row["scenario"], row["system"]): row for row in rows if row["kind"] == "cell"}
    assert len(cells) == 4
    assert sum(row["kind"] == "valid" for row in rows) == 8
    for (scenario, system), row in cells.items():
        truth = 50 + 40 * (scenario == "s05-hdd") + 20 * (system == "tomcat")
        assert float(row["mean_ms"]) == pytest.approx(truth, rel=0.2)
        assert float(row["lo"]) < float(row["mean_ms"]) < float(row["hi"])


def test_disks_are_called_what_the_campaign_calls_them(two_disks):
    page = (two_disks / "report" / "index.html").read_text(encoding="utf-8")
    assert 'id="en-chart-disks"' in page
    hold_the_schema(page, "disks")
    assert "ms (sample 5 on emulated HDD; 95" in page
    assert "ms (amostra 5 em emulated HDD; intervalo" in page
    svg = (two_disks / "report" / "charts" / "disks.svg").read_text(encoding="utf-8")
    assert ">emulated HDD<" in svg
    assert ">SSD<" in svg


def test_a_campaign_on_one_disk_has_no_such_chart(report):
    assert 'id="en-chart-disks"' not in report.html
    assert not (report.folder / "report" / "data" / "disks.csv").exists()


@pytest.mark.parametrize(
    ("first", "second"), [("s01-ssd-node", run("s05-hdd-node")), ("s05-ssd-node", run("s05-hdd-node", valid="false"))]
)
def test_a_sample_without_valid_runs_on_both_disks_is_not_compared(tmp_path, first, second):
    runs = [run(first, mean_ms=10), {**second, "mean_ms": 20}]
    results = results_by_hand(tmp_path / "c", runs)
    (disks,) = figures(results)
    assert paired_levels.chart(results, disks, paired_levels.data(results, disks), ENGLISH) is None
