"""A host reached over SSH: what is asked of it is done by an agent, a `LocalHost` over there."""

import functools
import inspect
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar, get_type_hints

import msgspec

from monitoring.clocks import ClockReading, read_offset
from uploadlab.hosts.agent import as_path
from uploadlab.hosts.local_host import LocalHost, LocalProcess
from uploadlab.hosts.processes import Process, Processes
from uploadlab.hosts.role import Role
from uploadlab.hosts.ssh_connection import SshProcess
from uploadlab.hosts.ssh_link import SshLink
from uploadlab.paths import REPOSITORY

P = ParamSpec("P")
Answer = TypeVar("Answer")


def _asked(method: Callable[Concatenate[LocalHost, P], Answer]) -> Callable[Concatenate["SshHost", P], Answer]:
    """Return the method of an SshHost that has its agent call this one, there, and returns what comes of it."""
    signature, kind = inspect.signature(method), get_type_hints(method)["return"]

    @functools.wraps(method)
    def ask(host: "SshHost", /, *given: P.args, **named: P.kwargs) -> Answer:
        arguments = signature.bind(host, *given, **named).arguments
        del arguments["self"]
        said = host.link.call(method.__name__, **msgspec.to_builtins(arguments, enc_hook=str))
        answer: Answer = msgspec.convert(said, kind, dec_hook=as_path)
        return answer

    return ask


class SshHost:
    """A machine at the other end of SSH: the methods of `LocalHost`, and what they say of themselves."""

    make_empty = _asked(LocalHost.make_empty)
    make_storage = _asked(LocalHost.make_storage)
    settle = _asked(LocalHost.settle)
    write_back = _asked(LocalHost.write_back)
    temporary = _asked(LocalHost.temporary)
    write = _asked(LocalHost.write)
    last_line = _asked(LocalHost.last_line)
    missing = _asked(LocalHost.missing)
    space = _asked(LocalHost.space)
    start_nmon = _asked(LocalHost.start_nmon)
    start_sampler = _asked(LocalHost.start_sampler)
    start_capture = _asked(LocalHost.start_capture)
    wait_recording = _asked(LocalHost.wait_recording)
    stop_collector = _asked(LocalHost.stop_collector)
    hold_records = _asked(LocalHost.hold_records)
    keep_records = _asked(LocalHost.keep_records)
    free_port = _asked(LocalHost.free_port)
    listens = _asked(LocalHost.listens)
    answers = _asked(LocalHost.answers)
    describe = _asked(LocalHost.describe)
    describe_disk = _asked(LocalHost.describe_disk)
    keep_awake = _asked(LocalHost.keep_awake)
    keep_memory = _asked(LocalHost.keep_memory)
    noise = _asked(LocalHost.noise)
    work_ms = _asked(LocalHost.work_ms)
    cpu_pct = _asked(LocalHost.cpu_pct)
    versions = _asked(LocalHost.versions)
    epoch_ahead_ns = _asked(LocalHost.epoch_ahead_ns)

    def __init__(self, role: Role, processes: Processes) -> None:
        self.name = self.address = role.host
        self.link = SshLink(role, processes)

    def path(self, path: Path) -> Path:
        """Return where a path of the project here is there."""
        return self.link.folder / path.relative_to(REPOSITORY) if path.is_relative_to(REPOSITORY) else path

    def in_campaign(self, campaign: Path, path: Path) -> Path:
        """Return where a path below the campaign's folder is there."""
        self.link.connected()
        return self.link.work / path.relative_to(campaign)

    def given(self, path: Path) -> Path:
        """Bring a file or folder there, once a connection, and return where it is."""
        return self.link.given(path)

    def fetch(self, campaign: Path, folder: Path) -> None:
        """Bring what a folder of the campaign has there into the one here; with the connection it would be lost."""
        self.link.check()
        self.link.fetch(self.in_campaign(campaign, folder), folder)

    def start(self, name: str, command: Sequence[str], **settings: object) -> SshProcess:
        """Start a process there as on this machine; it is killed when the lab dies or the connection is cut."""
        assert settings.get("group") is None, "a control group is this machine's"
        pid = self.link.call("start", name=name, command=list(command), **settings)
        return self.link.connected().follow(pid)

    def tell(self, process: Process, line: str) -> None:
        """Write a line to the standard input of a process that was started `told`; one that has ended hears nothing."""
        self.link.call("tell", pid=process.pid, line=line)

    def stop(self, process: Process, signal_name: str = "TERM", timeout_s: float = 10.0) -> int:
        """End a process there, and return its exit code."""
        assert not isinstance(process, LocalProcess)
        code = process.poll()
        if code is None:
            code = int(self.link.call("stop", pid=process.pid, signal_name=signal_name, timeout_s=timeout_s))
        return code

    def run(
        self, command: Sequence[str], *, cwd: Path, cores: Sequence[int] = (), env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run a command to its end; `env` is added to the host's environment."""
        pid = self.link.call("run", command=list(command), cwd=cwd, cores=list(cores), env=dict(env or {}))
        process = self.link.connected().follow(pid)
        output = b""
        while (chunk := process.read(0.5)) != b"":
            output += chunk or b""
        text = output.decode(errors="replace")
        return subprocess.CompletedProcess(command, process.poll() or 0, text, process.errors)

    def stop_all(self) -> None:
        """End everything that was started there."""
        self.link.stop_all()

    def close(self) -> None:
        """End everything, remove every temporary folder, and hang up."""
        self.stop_all()
        self.link.hang_up()

    def cores(self) -> list[int]:
        """Return the cores that processes may use there."""
        self.link.connected()
        return self.link.cores

    def clock(self) -> ClockReading:
        """Return how far its clock is ahead of this machine's."""
        connection = self.link.connected()
        return read_offset(lambda: connection.timed("time_ns"))
