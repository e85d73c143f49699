"""The claim tests of any study, on figures made by hand: exact where printed, with intervals where measured."""

import re
from dataclasses import replace

import pytest

from uploadlab.claims import (
    FAILS,
    HOLDS,
    NOT_MEASURED,
    UNDECIDED,
    Conventions,
    Direction,
    Evidence,
    Outcome,
    Scene,
    best,
    equal,
    gap_falls,
    lower,
    ordered,
    trend,
    within,
)
from uploadlab.claims.evidence import evidence_of_printed, evidence_of_runs
from uploadlab.results.declarations import Declarations, Metric
from uploadlab.tables.comparisons import Terms

DECLARED = Declarations(
    metrics={
        "response": Metric(key="response", column="mean_ms", unit="ms", lower_is_better=True, name="round trip"),
        "rate": Metric(key="rate", column="delivered_per_s", unit="/s", lower_is_better=False, name="rate"),
    },
    factors={"message_bytes": {}, "loop": {}},
)


def scene(column: str = "mean_ms", size: int = 100, loop: str = "open", **systems: list[float]) -> Scene:
    return Scene(
        levels={"message_bytes": size, "loop": loop},
        rows={
            system: [{"valid": True, "block": block, column: value} for block, value in enumerate(values, start=1)]
            for system, values in systems.items()
        },
    )


def evidence(*scenes: Scene, printed: bool = False) -> Evidence:
    return Evidence(scenes=scenes, declared=DECLARED, printed=printed)


FAR = {"a": [1.0, 1.02, 0.98], "b": [2.0, 2.05, 1.95]}
NEAR = {"a": [1.0, 1.2, 0.8], "b": [1.01, 0.8, 1.25]}
SLOW = {"a": [9.0, 9.1, 8.9], "b": [9.3, 9.2, 9.1]}
A_THAN_B = ("response", "a", "b")


def test_to_be_better_fails_where_both_are_surely_equal_and_stays_open_where_they_may_not_be():
    same = {"a": [33.33, 33.34, 33.32], "b": [33.33, 33.32, 33.34]}
    alike = replace(evidence(scene(**same)), margin=0.05)
    assert best(alike, "response", "a").verdict == FAILS
    assert best(replace(alike, margin=0.0001), "response", "a").verdict == UNDECIDED
    assert best(replace(evidence(scene(**NEAR)), margin=0.05), "response", "a").verdict == UNDECIDED


def test_surely_lower_but_within_the_margin_is_equal_as_in_a_comparison():
    made = evidence(scene(a=[0.990, 0.991, 0.989], b=[1.0, 1.001, 0.999]))
    assert lower(made, *A_THAN_B).verdict == HOLDS
    found = lower(replace(made, margin=0.05), *A_THAN_B)
    assert (found.verdict, found.figure) == (FAILS, 0)


def test_of_many_scenarios_those_to_the_contrary_are_named():
    scenes = [scene(size=10**n, **FAR) for n in range(6)]
    scenes.append(scene(size=7, a=FAR["b"], b=FAR["a"]))
    found = lower(evidence(*scenes), *A_THAN_B)
    assert (found.verdict, found.figure) == (FAILS, 6)
    assert found.why.startswith("a / b, 7: 2 / 1 = 2 (")


def test_what_stayed_exactly_the_same_neither_rose_nor_fell_and_is_not_better():
    printed = evidence(*(scene(loop=loop, a=[5.0]) for loop in ("open", "paced")), printed=True)
    for direction in ("rises", "falls"):
        found = trend(printed, "response", ["a"], direction, along="loop", levels=["open", "paced"])
        assert found.verdict == FAILS
    both = evidence(scene("delivered_per_s", a=[100.0], b=[100.0]), printed=True)
    assert best(both, "rate", "a").verdict == FAILS


def test_lower_holds_where_every_interval_lies_below_1_and_fails_where_one_lies_above():
    assert lower(evidence(scene(**FAR)), *A_THAN_B).verdict == HOLDS
    assert lower(evidence(scene(**FAR)), "response", "b", "a").verdict == FAILS
    assert lower(evidence(scene(**NEAR)), *A_THAN_B).verdict == UNDECIDED
    both = evidence(scene(**FAR), scene(size=9, **NEAR))
    found = lower(both, *A_THAN_B)
    assert (found.verdict, found.figure, found.lo, found.hi, found.n) == (UNDECIDED, 2, 1, 2, 2)


