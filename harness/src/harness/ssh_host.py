"""A host reached over SSH: one connection is kept open, an agent at its other end does what is asked."""

import contextlib
import os
import queue
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from harness.errors import LabError
from harness.hosts import Finished, Process
from harness.local_host import CONNECTION, LocalProcess
from harness.paths import REPOSITORY
from harness.processes import Processes
from harness.rig import Role
from harness.sources import difference, sources
from harness.ssh_connection import Connection, SshProcess
from monitoring import ClockReading, read_offset

CONNECT_S = 60.0  # an emulated host takes its time
FETCH_S = 20
ALIVE_EVERY_S = 3
OPTIONS = {
    "BatchMode": "yes",
    "StrictHostKeyChecking": "yes",
    "ServerAliveInterval": str(ALIVE_EVERY_S),
    "ControlPersist": "no",
    "LogLevel": "INFO",  # that a host fell silent is said at this level
}


class SshHost:
    """A machine at the other end of SSH; connected when first needed, and again when the connection was lost."""

    def __init__(self, role: Role, processes: Processes) -> None:
        assert role.ssh is not None
        self.name = self.address = role.host
        self._role, self._ssh, self._processes = role, role.ssh, processes
        self._folder = Path(role.folder)
        self._given: dict[Path, Path] = {}
        self._connection: Connection | None = None
        self._agent: dict[str, Any] = {}
        self._control: Path | None = None
        self._work = self._folder / ".lab" / "campaigns"
        self._cores: list[int] = []

    # The connection

    def _call(self, order: str, /, **arguments: object) -> Any:  # noqa: ANN401 - what JSON holds
        return self._connected().call(order, **arguments)

    def _connected(self) -> Connection:
        if self._connection is None or self._connection.lost:
            self._given.clear()
            return self._connect()
        return self._connection

    def _connect(self) -> Connection:
        self._drop()
        if self._control is None:  # a short path: a socket's may have 107 characters
            self._control = self._processes.temporary(Path(tempfile.mkdtemp(prefix="upload-lab-ssh-")))
        (self._control / "socket").unlink(missing_ok=True)
        said = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the connection
        master = ["-M", "-T", self._destination(), self._agent_command()]
        command = ["setpriv", "--pdeathsig", "KILL", *self._client(), *master]
        ssh = self._processes.start(
            CONNECTION,
            command,
            env=_environment(),
            cwd=Path("/"),
            output=subprocess.PIPE,
            errors=said,
            source=subprocess.PIPE,
        )
        self._connection = connection = Connection(self.name, ssh, said)
        try:
            self._greet(connection)
        except LabError:
            self._drop()
            raise
        return connection

    def _greet(self, connection: Connection) -> None:
        """Learn what the agent says of itself and of its host, and give it a folder for what is to be removed."""
        deadline = time.monotonic() + CONNECT_S
        while True:
            with contextlib.suppress(queue.Empty):
                hello = connection.hello.get(timeout=0.1)
                break
            if connection.lost or time.monotonic() > deadline:
                raise LabError(f"{self.name} cannot be reached over SSH: {connection.reason()}")
        self._agent, self._cores = hello, hello["cores"]
        self._work = self._folder / ".lab" / "campaigns" / str(hello["pid"])
        connection.call("temporary", folder=self._work)
        for sentence in hello["cleaned"]:
            print(f"On {self.name}: {sentence}", file=sys.stderr)
        self._check_sources(connection)

    def _drop(self) -> None:
        """End a connection, if there is one; the agent behind it ends what it started."""
        if self._connection is not None:
            self._processes.stop(self._connection.ssh, "KILL")
            self._connection.close()
            self._connection = None

    def _check_sources(self, connection: Connection) -> None:
        """Refuse a host whose programs are others than ours: what it measured would be something else."""
        found = difference(sources(), connection.call("sources"))
        if found is not None:
            file, matter = found
            raise LabError(f"{self.name}: {self._folder / file} {matter}; make the project there the same as here.")

    def _agent_command(self) -> str:
        before = [str(self._agent[key]) for key in ("pid", "start_ticks")] if self._agent else []
        command = [str(self._folder / ".venv" / "bin" / "python"), "-m", "harness.agent", self.address, *before]
        return f"cd {shlex.quote(str(self._folder))} && exec {shlex.join(command)}"

    def _client(self) -> list[str]:
        options = dict(OPTIONS)
        if self._ssh.identity:
            options |= {"IdentityFile": self._ssh.identity, "IdentitiesOnly": "yes"}
        if self._ssh.known_hosts:
            options["UserKnownHostsFile"] = self._ssh.known_hosts
        if self._ssh.port:
            options["Port"] = str(self._ssh.port)
        options["ConnectTimeout"] = str(self._ssh.patience_s)
        options["ServerAliveCountMax"] = str(max(1, round(self._ssh.patience_s / ALIVE_EVERY_S)))
        options["ControlPath"] = f"{self._control}/socket"
        return ["ssh", *[f"-o{name}={value}" for name, value in options.items()]]

    def _destination(self) -> str:
        address = self._ssh.host or self._role.host
        return f"{self._ssh.user}@{address}" if self._ssh.user else address

    # Files

    def path(self, path: Path) -> Path:
        """Return where a path of the project here is there."""
        return self._folder / path.relative_to(REPOSITORY) if path.is_relative_to(REPOSITORY) else path

    def in_campaign(self, campaign: Path, path: Path) -> Path:
        """Return where a path below the campaign's folder is there."""
        self._connected()
        return self._work / path.relative_to(campaign)

    def make_run_folder(self, campaign: Path, folder: Path) -> None:
        """Make the folder of a run's raw files there; it has nothing in it."""
        self.make_empty(self.in_campaign(campaign, folder))

    def given(self, path: Path) -> Path:
        """Bring a file or folder there, once a connection, and return where it is."""
        self._connected()
        if path not in self._given:
            target = self._work / "given" / str(len(self._given)) / path.name
            self.make_empty(target.parent)
            self._rsync([str(path), f"{self._destination()}:{target.parent}/"], f"{path} could not be copied there")
            self._given[path] = target
        return self._given[path]

    def fetch(self, campaign: Path, folder: Path) -> None:
        """Bring what a folder of the campaign has there into the one here; with the connection it would be lost."""
        if self._connection is None:
            raise LabError(f"{self.name} is not connected.")
        self._connection.check()
        there = self.in_campaign(campaign, folder)
        self._rsync([f"{self._destination()}:{there}/", f"{folder}/"], f"{there} could not be fetched")

    def _rsync(self, arguments: list[str], failure: str) -> None:
        command = ["rsync", "-a", "-s", f"--timeout={FETCH_S}", "-e", shlex.join(self._client()), *arguments]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False, env=_environment())
        except OSError as error:
            raise LabError("rsync is not installed; install it with: sudo apt-get install rsync") from error
        if done.returncode:
            lines = done.stderr.strip().splitlines()
            raise LabError(f"{self.name}: {failure}: {lines[0] if lines else 'rsync gave no reason'}.")

    def make_empty(self, folder: Path) -> None:
        """Make a folder that has nothing in it."""
        self._call("make_empty", folder=folder)

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
        return self._connected().follow(pid)

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
        process = self._connected().follow(pid)
        output = b""
        while (chunk := process.read(0.5)) != b"":
            output += chunk or b""
        return Finished(code=process.poll() or 0, output=output.decode(errors="replace"), errors=process.errors)

    def start_nmon(self, name: str, out: Path, cores: Sequence[int]) -> None:
        """Start to record the host."""
        self._call("start_nmon", name=name, out=out, cores=list(cores))

    def start_sampler(
        self,
        name: str,
        out: Path,
        *,
        role: str,
        pids: Sequence[int],
        role_cores: Sequence[int],
        device_of: Path,
        cores: Sequence[int],
        interval_ms: int,
    ) -> None:
        """Start to sample a role's processes."""
        self._call(
            "start_sampler",
            name=name,
            out=out,
            role=role,
            pids=list(pids),
            role_cores=list(role_cores),
            device_of=device_of,
            cores=list(cores),
            interval_ms=interval_ms,
        )

    def start_capture(self, name: str, out: Path, *, port: int, cores: Sequence[int]) -> None:
        """Start to capture the heads of the packets to and from a port of its address."""
        self._call("start_capture", name=name, out=out, port=port, cores=list(cores))

    def wait_recording(self, name: str) -> None:
        """Wait until a collector has written its first row."""
        self._call("wait_recording", name=name)

    def stop_collector(self, name: str) -> int:
        """Stop a collector and return its exit code; LabError when it had ended by itself."""
        return int(self._call("stop_collector", name=name))

    def stop_all(self) -> None:
        """End everything that was started there; without a connection the agent has done so itself, or soon will."""
        if self._connection is not None and not self._connection.lost:
            with contextlib.suppress(LabError):
                self._connection.call("stop_all")

    def close(self) -> None:
        """End everything, remove every temporary folder, and hang up."""
        self.stop_all()
        if self._connection is None:
            return
        self._connection.hang_up()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._connection.ssh.wait(CONNECT_S)
        self._drop()

    # The machine

    def free_port(self, beside: Collection[int] = ()) -> int:
        """Return a port of the host's address that nobody listens on, and none of those that are promised already."""
        return int(self._call("free_port", beside=sorted(beside)))

    def listens(self, port: int) -> bool:
        """True when a connection to a port of the host's address is taken."""
        return bool(self._call("listens", port=port))

    def tell(self, process: Process, line: str) -> None:
        """Parts are conducted where the lab runs, so far."""
        raise LabError(f"{self.name}: a remote process cannot be given input yet.")

    def answers(self, url: str) -> bool:
        """True when a GET over there is answered with 200."""
        return bool(self._call("answers", url=url))

    def cores(self) -> list[int]:
        """Return the cores that processes may use there."""
        self._connected()
        return self._cores

    def space(self, path: Path) -> tuple[int, int]:
        """Return the number of the device that holds a path (or will hold it) and its free bytes."""
        device, free = self._call("space", path=path)
        return device, free

    def describe(self) -> dict[str, Any]:
        """Describe the machine."""
        return dict(self._call("describe"))

    def noise(self, cores: Sequence[int]) -> dict[str, Any]:
        """Watch cores for a second and return what could disturb a measurement on them."""
        return dict(self._call("noise", cores=list(cores)))

    def describe_disk(self, path: Path) -> dict[str, Any]:
        """Describe what holds a path, or will hold it."""
        return dict(self._call("describe_disk", path=path))

    def versions(self, folder: Path, command: Sequence[str]) -> dict[str, Any]:
        """Ask a system's own command for the versions it runs on there."""
        return dict(self._call("versions", folder=folder, command=list(command)))

    def missing(self, paths: Sequence[Path]) -> list[str]:
        """Return which of some paths are not there."""
        return list(self._call("missing", paths=list(paths)))

    def clock(self) -> ClockReading:
        """Return how far its clock is ahead of this machine's."""
        connection = self._connected()
        return read_offset(lambda: connection.timed("time_ns"))


def _environment() -> dict[str, str]:
    """Return this process's environment, with messages in English."""
    return {**os.environ, "LC_ALL": "C"}
