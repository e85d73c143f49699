"""Who is better, by scenario: the small table under the answer, with an interval drawn in every field."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from uploadlab.report import facts
from uploadlab.report.drawing import COLOURS
from uploadlab.report.facts import Standing
from uploadlab.report.results import Comparison, Results
from uploadlab.report.sentences import answer
from uploadlab.words.language import Language

WIDEST = math.log(4)
"""Bars show differences up to a factor of four; what lies beyond is cut."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """Who is better in one question of one scenario."""

    decision: str
    said: str
    """The decision in words, where no system is better."""
    systems: tuple[str, ...]
    figure: str
    more: str
    bar: "Bar | None" = None


@dataclass(frozen=True, kw_only=True)
class Bar:
    """A small interval beside an entry, in percent of its width: left of 50 the first system is lower."""

    at: float
    low: float | None
    high: float | None
    hue: str


def matrix(
    results: Results, words: Language, standings: Mapping[str, Sequence[Standing]]
) -> list[tuple[str, str, list[Entry]]]:
    """Return a row for each scenario: its name, its mean file size, and an entry for each question; none at all where
    no scenario has two systems to compare."""
    shown = results.declared.matrix
    if not any(one.rival for metric in shown for one in standings[metric]):
        return []
    rows = []
    every = list(results.scenarios.values())
    reach = _reach([one for metric in shown for one in standings[metric]])
    for position, scenario in enumerate(every):
        entries = []
        for metric in shown:
            one = standings[metric][position]
            entries.append(
                Entry(
                    decision=one.decision,
                    said=_said(results, words, one),
                    systems=one.contenders,
                    figure=answer.standing(words, one) if one.rival else "",
                    more=_bound(words, one),
                    bar=_bar(results, one, reach) if len(results.systems) == 2 else None,
                )
            )
        rows.append((words.scenario_entry(scenario, every), words.figures.size(scenario.size_bytes), entries))
    return rows


def ranking(
    results: Results, words: Language, standings: Mapping[str, Sequence[Standing]]
) -> list[tuple[str, list[tuple[str, str, bool]]]]:
    """Return a row for each of three or more systems: in each question where it is best, and by whom it is beaten."""
    if not _several(standings):
        return []
    found = {metric: facts.ranks(results, metric, standings[metric]) for metric in results.declared.questions}
    return [
        (key, [_rank(results, words, of_metric[position]) for of_metric in found.values()])
        for position, key in enumerate(results.systems)
        if any(of_metric[position].scenarios for of_metric in found.values())
    ]


def _several(standings: Mapping[str, Sequence[Standing]]) -> bool:
    """Return whether somewhere three systems or more are compared."""
    return any(len(one.contenders) + len(one.beaten) > 2 for of_metric in standings.values() for one in of_metric)


def _rank(results: Results, words: Language, one: facts.Rank) -> tuple[str, str, bool]:
    if not one.scenarios:
        return words.figures.missing, "", False
    first = []
    if one.best:
        first.append(words["best"] if one.scenarios == 1 else words.say("best_in", wins=one.best, count=one.scenarios))
    if one.equal:
        first.append(words["equal_best"] if one.scenarios == 1 else words.say("equal_in", count=one.equal))
    by = [
        results.systems[key].name
        if one.scenarios == 1
        else words.say("system_in", system=results.systems[key].name, count=count)
        for key, count in one.beaten_by.items()
    ]
    beaten = words.say("beaten_by", systems=words.join(by)) if by else "" if first else words["not_beaten"]
    return ", ".join(first), beaten, one.best == one.scenarios


def pairs(
    results: Results, words: Language, standings: Mapping[str, Sequence[Standing]]
) -> list[tuple[str, str, list[str]]]:
    """Return a row for each pair of three or more systems: in each question who is the better one, in how many."""
    if not _several(standings):
        return []
    questions = results.declared.questions
    return [
        (a, b, [_pair(results, words, metric, {a, b}) for metric in questions])
        for a, b in combinations(results.systems, 2)
    ]


def _pair(results: Results, words: Language, metric: str, pair: set[str]) -> str:
    compared = [
        one
        for one in results.comparisons
        if one.metric == metric
        and {one.a, one.b} == pair
        and one.ratio is not None
        and (scenario := results.scenarios.get(one.scenario))
        and results.declared.metric(one.metric).asked(scenario.factors)
    ]
    if not compared:
        return words.figures.missing
    wins: dict[str, list[Comparison]] = {}
    for one in compared:
        wins.setdefault(one.better or ("equal" if one.equal else "undecided"), []).append(one)
    if len(compared) == 1:
        ((winner, (one,)),) = wins.items()
        if winner not in results.systems:
            return (
                words.say("equal_cell", margin=words.figures.plain(results.equal_margin_pct))
                if one.equal
                else words["undecided"]
            )
        return f"{results.systems[winner].name} {answer.standing(words, facts.turned(one, winner))}"
    names = {key: system.name for key, system in results.systems.items()}
    names |= {"equal": words["equal"], "undecided": words["undecided"]}
    order = [*results.systems, "equal", "undecided"]
    told = [words.say("system_in", system=names[key], count=len(wins[key])) for key in order if key in wins]
    return ", ".join(told)


def _said(results: Results, words: Language, one: Standing) -> str:
    if one.decision == "equal":
        return words.say("equal_cell", margin=words.figures.plain(results.equal_margin_pct))
    return words["undecided"] if one.decision == "undecided" else ""


def _bound(words: Language, one: Standing) -> str:
    """Say of two systems that can't be told apart how far apart they can be."""
    if one.decision != "undecided" or one.apart is None:
        return ""
    return words.say("apart_cell", percent=words.figures.short(100 * one.apart, 2))


def _reach(standings: Sequence[Standing]) -> float:
    """Return the largest |log ratio| that the table's bars show; at most WIDEST."""
    ratios = [ratio for one in standings for ratio in (one.ratio, one.low, one.high) if ratio and ratio > 0]
    return min(max((abs(math.log(ratio)) for ratio in ratios), default=0.0) * 1.08 or 1.0, WIDEST)


def _bar(results: Results, one: Standing, reach: float) -> Bar | None:
    if not one.ratio or one.ratio <= 0:
        return None
    index = results.systems[one.best].index
    turn = 1 if (index == 0) == results.declared.metric(one.metric).lower_is_better else -1

    def place(ratio: float) -> float:
        share = max(-1.0, min(1.0, turn * math.log(ratio) / reach))
        return round(50 + 48 * share, 1)

    ends = sorted(place(ratio) for ratio in (one.low, one.high) if ratio and ratio > 0)
    low, high = (ends[0], ends[1]) if len(ends) == 2 else (None, None)
    hue = f"s{index % len(COLOURS)}" if one.decision == "better" else "open"
    return Bar(at=place(one.ratio), low=low, high=high, hue=hue)
