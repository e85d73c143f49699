import math
from types import SimpleNamespace

import numpy as np
import pytest

from uploadlab.results.declarations import declarations
from uploadlab.statistics.intervals import t_quantile
from uploadlab.tables.comparisons import Figures, Terms, compare, comparison_rows, figures_by_block, more_repeats

METRIC = declarations({}).metrics
GENERATOR = np.random.default_rng(1)
TERMS = Terms(margin=0.05, most_blocks=None)


def verdict(column, a, b):
    return compare(METRIC[column], Figures(a=a, b=b, pairs=[]), TERMS, GENERATOR)


def test_a_clearly_lower_mean_is_faster():
    row = verdict("mean_ms", [98, 100, 102], [129, 130, 131])
    assert (row["verdict"], row["better"]) == ("faster", "a")
    assert row["ratio"] == pytest.approx(100 / 130, rel=1e-3)


@pytest.mark.parametrize(
    ("column", "word", "better"),
    [
        ("mean_ms", "slower", "b"),
        ("p99_ms", "slower", "b"),
        ("cv", "less steady", "b"),
        ("server_cpu_us_per_request", "dearer", "b"),
        ("throughput_rps", "higher", "a"),
    ],
)
def test_each_metric_has_its_own_word_and_knows_which_end_is_better(column, word, better):
    row = verdict(column, [129, 130, 131], [98, 100, 102])
    assert (row["verdict"], row["better"]) == (word, better)


def test_a_ratio_whose_interval_lies_within_5_percent_is_equal_even_when_it_excludes_1():
    row = verdict("mean_ms", [100.0, 100.1, 99.9], [101.0, 101.1, 100.9])
    assert row["hi"] < 1
    assert (row["verdict"], row["better"]) == ("equal within 5 %", "")


def test_an_interval_that_decides_nothing_says_how_many_more_repeats_would():
    row = verdict("mean_ms", [90, 100, 110], [100, 115, 125])
    assert row["verdict"] == "can't tell"
    assert row["more_repeats"] >= 1


def test_the_number_of_further_repeats_is_the_smallest_that_would_decide():
    a, b = [90.0, 100.0, 110.0], [100.0, 115.0, 125.0]
    more = more_repeats(a, b, 0.05)
    spread = np.var(a, ddof=1) / np.mean(a) ** 2 + np.var(b, ddof=1) / np.mean(b) ** 2
    distance = math.log(np.mean(b) / np.mean(a))

    def half(n):
        return t_quantile(2 * n - 2) * math.sqrt(spread / n)

    assert half(3 + more) < distance <= half(3 + more - 1)


@pytest.mark.parametrize("first", ["02", "02b"])
def test_a_run_that_was_made_again_counts_for_its_block_and_the_disturbed_one_for_nothing(first):
    rows = [{"block": 2, "repeat": repeat, "valid": repeat == "02b", "mean_ms": 7.0} for repeat in ("02", "02b")]
    rows.sort(key=lambda row: row["repeat"] != first)
    assert figures_by_block([{"block": 1, "valid": True, "mean_ms": 5.0}, *rows], "mean_ms") == {1: 5.0, 2: 7.0}


def test_of_runs_that_are_compared_within_blocks_the_scatter_within_blocks_says_how_many_more_would_decide():
    # A host that becomes four times as slow slows both: the ratios are 0.9, 1 and 1, whatever the runs scatter by.
    a, b = [90.0, 200.0, 400.0], [100.0, 200.0, 400.0]
    row = compare(METRIC["mean_ms"], Figures(a=a, b=b, pairs=[*zip(a, b, strict=True)]), TERMS, GENERATOR)
    assert (row["method"], row["verdict"]) == ("paired t", "can't tell")
    scatter, distance = abs(math.log(0.9)) / math.sqrt(3), abs(math.log(0.9)) / 3

    def half(n):
        return t_quantile(n - 1) * scatter / math.sqrt(n)

    decides = next(n for n in range(4, 100) if half(n) < distance or distance + half(n) < math.log1p(TERMS.margin))
    assert row["more_repeats"] == decides - 3
    assert more_repeats(a, b, TERMS.margin) is None, "as unrelated runs they would never be told apart"


def test_systems_are_compared_by_a_metric_only_where_the_study_asks_it():
    metrics = {"response": {"column": "mean_ms", "where": {"loop": ["closed"]}}, "rate": {"column": "delivered_per_s"}}
    record = {"profile": {"settings": {}}, "study": {"id": "any", "metrics": metrics}, "runs": []}
    campaign = SimpleNamespace(
        record=record, factors=("loop",), systems=("a", "b"), system_name=str, windows_factor=None
    )
    runs = [
        {"scenario": loop, "loop": loop, "system": system, "stack": "current", "valid": True, "block": block}
        | {"mean_ms": 1.0 + block, "delivered_per_s": 2.0 + block}
        for loop in ("closed", "one_way")
        for system in ("a", "b")
        for block in (1, 2, 3)
    ]
    compared = {(row["scenario"], row["metric"]) for row in comparison_rows(campaign, runs, 1)}
    assert compared == {("closed", "mean_ms"), ("closed", "delivered_per_s"), ("one_way", "delivered_per_s")}


def test_a_change_is_compared_with_both_measurements_of_what_it_is_judged_against():
    metrics = {"response": {"column": "mean_ms"}}
    record = {"profile": {"settings": {"minutes": 10, "most_repeats": 3}}, "study": {"id": "any", "metrics": metrics}}
    record |= {"runs": [], "judged_against": "base", "noise": "again"}
    campaign = SimpleNamespace(
        record=record, factors=(), systems=("base", "head", "again"), system_name=str, windows_factor=None
    )
    figures = {"base": [1.0, 1.2, 1.0], "head": [2.0, 2.4, 2.2], "again": [1.1, 1.2, 1.1]}
    runs = [
        {"scenario": "one", "system": system, "stack": None, "valid": True, "block": block, "mean_ms": figure}
        for system, of in figures.items()
        for block, figure in enumerate(of, 1)
    ]
    rows = {(row["system_a"], row["system_b"]): row for row in comparison_rows(campaign, runs, 1)}
    assert set(rows) == {("head", "base"), ("again", "base"), ("head", "again")}
    change, noise = rows["head", "base"], rows["again", "base"]
    assert (change["n_a"], change["n_b"], change["blocks"]) == (3, 6, 3)
    assert change["b"] == pytest.approx((1.2 * 1.2 * 1.1 * 1.1) ** (1 / 6))
    assert change["a"] / change["b"] == pytest.approx(change["ratio"])
    logs = [math.log(head / math.sqrt(base * again)) for base, head, again in zip(*figures.values(), strict=True)]
    pooled = (np.var(logs, ddof=1) + 0.75 * np.var(np.log([1.1, 1.0, 1.1]), ddof=1)) / 2
    half = t_quantile(4) * math.sqrt(pooled / 3)
    assert (change["lo"], change["hi"]) == pytest.approx(
        (math.exp(np.mean(logs) - half), math.exp(np.mean(logs) + half))
    )
    assert noise["ratio"] == pytest.approx(1.21 ** (1 / 3))
    without = [run for run in runs if (run["system"], run["block"]) != ("again", 2)]
    rows = {(row["system_a"], row["system_b"]): row for row in comparison_rows(campaign, without, 1)}
    assert rows["head", "base"]["blocks"] == 2