def test_lower_by_a_share_asks_for_the_whole_interval_in_it():
    assert lower(evidence(scene(**FAR)), *A_THAN_B, by=(0.4, 0.6)).verdict == HOLDS
    assert lower(evidence(scene(**FAR)), *A_THAN_B, by=(0.1, 0.2)).verdict == FAILS


def test_where_leaves_other_scenarios_out():
    other = scene(loop="paced", a=FAR["b"], b=FAR["a"])
    both = evidence(scene(**FAR), other)
    assert lower(both, *A_THAN_B).verdict == FAILS
    assert lower(both, *A_THAN_B, where={"loop": "open"}).verdict == HOLDS
    assert lower(both, *A_THAN_B, where={"loop": ["open"]}).n == 1


def test_the_best_beats_each_other_in_the_direction_that_is_better():
    three = evidence(scene(a=FAR["a"], b=FAR["b"], c=[3.0, 3.1, 2.9]))
    assert best(three, "response", "a").verdict == HOLDS
    assert best(three, "response", "b").verdict == FAILS
    fast = evidence(scene("delivered_per_s", a=FAR["a"], b=FAR["b"]))
    assert best(fast, "rate", "b").verdict == HOLDS
    assert ordered(three, "response", ["a", "b", "c"]).verdict == HOLDS
    assert ordered(three, "response", ["a", "c", "b"]).verdict == FAILS


def test_equal_is_every_pair_within_the_margin():
    same = evidence(scene(a=[1.0, 1.001, 0.999], b=[1.0, 0.999, 1.001]))
    assert equal(same, "response", ["a", "b"], margin=0.05).verdict == HOLDS
    assert equal(evidence(scene(**FAR)), "response", ["a", "b"], margin=0.05).verdict == FAILS
    assert equal(evidence(scene(**NEAR)), "response", ["a", "b"], margin=0.05).verdict == UNDECIDED


def test_a_trend_compares_the_first_level_with_the_last_and_a_gap_two_ratios():
    grows = evidence(scene(size=10, **FAR), scene(size=1000, **SLOW))
    assert trend(grows, "response", ["a"], "rises", along="message_bytes").verdict == HOLDS
    assert trend(grows, "response", ["a"], "falls", along="message_bytes").verdict == FAILS
    assert gap_falls(grows, "response", "b", "a", along="message_bytes").verdict == HOLDS
    assert gap_falls(grows, "response", "a", "b", along="message_bytes").verdict == FAILS


def test_a_trend_by_a_factor_asks_for_the_whole_interval_beyond_it():
    def from_1_to(*after: float) -> Evidence:
        return evidence(scene(size=10, a=[1.0, 1.01, 0.99]), scene(size=1000, a=list(after)))

    def verdict(direction: Direction, *after: float) -> str:
        return trend(from_1_to(*after), "response", ["a"], direction, along="message_bytes", by=2).verdict

    assert verdict("rises", 3.0, 3.1, 2.9) == HOLDS
    assert verdict("rises", 1.5, 1.51, 1.49) == FAILS
    assert verdict("rises", 2.0, 2.1, 1.9) == UNDECIDED
    assert verdict("falls", 0.3, 0.31, 0.29) == HOLDS
    assert verdict("falls", 0.7, 0.71, 0.69) == FAILS


def test_levels_say_in_which_order_a_factor_without_numbers_is_gone_along():
    two = evidence(scene(size=10, loop="paced", **FAR), scene(size=10, **SLOW))

    def found(*levels: str) -> Outcome:
        return gap_falls(two, "response", "b", "a", along="loop", levels=levels)

    assert found("paced", "open").verdict == HOLDS
    assert found("open", "paced").verdict == FAILS
    assert found("saturate", "paced", "open").verdict == HOLDS
    assert found("paced").verdict == NOT_MEASURED


def test_a_range_is_held_to_the_number_for_each_system():
    assert within(evidence(scene(**FAR)), "response", ["a"], (0.5, 1.5)).verdict == HOLDS
    assert within(evidence(scene(**FAR)), "response", ["a"], (5, 6)).verdict == FAILS
    both = within(evidence(scene(**FAR)), "response", list(FAR), (0.5, 1.5))
    assert (both.verdict, both.n) == (FAILS, len(FAR))


