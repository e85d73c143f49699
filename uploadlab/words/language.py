"""A language as the lab speaks it: its words, and how it names the scenarios of a study."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from uploadlab.results.declarations import Declarations, Metric
from uploadlab.words.study_words import check_own_texts, in_words_of
from uploadlab.words.wording import Wording, capital

if TYPE_CHECKING:
    from uploadlab.report.results import Results, Scenario

MOST_NAMED = 3
"""More scenarios than these are counted, not named, where a study has no words for its levels."""


class Language(Wording):
    """A language that names scenarios, in the words of a study once it is bound to one."""

    def of(self, declared: Declarations) -> "Language":
        """Return the language in a study's words: what an operation is called, its metrics and factors, own texts.

        Raises InputError for a text that the report does not have.
        """
        check_own_texts(self, declared)
        return in_words_of(self, declared)

    def about(self, metric: Metric) -> "Language":
        """Return the language that says of a metric's better figure what it is: lower or higher."""
        return replace(self, side="lower" if metric.lower_is_better else "higher")

    def level(self, factor: str, level: str) -> str:
        """Say one level of a factor: 'size 5', '10240 B', 'ping pong'."""
        own = self.factors.get(factor, {})
        if level in own.get("levels", {}):
            return str(own["levels"][level])
        if own.get("level"):
            return str(own["level"]).format(level=level)
        if level == own.get("unmarked"):
            return ""
        if self.units.get(factor):
            return f"{level}\u00a0{self.units[factor]}"
        if factor in self.factors:
            plain = level.replace("_", " ")
            if not _is_number(level):
                return plain
            describe = self.factors[factor].get("describe")
            return (
                f"{plain} {describe}" if describe else f"{self.columns.get(factor, factor.replace('_', ' '))} {plain}"
            )
        return f"{factor} {level}".strip()

    def scenario(self, scenario: "Scenario") -> str:
        """Name a scenario: 'size 5', 'size 5 on ssd'; 'open, 10240 B' where factors have no words of their own."""
        said = ""
        for name in scenario.varying or tuple(scenario.factors)[:1]:
            own = self.factors.get(name, {})
            level = self.level(name, scenario.factors.get(name, ""))
            if said and own.get("after"):
                said = own["after"].format(before=said, level=scenario.short_label(name))
            elif level:
                said += (", " if name in self.factors and "level" not in own else " ") * bool(said) + level
        return said or scenario.key

    def scenario_short(self, scenario: "Scenario") -> str:
        """Name a scenario on an axis: '5', or '5 ssd' where disks vary too."""
        names = scenario.varying or tuple(scenario.factors)[:1]
        levels = [(name, scenario.factors.get(name, "")) for name in names]
        said = [self._short_level(name, level) if self.level(name, level) else "" for name, level in levels]
        return " ".join(level.replace("_", " ") for level in said if level) or scenario.key

    def scenario_entry(self, scenario: "Scenario", every: Sequence["Scenario"]) -> str:
        """Name a scenario in a table: '5' where the heading says what varies, 'Sample 5 on ssd' where it does not."""
        return self.scenario_short(scenario) if self.spoken(every) else capital(self.scenario(scenario))

    def _short_level(self, factor: str, level: str) -> str:
        own = self.factors.get(factor, {})
        return str(own.get("levels", {}).get(level) or own.get("short", "{level}").format(level=level))

    def scenario_long(self, scenario: "Scenario") -> str:
        """Name a scenario in a chooser, with the mean size of its files."""
        name = capital(self.scenario(scenario))
        if not scenario.size_bytes:
            return name
        return self.say("scenario_with_size", scenario=name, size=self.figures.size(scenario.size_bytes))

    def scenario_axis(self, results: "Results") -> str:
        """Title the axis of the scenarios."""
        first = next(iter(results.scenarios.values()))
        names = [self.columns.get(name, name) for name in first.varying or tuple(first.factors)[:1]]
        return ", ".join(names) or self.nouns["scenario"][0]

    def spoken(self, scenarios: Sequence["Scenario"]) -> str:
        """Return the one factor by which scenarios differ, where a study says how its levels are spoken of."""
        names = {name for one in scenarios for name in one.varying or tuple(one.factors)[:1]}
        return next(iter(names)) if len(names) == 1 and "several" in self.factors.get(next(iter(names)), {}) else ""

    def what_varies(self, scenarios: Sequence["Scenario"]) -> str:
        """Name what scenarios differ by: the one factor that is spoken of, else what the study calls scenarios."""
        return self.columns.get(self.spoken(scenarios), self.labels["scenario"].lower())

    def where(self, chosen: Sequence["Scenario"], every: Sequence["Scenario"]) -> str:
        """Say in which scenarios: 'in size 5', 'in sizes 1 to 5 and 10', 'in all 5 sizes'."""
        factor = self.spoken(every)
        if len(chosen) == 1:
            first = next(iter(chosen[0].varying or tuple(chosen[0].factors)), "")
            pattern = self.factors.get(first, {}).get("in", self.phrases["in"])
            return str(pattern).format(where=self.scenario(chosen[0]))
        if len(chosen) == len(every):
            return self.all_of(len(every), factor)
        if not factor:
            return self._shared(chosen, every) or self.say(
                "in", where=self.join([self.scenario(one) for one in chosen])
            )
        groups = consecutive([self.scenario_short(one) for one in chosen])
        to = self.phrases["to"]
        levels = [f"{group[0]}{to}{group[-1]}" if len(group) > 2 else self.join(group) for group in groups]
        return str(self.factors[factor]["several"]).format(levels=self.join(levels))

    def _shared(self, chosen: Sequence["Scenario"], every: Sequence["Scenario"]) -> str:
        """Name scenarios by the one level that these have and no other has; by their number where they are many."""
        names = [name for name in chosen[0].varying if "level" not in self.factors.get(name, {"level": ""})]
        keys = {one.key for one in chosen}
        for name in names:
            level = chosen[0].factors.get(name, "")
            if self.level(name, level) and {one.key for one in every if one.factors.get(name) == level} == keys:
                where = f"{self.level(name, level)} ({self.count(len(chosen), 'scenario')})"
                return self.say("in", where=where)
        many = len(chosen) > MOST_NAMED and len(names) == len(chosen[0].varying)
        return self.some_of(len(chosen), len(every), "") if many else ""

    def all_of(self, count: int, factor: str, *, again: bool = False) -> str:
        """Say in all scenarios: 'in all 5 sizes', 'in both sizes'; 'in all 5' where the noun was said before."""
        return self._of("both" if count == 2 else "all", factor, again=again).format(count=count)

    def some_of(self, wins: int, count: int, factor: str, *, again: bool = False) -> str:
        """Say in some scenarios: 'in 3 of 5 sizes'."""
        return self._of("some", factor, again=again).format(wins=wins, count=count)

    def _of(self, part: str, factor: str, *, again: bool) -> str:
        suffix = "_again" if again else ""
        general = f"some_scenarios{suffix}" if part == "some" else f"in_{part}_scenarios{suffix}"
        return str(self.factors.get(factor, {}).get(f"{part}{suffix}", self.phrases[general]))


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def consecutive(names: Sequence[str]) -> list[list[str]]:
    """Group whole numbers that follow each other: 1, 2, 3, 5, 10 gives [[1, 2, 3], [5], [10]]; others stand alone."""
    groups: list[list[str]] = []
    for name in names:
        last = groups[-1][-1] if groups else ""
        if name.isdigit() and last.isdigit() and int(name) == int(last) + 1:
            groups[-1].append(name)
        else:
            groups.append([name])
    return groups
