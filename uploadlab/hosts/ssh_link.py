"""How a host is reached over SSH: one connection at a time, to an agent that is greeted and checked."""

import contextlib
import os
import queue
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from uploadlab.errors import LabError
from uploadlab.hosts.local_host import CONNECTION
from uploadlab.hosts.processes import Processes
from uploadlab.hosts.role import Role
from uploadlab.hosts.sources import difference, sources
from uploadlab.hosts.ssh_connection import Connection
from uploadlab.paths import REPOSITORY

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


class SshLink:
    """Connects when first needed, and again when the connection was lost."""

    def __init__(self, role: Role, processes: Processes) -> None:
        assert role.ssh is not None
        self.name = role.host
        self.folder = Path(role.folder or REPOSITORY)
        """The project's, over there."""
        self.work = self.folder / ".lab" / "campaigns"
        """Over there, for what is removed when the connection ends."""
        self.cores: list[int] = []
        self._role, self._ssh, self._processes = role, role.ssh, processes
        self._given: dict[Path, Path] = {}
        self._connection: Connection | None = None
        self._agent: dict[str, Any] = {}
        self._control: Path | None = None

    def call(self, order: str, /, **arguments: object) -> Any:  # noqa: ANN401 - what JSON holds
        """Have the agent do something and return what it answers."""
        return self.connected().call(order, **arguments)

    def connected(self) -> Connection:
        """Return the connection, made anew where it was lost."""
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
        self._agent, self.cores = hello, hello["cores"]
        self.work = self.folder / ".lab" / "campaigns" / str(hello["pid"])
        connection.call("temporary", folder=self.work)
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
            raise LabError(
                f"{self.name}: {self.folder / file} {matter}; both hosts need the same version of the project: copy it "
                "as docs/guides/two-hosts.md says."
            )

    def _agent_command(self) -> str:
        before = [str(self._agent[key]) for key in ("pid", "start_ticks")] if self._agent else []
        command = [str(self.folder / ".venv" / "bin" / "python"), "-m", "uploadlab.hosts.agent", self.name, *before]
        return f"cd {shlex.quote(str(self.folder))} && exec {shlex.join(command)}"

    def _client(self) -> list[str]:
        options = dict(OPTIONS)
        if self._ssh.identity:
            options |= {"IdentityFile": _quoted(self._ssh.identity), "IdentitiesOnly": "yes"}
        if self._ssh.known_hosts:
            options["UserKnownHostsFile"] = _quoted(self._ssh.known_hosts)
        if self._ssh.port:
            options["Port"] = str(self._ssh.port)
        options["ConnectTimeout"] = str(self._ssh.patience_s)
        options["ServerAliveCountMax"] = str(max(1, round(self._ssh.patience_s / ALIVE_EVERY_S)))
        options["ControlPath"] = f"{self._control}/socket"
        return ["ssh", *[f"-o{name}={value}" for name, value in options.items()]]

    def _destination(self) -> str:
        address = self._ssh.host or self._role.host
        return f"{self._ssh.user}@{address}" if self._ssh.user else address

    def given(self, path: Path) -> Path:
        """Bring a file or folder there, once a connection, and return where it is."""
        self.connected()
        if path not in self._given:
            target = self.work / "given" / str(len(self._given)) / path.name
            self.call("make_empty", folder=target.parent)
            self._rsync([str(path), f"{self._destination()}:{target.parent}/"], f"{path} could not be copied there")
            self._given[path] = target
        return self._given[path]

    def fetch(self, there: Path, folder: Path) -> None:
        """Bring what a folder has there into one here."""
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

    def check(self) -> None:
        """Raise LabError where there is no connection, or it was lost."""
        if self._connection is None:
            raise LabError(f"{self.name} is not connected.")
        self._connection.check()

    def stop_all(self) -> None:
        """End everything that was started there; without a connection the agent has done so itself, or soon will."""
        if self._connection is not None and not self._connection.lost:
            with contextlib.suppress(LabError):
                self._connection.call("stop_all")

    def hang_up(self) -> None:
        """Tell the agent that it is done, and wait for its end."""
        if self._connection is None:
            return
        self._connection.hang_up()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._connection.ssh.wait(CONNECT_S)
        self._drop()


def _environment() -> dict[str, str]:
    """Return this process's environment, with messages in English."""
    return {**os.environ, "LC_ALL": "C"}


def _quoted(path: str) -> str:
    """Return a path as ssh takes it for one, though it has blanks."""
    return f'"{path}"'