def test_printed_numbers_are_taken_as_they_stand():
    table = [
        {"message_bytes": "100", "system": "a", "response": "1.0"},
        {"message_bytes": "100", "system": "b", "response": "1.01"},
        {"message_bytes": "", "system": "a", "response": "", "lines": "9"},
    ]
    paper = evidence_of_printed(table, DECLARED)
    assert lower(paper, *A_THAN_B, where={"message_bytes": 100}).verdict == HOLDS
    assert paper.facts["a"]["lines"] == "9"
    assert lower(paper, "rate", "a", "b").verdict == NOT_MEASURED, "it is only a picture"


def test_over_takes_scenarios_together_that_differ_in_that_factor():
    one, nine = {"a": [1.0, 1.0, 1.0], "b": [2.0, 2.0, 2.1]}, {"a": [5.0, 5.1, 4.9], "b": [4.9, 5.0, 5.0]}
    two = evidence(scene(size=1, **one), scene(size=9, **nine))
    assert lower(two, *A_THAN_B).verdict == UNDECIDED
    found = lower(two, *A_THAN_B, over="message_bytes")
    assert (found.verdict, found.n) == (HOLDS, 1)  # 6.0 against 6.9 and more


def test_a_number_names_what_sets_its_scenario_apart_with_both_sides_and_the_interval():
    two = evidence(scene(**FAR), scene(size=9, **FAR))
    first, second = lower(two, *A_THAN_B).numbers
    assert re.fullmatch(r"a / b, 100: 1 / 2 = 0\.5 \(0\.4\d+ to 0\.5\d+\)", str(first))
    assert str(second).startswith("a / b, 9: 1 / 2 = ")


def test_what_was_measured_by_the_papers_clock_too_is_tested_by_it_and_else_by_ours():
    clock = Metric(key="paper", column="by_its_clock_ms", unit="ms", lower_is_better=True, name="mean by it")
    declared = replace(DECLARED, metrics={**DECLARED.metrics, "paper": clock})
    rows = [{"loop": "open", "system": name, "by_its_clock_ms": text} for name, text in (("a", "1"), ("b", "2"))]
    paper = evidence_of_printed(rows, declared, Conventions(by_its_clock={"mean_ms": "by_its_clock_ms"}))
    assert lower(paper, *A_THAN_B).verdict == HOLDS

    def found(*columns: str) -> Outcome:
        """Test whether a is faster: the first of its calls took so long that by all of them its mean is 3, not 1."""
        means = {("a", "mean_ms"): 3.0, ("b", "mean_ms"): 2.0, ("a", clock.column): 1.0, ("b", clock.column): 2.0}
        runs = [
            {"system": system, "stack": "", "valid": True, "loop": "open", "block": block}
            | {column: means[system, column] * scatter for column in columns}
            for system in ("a", "b")
            for block, scatter in enumerate((0.99, 1.0, 1.01))
        ]
        stacks = {"a": "current", "b": "current"}
        terms = Terms(margin=0.05, most_blocks=None)
        ours = evidence_of_runs(runs, ["loop"], paper, stacks=stacks, terms=terms, seed=1)
        return lower(ours, *A_THAN_B)

    by_ours = found("mean_ms")
    assert (by_ours.verdict, by_ours.figure) == (FAILS, 0)
    assert by_ours.numbers[0].sides == (pytest.approx(3), pytest.approx(2))
    by_both = found("mean_ms", clock.column)
    assert (by_both.verdict, by_both.figure) == (HOLDS, 1)
    assert by_both.numbers[0].sides == (pytest.approx(1), pytest.approx(2))


def test_a_sum_is_scaled_up_where_a_block_lacks_little_of_it_and_leaves_out_a_block_that_lacks_much():
    def with_means(a: tuple[float, ...], b: float, size: int) -> Scene:
        return scene(size=size, a=list(a), b=[b] * 4)

    def mean_of_a(*scenes: Scene) -> float | None:
        (number,) = lower(evidence(*scenes), *A_THAN_B, over="message_bytes").numbers
        return (number.sides or (None,))[0]

    # block 4 lacks a tenth of a's sum, 1 of 10.225: its 9.9 count as 10.97, and the mean of the four as 10.24
    little = mean_of_a(with_means((9.0, 9.0, 9.0, 9.9), 18.0, 1), with_means((1.0, 1.0, 1.0), 2.0, 2))
    assert little == pytest.approx(10.24, abs=0.005)
    assert mean_of_a(with_means((6.0, 6.0, 6.0, 9.0), 12.0, 1), with_means((4.0, 4.0, 4.0), 8.0, 2)) == 10
