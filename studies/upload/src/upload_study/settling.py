"""Where a load has settled: from when on the server's CPU time per upload stays the same under it.

Response times don't tell: they rise with every queue. CPU per upload does: a runtime that still compiles spends its
core on that. An upload counts by the CPU that its size is expected to take, so that a few large files are no change.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from upload_study.scenario import SECONDS_A_BYTE, SECONDS_A_REQUEST

STEP_S = 0.25
"""How finely the start is looked for, and how long the pieces are whose scatter says what chance does."""
TOLERANCE = 0.1
"""The thirds of what is measured may differ by this in their CPU per upload, or by what chance does."""
LEAST_STEPS = 6
"""Two pieces in each third."""
CHANCE = 3.0
"""Standard errors of a third."""
NS = 1_000_000_000

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Settling:
    """From when on a load is measured, and whether it had settled then."""

    start_ns: int
    settled: bool | None
    """False: it never did, and is measured from where it should have; None: nothing says so."""
    sentence: str


@dataclass(frozen=True, kw_only=True)
class Work:
    """What a server did: its CPU time by samples, arrays of shape (s,), and the uploads it ended, of shape (n,)."""

    time_ns: Whole
    cpu_ns: Floats
    """Running total."""
    end_ns: Whole
    """Of the uploads, ascending."""
    expected_s: Floats
    """CPU time that each is expected to take, by its size."""

    @classmethod
    def of(cls, samples: dict[str, NDArray[Any]], end_ns: Whole, sent_bytes: Floats) -> "Work":
        """Take the server's samples, and the uploads that ended, in any order."""
        known = ~np.isnan(samples["role_cpu_ns"])
        order = np.argsort(end_ns, kind="stable")
        return cls(
            time_ns=samples["time_ns"][known],
            cpu_ns=samples["role_cpu_ns"][known],
            end_ns=end_ns[order],
            expected_s=SECONDS_A_REQUEST + sent_bytes[order] * SECONDS_A_BYTE,
        )

    def cost(self, edges_ns: Whole) -> Floats:
        """Return the CPU time over the expected one between each two edges; infinite where no upload ended."""
        done_s = np.concatenate([[0.0], np.cumsum(self.expected_s)])
        ended_s = np.diff(done_s[np.searchsorted(self.end_ns, edges_ns, side="right")])
        used_s = np.diff(np.interp(edges_ns, self.time_ns, self.cpu_ns)) / 1e9
        cost: Floats = np.divide(used_s, ended_s, out=np.full(len(used_s), np.inf), where=ended_s > 0)
        return cost


def starts(begin_ns: int, end_ns: int, settling_s: float) -> list[int]:
    """Return from when on a load without a break may be measured: up to `settling_s` after it began, or its half."""
    latest_ns = min(begin_ns + round(settling_s * NS), begin_ns + (end_ns - begin_ns) // 2)
    return [*range(begin_ns, latest_ns, round(STEP_S * NS)), latest_ns]


def find_start(work: Work | None, starts_ns: Sequence[int], end_ns: int) -> Settling:
    """Return from when on a load that ends at `end_ns` has settled: at the last of `starts_ns` at the latest.

    That is the first of them from which the thirds of the rest cost the same CPU per upload.
    """
    begin_ns, latest_ns = starts_ns[0], starts_ns[-1]
    if work is None or len(work.time_ns) < LEAST_STEPS:
        return Settling(start_ns=latest_ns, settled=None, sentence="Nothing was recorded that says when it settled.")
    if end_ns - latest_ns < LEAST_STEPS * STEP_S * NS:
        sentence = f"A load of {(end_ns - begin_ns) / NS:.1f} s is too short to tell when it settled."
        return Settling(start_ns=latest_ns, settled=None, sentence=sentence)
    for start_ns in starts_ns:
        if is_steady(work, start_ns, end_ns):
            sentence = f"The server's CPU per upload had settled after {(start_ns - begin_ns) / NS:.2f} s."
            return Settling(start_ns=start_ns, settled=True, sentence=sentence)
    seconds = round((latest_ns - begin_ns) / NS, 2)
    sentence = f"The server's CPU per upload never settled: it is measured from {seconds:g} s on all the same."
    return Settling(start_ns=latest_ns, settled=False, sentence=sentence)


def still_at_work(settling: Settling, seconds: float) -> Settling:
    """Return what is said of a load whose server still had work of its own after `seconds` of next to none."""
    sentence = f"The server's background work had not ended after {seconds:g} s."
    return replace(settling, settled=False, sentence=sentence)


def is_steady(work: Work, start_ns: int, end_ns: int) -> bool:
    """Return whether an upload costs the same CPU in each third of a time, but for `TOLERANCE` or what chance does."""
    thirds = work.cost(np.linspace(start_ns, end_ns, 4).astype(np.int64))
    if not np.isfinite(thirds).all():
        return False
    steps = max(LEAST_STEPS, int((end_ns - start_ns) / (STEP_S * NS)))
    pieces = work.cost(np.linspace(start_ns, end_ns, steps + 1).astype(np.int64))
    pieces = pieces[np.isfinite(pieces)]
    between = float(np.median(np.abs(np.diff(pieces)))) / (0.6745 * np.sqrt(2)) if len(pieces) > 1 else 0.0
    by_chance = CHANCE * between / np.sqrt(max(1, len(pieces)) / 3)
    return bool(np.ptp(thirds) <= max(TOLERANCE * thirds.mean(), by_chance))
