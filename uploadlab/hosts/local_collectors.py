"""What records this machine while it is measured: nmon, samplers, captures of packets; and parts' own records."""

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path

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

    def keep_records(self, records: Path, out: Path, ahead_ns: int) -> Written:
        """Write a part's records as Parquet, `ahead_ns` added to each stamp; LabError where they cannot be read."""
        from monitoring.records import write_parquet  # here, because numpy takes longer to import than all of a host

        with recording():
            return write_parquet(records, out, ahead_ns=ahead_ns)

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
