"""Shares of the server's core as a factor: each server against itself, and whose order turns."""

from dataclasses import replace
from functools import cache
from types import SimpleNamespace

import campaigns
import pytest
import recomputation
from campaigns import Truth
from test_report_command import summary_of

from uploadlab.analysis.analysis_files import write_analysis
from uploadlab.report import facts, page_of
from uploadlab.report.results import read_results
from uploadlab.report.sentences.cautions import cautions
from uploadlab.results.campaign import read_campaign
from uploadlab.tables.server_shares import order_rows
from uploadlab.words.languages import ENGLISH, PORTUGUESE

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
    """Return a function that gives a campaign's analysed folder, its page, and what the terminal says of it."""

    @cache
    def make(name):
        folder = tmp_path_factory.mktemp("shares") / name
        campaigns.write_campaign(
            folder,
            samples=(5,),
            requests=1500,
            monitors=False,
            repeats=4,
            truths=TRUTHS[name],
            server_shares=(100, 25),
            claims=campaigns.study_claims(),
        )
        said = summary_of(write_analysis(folder))
        return folder, page_of(folder), said

    return make


def _first_screen(page):
    return page[page.index("<h1>") : page.index('class="lead"')].replace("\u00a0", " ")


def _percents(low, high):
    """Return by how many per cent the better figure is lower, from the ends of the interval of Node.js to Tomcat."""
    ends = sorted((float(low), float(high)))
    ends = ends if ends[1] < 1 else [1 / ends[1], 1 / ends[0]]
    return f"{100 * (1 - ends[1]):.0f} to {100 * (1 - ends[0]):.0f}"


def _rows(folder, table):
    return recomputation.read_csv(folder / "analysis" / f"{table}.csv")


def test_where_a_share_turns_who_is_steadier_the_report_says_so_before_any_figure(made):
    folder, page, text = made("turned")
    orders = {row["metric"]: row for row in _rows(folder, "share_orders")}
    for metric in ("cv", "p99_ms"):
        row = orders[metric]
        assert (row["scenario"], row["against"]) == ("s05-local-cpu25", "s05-local")
        assert (row["share_pct"], row["against_pct"]) == ("25", "100")
        assert (row["order"], row["better"], row["better_against"]) == ("turns", "tomcat", "node")
    said = _first_screen(page)
    assert "The order reverses with the share of the core: in sample 5 Tomcat has the lower " in said
    cv = orders["cv"]
    by = [_percents(cv["lo"], cv["hi"]), _percents(cv["lo_against"], cv["hi_against"])]
    assert (
        f"in sample 5 Tomcat has the lower coefficient of variation with 25 % of the core, by {by[0]} %, "
        f"but Node.js with 100 %, by {by[1]} %"
    ) in said
    assert "has the lower 99th percentile of the response time with 25 % of the core" in said
    assert "(95 % intervals, 4 repeats)" in said
    assert "the order is the same" not in said
    assert "A ordem se inverte com a parte do núcleo: na amostra 5 quem tem o menor " in (page.replace("\u00a0", " "))
    assert "s05-local-cpu25, cv: the order reverses with the share of the core: at 25 % Tomcat is better" in text


def test_where_no_order_turns_the_report_says_that_and_in_how_many_comparisons(made):
    folder, page, text = made("alike")
    orders = [row for row in _rows(folder, "share_orders") if row["metric"] in ("mean_ms", "p99_ms", "cv")]
    assert {row["order"] for row in orders if row["metric"] == "cv"} == {"same"}
    same = sum(row["order"] == "same" for row in orders)
    said = _first_screen(page)
    assert f"Where 25 % of the core and 100 % both decide, in {same} comparisons, the order is the same." in said
    assert "The order reverses" not in said
    assert "the order reverses" not in text


def test_a_server_is_compared_with_itself_at_the_largest_share(made):
    folder, page, _ = made("alike")
    runs = _rows(folder, "runs")
    means = {}
    for cell in ("s05-local-cpu25-node", "s05-local-node"):
        values = [float(run["mean_ms"]) for run in runs if run["cell"] == cell]
        means[cell] = sum(values) / len(values)
    (row,) = [row for row in _rows(folder, "server_shares") if (row["system"], row["metric"]) == ("node", "mean_ms")]
    assert (row["scenario"], row["against"]) == ("s05-local-cpu25", "s05-local")
    assert float(row["a"]) == pytest.approx(means["s05-local-cpu25-node"], rel=1e-4)
    assert float(row["b"]) == pytest.approx(means["s05-local-node"], rel=1e-4)
    assert (row["verdict"], row["method"], row["blocks"]) == ("slower", "paired t", "4")
    assert row["sentence"].startswith("Node.js at 25 % is slower than Node.js at 100 %: mean response time")
    assert "What a share of the core changes" in page


def test_claims_and_the_papers_tables_rest_on_the_largest_share(made):
    folder, _, _ = made("turned")
    campaign = read_campaign(folder)
    assert campaign.server_cpu_limit_pct == 25
    assert campaign.leading_cpu_limit_pct is None
    assert not [row for row in _rows(folder, "claims") if row["why"].startswith("The server was held to")]
    whole = campaigns.write_campaign(
        folder.parent / "whole", samples=(5,), requests=300, monitors=False, repeats=2, truths=WHOLE
    )
    write_analysis(whole.folder)
    assert not (whole.folder / "analysis" / "server_shares.csv").exists()
    runs = {(run["cell"], run["repeat"]): run["mean_ms"] for run in _rows(folder, "runs")}
    for number, system in ((2, "node"), (3, "tomcat")):
        (row,) = [row for row in recomputation.read_csv(folder / f"analysis/tables/table{number}.csv") if row["repeat"]]
        assert row["mean_ms"] == runs[f"s05-local-{system}", row["repeat"]]


def _order(better, better_against):
    """Return what is said of two comparisons of a and b: at 50 % of the core and at the whole one."""
    levels = {"share": [100, 50]}
    declared = {"words": {"x": 1}, "factors": {"share": {"of_server_cpu": True}}}
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


@pytest.mark.parametrize("language", [ENGLISH, PORTUGUESE], ids=["en", "pt"])
def test_what_is_not_decided_with_both_shares_is_not_said_to_stay(made, language):
    folder, _, _ = made("turned")
    results = read_results(folder)
    words = language.of(results.declared)
    rows = results.tables["share_orders"].rows

    def said(*orders):
        table = replace(
            results.tables["share_orders"],
            rows=tuple({**row, "order": order} for row, order in zip(rows, orders, strict=False)),
        )
        changed = replace(results, tables={**results.tables, "share_orders": table})
        return " ".join(cautions(words, changed, facts.doubts(changed))).replace("\u00a0", " ")

    assert words.say("order_open", count=words.count(1, "comparison")).replace("\u00a0", " ") in said("same", "open")
    nothing = said("open", "open")
    assert nothing.count(".") == 1
    assert "25 %" in nothing
    assert "100 %" in nothing
