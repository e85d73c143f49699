"""What records this machine while it is measured: nmon, samplers, captures of packets; and parts' own records."""

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

import msgspec

from monitoring.collectors import NmonCollector, SamplerCollector
from monitoring.errors import CollectorError, RecordingError
from monitoring.wire_capture import WireCollector
from monitoring.written import Written
from uploadlab.errors import LabError
from uploadlab.hosts.processes import Processes

Collector = NmonCollector | SamplerCollector | WireCollector


class Sampling(msgspec.Struct, frozen=True, kw_only=True):
    """Which processes of a role a sampler watches, and how."""

    role: str
    pids: list[int]
    role_cores: list[int]
    device_of: Path
    """A path on the disk that is watched."""
    cores: list[int]
    """Those it runs on itself."""
    interval_ms: int


class LocalCollectors:
    """The collectors of this machine, by name."""

    def __init__(self, processes: Processes, address: str) -> None:
        self.processes = processes
        self.address = address
        self._collectors: dict[str, Collector] = {}
        self._records: dict[Path, BinaryIO] = {}

    def start_nmon(self, name: str, out: Path, cores: Sequence[int]) -> None:
        """Start to record this machine."""
        with recording():
            self._add(name, NmonCollector(out, cores=cores))

    def start_sampler(self, name: str, out: Path, sampling: Sampling) -> None:
        """Start to sample a role's processes."""
        with recording():
            self._add(name, SamplerCollector(out, **msgspec.structs.asdict(sampling)))

    def start_capture(self, name: str, out: Path, *, port: int, cores: Sequence[int]) -> None:
        """Start to capture the heads of the packets to and from a port of this machine's address."""
        with recording():
            self._add(name, WireCollector(out, host=self.address, port=port, cores=cores))

    def wait_recording(self, name: str) -> int:
        """Wait until a collector has written its first row, and return when it last wrote, in epoch ns."""
        with recording():
            return self._collectors[name].wait_recording()

    def stop_collector(self, name: str) -> int:
        """Stop a collector and return its exit code; LabError when it had ended by itself."""
        collector = self._collectors.pop(name)
        try:
            with recording():
                return collector.stop()
        finally:
            self.processes.release(collector.pid)

    def hold_records(self, records: Path) -> None:
        """Take a part's file of records over: it has no name from here on, and is gone once nobody has it open.

        However the lab and the part end, it leaves no memory taken. A part that makes its file later keeps it.
        """
        with contextlib.suppress(FileNotFoundError):
            self._records[records] = records.open("rb")
            records.unlink()

    def keep_records(self, records: Path, out: Path, ahead_ns: int) -> Written | None:
        """Write a part's records as Parquet, `ahead_ns` added to each stamp; None where it made no file of them.

        Raises LabError where they cannot be read.
        """
        from monitoring.records import write_parquet  # here, because numpy takes longer to import than all of a host

        with contextlib.ExitStack() as held, recording():
            opened = None
            if records in self._records:
                file = held.enter_context(self._records.pop(records))
                opened = None if records.exists() else Path(f"/proc/self/fd/{file.fileno()}")
            if opened is None and not records.exists():
                return None
            return write_parquet(records, out, ahead_ns=ahead_ns, opened=opened)

    def _drop_records(self, folder: Path) -> None:
        for path in [path for path in self._records if path.is_relative_to(folder)]:
            self._records.pop(path).close()

    def _add(self, name: str, collector: Collector) -> None:
        self._collectors[name] = collector
        self.processes.adopt(collector.pid, lambda: collector.__exit__(None, None, None))


@contextlib.contextmanager
def recording() -> Iterator[None]:
    """Turn the errors of collectors and recordings into the one that users read."""
    try:
        yield
    except (CollectorError, RecordingError) as error:
        raise LabError(str(error)) from error
