"""One contestant, one file size: send the uploads, take the CPU time, look at what was stored."""

import time
from dataclasses import dataclass
from pathlib import Path

from server_bench.contestant import Contestant
from server_bench.generator import Generator, Request
from uploadlab.errors import LabError
from uploadlab.runs.server import Server

CPUCLOCK_SCHED = 2
"""The clock of a process's CPU time, its ended threads included, is ~pid << 3 | 2: clock_getcpuclockid(3)."""


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """What one turn of a contestant gave: its uploads, how long they took, CPU time of both processes."""

    round: int
    file_bytes: int
    contestant: str
    uploads: int
    elapsed_s: float
    server_cpu_s: float
    generator_cpu_s: float

    @property
    def cpu_us_per_upload(self) -> float:
        """CPU time of the server, user and system, per upload."""
        return 1e6 * self.server_cpu_s / self.uploads

    @property
    def uploads_per_s(self) -> float:
        """Uploads over elapsed time."""
        return self.uploads / self.elapsed_s

    @property
    def generator_share(self) -> float:
        """CPU time of the generator over that of the server."""
        return self.generator_cpu_s / self.server_cpu_s


@dataclass(frozen=True, kw_only=True)
class Running:
    """A contestant that has been started, with its own folder of uploads."""

    contestant: Contestant
    server: Server
    upload_dir: Path

    def measure(
        self, generator: Generator, request: Request, *, round: int, uploads: int, connections: int
    ) -> Measurement:
        """Have so many uploads sent; LabError when one is not stored as it should be."""
        pids = (self.server.process.pid, generator.pid)
        before = [_cpu_s(pid) for pid in pids]
        elapsed_s = generator.send(self.server.port, request, uploads, connections)
        server_cpu_s, generator_cpu_s = (_cpu_s(pid) - then for pid, then in zip(pids, before, strict=True))
        check_stored(self.contestant, self.upload_dir, request, uploads)
        for path in self.upload_dir.iterdir():
            path.unlink()
        return Measurement(
            round=round,
            file_bytes=len(request.content),
            contestant=self.contestant.name,
            uploads=uploads,
            elapsed_s=elapsed_s,
            server_cpu_s=server_cpu_s,
            generator_cpu_s=generator_cpu_s,
        )


def check_stored(contestant: Contestant, upload_dir: Path, request: Request, uploads: int) -> None:
    """Raise LabError unless the folder holds one whole file for each upload; the first is compared to the byte."""
    stored = list(upload_dir.iterdir())
    first = stored[0].read_bytes() if stored else b""
    is_whole = request.content in first if contestant.stores_the_whole_body else first == request.content
    wrong = [path for path in stored if path.stat().st_size != len(first)]
    if len(stored) != uploads or wrong or not is_whole:
        raise LabError(
            f"{contestant.name} stored {len(stored)} files for {uploads} uploads of {len(request.content)} bytes, "
            f"{len(wrong)} of them of another size: what it costs would say nothing."
        )


def _cpu_s(pid: int) -> float:
    return time.clock_gettime_ns(~pid << 3 | CPUCLOCK_SCHED) / 1e9
