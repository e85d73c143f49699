"""The server under test: where it listens, where it stores, and, when we started it, its process."""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from conformance.case import Limits


@dataclass(frozen=True, kw_only=True)
class Usage:
    """What a process holds, from /proc."""

    descriptors: int
    threads: int
    resident_bytes: int


@dataclass(frozen=True, kw_only=True)
class Target:
    """A server that runs."""

    host: str
    port: int
    upload_dir: Path
    limits: Limits
    pid: int | None = None

    @property
    def address(self) -> tuple[str, int]:
        """Host and port, as sockets want them."""
        return (self.host, self.port)

    @property
    def url(self) -> str:
        """The address as a URL without a path."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"

    def usage(self) -> Usage:
        """Read what the process holds; only for a server that we started."""
        status = self._status()
        return Usage(
            descriptors=len(os.listdir(f"/proc/{self.pid}/fd")),  # noqa: PTH208 - names only, of links that vanish
            threads=int(status["Threads"]),
            resident_bytes=int(status["VmRSS"].split()[0]) * 1024,
        )

    def peak_resident_bytes(self) -> int:
        """Return the highest resident memory since `reset_peak`."""
        return int(self._status()["VmHWM"].split()[0]) * 1024

    def _status(self) -> dict[str, str]:
        lines = Path(f"/proc/{self.pid}/status").read_text().splitlines()
        return dict(line.split(":", 1) for line in lines if ":" in line)

    def reset_peak(self) -> None:
        """Let the kernel count the peak from now on."""
        Path(f"/proc/{self.pid}/clear_refs").write_text("5")

    @contextmanager
    def limited_descriptors(self, limit: int) -> Iterator[None]:
        """Set the soft limit of open descriptors of the process until the end of the block."""
        assert self.pid is not None
        before = resource.prlimit(self.pid, resource.RLIMIT_NOFILE)
        resource.prlimit(self.pid, resource.RLIMIT_NOFILE, (limit, before[1]))
        try:
            yield
        finally:
            resource.prlimit(self.pid, resource.RLIMIT_NOFILE, before)


def wait_until(condition: Callable[[], bool], timeout_s: float, pause_s: float = 0.01) -> bool:
    """Wait for a condition, at most so long; return whether it came."""
    deadline = time.monotonic() + timeout_s
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(pause_s)
    return True
