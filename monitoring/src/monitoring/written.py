"""What is known of records once they are kept, and what their clock is short of the time; no numpy is needed for it."""

import time
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Written:
    """What a file of records held: its rows, and when the first and the last were stamped (epoch ns; None: no row)."""

    rows: int
    first_ns: int | None
    last_ns: int | None


def epoch_ahead_ns() -> int:
    """Return what this host's monotonic clock is short of the time since 1970, by the closest of several readings."""
    readings = []
    for _ in range(9):
        before = time.monotonic_ns()
        epoch = time.time_ns()
        after = time.monotonic_ns()
        readings.append((after - before, epoch - (before + after) // 2))
    return min(readings)[1]
