"""A host reached over SSH: what is asked of it is done by an agent, a `LocalHost` over there."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from harness.hosts.host import Finished, Process, Sampling
from harness.hosts.local_host import LocalProcess
from harness.hosts.processes import Processes
from harness.hosts.ssh_connection import SshProcess
from harness.hosts.ssh_link import SshLink
from harness.paths import REPOSITORY
from harness.planning.rig import Role
from monitoring.clocks import ClockReading, read_offset
from monitoring.written import Written


class SshHost:
    """A machine at the other end of SSH."""

    def __init__(self, role: Role, processes: Processes) -> None:
        self.name = self.address = role.host
        self._link = SshLink(role, processes)
        self._call = self._link.call

    # Files

    def path(self, path: Path) -> Path:
        """Return where a path of the project here is there."""
        return self._link.folder / path.relative_to(REPOSITORY) if path.is_relative_to(REPOSITORY) else path

    def in_campaign(self, campaign: Path, path: Path) -> Path:
        """Return where a path below the campaign's folder is there."""
        self._link.connected()
        return self._link.work / path.relative_to(campaign)

    def make_run_folder(self, campaign: Path, folder: Path) -> None:
        """Make the folder of a run's raw files there; it has nothing in it."""
        self.make_empty(self.in_campaign(campaign, folder))

    def given(self, path: Path) -> Path:
        """Bring a file or folder there, once a connection, and return where it is."""
        return self._link.given(path)

    def fetch(self, campaign: Path, folder: Path) -> None:
        """Bring what a folder of the campaign has there into the one here; with the connection it would be lost."""
        self._link.check()
        self._link.fetch(self.in_campaign(campaign, folder), folder)

    def make_empty(self, folder: Path) -> None:
        """Make a folder that has nothing in it."""
        self._call("make_empty", folder=folder)

    def settle(self, folder: Path) -> None:
        """Write what is still to be written to a folder's disk, and drop the folder's files from memory."""
        self._call("settle", folder=folder)

    def temporary(self, folder: Path) -> Path:
        """Make a folder that is removed when the campaign, or the connection, ends."""
        self._call("temporary", folder=folder)
        return folder

    def write(self, path: Path, text: str) -> None:
        """Write a file, and its folder where there is none."""
        self._call("write", path=path, text=text)

    def last_line(self, path: Path) -> str:
        """Return the last line a log has, or that it is empty."""
        return str(self._call("last_line", path=path))

    # Processes

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
    ) -> SshProcess:
        """Start a process there; it is killed when the lab dies or the connection is cut."""
        assert group is None, "a control group is this machine's"
        pid = self._call(
            "start",
            name=name,
            command=list(command),
            cwd=cwd,
            cores=list(cores),
            env=dict(env or {}),
            log=log,
            piped=piped,
            told=told,
            open_files=open_files,
        )
        return self._link.connected().follow(pid)

    def tell(self, process: Process, line: str) -> None:
        """Write a line to the standard input of a process that was started `told`; one that has ended hears nothing."""
        self._call("tell", pid=process.pid, line=line)

    def stop(self, process: Process, signal_name: str = "TERM", timeout_s: float = 10.0) -> int:
        """End a process there, and return its exit code."""
        assert not isinstance(process, LocalProcess)
        code = process.poll()
        if code is None:
            code = int(self._call("stop", pid=process.pid, signal_name=signal_name, timeout_s=timeout_s))
        return code

    def run(self, command: Sequence[str], *, cwd: Path, cores: Sequence[int] = ()) -> Finished:
        """Run a command to its end."""
        pid = self._call("run", command=list(command), cwd=cwd, cores=list(cores))
        process = self._link.connected().follow(pid)
        output = b""
        while (chunk := process.read(0.5)) != b"":
            output += chunk or b""
        return Finished(code=process.poll() or 0, output=output.decode(errors="replace"), errors=process.errors)

    def start_nmon(self, name: str, out: Path, cores: Sequence[int]) -> None:
        """Start to record the host."""
        self._call("start_nmon", name=name, out=out, cores=list(cores))

    def start_sampler(self, name: str, out: Path, sampling: Sampling) -> None:
        """Start to sample a role's processes."""
        self._call("start_sampler", name=name, out=out, sampling=msgspec.to_builtins(sampling, enc_hook=str))

    def start_capture(self, name: str, out: Path, *, port: int, cores: Sequence[int]) -> None:
        """Start to capture the heads of the packets to and from a port of its address."""
        self._call("start_capture", name=name, out=out, port=port, cores=list(cores))

    def wait_recording(self, name: str) -> int:
        """Wait until a collector has written its first row, and return when it last wrote, in epoch ns there."""
        return int(self._call("wait_recording", name=name))

    def stop_collector(self, name: str) -> int:
        """Stop a collector and return its exit code; LabError when it had ended by itself."""
        return int(self._call("stop_collector", name=name))

    def stop_all(self) -> None:
        """End everything that was started there."""
        self._link.stop_all()

    def close(self) -> None:
        """End everything, remove every temporary folder, and hang up."""
        self.stop_all()
        self._link.hang_up()

    # The machine

    def free_port(self, beside: Collection[int] = ()) -> int:
        """Return a port of the host's address that nobody listens on, and none of those that are promised already."""
        return int(self._call("free_port", beside=sorted(beside)))

    def listens(self, port: int) -> bool:
        """True when a connection to a port of the host's address, or of its loopback, is taken."""
        return bool(self._call("listens", port=port))

    def answers(self, url: str) -> bool:
        """True when a GET over there is answered with 200."""
        return bool(self._call("answers", url=url))

    def cores(self) -> list[int]:
        """Return the cores that processes may use there."""
        self._link.connected()
        return self._link.cores

    def space(self, path: Path) -> tuple[int, int]:
        """Return the number of the device that holds a path (or will hold it) and its free bytes."""
        device, free = self._call("space", path=path)
        return device, free

    def describe(self) -> dict[str, Any]:
        """Describe the machine."""
        return dict(self._call("describe"))

    def keep_awake(self) -> str | None:
        """Have its idle cores poll until `stop_all`, and return None; else return why they sleep."""
        why = self._call("keep_awake")
        return None if why is None else str(why)

    def noise(self, cores: Sequence[int]) -> dict[str, Any]:
        """Watch cores for a second and return what could disturb a measurement on them."""
        return dict(self._call("noise", cores=list(cores)))

    def work_ms(self, cores: Sequence[int]) -> dict[str, float | None]:
        """Return by core the CPU time in ms that it needs for the fixed piece of work of `monitoring.core_speed`."""
        return dict(self._call("work_ms", cores=list(cores)))

    def describe_disk(self, path: Path) -> dict[str, Any]:
        """Describe what holds a path, or will hold it."""
        return dict(self._call("describe_disk", path=path))

    def versions(self, folder: Path, command: Sequence[str]) -> dict[str, Any]:
        """Ask a system's own command for the versions it runs on there."""
        return dict(self._call("versions", folder=folder, command=list(command)))

    def missing(self, paths: Sequence[Path]) -> list[str]:
        """Return which of some paths are not there."""
        return list(self._call("missing", paths=list(paths)))

    def epoch_ahead_ns(self) -> int:
        """Return what its monotonic clock is short of its time since 1970."""
        return int(self._call("epoch_ahead_ns"))

    def keep_records(self, records: Path, out: Path, ahead_ns: int) -> Written:
        """Write a part's records as Parquet."""
        return Written(**self._call("keep_records", records=records, out=out, ahead_ns=ahead_ns))

    def clock(self) -> ClockReading:
        """Return how far its clock is ahead of this machine's."""
        connection = self._link.connected()
        return read_offset(lambda: connection.timed("time_ns"))
