"""A campaign's answer as typed rows, as ``summary.json`` publishes them: page, terminal and judgements rest on them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from uploadlab.records import SATURATED
from uploadlab.results.windows import HALF_PCT
from uploadlab.table_file import Value

Load = str | int | None
"""``saturated``, a share of the capacity in per cent, or ``as_given``; None where a study has no such loads."""
Verdict = Literal["better", "worse", "equal", "undecided"]

_TURNED: Mapping[Verdict, Verdict] = {"better": "worse", "worse": "better", "equal": "equal", "undecided": "undecided"}


def at_load(load: Load) -> str:
    """Say at which load: at half load, at 80% of capacity, saturated; nothing where a study has no such loads."""
    if load == HALF_PCT:
        return "at half load"
    if isinstance(load, int):
        return f"at {load}% of capacity"
    return "saturated" if load == SATURATED else ""


class Estimate(Struct, frozen=True, omit_defaults=True):
    """A mean over valid repeats with its 95% interval; no interval where one repeat counts."""

    value: float
    lo: float | None = None
    hi: float | None = None
    n: int = 0
    """How many runs it is over."""


class Scenario(Struct, frozen=True, omit_defaults=True):
    """The levels of every factor but the system, and what they are called."""

    scenario: str
    """Its key: ``s05-local-50pct``."""
    row: str
    """What it is called, whatever its load: ``23 KB``; the row of the answer's table that it stands in."""
    size_bytes: float | None
    """Mean size of the files; null where a study has none."""
    load: Load

    @property
    def name(self) -> str:
        """With the load: 23 KB, at half load."""
        return ", ".join(filter(None, [self.row, at_load(self.load)]))


class Cell(Scenario, frozen=True, omit_defaults=True):
    """One system in one scenario."""

    system: str
    values: Mapping[str, Estimate]
    """By metric; what is unknown is left out."""
    factors: Mapping[str, Value]
    runs: int
    valid_runs: int
    held_runs: int | None = None
    """Of open arrivals: in how many of the valid runs the system held the rate."""


class Comparison(Scenario, frozen=True, omit_defaults=True):
    """Two systems by one metric in one scenario; the verdict is that on ``system_a``."""

    metric: str
    system_a: str
    system_b: str
    a: float | None
    b: float | None
    ratio: float | None
    """Of a to b."""
    lo: float | None
    hi: float | None
    verdict: Verdict
    decided: bool = False
    """Whether it is one of those that are decided, and that hold together."""
    more_repeats: int | None = None
    """How many more would decide it, were its scatter to stay; null where it is decided, or no number would."""

    @property
    def winner(self) -> str:
        """The better system; nothing where none is."""
        return {"better": self.system_a, "worse": self.system_b}.get(self.verdict, "")

    def turned(self) -> "Comparison":
        """Return the same comparison of b against a."""
        ratio, lo, hi = (1 / end if end else None for end in (self.ratio, self.hi, self.lo))
        return replace(
            self,
            system_a=self.system_b,
            system_b=self.system_a,
            a=self.b,
            b=self.a,
            ratio=ratio,
            lo=lo,
            hi=hi,
            verdict=_TURNED[self.verdict],
        )


@dataclass(frozen=True, kw_only=True)
class Answer:
    """All that a campaign answers, by every metric that is known of a cell."""

    cells: Sequence[Cell]
    comparisons: Sequence[Comparison]
