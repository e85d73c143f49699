"""The claim tests of any study, on figures made by hand: exact where printed, with intervals where measured."""

import re
from dataclasses import replace

import pytest

from uploadlab.claims.claims import _beside_margin, read_claim
from uploadlab.claims.finding import FAILS, HOLDS, UNDECIDED, Finding
from uploadlab.claims.ground import Ground, Scene, ground_of_printed, ground_of_runs
from uploadlab.claims.in_scenarios import (
    constant_excess,
    equal,
    flat,
    gap_falls,
    lower,
    lowest,
    never,
    ordered,
    static,
    steady,
    trend,
    within,
)
from uploadlab.claims.phrases import Words
from uploadlab.errors import InputError
from uploadlab.results.declarations import Declarations, Metric, declarations
from uploadlab.tables.comparisons import Terms

DECLARED = Declarations(
    study="sockets",
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


def ground(*scenes: Scene, printed: bool = False, facts: dict | None = None) -> Ground:
    return Ground(scenes=scenes, declared=DECLARED, names={"a": "A", "b": "B"}, facts=facts or {}, printed=printed)


FAR = {"a": [1.0, 1.02, 0.98], "b": [2.0, 2.05, 1.95]}
NEAR = {"a": [1.0, 1.2, 0.8], "b": [1.01, 0.8, 1.25]}
SLOW = {"a": [9.0, 9.1, 8.9], "b": [9.3, 9.2, 9.1]}
A_THAN_B = {"metric": "response", "system": "a", "than": "b"}


def test_to_be_better_fails_where_both_are_surely_equal_and_stays_open_where_they_may_not_be():
    same = {"a": [33.33, 33.34, 33.32], "b": [33.33, 33.32, 33.34]}
    alike = replace(ground(scene(**same)), margin=0.05)
    found = lowest(alike, metric="response", system="a")
    assert found.verdict == FAILS
    assert "equal within 5 %" in found.why
    assert lowest(replace(alike, margin=0.0001), metric="response", system="a").verdict == UNDECIDED
    assert lowest(replace(ground(scene(**NEAR)), margin=0.05), metric="response", system="a").verdict == UNDECIDED


def test_surely_lower_but_within_the_margin_is_equal_as_in_a_comparison():
    made = ground(scene(a=[0.990, 0.991, 0.989], b=[1.0, 1.001, 0.999]))
    assert lower(made, **A_THAN_B).verdict == HOLDS
    found = lower(replace(made, margin=0.05), **A_THAN_B)
    assert (found.verdict, found.figure) == (FAILS, 0)
    assert "as claimed in 0 of 1" in found.why
    assert "equal within 5 %" in found.why


def test_of_many_scenarios_those_to_the_contrary_are_named():
    scenes = [scene(size=10**n, **FAR) for n in range(6)]
    scenes.append(scene(size=7, a=FAR["b"], b=FAR["a"]))
    found = lower(ground(*scenes), **A_THAN_B)
    assert (found.verdict, found.figure) == (FAILS, 6)
    assert "as claimed in 6 of 7; to the contrary: 7: " in found.why


def test_what_stayed_exactly_the_same_neither_rose_nor_fell_and_is_not_better():
    printed = ground(*(scene(loop=loop, a=[5.0]) for loop in ("open", "paced")), printed=True)
    for direction in ("rises", "falls"):
        found = trend(
            printed, metric="response", along="loop", system="a", direction=direction, levels=["open", "paced"]
        )
        assert found.verdict == FAILS
        assert "%" not in found.why  # printed numbers have no margin
    both = ground(scene("delivered_per_s", a=[100.0], b=[100.0]), printed=True)
    assert lowest(both, metric="rate", system="a").verdict == FAILS


def test_lower_holds_where_every_interval_lies_below_1_and_fails_where_one_lies_above():
    assert lower(ground(scene(**FAR)), **A_THAN_B).verdict == HOLDS
    assert lower(ground(scene(**FAR)), metric="response", system="b", than="a").verdict == FAILS
    assert lower(ground(scene(**NEAR)), **A_THAN_B).verdict == UNDECIDED
    both = ground(scene(**FAR), scene(size=9, **NEAR))
    found = lower(both, **A_THAN_B)
    assert (found.verdict, found.figure, found.lo, found.hi, found.n) == (UNDECIDED, 2, 1, 2, 2)


def test_lower_by_a_share_asks_for_the_whole_interval_in_it():
    assert lower(ground(scene(**FAR)), **A_THAN_B, by=[0.4, 0.6]).verdict == HOLDS
    assert lower(ground(scene(**FAR)), **A_THAN_B, by=[0.1, 0.2]).verdict == FAILS


def test_where_leaves_other_scenarios_out():
    other = scene(loop="paced", a=FAR["b"], b=FAR["a"])
    both = ground(scene(**FAR), other)
    assert lower(both, **A_THAN_B).verdict == FAILS
    assert lower(both, **A_THAN_B, where={"loop": "open"}).verdict == HOLDS
    assert lower(both, **A_THAN_B, where={"loop": ["open"]}).n == 1


def test_the_best_beats_each_other_in_the_direction_that_is_better():
    three = ground(scene(a=FAR["a"], b=FAR["b"], c=[3.0, 3.1, 2.9]))
    assert lowest(three, metric="response", system="a").verdict == HOLDS
    assert lowest(three, metric="response", system="b").verdict == FAILS
    fast = ground(scene("delivered_per_s", a=FAR["a"], b=FAR["b"]))
    assert lowest(fast, metric="rate", system="b").verdict == HOLDS
    assert ordered(three, metric="response", systems=["a", "b", "c"]).verdict == HOLDS
    assert ordered(three, metric="response", systems=["a", "c", "b"]).verdict == FAILS


def test_equal_is_every_pair_within_the_margin():
    same = ground(scene(a=[1.0, 1.001, 0.999], b=[1.0, 0.999, 1.001]))
    assert equal(same, metric="response", systems=["a", "b"], margin=0.05).verdict == HOLDS
    assert equal(ground(scene(**FAR)), metric="response", systems=["a", "b"], margin=0.05).verdict == FAILS
    assert equal(ground(scene(**NEAR)), metric="response", systems=["a", "b"], margin=0.05).verdict == UNDECIDED


def test_a_trend_compares_the_first_level_with_the_last_and_a_gap_two_ratios():
    grows = ground(scene(size=10, **FAR), scene(size=1000, **SLOW))
    told = {"metric": "response", "along": "message_bytes"}
    assert trend(grows, system="a", direction="rises", **told).verdict == HOLDS
    assert trend(grows, system="a", direction="falls", **told).verdict == FAILS
    assert gap_falls(grows, system="b", than="a", **told).verdict == HOLDS
    assert gap_falls(grows, system="a", than="b", **told).verdict == FAILS


def test_a_trend_by_a_factor_asks_for_the_whole_interval_beyond_it():
    def from_1_to(*after: float) -> Ground:
        return ground(scene(size=10, a=[1.0, 1.01, 0.99]), scene(size=1000, a=list(after)))

    told = {"metric": "response", "along": "message_bytes", "system": "a", "direction": "rises", "by": 2}
    assert trend(from_1_to(3.0, 3.1, 2.9), **told).verdict == HOLDS
    assert trend(from_1_to(1.5, 1.51, 1.49), **told).verdict == FAILS
    assert trend(from_1_to(2.0, 2.1, 1.9), **told).verdict == UNDECIDED
    falls = {**told, "direction": "falls"}
    assert trend(from_1_to(0.3, 0.31, 0.29), **falls).verdict == HOLDS
    assert trend(from_1_to(0.7, 0.71, 0.69), **falls).verdict == FAILS
    assert "rises along message_bytes, by a factor of at least 2: " in trend(from_1_to(3.0, 3.0, 3.0), **told).why


def test_levels_say_in_which_order_a_factor_without_numbers_is_gone_along():
    two = ground(scene(size=10, loop="paced", **FAR), scene(size=10, **SLOW))
    told = {"metric": "response", "system": "b", "than": "a", "along": "loop"}
    assert gap_falls(two, levels=["paced", "open"], **told).verdict == HOLDS
    assert gap_falls(two, levels=["open", "paced"], **told).verdict == FAILS
    assert gap_falls(two, levels=["saturate", "paced", "open"], **told).verdict == HOLDS
    assert gap_falls(two, levels=["paced"], **told).n == 0


def test_a_constant_excess_and_a_range_are_held_to_the_number():
    def beyond(*excess):
        return [scene(size=size, a=[size + one for one in excess]) for size in (1, 10, 100)]

    sizes = beyond(9, 9, 9)
    told = {"metric": "response", "system": "a"}
    assert constant_excess(ground(*sizes), over="message_bytes", of=[9, 9], **told).verdict == HOLDS
    assert constant_excess(ground(*sizes), over="message_bytes", of=[11, 12], **told).verdict == FAILS
    scattered, one_repeat = beyond(7, 9, 11), beyond(9)  # the means are as claimed, and say nothing alone
    assert constant_excess(ground(*scattered), over="message_bytes", of=[9, 9], **told).verdict == UNDECIDED
    assert constant_excess(ground(*one_repeat), over="message_bytes", of=[9, 9], **told).verdict == UNDECIDED
    assert within(ground(scene(**FAR)), range=[0.5, 1.5], **told).verdict == HOLDS
    assert within(ground(scene(**FAR)), range=[5, 6], **told).verdict == FAILS
    both = within(ground(scene(**FAR)), metric="response", systems=list(FAR), range=[0.5, 1.5])
    assert (both.verdict, both.n) == (FAILS, len(FAR))


def test_steady_asks_how_much_repeats_vary_with_the_interval_of_few():
    told = {"metric": "response", "system": "a", "most": 0.1}
    assert steady(ground(scene(a=[99.5, 100.0, 100.5])), **told).verdict == HOLDS
    assert steady(ground(scene(a=[95.0, 100.0, 105.0])), **told).verdict == UNDECIDED  # 5 %, of three runs up to 31 %
    assert steady(ground(scene(a=[50.0, 100.0, 150.0])), **told).verdict == FAILS
    assert steady(ground(scene(a=[100.0])), **told).verdict == UNDECIDED
    printed = replace(ground(scene(a=[100.0, 100.0])), printed=True)
    assert steady(printed, **told).verdict == UNDECIDED


def test_a_fact_is_what_the_system_says():
    told = ground(facts={"a": {"lines": 9}})
    assert static(told, fact="lines", values={"a": 9}).verdict == HOLDS
    assert static(told, fact="lines", values={"a": 23}).verdict == FAILS
    assert static(ground(), fact="lines", values={"a": 9}).verdict == UNDECIDED


def test_printed_numbers_are_taken_as_they_stand():
    table = [
        {"message_bytes": "100", "system": "a", "response": "1.0"},
        {"message_bytes": "100", "system": "b", "response": "1.01"},
        {"message_bytes": "", "system": "a", "response": "", "lines": "9"},
    ]
    paper = ground_of_printed(table, DECLARED, {"a": "A", "b": "B"})
    assert lower(paper, **A_THAN_B, where={"message_bytes": 100}).verdict == HOLDS
    assert static(paper, fact="lines", values={"a": 9}).verdict == HOLDS
    picture = lower(paper, metric="rate", system="a", than="b")
    assert picture.verdict == UNDECIDED
    assert "only a picture" in picture.why


def test_a_printed_difference_that_measured_would_count_as_equal_holds_and_says_so():
    paper = ground_of_printed(
        [{"system": "a", "response": "1.0"}, {"system": "b", "response": "1.03"}], DECLARED, {"a": "A", "b": "B"}
    )
    test = {"name": "lower", **A_THAN_B}
    claim = read_claim(1, {"id": "c", "text": "A is faster.", "test": test})
    by_five = _beside_margin(claim, paper, 0.05)
    assert by_five.verdict == HOLDS
    assert by_five.why.endswith("With the 5 % within which measured ones count as equal, this would fail.")
    assert _beside_margin(claim, paper, 0.02) == claim.decide(paper)


def test_over_takes_scenarios_together_that_differ_in_that_factor():
    one, nine = {"a": [1.0, 1.0, 1.0], "b": [2.0, 2.0, 2.1]}, {"a": [5.0, 5.1, 4.9], "b": [4.9, 5.0, 5.0]}
    two = ground(scene(size=1, **one), scene(size=9, **nine))
    assert lower(two, **A_THAN_B).verdict == UNDECIDED
    found = lower(two, **A_THAN_B, over="message_bytes")
    assert (found.verdict, found.n) == (HOLDS, 1)  # 6.0 against 6.9 and more


def test_a_campaign_older_than_that_takes_it_from_the_study_of_this_checkout():
    carried = {"id": "rpc", "metrics": {"response": {"column": "mean_ms"}}, "words": {"en": {}}}
    assert declarations({"study": carried}).metric("response").printed == "paper_mean_ms"


def test_a_sentence_names_what_sets_the_scenarios_apart_and_parts_them_by_semicolons():
    two = ground(scene(**FAR), scene(size=9, **FAR))
    why = lower(two, **A_THAN_B).why
    assert re.search(r"\(100: 1 against 2, ratio 0\.5, 95 % interval [0-9. to]+; 9: 1 against 2, ", why)


def test_of_a_paper_it_is_said_that_it_has_no_numbers_by_every_test():
    paper = ground(printed=True)
    told = {"metric": "response", "system": "a"}
    found = [
        within(paper, range=[5, 6], **told),
        trend(paper, along="loop", direction="rises", **told),
        gap_falls(paper, than="b", along="loop", **told),
        static(paper, fact="lines", values={"a": 9}),
    ]
    other = ground(scene(**FAR), printed=True)  # it prints another metric of these systems
    found += [ordered(other, metric="rate", systems=["a", "b"]), lowest(other, metric="rate", system="a")]
    assert {one.why for one in found} == {"The paper gives no numbers for this, only a picture."}


def test_a_metric_is_put_to_the_column_that_a_study_says_its_paper_printed_of_it():
    metric = replace(DECLARED.metrics["response"], printed="by_its_clock_ms")
    declared = replace(DECLARED, metrics={"response": metric})
    rows = [{"loop": "open", "system": system, "by_its_clock_ms": text} for system, text in (("a", "1"), ("b", "2"))]
    paper = ground_of_printed(rows, declared, {})
    assert lower(paper, **A_THAN_B).verdict == HOLDS


def test_what_was_measured_by_the_papers_clock_too_is_tested_by_it_and_else_by_ours():
    clock = Metric(key="paper", column="by_its_clock_ms", unit="ms", lower_is_better=True, name="mean by it")
    metric = replace(DECLARED.metrics["response"], printed="by_its_clock_ms")
    paper = ground_of_printed([], replace(DECLARED, metrics={"response": metric, "paper": clock}), {"a": "A", "b": "B"})

    def found(*columns: str) -> Finding:
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
        ours = ground_of_runs(runs, ["loop"], {}, paper, stacks=stacks, terms=terms, seed=1)
        return lower(ours, **A_THAN_B)

    by_ours = found("mean_ms")
    assert (by_ours.verdict, by_ours.figure) == (FAILS, 0)
    assert "round trip" in by_ours.why
    assert "(3 against 2, ratio 1.5, " in by_ours.why
    by_both = found("mean_ms", clock.column)
    assert (by_both.verdict, by_both.figure) == (HOLDS, 1)
    assert by_both.why.startswith("A's mean by it lower than B's: as claimed in 1 of 1 (1 against 2, ratio 0.5, ")


@pytest.mark.parametrize(
    ("own", "sentence"),
    [
        ({"levell": "size"}, r"\[words\.claims\] levell is never said"),
        ({"level": {"en": "size {listed}"}}, r"level is .*; expected a text"),
        ({"level": "size {listd}"}, r"level has \{listd\}, which nothing fills"),
        ({"level": "size {listed"}, r"level: expected '\}'"),
    ],
)
def test_a_slip_in_a_phrase_of_the_study_is_said(own, sentence):
    with pytest.raises(InputError, match=sentence):
        Words(replace(DECLARED, words={"claims": own}))


def test_a_sum_is_scaled_up_where_a_block_lacks_little_of_it_and_leaves_out_a_block_that_lacks_much():
    def with_means(a: tuple[float, ...], b: float, size: int) -> Scene:
        return scene(size=size, a=list(a), b=[b] * 4)

    told = {**A_THAN_B, "over": "message_bytes"}
    # block 4 lacks a tenth of a's sum, 1 of 10.225: its 9.9 count as 10.97, and the mean of the four as 10.24
    little = lower(ground(with_means((9.0, 9.0, 9.0, 9.9), 18.0, 1), with_means((1.0, 1.0, 1.0), 2.0, 2)), **told)
    assert "10.2 against 20" in little.why
    much = lower(ground(with_means((6.0, 6.0, 6.0, 9.0), 12.0, 1), with_means((4.0, 4.0, 4.0), 8.0, 2)), **told)
    assert "10 against 20" in much.why


def test_flat_is_every_two_levels_of_a_factor_within_the_margin_for_each_system():
    def of(*means: float) -> Ground:
        return ground(*(scene(size=size, a=[mean], b=[9.0]) for size, mean in enumerate(means)), printed=True)

    told = {"metric": "response", "systems": ["a", "b"], "along": "message_bytes", "margin": 0.03}
    near = flat(of(100.0, 101.0, 102.9), **told)
    assert (near.verdict, near.n) == (HOLDS, 6)
    one_far = flat(of(100.0, 101.0, 103.1), **told)
    assert (one_far.verdict, one_far.figure, one_far.n) == (FAILS, 5, 6)


def test_what_never_happens_is_counted_in_invalid_runs_too_and_one_of_them_is_enough_to_fail():
    runs = [{"system": "a", "valid": True, "lost": 0} for _ in range(9)]
    told = {"metric": "lost", "systems": ["a"]}
    kept = never(replace(ground(), completed=runs), **told)
    assert (kept.verdict, kept.figure, kept.n) == (HOLDS, 0, 9)
    assert kept.hi == pytest.approx(1 - 0.025 ** (1 / 9))  # Clopper-Pearson of 0 of 9
    broken = never(replace(ground(), completed=[*runs, {"system": "a", "valid": False, "lost": 3}]), **told)
    assert (broken.verdict, broken.figure, broken.n) == (FAILS, 0.1, 10)
    assert "above 0 in 1 of 10 runs" in broken.why
    others = [{"system": "b", "valid": True, "lost": 1}]
    assert never(replace(ground(), completed=others), **told).verdict == UNDECIDED
