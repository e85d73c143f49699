"""Put together what several engines recorded: one request file, on the clock of the first engine's host."""

import csv
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from monitoring.clocks import ClockAlignment
from monitoring.whole_file import replacing
from upload_study.spec import DriverError, RunSpec

REQUESTS_FILE, WARM_UP_FILE, MEASURED_FILE = "requests.jtl", "engines.warmup.jtl", "engines.jtl"
PLAIN = "injector"
TIMES = ("timeStamp", "scheduled_ms")
NS_PER_MS = 1_000_000


def merge(spec: RunSpec, out: Path) -> None:
    """Write the request file of a run from those that the engines filled together, and remove these.

    Every engine stamps its requests by its own host's clock. Their times are moved to the first engine's clock by what
    was measured of both before and after the load; nothing else is changed. A run that is merged already stays.

    Raises DriverError where a file is missing, or has a row of no engine of the run.
    """
    parts = [out / name for name in (WARM_UP_FILE, MEASURED_FILE) if (out / name).exists()]
    if not parts and (out / REQUESTS_FILE).exists():
        return
    if out / MEASURED_FILE not in parts:
        raise DriverError(f"{out / MEASURED_FILE}: the request file of the engines is missing.")
    with replacing(out / REQUESTS_FILE) as new:
        _write(spec, parts, new)
    for part in parts:
        part.unlink()


def _write(spec: RunSpec, parts: list[Path], path: Path) -> None:
    """Write the rows of all parts, in the columns of the last, the measured one."""
    with parts[-1].open(newline="", encoding="utf-8") as last:
        heading = next(csv.reader(last), [])
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.DictWriter(file, heading, restval="", extrasaction="ignore", lineterminator="\n")
        rows.writeheader()
        for part in parts:
            rows.writerows(_on_one_clock(spec, part))


def _on_one_clock(spec: RunSpec, part: Path) -> Iterator[dict[str, str]]:
    clocks = {engine.names_users: _alignment(spec, engine.role) for engine in spec.engines}
    with part.open(newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        for row in reader:
            if None in row or None in row.values():
                raise DriverError(f"{part}, line {reader.line_num}: the row is cut off.")
            mine = [clock for name, clock in clocks.items() if row["threadName"].startswith(name)]
            if not mine:
                raise DriverError(f"{part}, line {reader.line_num}: '{row['threadName']}' is a user of no engine.")
            for name in TIMES:
                if name in row:
                    row[name] = str(_moved_ms(mine[0], int(row[name])))
            yield row


def _moved_ms(clock: ClockAlignment, time_ms: int) -> int:
    moved_ns = int(clock.on_injector(np.array([time_ms * NS_PER_MS], dtype=np.int64))[0])
    return (moved_ns + NS_PER_MS // 2) // NS_PER_MS


def _alignment(spec: RunSpec, role: str) -> ClockAlignment:
    """Return how the clock of an engine's host stands to the first one's."""
    first = spec.engines[0].role
    return ClockAlignment.of({"server": spec.clock[role], "injector": spec.clock[first]})


def windows(spec: RunSpec, begin_ns: int, end_ns: int) -> dict[str, tuple[int, int]]:
    """Return the measured window on the clock of each engine's host, by role; of a plain load on its only one."""
    if not spec.engines:
        return {PLAIN: (begin_ns, end_ns)}
    clocks = {engine.role: _alignment(spec, engine.role) for engine in spec.engines}
    return {role: (clock.on_server(begin_ns), clock.on_server(end_ns)) for role, clock in clocks.items()}


def engine_of(spec: RunSpec, users: NDArray[np.str_]) -> NDArray[np.int64]:
    """Return the number of the engine that each user runs on, from 0; all 0 of a plain load. Shape (n,), as `users`."""
    found = np.zeros(len(users), dtype=np.int64)
    for number, engine in enumerate(spec.engines):
        found[np.char.startswith(users, engine.names_users)] = number
    return found


def requests_of(spec: RunSpec, engine_of: NDArray[np.int64]) -> dict[str, int]:
    """Return how many requests each engine sent, by role; `engine_of` is the number of each one's engine."""
    roles = [engine.role for engine in spec.engines] or [PLAIN]
    return dict(zip(roles, np.bincount(engine_of, minlength=len(roles)).tolist(), strict=True))
