"""Where a run has settled: change-point detection on its response times.

The series is cut where its level changes (optimal partitioning: Jackson et al., "An algorithm for optimal partitioning
of data on an interval", 2005). Segments at its beginning that lie outside what the second half of the run shows are its
warm-up. That a run may never settle, and must then be marked rather than averaged, is Barrett et al., "Virtual machine
warmup blows hot and cold", 2017.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

POINTS = 100
LEAST_REQUESTS_A_POINT = 20
LEAST_POINTS = 20
SHORTEST_SEGMENT = 3
PENALTY = 3.0
"""Times ln(points) and the variance between neighbours: what a change point must explain to count."""
LEAST_SPREAD = 0.01
"""Of the levels: a clock of whole milliseconds shows steady times without any."""
TOLERANCE = np.log(1.05)
"""A level nearer than this to what the second half shows is taken for the same."""
COMMON = (0.05, 0.95)
"""Quantiles between which a level is usual."""

SECOND_NS = 1_000_000_000

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Settled:
    """From which request on a run has settled."""

    first: int
    """Index of its first request, in order of their starts; those before it are warm-up."""
    settled: bool | None
    """False: it never did, and nothing is cut; None: too few requests to tell."""
    change_points: tuple[int, ...]
    """Indexes of the requests at which the level changes."""
    sentence: str


def find_settled(elapsed: Floats, starts: Whole, *, what: str = "requests") -> Settled:
    """Return from where on response times, in order of the starts, shape (n,), show one level.

    Both are in the unit of the clock, in which most times are above 1: ms, or µs. Times are averaged as logarithms over
    up to 100 points of equally many requests. Of requests that start at one time none is cut unless all are: whoever
    reads the file cuts by time. `what` they are called in the sentence.
    """
    points = min(POINTS, len(elapsed) // LEAST_REQUESTS_A_POINT)
    if points < LEAST_POINTS:
        least = LEAST_POINTS * LEAST_REQUESTS_A_POINT
        sentence = f"{len(elapsed)} {what} are too few to tell when the run settled (at least {least})."
        return Settled(first=0, settled=None, change_points=(), sentence=sentence)
    edges = np.linspace(0, len(elapsed), points + 1).astype(int)
    logs = np.log1p(elapsed)
    levels = np.add.reduceat(logs, edges[:-1]) / np.diff(edges)
    changes = _change_points(levels)
    half = points // 2
    cut = _first_usual(levels, changes, half)
    at = tuple(int(edges[change]) for change in changes)
    quarter = half + half // 2
    if cut is None or _is_unusual(levels[half:quarter], levels[quarter:]):
        sentence = "The response times never settled: their level still changed in the second half of the run."
        return Settled(first=0, settled=False, change_points=at, sentence=sentence)
    first = int(np.searchsorted(starts, starts[edges[cut]]))
    sentence = (
        f"The first {first} of {len(elapsed)} {what} are warm-up: the level of their response times changed after."
        if first
        else f"Nothing was cut: the response times were settled from the first {what.removesuffix('s')} on."
    )
    return Settled(first=first, settled=True, change_points=at, sentence=sentence)


def _change_points(levels: Floats) -> list[int]:
    """Return where the level changes, as indexes of points: the least sum of squares and penalties there is."""
    # The difference of neighbours has twice their variance, and no change of level but at a few places.
    spread = max(LEAST_SPREAD, np.median(np.abs(np.diff(levels))) / (0.6745 * np.sqrt(2)))
    points, penalty = len(levels), PENALTY * np.log(len(levels))
    sums, squares = (np.concatenate([[0.0], np.cumsum((levels / spread) ** power)]) for power in (1, 2))
    least, last_start = np.full(points + 1, np.inf), np.zeros(points + 1, dtype=int)
    least[0] = -penalty
    for end in range(SHORTEST_SEGMENT, points + 1):
        start = np.arange(end - SHORTEST_SEGMENT + 1)
        of_segment = squares[end] - squares[start] - (sums[end] - sums[start]) ** 2 / (end - start)
        cost = least[start] + penalty + of_segment
        last_start[end] = np.argmin(cost)
        least[end] = cost[last_start[end]]
    changes: list[int] = []
    at = int(last_start[points])
    while at:
        changes.insert(0, at)
        at = int(last_start[at])
    return changes


def _first_usual(levels: Floats, changes: list[int], half: int) -> int | None:
    """Return where the first segment begins that is as the second half; None when none does in the first half."""
    starts = [0, *changes]
    for start, end in zip(starts, [*changes, len(levels)], strict=True):
        if start > half:
            return None
        if not _is_unusual(levels[start:end], levels[half:]):
            return start
    return None


def _is_unusual(part: Floats, reference: Floats) -> bool:
    """True when the median of a part is outside what is common in the reference."""
    low, high = np.quantile(reference, COMMON)
    level = np.median(part)
    return bool(level < low - TOLERANCE or level > high + TOLERANCE)


def told_of(settled: Settled, starts_ns: Whole, *, cut: bool) -> dict[str, Any]:
    """Return what `run.json` keeps of when a run settled; `starts_ns` are those of all that ended well, in order."""
    return {
        "settled": settled.settled,
        "from_ns": int(starts_ns[settled.first]),
        "requests_before": settled.first,
        "change_points_ns": [int(starts_ns[at]) for at in settled.change_points],
        "cut": cut,
        "sentence": settled.sentence,
    }


def ended_per_s(ends_ns: Whole, begin_ns: int, end_ns: int) -> list[int]:
    """Return how many operations ended in each whole second of the measured window."""
    seconds = (end_ns - begin_ns) // SECOND_NS
    counts: list[int] = np.bincount((ends_ns - begin_ns) // SECOND_NS, minlength=seconds)[:seconds].tolist()
    return counts
