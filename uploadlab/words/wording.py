"""The words of a language, and how it writes figures, counts, joins and differences."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from uploadlab.words.numbers import Figures

if TYPE_CHECKING:
    from uploadlab.report.results import Cell

MOST_PERCENT = 1000
"""What is further apart than this is said to be so, not how far: intervals of two repeats reach anywhere."""
SAME_PERCENT = 1e-9
"""What is nearer to 100 % than this is 100 %, but for how computers reckon."""
SHORT_MS = 0.1
"""Times below this are written in microseconds."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Wording:
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
    roles: Mapping[str, str] = field(default_factory=dict)
    """What the parts of a system are called."""
    side: str = "lower"
    """What the better figure of the metric is that is spoken of: lower or higher."""

    def __getitem__(self, label: str) -> str:
        """Return a label."""
        return self.labels[label]

    def say(self, phrase: str, **parts: object) -> str:
        """Return a phrase with its places filled, with texts or with numbers."""
        side = self.phrases[f"side_{self.side}"]
        return self.phrases[phrase].format(side=side, **{name: self.text(part) for name, part in parts.items()})

    def text(self, part: object) -> str:
        """Return a part of a sentence: a text as it stands, a number with three significant digits and no groups."""
        if isinstance(part, float):
            return self.figures.bare(part)
        return "-" if part is None else str(part)

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

    def unit(self, column: str) -> str:
        """Return the unit of a metric; empty where it has none."""
        return self.phrases.get(f"unit_{column}", "").strip()

    def measure(self, column: str, otherwise: str) -> str:
        """Return what a metric is called in a sentence; what it is otherwise where no language knows it."""
        return self.phrases.get(f"measure_{column}", otherwise)

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

    def measured(self, cell: "Cell", metric: str) -> str:
        """Write a cell's figure with its unit, and its interval where it has one."""
        text, interval = self.amount(cell.value(metric), metric), cell.interval(metric)
        if not interval or interval[0] == interval[1]:
            return text
        return f"{text} ({self.phrases['to'].join(self.amount(end, metric) for end in interval)})"

    def captioned(self, name: str, declared: Mapping[str, Any]) -> str:
        """Return what stands above a declared table or figure: where the paper has it, and what it shows."""
        return ". ".join(filter(None, (self.declared(declared.get(key)) for key in ("paper", "title")))) or name

    def declared(self, text: object) -> str:
        """Return a text that a study declares, in this language where it has it in several; else its English."""
        return str(text.get(self.code) or text.get("en") or "") if isinstance(text, dict) else str(text or "")

    def verdict(self, verdict: str) -> str:
        """Return the word for a claim's verdict."""
        return self.labels.get("undecided_claim" if verdict == "undecided" else verdict, verdict)

    def table_text(self, text: str) -> str:
        """Return a text of the paper's tables in this language: 'sum of 5', 'deviation / mean', 'differences'."""
        if text.startswith("sum of "):
            return self.say("sum_of", count=text.removeprefix("sum of "))
        return self.phrases.get(f"table_{text.replace(' / ', '_')}", text)

    def counts(self, ends: tuple[float, float]) -> str:
        """Write the ends of a range of whole numbers: '2 to 4', or '4'."""
        low, high = self.figures.count(ends[0]), self.figures.count(ends[1])
        return low if low == high else f"{low}{self.phrases['to']}{high}"

    def counted(self, ends: tuple[float, float], noun: str) -> str:
        """Return a range of whole numbers with its noun: '2 to 4 runs', '1 run'."""
        one, many = self.nouns[noun]
        return f"{self.counts(ends)}\u00a0{one if ends == (1, 1) else many}"

    def percent(self, share: float) -> str:
        """Write a share as a percentage without its sign: whole above 1, one digit below, and 100 only for the whole.

        What lies nearer to 100 than a half keeps the two digits by which it differs from it, such as 99.84.
        """
        percent = 100 * share
        if abs(percent) < 0.005:
            return "0"
        if abs(percent) > MOST_PERCENT:
            return f"{'−' if percent < 0 else ''}>\u00a0{self.figures.count(MOST_PERCENT)}"
        gap = abs(abs(percent) - 100)
        if SAME_PERCENT < gap <= 0.5:
            return self.figures.exact(percent, 1 - math.floor(math.log10(gap))).rstrip("0")
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

    def interval(self, low: float | None, high: float | None, decimals: int = 2) -> str:
        """Write the ends of an interval: '−0.75 to 0.95'; empty where one is not known."""
        if low is None or high is None or not (math.isfinite(low) and math.isfinite(high)):
            return ""
        return f"{self.figures.exact(low, decimals)}{self.phrases['to']}{self.figures.exact(high, decimals)}"


def capital(text: str) -> str:
    """Return text that begins with a capital letter."""
    return f"{text[:1].upper()}{text[1:]}"
