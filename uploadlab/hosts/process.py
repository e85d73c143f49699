"""A process on whatever host it runs."""

from typing import Protocol


class Process(Protocol):
    """What a host has started."""

    pid: int

    def poll(self) -> int | None:
        """Return its exit code, or None while it runs; LabError when its host is lost."""

    def read(self, timeout_s: float) -> bytes | None:
        """Return what it wrote next (piped output only); empty at its end, None when nothing came in time."""
