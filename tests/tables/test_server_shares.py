"""Shares of the server's core as a factor: each server against itself, and whose order turns."""

from dataclasses import replace
from functools import cache
from types import SimpleNamespace

import campaigns
import pytest
from campaigns import Truth
from finished import read_rows, read_table

from uploadlab.analysis.analysis_files import write_analysis
from uploadlab.analysis.summarise import summarise
from uploadlab.report.terminal import lines
from uploadlab.results.campaign import read_campaign
from uploadlab.tables.server_shares import order_rows

STEADY, UNSTEADY = Truth(mean_ms=100, cv=0.6), Truth(mean_ms=110, cv=1.8)
WHOLE = {"s05-local-node": STEADY, "s05-local-tomcat": UNSTEADY}
TRUTHS = {
    "turned": {**WHOLE, "s05-local-cpu25-node": UNSTEADY, "s05-local-cpu25-tomcat": STEADY},
    "alike": {
        **WHOLE,
        "s05-local-cpu25-node": replace(STEADY, mean_ms=400),
        "s05-local-cpu25-tomcat": replace(UNSTEADY, mean_ms=440),
    },
}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Return a function that gives a campaign's analysed folder, and what the terminal says of it."""

    @cache
    def make(name):
        folder = tmp_path_factory.mktemp("shares") / name
        campaigns.write_campaign(
            folder, samples=(5,), requests=1500, monitors=False, repeats=4, truths=TRUTHS[name], server_shares=(100, 25)
        )
        return folder, "\n".join(lines(summarise(write_analysis(folder))))

    return make


def test_a_server_is_compared_with_itself_at_the_largest_share(made):
    folder, _ = made("alike")
    runs = read_table(folder, "runs")
    means = {}
    for cell in ("s05-local-cpu25-node", "s05-local-node"):
        values = [float(run["mean_ms"]) for run in runs if run["cell"] == cell]
        means[cell] = sum(values) / len(values)
    (row,) = [
        row for row in read_table(folder, "server_shares") if (row["system"], row["metric"]) == ("node", "mean_ms")
    ]
    assert (row["scenario"], row["against"]) == ("s05-local-cpu25", "s05-local")
    assert float(row["a"]) == pytest.approx(means["s05-local-cpu25-node"], rel=1e-4)
    assert float(row["b"]) == pytest.approx(means["s05-local-node"], rel=1e-4)
    assert (row["verdict"], row["method"], row["blocks"]) == ("slower", "paired t", "4")


def test_claims_and_the_papers_tables_rest_on_the_largest_share(made):
    folder, _ = made("turned")
    campaign = read_campaign(folder)
    assert campaign.server_cpu_limit_pct == 25
    assert campaign.leading_cpu_limit_pct is None
    assert not [row for row in read_table(folder, "claims") if row["why"].startswith("the server was held to")]
    whole = campaigns.write_campaign(
        folder.parent / "whole", samples=(5,), requests=300, monitors=False, repeats=2, truths=WHOLE
    )
    write_analysis(whole.folder)
    assert not (whole.folder / "analysis" / "server_shares.csv").exists()
    runs = {(run["cell"], run["repeat"]): run["mean_ms"] for run in read_table(folder, "runs")}
    for number, system in ((2, "node"), (3, "tomcat")):
        (row,) = [row for row in read_rows(folder / f"analysis/tables/table{number}.csv") if row["repeat"]]
        assert row["mean_ms"] == runs[f"s05-local-{system}", row["repeat"]]


def _order(better, better_against):
    """Return what is said of two comparisons of a and b: at 50 % of the core and at the whole one."""
    levels = {"share": [100, 50]}
    declared = {"words": {"x": 1}, "factors": {"share": {"kind": "server_cpu"}}}
    campaign = SimpleNamespace(record={"study": declared, "levels": levels}, factors=("share",))
    rows = [
        {"scenario": scenario, "share": share, "metric": "cv", "system_a": "a", "system_b": "b", "better": best,
         "ratio": 0.5, "lo": 0.4, "hi": 0.6, "n_a": 4, "n_b": 3}
        for scenario, share, best in (("half", 50, better), ("all", 100, better_against))
    ]  # fmt: skip
    (row,) = order_rows(campaign, rows)
    assert (row["scenario"], row["against"], row["n"], row["n_against"]) == ("half", "all", 3, 3)
    return row["order"]


def test_an_order_turns_where_both_shares_find_one_and_not_the_same():
    assert _order("a", "b") == "turns"
    assert _order("b", "b") == "same"
    assert _order("", "b") == _order("a", "") == _order("", "") == "open"
