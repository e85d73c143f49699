"""What a server's process holds, as Linux tells it."""

import os
from pathlib import Path

from uploadlab.hosts.processes import start_ticks

PROC = Path("/proc")


def lives(pid: int) -> bool:
    """Whether the process is there and not a zombie."""
    return start_ticks(pid) is not None


def _family(pid: int | None) -> list[int]:
    """Return the process and all that it started; none where it is not known."""
    if pid is None:
        return []
    threads = (PROC / str(pid) / "task").glob("*/children")
    return [pid, *(one for thread in threads for child in _children(thread) for one in _family(child))]


def _children(thread: Path) -> list[int]:
    """Return what a thread has started; none where it ended meanwhile."""
    try:
        return [int(child) for child in thread.read_text().split()]
    except OSError:
        return []


def descriptors(pid: int | None) -> int:
    """Return how many descriptors the process and what it started hold; 0 where it is not known."""
    return sum(sum(1 for _ in (PROC / str(one) / "fd").iterdir()) for one in _family(pid) if lives(one))


def resident_bytes(pid: int | None) -> int:
    """Return their resident memory; 0 where the process is not known."""
    pages = (int((PROC / str(one) / "statm").read_text().split()[1]) for one in _family(pid) if lives(one))
    return sum(pages) * os.sysconf("SC_PAGE_SIZE")
