"""What a campaign of BASE, HEAD and BASE again says of the change: a verdict a metric, and one of the whole."""

from collections.abc import Iterable, Iterator
from typing import Literal

import msgspec

from uploadlab.tables.answer import Answer, Comparison

Verdict = Literal["better", "worse", "equal", "undecided"]
BASE, HEAD, AGAIN = "base", "head", "base-again"
"""The names of the three arms; the third is BASE once more, and shows how far two equal servers came apart."""
METRICS = (
    "capacity_per_s",
    "median_ms",
    "p99_ms",
    "server_cpu_us_per_request",
    "memory_peak_mb",
    "memory_per_upload_kb",
)
"""What a change is judged by, in this order; of each that was measured there is a row a file size."""


class Ratio(msgspec.Struct, frozen=True, kw_only=True):
    """A ratio to BASE and its 95 % interval, None where there is none."""

    ratio: float | None
    lo: float | None
    hi: float | None


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


def rows_of(answer: Answer, base: str, head: str, again: str) -> list[Row]:
    """Return a campaign's rows, by metric in the order of METRICS, then by size; the arms are named by their keys."""
    found = {(one.scenario, one.metric): one for one in _between(answer.comparisons, head, base)}
    noise = {(one.scenario, one.metric): one for one in _between(answer.comparisons, again, base)}
    rows = [
        Row(
            size_bytes=one.size_bytes,
            load=one.load,
            metric=one.metric,
            base=one.b,
            head=one.a,
            change=Ratio(ratio=one.ratio, lo=one.lo, hi=one.hi),
            noise=_ratio(noise.get(key)),
            verdict=one.verdict,
            decides=one.headline,
        )
        for key, one in found.items()
        if one.metric in METRICS
    ]
    return sorted(rows, key=lambda row: (METRICS.index(row.metric), row.size_bytes or 0, str(row.load)))


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


def _ratio(one: Comparison | None) -> Ratio:
    return Ratio(ratio=None, lo=None, hi=None) if one is None else Ratio(ratio=one.ratio, lo=one.lo, hi=one.hi)
