"""What became of a claim: the verdict and the numbers that decide it."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from uploadlab.statistics.intervals import Interval
from uploadlab.table_file import format_number

MOST_NUMBERS = 6
"""So many are told of a claim; of more those to the contrary."""


class Verdict(StrEnum):
    """What the numbers say of a claim."""

    HOLDS = "holds"
    FAILS = "fails"
    UNDECIDED = "undecided"
    NOT_MEASURED = "not measured"


HOLDS, FAILS, UNDECIDED, NOT_MEASURED = Verdict


@dataclass(frozen=True, kw_only=True)
class Number:
    """A number that a verdict rests on, with its interval: what it is of, and for a ratio both sides."""

    of: str
    value: float
    lo: float | None = None
    hi: float | None = None
    sides: tuple[float | None, float | None] | None = None

    @classmethod
    def ratio(cls, of: str, ratio: Interval, a: float | None, b: float | None) -> "Number":
        """Return a ratio with its interval and its two sides."""
        return cls(of=of, value=ratio.estimate, lo=ratio.lo, hi=ratio.hi, sides=(a, b))

    def __str__(self) -> str:
        """Return it as ``3, ssd: 200 / 150 = 1.33 (1.2 to 1.5)``, with three digits."""
        sides = " / ".join(map(_digits, self.sides or ()))
        told = self.lo is not None and self.hi is not None and self.lo != self.hi
        value = _digits(self.value) + (f" ({_digits(self.lo)} to {_digits(self.hi)})" if told else "")
        return f"{self.of}: {f'{sides} = ' if sides else ''}{value}" if self.of else value


def _digits(value: float | None) -> str:
    return "-" if value is None else format_number(float(value), 3)


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The verdict on a claim, the figure it rests on with its interval, and of how many scenarios, levels or runs."""

    verdict: Verdict
    figure: float | None = None
    lo: float | None = None
    hi: float | None = None
    n: int = 0
    numbers: Sequence[Number] = ()
    reason: str = ""
    """A fixed sentence, where numbers alone do not say why."""
    missing: Sequence[int | str] = ()
    """Levels that the claim is about and that were not measured."""

    @classmethod
    def of(cls, verdict: Verdict, interval: Interval, n: int, numbers: Sequence[Number]) -> "Outcome":
        """Return an outcome whose figure is an estimate with its interval."""
        return cls(
            verdict=verdict, figure=interval.estimate, lo=interval.lo, hi=interval.hi, n=n, numbers=list(numbers)
        )

    @property
    def why(self) -> str:
        """The reason, the numbers, and what was not measured."""
        missing = f"not measured: {', '.join(map(str, self.missing))}" if self.missing else ""
        return "; ".join(filter(None, [self.reason, *map(str, self.numbers[:MOST_NUMBERS]), missing]))
