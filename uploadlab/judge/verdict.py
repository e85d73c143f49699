"""What a campaign of BASE, HEAD and BASE again says of the change: a verdict a metric, and one of the whole."""

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from uploadlab.report.numbers import ratio
from uploadlab.results.declarations import SHOWN_METRICS
from uploadlab.results.windows import AS_GIVEN
from uploadlab.tables.answer import Comparison, Verdict

BASE, HEAD, AGAIN = "base", "head", "base-again"
"""The names of the three arms; the third is BASE once more, and shows how far two equal servers came apart."""


class Ratio(msgspec.Struct, frozen=True, kw_only=True):
    """A ratio to BASE and its 95 % interval, None where there is none."""

    ratio: float | None
    lo: float | None
    hi: float | None

    @classmethod
    def of(cls, one: Comparison | None) -> "Ratio":
        """Return that of a comparison with BASE."""
        return cls(ratio=None, lo=None, hi=None) if one is None else cls(ratio=one.ratio, lo=one.lo, hi=one.hi)

    def __str__(self) -> str:
        """Return it with its interval: `1.07 (1.02–1.12)`."""
        return ratio(self.ratio, self.lo, self.hi)


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One metric at one file size and load, HEAD against BASE."""

    size_bytes: int | None
    load: str | int
    metric: str
    base: float | None
    head: float | None
    change: Ratio
    noise: Ratio
    """BASE against itself."""
    verdict: Verdict
    decides: bool
    """Whether it is one of the comparisons that hold together; the others are shown and decide nothing."""


def rows_of(comparisons: Sequence[Comparison], base: str, head: str, again: str) -> list[Row]:
    """Return a campaign's rows, by metric in the report's order, then by size; the arms are named by their keys."""
    found = {(one.scenario, one.metric): one for one in _between(comparisons, head, base)}
    noise = {(one.scenario, one.metric): one for one in _between(comparisons, again, base)}
    rows = [
        Row(
            size_bytes=None if one.size_bytes is None else round(one.size_bytes),
            load=one.load or AS_GIVEN,
            metric=one.metric,
            base=one.b,
            head=one.a,
            change=Ratio.of(one),
            noise=Ratio.of(noise.get(key)),
            verdict=one.verdict,
            decides=one.decided,
        )
        for key, one in found.items()
        if one.metric in SHOWN_METRICS
    ]
    return sorted(rows, key=lambda row: (SHOWN_METRICS.index(row.metric), row.size_bytes or 0, str(row.load)))


def overall(rows: Iterable[Row]) -> Verdict:
    """Return the verdict on the change: worse in one comparison is worse, and equal is only what is equal in all."""
    verdicts = {row.verdict for row in rows if row.decides}
    if "worse" in verdicts:
        return "worse"
    if "undecided" in verdicts or not verdicts:
        return "undecided"
    return "better" if "better" in verdicts else "equal"


def _between(comparisons: Iterable[Comparison], a: str, b: str) -> Iterator[Comparison]:
    """Yield the comparisons of two arms as those of ``a`` against ``b``, whichever way round they were made."""
    for one in comparisons:
        if (one.system_a, one.system_b) == (a, b):
            yield one
        elif (one.system_a, one.system_b) == (b, a):
            yield one.turned()
