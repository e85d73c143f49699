"""Starts and stops a system from its `sut.toml`, on a free port, with directories of its own."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from conformance.case import Limits
from conformance.message import HEALTH_PATH, UPLOAD_PATH
from conformance.target import Target, wait_until
from conformance.wire import healthy
from uploadlab.errors import LabError
from uploadlab.hosts.ports import free_port
from uploadlab.hosts.processes import pinned
from uploadlab.paths import REPOSITORY
from uploadlab.planning.install import set_up_systems
from uploadlab.planning.system import Sut, choose

STACK = "current"


class CannotStart(LabError):
    """A server could not be found, built or started; the message says why."""


@dataclass(frozen=True, kw_only=True)
class System:
    """A system as its `sut.toml` describes it, on the stack that keeps the contract, with more environment."""

    sut: Sut
    extra: Mapping[str, str] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """Its short name."""
        return self.sut.system.system.id

    @staticmethod
    def find(name: str) -> System:
        """Find a system by its id (in a folder next to us or above) or by the folder of its `sut.toml`."""
        if (Path(name) / "sut.toml").is_file():
            return System.read(Path(name))
        known = []
        for root in (Path.cwd(), *Path.cwd().parents, REPOSITORY):
            for path in sorted(root.glob("*/sut.toml")):
                system = System.read(path.parent)
                if system.id == name:
                    return system
                known.append(system.id)
        found = f"; there are: {', '.join(dict.fromkeys(known))}" if known else ""
        raise CannotStart(f"no system {name!r} was found (a folder with a sut.toml){found}")

    @staticmethod
    def read(folder: Path) -> System:
        """Read the `sut.toml` of a folder; LabError when it is wrong or its paths are not the contract's."""
        sut = choose(folder.resolve(), STACK, {})
        if (sut.system.upload and sut.system.upload.path, sut.health.path) != (UPLOAD_PATH, HEALTH_PATH):
            raise CannotStart(
                f"{folder / 'sut.toml'}: the paths are not the contract's {UPLOAD_PATH} and {HEALTH_PATH}"
            )
        return System(sut=sut)

    def build(self) -> None:
        """Run the install steps whose inputs have changed or whose outputs are missing."""
        set_up_systems([self.sut])


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

    def log_tail(self) -> str:
        """Return the last five lines of the log."""
        return "\n".join(self.log_path.read_text(errors="replace").splitlines()[-5:])

    @property
    def target(self) -> Target:
        """The running server, as the suite sees it."""
        assert self.process is not None
        return Target(
            host="127.0.0.1",
            port=self.port,
            upload_dir=self.upload_dir,
            limits=self.limits,
            pid=self.process.pid,
        )

    def launch(self) -> subprocess.Popen[bytes]:
        """Start the process without waiting for it to answer; it is killed when this one dies, however it dies."""
        self.port = free_port()
        run_dir = self.scratch / "run"
        shutil.rmtree(run_dir, ignore_errors=True)
        run_dir.mkdir()
        environment = {
            **os.environ,
            **self.system.sut.environment(),
            **self.limits.environment(),
            "HOST": "127.0.0.1",
            "PORT": str(self.port),
            "UPLOAD_DIR": str(self.upload_dir),
            "RUN_DIR": str(run_dir),
            **self.system.extra,
            **self.extra,
        }
        folder, (program, *arguments) = self.system.sut.folder, self.system.sut.stack.start.command
        program = str(folder / program) if "/" in program else program
        with self.log_path.open("ab") as log:
            self.process = subprocess.Popen(
                pinned([program, *arguments], sorted(os.sched_getaffinity(0))),
                cwd=folder,
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
            self.system.sut.health.timeout_s,
            pause_s=0.05,
        )
        if process.poll() is not None:
            raise CannotStart(f"{self.system.id} ended with {process.returncode}: {self.log_tail()}")
        if not healthy(self.target.address):
            self.kill()
            raise CannotStart(
                f"{self.system.id} is not healthy after {self.system.sut.health.timeout_s} s: {self.log_tail()}"
            )
        return self.target

    def stop(self) -> int:
        """Ask the process to end, kill it when it does not; return its exit code."""
        assert self.process is not None
        if self.process.poll() is None:
            stop = self.system.sut.system.stop
            self.process.send_signal(signal.Signals[f"SIG{stop.signal}"])
            try:
                return self.process.wait(stop.timeout_s)
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
