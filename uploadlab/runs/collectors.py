"""Start the collectors of one run on the roles' hosts and stop them."""

from collections.abc import Sequence
from pathlib import Path

from uploadlab.hosts.host import Host
from uploadlab.hosts.local_collectors import Sampling


class Collectors:
    """The collectors of a host's roles: nmon, and one sampler a role."""

    def __init__(self, host: Host, folder: Path, *, cores: Sequence[int], interval_ms: int, device_of: Path) -> None:
        """`folder` is where they record to on the host, `cores` those they run on."""
        self._host = host
        self._folder = folder
        self._cores = cores
        self._interval_ms = interval_ms
        self._device_of = device_of
        self._running: dict[str, str] = {}
        """What the host knows each by: runs that take turns have collectors of the same names."""

    def start_nmon(self, role: str) -> None:
        """Record the host into `<role>.nmon`."""
        name = "nmon" if role == "server" else f"nmon_{role}"
        self._host.start_nmon(self._known(name), self._folder / f"{role}.nmon", self._cores)

    def start_sampler(self, role: str, pids: Sequence[int], role_cores: Sequence[int]) -> None:
        """Sample the processes of a role into `<role>.samples.csv`."""
        name = f"sampler_{role}"
        sampling = Sampling(
            role=role,
            pids=list(pids),
            role_cores=list(role_cores),
            device_of=self._device_of,
            cores=list(self._cores),
            interval_ms=self._interval_ms,
        )
        self._host.start_sampler(self._known(name), self._folder / f"{role}.samples.csv", sampling)

    def start_capture(self, port: int) -> None:
        """Capture the heads of the packets to and from the server's port into `server.wire.pcap`."""
        self._host.start_capture(
            self._known("capture"), self._folder / "server.wire.pcap", port=port, cores=self._cores
        )

    def wait_until_recording(self) -> dict[str, int]:
        """Wait until each collector has written its first row; return when each last wrote, in epoch ns there."""
        return {name: self._host.wait_recording(known) for name, known in self._running.items()}

    def stop(self) -> dict[str, int]:
        """Stop all and return their exit codes; LabError when one had ended by itself."""
        return {name: self._host.stop_collector(known) for name, known in self._running.items()}

    def _known(self, name: str) -> str:
        return self._running.setdefault(name, f"{self._folder}/{name}")
