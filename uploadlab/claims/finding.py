"""What a test of a claim found."""

from dataclasses import dataclass

from uploadlab.claims.phrases import Said, sentence
from uploadlab.statistics.intervals import Interval

HOLDS, FAILS, UNDECIDED = "holds", "fails", "undecided"


@dataclass(frozen=True, kw_only=True)
class Finding:
    """Verdict, the figure it rests on with its interval, how many scenarios decided, and why."""

    verdict: str
    figure: float | None = None
    lo: float | None = None
    hi: float | None = None
    n: int = 0
    said: Said

    @classmethod
    def of(cls, verdict: str, interval: Interval, n: int, said: Said) -> "Finding":
        """Return a finding whose figure is an estimate with its interval."""
        return cls(verdict=verdict, figure=interval.estimate, lo=interval.lo, hi=interval.hi, n=n, said=said)

    @property
    def why(self) -> str:
        """The reason."""
        return sentence(self.said)
