"""A language: its words, and how it names scenarios, counts, joins and writes figures."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from analysis.report.facts import consecutive
from analysis.report.numbers import Figures
from analysis.report.results import Results, Scenario


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

    def __getitem__(self, label: str) -> str:
        """Return a label."""
        return self.labels[label]

    def say(self, phrase: str, **parts: object) -> str:
        """Return a phrase with its places filled."""
        return self.phrases[phrase].format(**parts)

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

    def verdict(self, verdict: str) -> str:
        """Return the word for a claim's verdict."""
        return self.labels.get("undecided_claim" if verdict == "undecided" else verdict, verdict)

    def table_text(self, text: str) -> str:
        """Return a text of the paper's tables in this language: 'sum of 5', 'deviation / mean', 'differences'."""
        if text.startswith("sum of "):
            return self.say("sum_of", count=text.removeprefix("sum of "))
        return self.phrases.get(f"table_{text.replace(' / ', '_')}", text)

    # scenarios

    def scenario(self, scenario: Scenario) -> str:
        """Name a scenario: 'sample 5', 'sample 5 on ssd'."""
        said = ""
        for name in scenario.varying or tuple(scenario.factors)[:1]:
            level = scenario.factors.get(name, "")
            if name == "disk" and said:
                said = self.say("on_disk", scenario=said, disk=scenario.short_label("disk"))
            else:
                part = self.say("sample", level=level) if name == "sample" else f"{name} {level}"
                said = f"{said} {part}".strip()
        return said or scenario.key

    def scenario_short(self, scenario: Scenario) -> str:
        """Name a scenario on an axis: '5', or '5 ssd' where disks vary too."""
        names = scenario.varying or tuple(scenario.factors)[:1]
        return " ".join(scenario.factors.get(name, "") for name in names) or scenario.key

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

    def where(self, chosen: Sequence[Scenario], every: Sequence[Scenario]) -> str:
        """Say in which scenarios: 'in sample 5', 'in samples 1 to 5 and 10', 'in all 5 samples'."""
        samples = all(set(one.varying or tuple(one.factors)[:1]) == {"sample"} for one in every)
        if len(chosen) == 1:
            name = self.scenario(chosen[0])
            return self.say("in_sample" if name.startswith(self.say("sample", level="").strip()) else "in", where=name)
        if len(chosen) == len(every):
            return self.all_of(len(every), samples=samples)
        if not samples:
            return self.say("in", where=self.join([self.scenario(one) for one in chosen]))
        groups = consecutive([self.scenario_short(one) for one in chosen])
        to = self.phrases["to"]
        levels = [f"{group[0]}{to}{group[-1]}" if len(group) > 2 else self.join(group) for group in groups]
        return self.say("in_samples", levels=self.join(levels))

    def all_of(self, count: int, *, samples: bool, again: bool = False) -> str:
        """Say in all scenarios: 'in all 5 samples', 'in both samples'; 'in all 5' where the noun was said before."""
        phrase = f"in_{'both' if count == 2 else 'all'}_{'samples' if samples else 'scenarios'}"
        return self.say(f"{phrase}{'_again' if again else ''}", count=count)

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
        return self.figures.exact(percent, 0) if 0.95 <= abs(percent) < 99 else self.figures.short(percent, 1)

    def lower(self, ratios: tuple[float, float]) -> str:
        """Write two ratios below 1 as a span of how much lower: (0.62, 0.81) is '19 to 38 %'."""
        first, last = self.percent(1 - ratios[1]), self.percent(1 - ratios[0])
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
