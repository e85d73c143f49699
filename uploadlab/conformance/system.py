"""Starts a system from its `sut.toml` in folders of its own, again where it ended, and stops it."""

import os
import signal
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from string import Template
from subprocess import DEVNULL, Popen, TimeoutExpired, run

from uploadlab.conformance.endpoint import Endpoint
from uploadlab.conformance.message import sample
from uploadlab.conformance.store import wait_until
from uploadlab.errors import LabError
from uploadlab.hosts.ports import free_port
from uploadlab.last_line import last_line
from uploadlab.planning.install import set_up_systems
from uploadlab.planning.system import Sut
from uploadlab.runs.server import how_to_start

HOST = "127.0.0.1"
MAX_FILE_BYTES = 4 << 20
LIMITS = {"MAX_FILE_BYTES": MAX_FILE_BYTES, "MAX_REQUEST_BYTES": 4 * MAX_FILE_BYTES}
"""Small, so that testing them takes no time; for servers that take their limits from these variables."""
OWN_MOUNTS = ["unshare", "--mount", *(["--map-root-user"] if os.geteuid() else [])]
DIES_WITH_US = ["setpriv", "--pdeathsig", "KILL"]


class StartedSystem:
    """A system's process; it can be started again in the same folders."""

    def __init__(self, sut: Sut, limits: Mapping[str, int], folder: Path, disk_bytes: int | None = None) -> None:
        """Choose where it stores, on a disk of this size where one is given, and its port; nothing is started yet."""
        self.sut, self._limits, self._folder, self._disk_bytes = sut, {**limits, **LIMITS}, folder, disk_bytes
        self.uploads = folder / "store" / "uploads"
        self.uploads.mkdir(parents=True)
        self._process: Popen[bytes] | None = None
        self._port = sut.stack.start.port or free_port()
        self._takes_limit = False

    def start(self) -> Endpoint:
        """Start the process and wait until it is ready; LabError, with its last words, when it does not get there."""
        self.stop()
        sut, run_dir = self.sut, self._folder / "run"
        run_dir.mkdir(exist_ok=True)
        command, added = how_to_start(
            sut, host=HOST, port=self._port, upload_dir=self.uploads, run_dir=run_dir, limits=self._limits
        )
        with (self._folder / "log").open("ab") as log:
            self._process = Popen(
                [*self._own_disk(), *DIES_WITH_US, *command],
                cwd=sut.folder,
                env=os.environ | added,
                stdin=DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        endpoint = self.endpoint
        wait_until(lambda: endpoint.answers(1.0) or endpoint.ended(), sut.health.timeout_s, pause_s=0.05)
        if endpoint.ended() or not endpoint.answers(1.0):
            last_words = last_line((self._folder / "log").read_text(errors="replace"), "its log is empty")
            raise LabError(f"{sut.key} does not answer after its start: {last_words}")
        return endpoint

    def _own_disk(self) -> list[str]:
        """Return what its command begins with where it stores on a disk of its own."""
        if self._disk_bytes is None:
            return []
        mount = f'mount -t tmpfs -o size={self._disk_bytes} none "$0" && exec "$@"'
        return [*OWN_MOUNTS, "sh", "-c", mount, str(self.uploads)]

    def find_limit(self) -> None:
        """Find out whether it refuses a file one byte above the limit that it was told."""
        self._takes_limit = not self.endpoint.accepts(self.endpoint.upload(sample(MAX_FILE_BYTES + 1)))

    def stop(self) -> float | None:
        """Ask the process to end, and kill what is left of it; return how long it took, None where it was killed."""
        if self._process is None:
            return None
        stop, began, took = self.sut.system.stop, time.monotonic(), None
        self._process.send_signal(signal.SIGTERM)
        with suppress(TimeoutExpired):
            self._process.wait(stop.timeout_s)
            took = time.monotonic() - began
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        return took

    @property
    def can_be_twice(self) -> bool:
        """Whether another process of it would be in nobody's way, and store in a folder that is ours."""
        return self.sut.stack.start.port is None and self.sut.bytes_verified and not self.sut.stores_elsewhere

    @contextmanager
    def another(self, disk_bytes: int | None = None) -> Iterator["StartedSystem"]:
        """Start it once more, in folders and on a port of its own, for the length of the block."""
        other = StartedSystem(self.sut, self._limits, Path(tempfile.mkdtemp(dir=self._folder)), disk_bytes)
        try:
            other.start()
            yield other
        finally:
            other.stop()

    @property
    def endpoint(self) -> Endpoint:
        """How it is asked, and what of it can be looked at."""
        sut, upload = self.sut, self.sut.system.upload
        if upload is None:
            raise LabError(f"{sut.folder / 'sut.toml'}: [upload] is missing; expected path and field.")
        secrets = sut.secrets()
        stored = sut.stored_in(sut.folder, self.uploads)
        headers = tuple(f"{name}: {Template(value).substitute(secrets)}" for name, value in upload.headers.items())
        # fmt: off
        return Endpoint(
            name=sut.key, host=HOST, port=self._port, path=upload.path, field=upload.field, fields=tuple(upload.form.items()),
            headers=headers, statuses=tuple(upload.accepted), health=sut.health.path or None, store=(stored,) if stored else (),
            pid=self._process.pid if self._process else None, max_file_bytes=MAX_FILE_BYTES if self._takes_limit else None,
        )
        # fmt: on


def can_mount() -> bool:
    """Whether a process may have mounts of its own: as root, or where the kernel lets anybody."""
    with suppress(FileNotFoundError):
        return run([*OWN_MOUNTS, "true"], capture_output=True, check=False).returncode == 0
    return False


@contextmanager
def started(sut: Sut, limits: Mapping[str, int]) -> Iterator[StartedSystem]:
    """Build and start a system; stop it and remove its folders at the end."""
    set_up_systems([sut])
    with tempfile.TemporaryDirectory(prefix="conformance-", ignore_cleanup_errors=True) as folder:
        system = StartedSystem(sut, limits, Path(folder))
        try:
            system.start()
            system.find_limit()
            yield system
        finally:
            system.stop()
