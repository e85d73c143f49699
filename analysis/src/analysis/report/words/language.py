"""A language: its words, and how it names scenarios, counts, joins and writes figures."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from analysis.declarations import Declarations, Metric
from analysis.errors import InputError
from analysis.report.facts import consecutive
from analysis.report.numbers import Figures
from analysis.report.results import Cell, Results, Scenario, number

MOST_PERCENT = 1000
"""What is further apart than this is said to be so, not how far: intervals of two repeats reach anywhere."""
MOST_NAMED = 3
"""More scenarios than these are counted, not named, where a study has no words for its levels."""
SHORT_MS = 0.1
"""Times below this are written in microseconds."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Language:
    """The words of a language.

    `phrases` are sentences and parts of sentences with places {in braces}; `nouns` are what is counted, one and many;
    `labels` are what stands alone on the page; `columns` head the columns of the CSV files, whose own name serves where
    there is none. Every language has the same phrases, nouns and labels.
    """

    code: str
    name: str
    figures: Figures
    format_locale: Mapping[str, object]
    """Number format of the charts, as d3-format takes it."""
    phrases: Mapping[str, str]
    nouns: Mapping[str, tuple[str, str]]
    labels: Mapping[str, str]
    columns: Mapping[str, str]
    factors: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """How a study says the levels of each factor: `level`, `short`, `after`, `in`, `several`, `all`, `both`, `some`."""
    units: Mapping[str, str] = field(default_factory=dict)
    """Of the levels of a factor."""
    side: str = "lower"
    """What the better figure of the metric is that is spoken of: lower or higher."""

    def of(self, declared: Declarations) -> "Language":
        """Return the language in a study's words: what an operation is called, its metrics and factors, own texts.

        Raises InputError for a text that the report does not have.
        """
        own = dict(declared.words.get(self.code) or {})
        for key in own:
            if not any(key in texts for texts in (self.phrases, self.labels, self.columns)):
                raise InputError(
                    f"Study {declared.study}: [words.{self.code}] has {key!r}, which the report never says."
                )
        phrases = dict(self.phrases)
        for key in ("operation", "operations"):
            phrases[key] = str((declared.words.get(key) or {}).get(self.code) or own.get(key) or phrases[key])
        nouns = dict(self.nouns)
        if declared.roles:  # what was recorded are operations, not a load generator's requests
            nouns["request"] = phrases["operation"], phrases["operations"]
        places = {"{operation}": phrases["operation"], "{operations}": phrases["operations"]}
        noun, several = (str(own.get(key, phrases[key])) for key in ("noun", "nouns"))
        places |= {"{noun}": noun, "{nouns}": several, "{Noun}": capital(noun)}

        def told(texts: Mapping[str, str]) -> dict[str, str]:
            said = {}
            for key, text in texts.items():
                text = str(own.get(key, text))
                for place, word in places.items():
                    text = text.replace(place, word)
                said[key] = text
            return said

        factors = {
            name: {
                "unmarked": str(factor.get("unmarked")),
                **({"describe": str(factor["describe"])} if self.code == "en" and factor.get("describe") else {}),
                **((factor.get("words") or {}).get(self.code) or {}),
            }
            for name, factor in declared.factors.items()
        }
        names = {name: str(one["name"][self.code]) for name, one in declared.factors.items() if one.get("name")}
        titles = {name: one["describe"] for name, one in factors.items() if "describe" in one}
        bound = replace(
            self,
            phrases=told(phrases),
            nouns=nouns,
            labels=told(self.labels),
            columns={**titles, **told(self.columns), **names},
            factors=factors,
            units={name: str((one.get("axis") or {}).get("unit") or "") for name, one in declared.factors.items()},
        )
        unknown = [one for one in declared.metrics.values() if one.names or f"who_{one.column}" not in self.labels]
        return bound._with_metrics(unknown)

    def _with_metrics(self, metrics: Sequence[Metric]) -> "Language":
        """Return the language with the sentences of metrics that a study names, or of which no more is known."""
        phrases, labels, columns = dict(self.phrases), dict(self.labels), dict(self.columns)
        for one in metrics:
            column = one.column
            name = one.names.get(self.code) or columns.get(column, column)
            unit = f"\u00a0{one.unit}" if one.unit else ""
            side = self.phrases["side_lower" if one.lower_is_better else "side_higher"]
            for kind in ("better", "equal", "untold"):
                text = self.phrases[f"{kind}_metric"].replace("{measure}", name).replace("{side}", side)
                phrases[f"{kind}_{column}"] = text
            phrases |= {f"measure_{column}": name, f"unit_{column}": unit}
            axis = f"{name}, {one.unit}" if one.unit else name
            labels |= {f"axis_{column}": axis, f"who_{column}": capital(name), f"chart_{column}": capital(name)}
            labels[f"who_{column}_sub"] = self.phrases[f"who_{'lower' if one.lower_is_better else 'higher'}"]
            if one.names:
                columns[column] = axis
        return replace(self, phrases=phrases, labels=labels, columns=columns)

    def about(self, metric: Metric) -> "Language":
        """Return the language that says of a metric's better figure what it is: lower or higher."""
        return replace(self, side="lower" if metric.lower_is_better else "higher")

    def __getitem__(self, label: str) -> str:
        """Return a label."""
        return self.labels[label]

    def say(self, phrase: str, **parts: object) -> str:
        """Return a phrase with its places filled."""
        return self.phrases[phrase].format(**{"side": self.phrases[f"side_{self.side}"], **parts})

    def short(self, value: float | None, column: str) -> str:
        """Write a figure under a heading that has its unit; a time below 0.1 ms says its own."""
        short = value is not None and column.endswith("_ms") and 0 < abs(value) < SHORT_MS
        return self.amount(value, column) if short else self.figures.short(value)

    def amount(self, value: float | None, column: str) -> str:
        """Write a figure of a metric with its unit, times below 0.1 ms in microseconds."""
        unit = self.phrases.get(f"unit_{column}", "")
        if (
            value is not None
            and (unit.strip() == "ms" or (not unit and column.endswith("_ms")))
            and 0 < abs(value) < SHORT_MS
        ):
            return f"{self.figures.short(1000 * value)}\u00a0µs"
        return f"{self.figures.short(value)}{unit}"

    def count(self, number: float, noun: str) -> str:
        """Return a number with its noun: '1 run', '3 runs'."""
        one, many = self.nouns[noun]
        return f"{self.figures.count(number)}\u00a0{one if number == 1 else many}"

    def join(self, parts: Sequence[str]) -> str:
        """Join parts with commas and a last 'and'."""
        return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])}{self.phrases['and']}{parts[-1]}"

    def span(self, ends: tuple[float, float], digits: int = 3) -> str:
        """Write the ends of a range: '3 to 5', or '3' when both read the same."""
        return self.figures.span(*ends, self.phrases["to"], digits)

    def column(self, name: str) -> str:
        """Return the heading of a column."""
        if name not in self.columns and name.endswith("_paper"):
            return f"{self.column(name.removesuffix('_paper'))} ({self['paper']})"
        return self.columns.get(name, name)

    def measured(self, cell: Cell, metric: str) -> str:
        """Write a cell's figure with its unit, and its interval where it has one."""
        text, interval = self.amount(cell.value(metric), metric), cell.interval(metric)
        if not interval or interval[0] == interval[1]:
            return text
        return f"{text} ({self.phrases['to'].join(self.amount(end, metric) for end in interval)})"

    def captioned(self, name: str, declared: Mapping[str, Any]) -> str:
        """Return what stands above a declared table or figure: where the paper has it, and what it shows."""
        title = declared.get("title") or {}
        said = str(title.get(self.code) or title.get("en") or "") if isinstance(title, dict) else str(title)
        paper = declared.get("paper") or ""
        paper = str(paper.get(self.code) or "") if isinstance(paper, dict) else str(paper)
        return ". ".join(part for part in (paper, said) if part) or name

    def verdict(self, verdict: str) -> str:
        """Return the word for a claim's verdict."""
        return self.labels.get("undecided_claim" if verdict == "undecided" else verdict, verdict)

    def table_text(self, text: str) -> str:
        """Return a text of the paper's tables in this language: 'sum of 5', 'deviation / mean', 'differences'."""
        if text.startswith("sum of "):
            return self.say("sum_of", count=text.removeprefix("sum of "))
        return self.phrases.get(f"table_{text.replace(' / ', '_')}", text)

    # scenarios

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
            if number(level) is None:
                return plain
            describe = self.factors[factor].get("describe")
            return (
                f"{plain} {describe}" if describe else f"{self.columns.get(factor, factor.replace('_', ' '))} {plain}"
            )
        return f"{factor} {level}".strip()

    def scenario(self, scenario: Scenario) -> str:
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

    def scenario_short(self, scenario: Scenario) -> str:
        """Name a scenario on an axis: '5', or '5 ssd' where disks vary too."""
        names = scenario.varying or tuple(scenario.factors)[:1]
        levels = [(name, scenario.factors.get(name, "")) for name in names]
        said = [self._short_level(name, level) if self.level(name, level) else "" for name, level in levels]
        return " ".join(level.replace("_", " ") for level in said if level) or scenario.key

    def _short_level(self, factor: str, level: str) -> str:
        own = self.factors.get(factor, {})
        return str(own.get("levels", {}).get(level) or own.get("short", "{level}").format(level=level))

    def scenario_long(self, scenario: Scenario) -> str:
        """Name a scenario in a chooser, with the mean size of its files."""
        name = capital(self.scenario(scenario))
        if not scenario.size_bytes:
            return name
        return self.say("scenario_with_size", scenario=name, size=self.figures.size(scenario.size_bytes))

    def scenario_axis(self, results: Results) -> str:
        """Title the axis of the scenarios."""
        first = next(iter(results.scenarios.values()))
        names = [self.columns.get(name, name) for name in first.varying or tuple(first.factors)[:1]]
        return ", ".join(names) or self.nouns["scenario"][0]

    def spoken(self, scenarios: Sequence[Scenario]) -> str:
        """Return the one factor by which scenarios differ, where a study says how its levels are spoken of."""
        names = {name for one in scenarios for name in one.varying or tuple(one.factors)[:1]}
        return next(iter(names)) if len(names) == 1 and "several" in self.factors.get(next(iter(names)), {}) else ""

    def where(self, chosen: Sequence[Scenario], every: Sequence[Scenario]) -> str:
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

    def _shared(self, chosen: Sequence[Scenario], every: Sequence[Scenario]) -> str:
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

    def counts(self, ends: tuple[float, float]) -> str:
        """Write the ends of a range of whole numbers: '2 to 4', or '4'."""
        low, high = self.figures.count(ends[0]), self.figures.count(ends[1])
        return low if low == high else f"{low}{self.phrases['to']}{high}"

    # differences

    def percent(self, share: float) -> str:
        """Write a share as a percentage without its sign: whole above 1, one digit below."""
        percent = 100 * share
        if abs(percent) < 0.005:
            return "0"
        if abs(percent) > MOST_PERCENT:
            return f"{'−' if percent < 0 else ''}>\u00a0{self.figures.count(MOST_PERCENT)}"
        return self.figures.exact(percent, 0) if 0.95 <= abs(percent) < 99 else self.figures.short(percent, 1)

    def apart(self, ratios: tuple[float, float]) -> str:
        """Write two ratios as a span of how much lower, or higher, they are: (0.62, 0.81) is '19 to 38 %'."""
        ends = (1 - ratios[1], 1 - ratios[0]) if self.side == "lower" else (ratios[0] - 1, ratios[1] - 1)
        first, last = (self.percent(end) for end in ends)
        return f"{first}\u00a0%" if first == last else f"{first}{self.phrases['to']}{last}\u00a0%"

    def change(self, ratio: float) -> str:
        """Write a ratio as a change in percent: 0.8 is '−20', 1.1 '+10'."""
        text = self.percent(ratio - 1)
        return f"+{text}" if ratio > 1 and text != "0" else text

    def higher_or_lower(self, ratio: float) -> str:
        """Write a ratio as a difference: '20 % lower'."""
        return self.say("percent_lower" if ratio < 1 else "percent_higher", percent=self.percent(abs(1 - ratio)))

    def interval(self, low: float | None, high: float | None, decimals: int = 2) -> str:
        """Write the ends of an interval: '−0.75 to 0.95'; empty where one is not known."""
        if low is None or high is None or not (math.isfinite(low) and math.isfinite(high)):
            return ""
        return f"{self.figures.exact(low, decimals)}{self.phrases['to']}{self.figures.exact(high, decimals)}"


def capital(text: str) -> str:
    """Return text that begins with a capital letter."""
    return f"{text[:1].upper()}{text[1:]}"
