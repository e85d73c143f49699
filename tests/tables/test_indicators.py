import campaigns
import pytest
from campaigns import Truth
from finished import read_table

from uploadlab.analysis.analysis_files import write_analysis
from uploadlab.statistics.correlations import pearson_r


def rows_of(folder, truths, requests=6000, **options):
    made = campaigns.write_campaign(folder, requests=requests, threads=20, truths=truths, **options)
    write_analysis(made.folder)
    rows = read_table(made.folder, "indicators")
    return {(row["level"], row["y"], row["indicator"]): row for row in rows if row["system"] == "node"}


@pytest.mark.parametrize(("follows", "sign"), [(2.0, 1), (-2.0, -1)])
def test_within_runs_the_indicator_that_moves_with_response_time_ranks_first(tmp_path, follows, sign):
    truth = Truth(mean_ms=80, cv=0.5, drift=0.3, switches_follow_drift=follows)
    rows = rows_of(tmp_path / "c", {"s05-local-node": truth}, samples=(5,), systems=("node",), repeats=4)
    row = rows["seconds", "mean_ms", "switches_per_s"]
    assert (row["n"], row["rank"]) == ("4", "1")
    assert sign * float(row["pearson"]) > 0.6
    assert sign * float(row["lo"]) > 0
    assert sign * float(row["spearman"]) > 0.5


def test_across_cells_the_correlation_is_that_of_the_cells_means(tmp_path):
    samples = (1, 3, 5, 7, 10)
    truths = {
        f"s{sample:02d}-local-node": Truth(cv=0.4 + 0.3 * place, switches_per_s=10_000 + 2_000 * place)
        for place, sample in enumerate(samples)
    }
    rows = rows_of(tmp_path / "c", truths, requests=1500, samples=samples, systems=("node",), repeats=1)
    row = rows["cells", "cv", "pswitch_per_s"]
    cells = read_table(tmp_path / "c", "cells")
    expected = pearson_r([float(cell["pswitch_per_s"]) for cell in cells], [float(cell["cv"]) for cell in cells])
    assert float(row["pearson"]) == pytest.approx(expected, abs=1e-4)
    assert row["n"] == "5"
    assert float(row["pearson"]) > 0.9


def test_runs_that_only_check_the_answer_are_not_pooled_with_those_that_it_rests_on(tmp_path):
    made = campaigns.write_campaign(
        tmp_path / "c", samples=(1, 5, 10), also_on={"checked": (1, 5, 10)}, systems=("node",), repeats=1, requests=1500
    )
    with campaigns.edited(made.folder / "campaign.json") as record:
        record |= {"levels": {"disk": ["local", "checked"]}, "check_factors": ["disk"]}
    write_analysis(made.folder)
    rows = read_table(made.folder, "indicators")
    assert {row["n"] for row in rows if row["level"] == "cells" and row["indicator"] == "pswitch_per_s"} == {"3"}
