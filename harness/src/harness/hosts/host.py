"""What a run needs of a host: `LocalHost` does it here, `SshHost` has it done by an agent, a `LocalHost` over there."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import msgspec

from monitoring.clocks import ClockReading
from monitoring.written import Written


class Finished(msgspec.Struct, frozen=True, kw_only=True):
    """A command that came to its end."""

    code: int
    output: str
    errors: str


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


class Process(Protocol):
    """A process on a host."""

    pid: int

    def poll(self) -> int | None:
        """Return its exit code, or None while it runs."""
        ...

    def read(self, timeout_s: float) -> bytes | None:
        """Return what it wrote next (piped output only); empty at its end, None when nothing came in time."""
        ...


class Host(Protocol):
    """A machine a role runs on. Paths are those of that host unless a method says otherwise.

    Every method raises LabError, one sentence, when the host cannot do it or cannot be reached.
    """

    name: str
    address: str
    """Where the other role reaches it."""

    def path(self, path: Path) -> Path:
        """Return where a path of this machine's project is there; another path is taken to be the same there."""
        ...

    def in_campaign(self, campaign: Path, path: Path) -> Path:
        """Return where a path below the campaign's folder is there; raw files are fetched from it."""
        ...

    def make_run_folder(self, campaign: Path, folder: Path) -> None:
        """Make the folder of a run's raw files there; it has nothing in it."""
        ...

    def given(self, path: Path) -> Path:
        """Bring a file or folder of this machine there, and return where it is."""
        ...

    def make_empty(self, folder: Path) -> None:
        """Make a folder that has nothing in it."""
        ...

    def settle(self, folder: Path) -> None:
        """Write what is still to be written to a folder's disk, and drop the folder's files from memory."""
        ...

    def temporary(self, folder: Path) -> Path:
        """Make a folder that is removed when the campaign ends, however it ends."""
        ...

    def write(self, path: Path, text: str) -> None:
        """Write a file, and its folder where there is none."""
        ...

    def last_line(self, path: Path) -> str:
        """Return the last line a log has, or that it is empty."""
        ...

    def start(
        self,
        name: str,
        command: Sequence[str],
        *,
        cwd: Path,
        cores: Sequence[int],
        env: Mapping[str, str] | None = None,
        log: Path,
        piped: bool = False,
        told: bool = False,
        open_files: int | None = None,
        group: Path | None = None,
    ) -> Process:
        """Start a process, pinned, in a session of its own; it does not outlive the lab or the connection.

        `env` is added to the host's environment. `log` takes its output, or only its errors where the output is
        `piped`; one that is `told` hears lines (`tell`); `group` is the file of a control group that takes it in.
        """
        ...

    def tell(self, process: Process, line: str) -> None:
        """Write a line to the standard input of a process that was started `told`; one that has ended hears nothing."""
        ...

    def stop(self, process: Process, signal_name: str = "TERM", timeout_s: float = 10.0) -> int:
        """Ask a process to end, kill its session when it does not, and return its exit code (negative: the signal)."""
        ...

    def run(self, command: Sequence[str], *, cwd: Path, cores: Sequence[int] = ()) -> Finished:
        """Run a command to its end."""
        ...

    def start_nmon(self, name: str, out: Path, cores: Sequence[int]) -> None:
        """Start to record the host."""
        ...

    def start_sampler(self, name: str, out: Path, sampling: Sampling) -> None:
        """Start to sample a role's processes."""
        ...

    def start_capture(self, name: str, out: Path, *, port: int, cores: Sequence[int]) -> None:
        """Start to capture the heads of the packets to and from a port of the host's address."""
        ...

    def wait_recording(self, name: str) -> int:
        """Wait until a collector has written its first row, and return when it last wrote, in epoch ns there."""
        ...

    def stop_collector(self, name: str) -> int:
        """Stop a collector and return its exit code; LabError when it had ended by itself."""
        ...

    def stop_all(self) -> None:
        """End everything that was started there."""
        ...

    def close(self) -> None:
        """End everything, remove every temporary folder, and hang up."""
        ...

    def fetch(self, campaign: Path, folder: Path) -> None:
        """Bring what a folder of the campaign has there into the one here."""
        ...

    def free_port(self, beside: Collection[int] = ()) -> int:
        """Return a port of the host's address that nobody listens on, and none of those that are promised already."""
        ...

    def listens(self, port: int) -> bool:
        """True when a connection to a port of the host's address, or of its loopback, is taken."""
        ...

    def answers(self, url: str) -> bool:
        """True when a GET is answered with 200."""
        ...

    def cores(self) -> list[int]:
        """Return the cores that processes may use there."""
        ...

    def space(self, path: Path) -> tuple[int, int]:
        """Return the number of the device that holds a path (or will hold it) and its free bytes."""
        ...

    def describe(self) -> dict[str, Any]:
        """Describe the machine."""
        ...

    def keep_awake(self) -> str | None:
        """Have its idle cores poll until `stop_all`, and return None; else return why they sleep."""
        ...

    def describe_disk(self, path: Path) -> dict[str, Any]:
        """Describe what holds a path, or will hold it."""
        ...

    def noise(self, cores: Sequence[int]) -> dict[str, Any]:
        """Watch cores for a second and return what could disturb a measurement on them."""
        ...

    def work_ms(self, cores: Sequence[int]) -> dict[str, float | None]:
        """Return by core the CPU time in ms that it needs for the fixed piece of work of `monitoring.core_speed`."""
        ...

    def versions(self, folder: Path, command: Sequence[str]) -> dict[str, Any]:
        """Ask a system's own command for the versions it runs on there."""
        ...

    def missing(self, paths: Sequence[Path]) -> list[str]:
        """Return which of some paths are not there."""
        ...

    def epoch_ahead_ns(self) -> int:
        """Return what its monotonic clock is short of its time since 1970."""
        ...

    def keep_records(self, records: Path, out: Path, ahead_ns: int) -> Written:
        """Write a part's records as Parquet, `ahead_ns` added to each stamp; LabError where they cannot be read."""
        ...

    def clock(self) -> ClockReading:
        """Return how far its clock is ahead of this machine's."""
        ...
