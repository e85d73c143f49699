"""Starts a system from its `sut.toml` in folders of its own, again where it ended, and stops it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from string import Template

from uploadlab.conformance.endpoint import Endpoint
from uploadlab.conformance.message import sample
from uploadlab.conformance.store import wait_until
from uploadlab.conformance.wire import Unreadable, connected
from uploadlab.errors import LabError
from uploadlab.hosts.ports import free_port
from uploadlab.planning.install import set_up_systems
from uploadlab.planning.system import Sut
from uploadlab.runs.server import server_command, server_environment

HOST = "127.0.0.1"
MAX_FILE_BYTES = 4 << 20
LIMITS = {"MAX_FILE_BYTES": MAX_FILE_BYTES, "MAX_REQUEST_BYTES": 4 * MAX_FILE_BYTES}
"""Small, so that testing them takes no time; for servers that take their limits from these variables."""


class StartedSystem:
    """A system's process; it can be started again in the same folders."""

    def __init__(self, sut: Sut, limits: Mapping[str, int], folder: Path) -> None:
        """Choose where it stores and on which port it listens; nothing is started yet."""
        self._sut, self._limits, self._folder = sut, {**limits, **LIMITS}, folder
        self._uploads = folder / "store" / "uploads"
        self._uploads.mkdir(parents=True)
        self._process: subprocess.Popen[bytes] | None = None
        self._port = sut.stack.start.port or free_port()
        self._takes_limit = False

    def start(self) -> Endpoint:
        """Start the process and wait until it is ready; LabError, with its last words, when it does not get there."""
        self.stop()
        sut, port = self._sut, self._port
        run_dir = self._folder / "run"
        run_dir.mkdir(exist_ok=True)
        environment = server_environment(
            sut, host=HOST, port=port, upload_dir=self._uploads, run_dir=run_dir, limits=self._limits
        )
        command = server_command(sut, host=HOST, port=port, upload_dir=self._uploads)
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", *command],
                cwd=sut.folder,
                env=os.environ | environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        endpoint = self._endpoint(self._process.pid)
        wait_until(lambda: endpoint.answers(1.0) or endpoint.ended(), sut.health.timeout_s, pause_s=0.05)
        if endpoint.ended() or not endpoint.answers(1.0):
            raise LabError(f"{sut.key} does not answer after its start: {self._last_words()}")
        return endpoint

    def find_limit(self, endpoint: Endpoint) -> Endpoint:
        """Return the endpoint with the limit that it was told, where it refuses a file one byte above it."""
        forms = endpoint.forms
        try:
            with connected(endpoint.address) as connection:
                connection.send(forms.upload(forms.file(sample(MAX_FILE_BYTES + 1))))
                response = connection.receive()
        except (OSError, Unreadable):
            response = None
        self._takes_limit = response is None or not endpoint.accepts(response.status)
        return self._endpoint(endpoint.pid)

    def stop(self) -> None:
        """Ask the process to end, and kill what is left of it."""
        if self._process is None:
            return
        stop = self._sut.system.stop
        self._process.send_signal(signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(stop.timeout_s)
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def _endpoint(self, pid: int | None) -> Endpoint:
        sut, upload = self._sut, self._sut.system.upload
        if upload is None:
            raise LabError(f"{sut.folder / 'sut.toml'}: [upload] is missing; expected path and field.")
        secrets = sut.secrets()
        stored = sut.stored_in(sut.folder, self._uploads)
        endpoint = Endpoint(
            name=sut.key,
            host=HOST,
            port=self._port,
            path=upload.path,
            field=upload.field,
            statuses=tuple(upload.accepted),
            headers=tuple(f"{name}: {Template(value).substitute(secrets)}" for name, value in upload.headers.items()),
            fields=tuple(upload.form.items()),
            health=sut.health.path or None,
            store=(stored,) if stored else (),
            pid=pid,
        )
        return replace(endpoint, max_file_bytes=MAX_FILE_BYTES if self._takes_limit else None)

    def _last_words(self) -> str:
        lines = (self._folder / "log").read_text(errors="replace").split("\n")
        return next((line for line in reversed(lines) if line.strip()), "its log is empty")


@contextmanager
def started(sut: Sut, limits: Mapping[str, int]) -> Iterator[tuple[Endpoint, StartedSystem]]:
    """Build and start a system; stop it and remove its folders at the end."""
    set_up_systems([sut])
    folder = Path(tempfile.mkdtemp(prefix="conformance-"))
    try:
        system = StartedSystem(sut, limits, folder)
        try:
            yield system.find_limit(system.start()), system
        finally:
            system.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
