"""Start and stop the collectors of one role: nmon and our own sampler, each a child process we can kill by pid."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Self

from monitoring.errors import CollectorError

NMON_INSTALL_COMMAND = "apt-get install --yes nmon"

_POLL_S = 0.02
_MAX_SNAPSHOTS = 100_000_000  # nmon needs a count; it is stopped long before


def _pinned(cores: Sequence[int]) -> list[str]:
    return ["taskset", "--cpu-list", ",".join(map(str, cores))] if cores else []


def ending_with_us(signal_name: str) -> list[str]:
    """Return what to put before a command so that it gets a signal when this process dies, and never begins after."""
    begin = '[ "$PPID" = "$0" ] || exit; exec "$@"'
    return ["setpriv", "--pdeathsig", signal_name, "sh", "-c", begin, str(os.getpid())]


class _Collector:
    """A child process that writes one file, from start to a clean stop."""

    name = "collector"
    stop_signal = signal.SIGTERM

    def __init__(self, command: list[str], out: Path, environment: dict[str, str]) -> None:
        if out.exists():
            raise CollectorError(f"{out} exists already; a recording is never overwritten")
        if not out.parent.is_dir():
            raise CollectorError(f"{out.parent} is not a folder, so {self.name} cannot write {out.name} there")
        self.out = out
        # A session of its own keeps the terminal's Ctrl-C away: the collector ends when it is told to, with whole rows.
        # A file, because a pipe that nobody reads would stop a collector that says too much.
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the collector
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._said,
                env={**os.environ, **environment},
                start_new_session=True,
            )
        except OSError as error:
            self._said.close()
            raise CollectorError(f"{self.name} cannot be started: {error.filename}: {error.strerror}") from None
        self.pid = self._process.pid

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(CollectorError):  # where it has ended already
            _Collector.stop(self, timeout_s=5)  # at once, whatever a subclass would still gather

    def _recording(self) -> bool:
        """Whether the first row is in the file."""
        raise NotImplementedError

    def wait_recording(self, timeout_s: float = 60.0) -> int:
        """Wait until the first row is written, and return when the last one was so far, in epoch ns.

        Raises CollectorError when the collector ended instead, or nothing was written in time.
        """
        deadline = time.monotonic() + timeout_s
        while not self._recording():
            if self._process.poll() is not None:
                raise CollectorError(f"{self.name} ended before its first row: {self._last_words()}")
            if time.monotonic() > deadline:
                raise CollectorError(f"{self.name} wrote nothing to {self.out} within {timeout_s:g} s")
            time.sleep(_POLL_S)
        return self.out.stat().st_mtime_ns

    def stop(self, timeout_s: float = 20.0) -> int:
        """End the recording cleanly and return the exit code (0 when all is well).

        Raises CollectorError when it had already ended by itself, or did not end within `timeout_s` and was killed.
        """
        if (code := self._process.poll()) is not None:
            words = self._last_words()
            raise CollectorError(f"{self.name} ended by itself during the run (exit code {code}): {words}")
        self._process.send_signal(self.stop_signal)
        try:
            return self._process.wait(timeout=timeout_s)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            raise CollectorError(
                f"{self.name} (pid {self.pid}) did not stop within {timeout_s:g} s and was killed"
            ) from None
        finally:
            self._said.close()

    def _last_words(self) -> str:
        if self._said.closed:
            return "it printed nothing"
        self._said.seek(0)
        words = self._said.read().decode(errors="replace").strip()
        self._said.close()
        return words.splitlines()[-1] if words else f"it printed nothing (exit code {self._process.returncode})"


class NmonCollector(_Collector):
    """nmon once a second into one file, in UTC, without process lists.

    nmon normally leaves its parent and lives on as a daemon. Its debug switch keeps it in the foreground with the same
    recording, so it stays our child: its pid is known, its exit code is ours, and the kernel stops it (cleanly, with
    USR2) when the thread that started it dies. Start it from a thread that lives as long as the recording, two seconds
    before the load, and stop it two seconds after.
    """

    name = "nmon"
    stop_signal = signal.SIGUSR2

    def __init__(self, out: Path, *, cores: Sequence[int] = ()) -> None:
        """Start recording to `out`, pinned to `cores` (empty: not pinned).

        Raises CollectorError when nmon is missing, `out` exists, or its folder does not.
        """
        nmon = shutil.which("nmon")
        if nmon is None:
            raise CollectorError(f"nmon is not installed; install it with: {NMON_INSTALL_COMMAND}")
        command = [nmon, "-F", str(out.absolute()), "-s", "1", "-c", str(_MAX_SNAPSHOTS)]
        super().__init__([*ending_with_us("USR2"), *_pinned(cores), *command], out, {"TZ": "UTC", "NMONDEBUG": "1"})

    def _recording(self) -> bool:
        return self.out.exists() and b"\nZZZZ,T0001," in self.out.read_bytes()


class SamplerCollector(_Collector):
    """Our sampler (`python -m monitoring.sampler`) on the processes of one role.

    It ends when told to, or when this process dies.
    """

    name = "the sampler"

    def __init__(
        self,
        out: Path,
        *,
        role: str,
        pids: Sequence[int],
        role_cores: Sequence[int],
        device_of: Path,
        cores: Sequence[int] = (),
        interval_ms: int = 100,
    ) -> None:
        """Start sampling to `out`.

        `role_cores` are the cores whose ticks are counted; `cores` those the sampler itself runs on (empty: any);
        `device_of` is a path on the disk the role writes to. Raises CollectorError when `out` exists or its folder
        does not.
        """
        command = [sys.executable, "-m", "monitoring.sampler", "--role", role]
        command += ["--pids", ",".join(map(str, pids)), "--cores", ",".join(map(str, role_cores))]
        command += ["--device-of", str(device_of), "--out", str(out.absolute()), "--interval-ms", str(interval_ms)]
        command += ["--parent", str(os.getpid())]  # which may have died before the sampler could ask
        super().__init__([*_pinned(cores), *command], out, {})

    def _recording(self) -> bool:
        return self.out.exists() and self.out.read_bytes().count(b"\n") >= 2
