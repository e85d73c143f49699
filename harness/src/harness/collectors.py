"""Start the collectors of one run, register them so that none is left behind, and stop them."""

from collections.abc import Sequence
from pathlib import Path

from harness.errors import LabError
from harness.processes import Processes
from monitoring.collectors import NmonCollector, SamplerCollector
from monitoring.errors import CollectorError


class Collectors:
    """nmon and one sampler a role, all on the load generator's cores."""

    def __init__(
        self, processes: Processes, folder: Path, *, cores: Sequence[int], interval_ms: int, device_of: Path
    ) -> None:
        self._processes = processes
        self._folder = folder
        self._cores = cores
        self._interval_ms = interval_ms
        self._device_of = device_of
        self._running: dict[str, NmonCollector | SamplerCollector] = {}

    def start_nmon(self) -> None:
        """Record the server's host; on the local rig that is also the load generator's."""
        try:
            self._add("nmon", NmonCollector(self._folder / "server.nmon", cores=self._cores))
        except CollectorError as error:
            raise LabError(str(error)) from error

    def start_sampler(self, role: str, pids: Sequence[int], role_cores: Sequence[int]) -> None:
        """Sample the processes of a role into `<role>.samples.csv`."""
        try:
            sampler = SamplerCollector(
                self._folder / f"{role}.samples.csv",
                role=role,
                pids=pids,
                role_cores=role_cores,
                device_of=self._device_of,
                cores=self._cores,
                interval_ms=self._interval_ms,
            )
        except CollectorError as error:
            raise LabError(str(error)) from error
        self._add(f"sampler_{role}", sampler)

    def wait_until_recording(self) -> None:
        """Wait until each collector has written its first row."""
        for collector in self._running.values():
            try:
                collector.wait_recording()
            except CollectorError as error:
                raise LabError(str(error)) from error

    def stop(self) -> dict[str, int]:
        """Stop all and return their exit codes; LabError when one had ended by itself."""
        codes = {}
        for name, collector in self._running.items():
            try:
                codes[name] = collector.stop()
            except CollectorError as error:
                raise LabError(str(error)) from error
            finally:
                self._processes.release(collector.pid)
        return codes

    def _add(self, name: str, collector: NmonCollector | SamplerCollector) -> None:
        self._running[name] = collector
        self._processes.adopt(collector.pid, lambda: collector.__exit__(None, None, None))
