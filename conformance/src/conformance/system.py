"""Starts and stops a system from its `sut.toml`, on a free port, with directories of its own."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conformance.case import Limits
from conformance.message import HEALTH_PATH, UPLOAD_PATH
from conformance.target import Target, wait_until
from conformance.wire import healthy

STACK = "current"


class CannotStart(Exception):
    """A system could not be found, built or started; the message says why."""


@dataclass(frozen=True, kw_only=True)
class System:
    """A system as its `sut.toml` describes it."""

    id: str
    folder: Path
    command: tuple[str, ...]
    environment: Mapping[str, str]
    install: tuple[Mapping[str, Any], ...]
    requires: tuple[Mapping[str, Any], ...]
    stop_signal: signal.Signals
    stop_timeout_s: float
    start_timeout_s: float

    @staticmethod
    def find(name: str) -> System:
        """Find a system by its id (in a folder next to us or above) or by the folder of its `sut.toml`."""
        if (Path(name) / "sut.toml").is_file():
            return System.read(Path(name) / "sut.toml")
        known = []
        for root in (Path.cwd(), *Path.cwd().parents, Path(__file__).resolve().parents[3]):
            for path in sorted(root.glob("*/sut.toml")):
                system = System.read(path)
                if system.id == name:
                    return system
                known.append(system.id)
        found = f"; there are: {', '.join(dict.fromkeys(known))}" if known else ""
        raise CannotStart(f"no system {name!r} was found (a folder with a sut.toml){found}")

    @staticmethod
    def read(path: Path) -> System:
        """Read a `sut.toml`."""
        try:
            with path.open("rb") as file:
                document = tomllib.load(file)
            stack = document["stacks"][STACK]
            system = System(
                id=document["system"]["id"],
                folder=path.resolve().parent,
                command=tuple(stack["start"]["command"]),
                environment={
                    **_defaults(document.get("settings", {}).values()),
                    **stack["start"].get("env", {}),
                },
                install=tuple(stack.get("install", [])),
                requires=tuple(document.get("requires", [])),
                stop_signal=signal.Signals[f"SIG{document['stop']['signal']}"],
                stop_timeout_s=document["stop"]["timeout_s"],
                start_timeout_s=document["health"]["timeout_s"],
            )
        except (tomllib.TOMLDecodeError, KeyError) as error:
            raise CannotStart(f"{path}: {error} is missing or wrong, expected a system description") from None
        if document["upload"]["path"] != UPLOAD_PATH or document["health"]["path"] != HEALTH_PATH:
            raise CannotStart(f"{path}: the paths are not the contract's {UPLOAD_PATH} and {HEALTH_PATH}")
        return system

    def build(self) -> None:
        """Run the install steps whose outputs are missing."""
        for need in self.requires:
            if shutil.which(need["command"]) is None:
                raise CannotStart(f"{self.id} needs {need['command']} (Debian package {need.get('debian', '?')})")
        for step in self.install:
            if all((self.folder / output).exists() for output in step.get("outputs", [])):
                continue
            done = subprocess.run(step["command"], cwd=self.folder, capture_output=True, text=True)
            if done.returncode != 0:
                last = (done.stderr or done.stdout).strip().splitlines()[-1:]
                raise CannotStart(f"{self.id}: {' '.join(step['command'])} failed: {' '.join(last)}")


@dataclass(kw_only=True)
class Server:
    """A system's process. It can be started again in the same directories after it ended."""

    system: System
    limits: Limits
    scratch: Path
    upload_dir: Path
    extra: Mapping[str, str] = field(default_factory=dict)
    process: subprocess.Popen[bytes] | None = None
    port: int = 0

    @property
    def log_path(self) -> Path:
        """Where its standard output and error go."""
        return self.scratch / "server.log"

    def log_tail(self, lines: int = 5) -> str:
        """Return the last lines of the log."""
        return "\n".join(self.log_path.read_text(errors="replace").splitlines()[-lines:])

    @property
    def target(self) -> Target:
        """The running server, as the suite sees it."""
        assert self.process is not None
        return Target(
            name=self.system.id,
            host="127.0.0.1",
            port=self.port,
            upload_dir=self.upload_dir,
            limits=self.limits,
            pid=self.process.pid,
        )

    def launch(self) -> subprocess.Popen[bytes]:
        """Start the process without waiting for it to answer."""
        self.port = free_port()
        run_dir = self.scratch / "run"
        shutil.rmtree(run_dir, ignore_errors=True)
        run_dir.mkdir()
        environment = {
            **os.environ,
            **self.system.environment,
            **self.limits.environment(),
            "HOST": "127.0.0.1",
            "PORT": str(self.port),
            "UPLOAD_DIR": str(self.upload_dir),
            "RUN_DIR": str(run_dir),
            **self.extra,
        }
        with self.log_path.open("ab") as log:
            self.process = subprocess.Popen(
                self.system.command,
                executable=str(self.system.folder / self.system.command[0])
                if "/" in self.system.command[0]
                else shutil.which(self.system.command[0]),
                cwd=self.system.folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        return self.process

    def start(self) -> Target:
        """Start the process and wait until it is healthy."""
        process = self.launch()
        wait_until(
            lambda: process.poll() is not None or healthy(("127.0.0.1", self.port), timeout_s=1.0),
            self.system.start_timeout_s,
            pause_s=0.05,
        )
        if process.poll() is not None:
            raise CannotStart(f"{self.system.id} ended with {process.returncode}: {self.log_tail()}")
        if not healthy(self.target.address):
            self.kill()
            raise CannotStart(
                f"{self.system.id} is not healthy after {self.system.start_timeout_s} s: {self.log_tail()}"
            )
        return self.target

    def stop(self) -> int:
        """Ask the process to end, kill it when it does not; return its exit code."""
        assert self.process is not None
        if self.process.poll() is None:
            self.process.send_signal(self.system.stop_signal)
            try:
                return self.process.wait(self.system.stop_timeout_s)
            except subprocess.TimeoutExpired:
                self.kill()
        return self.process.returncode

    def kill(self) -> None:
        """End the process at once."""
        assert self.process is not None
        self.process.kill()
        self.process.wait()


@contextmanager
def server(
    system: System, limits: Limits, *, upload_dir: Path | None = None, extra: Mapping[str, str] | None = None
) -> Iterator[Server]:
    """Prepare a server in temporary directories (not started); stop it and remove them at the end."""
    scratch = Path(tempfile.mkdtemp(prefix=f"conformance-{system.id}-"))
    made = scratch / "uploads"
    made.mkdir()
    handle = Server(
        system=system, limits=limits, scratch=scratch, upload_dir=upload_dir or made, extra=dict(extra or {})
    )
    try:
        yield handle
    finally:
        if handle.process is not None:
            handle.stop()
        shutil.rmtree(scratch, ignore_errors=True)


def _defaults(settings: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Return the variables of the settings that our stack has."""
    return {one["env"]: _text(one["default"]) for one in settings if STACK in one.get("stacks", [STACK])}


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def free_port() -> int:
    """Return a loopback port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port
