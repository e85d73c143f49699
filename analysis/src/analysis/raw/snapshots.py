"""nmon's snapshots and which of them lie inside a window."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SECOND_NS = 1_000_000_000
SLACK_NS = 50_000_000
"""nmon takes a snapshot in some ms, and not every second is as long as the one before."""
Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Snapshots:
    """The stamped snapshots of one nmon file, in order."""

    stamp_s: NDArray[np.int64]
    """Epoch seconds."""
    number: NDArray[np.int64]
    """1 for T0001."""
    cores: Mapping[int, Mapping[str, Floats]]
    """By core, 0 being nmon's CPU001: ``user``, ``system``, ``wait`` and ``steal`` in %, NaN where nmon gave none."""
    pswitch_per_s: Floats
    after_stamp_ns: int | None = None
    """How long after the whole second of its stamp each snapshot was taken, where that is known."""

    def inside(self, start_ns: int, end_ns: int) -> NDArray[np.bool_]:
        """Return which snapshots cover only time between two instants.

        A snapshot covers the time since the one before it. nmon stamps whole seconds: where nothing else is known it
        is inside when the one before was stamped at or after the first whole second (floor) and it itself at or before
        the last (floor), so up to a second of it may not be. The first snapshot is never inside.
        """
        taken_ns = self.stamp_s * SECOND_NS
        if self.after_stamp_ns is None:
            start_ns = start_ns // SECOND_NS * SECOND_NS
        else:
            taken_ns = taken_ns + self.after_stamp_ns
            start_ns, end_ns = start_ns - SLACK_NS, end_ns + SLACK_NS
        return (
            (np.concatenate([[np.iinfo(np.int64).min], taken_ns[:-1]]) >= start_ns)
            & (taken_ns <= end_ns)
            & (np.arange(len(self.stamp_s)) > 0)
            & (self.number > 1)
        )

    def share(self, kind: str, cores: Sequence[int]) -> Floats:
        """Return ``user``, ``system``, ``wait`` or ``steal`` in each snapshot, mean over some cores (all when none)."""
        chosen = [self.cores[core] for core in cores or self.cores if core in self.cores]
        if not chosen:
            return np.full(len(self.stamp_s), np.nan)
        return np.asarray(np.mean([shares[kind] for shares in chosen], axis=0), dtype=np.float64)

    def cpu_pct(self, cores: Sequence[int]) -> Floats:
        """Return User% + Sys% in each snapshot, mean over some cores."""
        return self.share("user", cores) + self.share("system", cores)
