"""Who is better, by scenario: the small table under the answer, with an interval drawn in every field."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from analysis.report.drawing import COLOURS
from analysis.report.facts import QUESTIONS, Standing
from analysis.report.results import Results
from analysis.report.words import answer
from analysis.report.words.language import Language

WIDEST = math.log(4)
"""Bars show differences up to a factor of four; what lies beyond is cut."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """Who is better in one question of one scenario."""

    decision: str
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
    if not any(one.rival for metric in QUESTIONS for one in standings[metric]):
        return []
    rows = []
    reach = {metric: _reach(standings[metric]) for metric in QUESTIONS}
    for position, scenario in enumerate(results.scenarios.values()):
        entries = []
        for metric in QUESTIONS:
            one = standings[metric][position]
            more = ""
            if one.decision == "undecided" and one.more_repeats:
                more = answer.more_repeats(words, one.more_repeats)
            entries.append(
                Entry(
                    decision=one.decision,
                    systems=one.contenders,
                    figure=answer.standing(words, one) if one.rival else "",
                    more=more,
                    bar=_bar(results, one, reach[metric]) if len(results.systems) == 2 else None,
                )
            )
        rows.append((words.scenario_short(scenario), words.figures.size(scenario.size_bytes), entries))
    return rows


def _reach(standings: Sequence[Standing]) -> float:
    """Return the largest |log ratio| that a question's bars show; at most WIDEST."""
    ratios = [ratio for one in standings for ratio in (one.ratio, one.low, one.high) if ratio and ratio > 0]
    return min(max((abs(math.log(ratio)) for ratio in ratios), default=0.0) * 1.08 or 1.0, WIDEST)


def _bar(results: Results, one: Standing, reach: float) -> Bar | None:
    if not one.ratio or one.ratio <= 0:
        return None
    index = results.systems[one.best].index
    turn = 1 if index == 0 else -1

    def place(ratio: float) -> float:
        share = max(-1.0, min(1.0, turn * math.log(ratio) / reach))
        return round(50 + 48 * share, 1)

    ends = sorted(place(ratio) for ratio in (one.low, one.high) if ratio and ratio > 0)
    low, high = (ends[0], ends[1]) if len(ends) == 2 else (None, None)
    hue = f"s{index % len(COLOURS)}" if one.decision == "better" else "open"
    return Bar(at=place(one.ratio), low=low, high=high, hue=hue)
