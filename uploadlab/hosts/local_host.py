"""This machine as a host of a role."""

import contextlib
import json
import mmap
import os
import secrets
import select
import shutil
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from monitoring import free_memory, machine
from monitoring.clocks import ClockReading
from monitoring.errors import MonitoringError
from monitoring.idle_cores import DEVICE, keep_awake, why_asleep
from monitoring.noise import host_noise, work_ms
from monitoring.role_counters import RoleCounters
from monitoring.written import epoch_ahead_ns
from uploadlab.errors import LabError
from uploadlab.hosts.local_collectors import LocalCollectors
from uploadlab.hosts.ports import free_port, is_answered, is_listened_on
from uploadlab.hosts.processes import Process, Processes, pinned
from uploadlab.last_line import last_line

HERE = "127.0.0.1"
CONNECTION = "ssh"  # the name of a process that is kept between runs
PLACES_TRIED = 4
FILES_TRIED = 32


class LocalProcess:
    """A child of this process."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self.child = process
        self.pid = process.pid

    def poll(self) -> int | None:
        """Return its exit code, or None while it runs."""
        return self.child.poll()

    def read(self, timeout_s: float) -> bytes | None:
        """Return what it wrote next (piped output only); empty at its end, None when nothing came in time."""
        assert self.child.stdout is not None, "its output is not piped"
        if not select.select([self.child.stdout], [], [], timeout_s)[0]:
            return None
        return os.read(self.child.stdout.fileno(), 65536)


class LocalHost(LocalCollectors):
    """This machine."""

    name = "this machine"

    def __init__(self, processes: Processes, address: str = HERE) -> None:
        super().__init__(processes, address)
        self._awake: BinaryIO | None = None
        self._memory: mmap.mmap | None = None

    def path(self, path: Path) -> Path:
        """Return where a path of the lab's project is here; another path is taken to be the same on every host."""
        return path

    def in_campaign(self, campaign: Path, path: Path) -> Path:
        """Return where a path below the campaign's folder is here; raw files are fetched from it."""
        return path

    def given(self, path: Path) -> Path:
        """Bring a file or folder of the lab's machine here, and return where it is."""
        return path

    def make_empty(self, folder: Path) -> None:
        """Make a folder that has nothing in it; records that were held of it are dropped."""
        self._drop_records(folder)
        shutil.rmtree(folder, ignore_errors=True)
        try:
            folder.mkdir(parents=True)
        except OSError as error:
            raise LabError(f"{folder}: cannot be made: {error.strerror}.") from error

    def make_storage(self, folder: Path) -> None:
        """Make an empty folder for what a run stores, where the disk creates files fast.

        Where thousands of files were deleted a minute ago, ext4 needs ten times the CPU to create one. In a folder
        marked with T it places folders far apart, by their names: of a few, the one that is fastest is taken.
        """
        self.make_empty(folder)
        folder.rmdir()
        with contextlib.suppress(OSError):  # as where there is no chattr, or no such mark
            subprocess.run(["chattr", "+T", str(folder.parent)], capture_output=True, check=False)
        places = [folder.with_name(secrets.token_hex()) for _ in range(PLACES_TRIED)]
        for place in places:
            place.mkdir()
        fastest, *others = sorted(places, key=_cpu_of_creating_files)
        fastest.rename(folder)
        for place in others:
            place.rmdir()

    def settle(self, folder: Path) -> None:
        """Write what is still to be written to a folder's disk, and drop the folder's files from memory.

        Later runs then use the memory that earlier ones did: a virtual machine gets memory from its host at the first
        touch only, which takes ten times as long as writing there.
        """
        self.write_back(folder)
        for path in (Path(within) / name for within, _, names in os.walk(folder) for name in names):
            with contextlib.suppress(OSError):  # as of a link to nowhere, which keeps no memory
                _drop_from_memory(path)

    def write_back(self, folder: Path) -> None:
        """Write what is still to be written to a folder's disk, or Linux does it within the next half minute."""
        done = subprocess.run(["sync", "--file-system", str(folder)], capture_output=True, text=True, check=False)
        if done.returncode:
            raise LabError(f"{folder}: what is stored cannot be written to its disk: {done.stderr.strip()}.")

    def temporary(self, folder: Path) -> Path:
        """Make a folder that is removed when the campaign ends, however it ends."""
        try:
            return self.processes.temporary(folder)
        except OSError as error:
            raise LabError(f"{folder}: cannot be made: {error.strerror}.") from error

    def write(self, path: Path, text: str) -> None:
        """Write a file, and its folder where there is none."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def last_line(self, path: Path) -> str:
        """Return the last line a log has, or that it is empty."""
        return last_line(path.read_text(errors="replace") if path.exists() else "", "its log is empty")

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
    ) -> LocalProcess:
        """Start a process, pinned, in a session of its own; it does not outlive the lab or the connection to it.

        `env` is added to the host's environment. `log` takes its output, or only its errors where the output is
        `piped`; one that is `told` hears lines (`tell`); `group` is the file of a control group that takes it in.
        """
        with log.open("ab") as file:
            child = self.processes.start(
                name,
                pinned(command, cores, open_files, group),
                env={**os.environ, **(env or {})},
                cwd=cwd,
                output=subprocess.PIPE if piped else file,
                errors=file if piped else subprocess.STDOUT,
                source=subprocess.PIPE if told else subprocess.DEVNULL,
            )
        return LocalProcess(child)

    def tell(self, process: Process, line: str) -> None:
        """Write a line to the standard input of a process that was started `told`; one that has ended hears nothing."""
        assert isinstance(process, LocalProcess)
        assert process.child.stdin is not None, "its input is not piped"
        with contextlib.suppress(BrokenPipeError):
            process.child.stdin.write(f"{line}\n".encode())
            process.child.stdin.flush()

    def stop(self, process: Process, signal_name: str = "TERM", timeout_s: float = 10.0) -> int:
        """Ask a process to end, kill its session when it does not, and return its exit code (negative: the signal)."""
        assert isinstance(process, LocalProcess)
        return self.processes.stop(process.child, signal_name, timeout_s)

    def run(
        self, command: Sequence[str], *, cwd: Path, cores: Sequence[int] = (), env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run a command to its end; `env` is added to the host's environment."""
        pinned_command = pinned(command, cores) if cores else list(command)
        own = {**os.environ, **(env or {})}
        try:
            return subprocess.run(pinned_command, cwd=cwd, env=own, capture_output=True, text=True, check=False)
        except OSError as error:
            raise LabError(f"{command[0]}: could not be started: {error.strerror}.") from error

    def stop_all(self) -> None:
        """End everything that was started for a run here."""
        self.processes.stop_all(keep=CONNECTION)
        self._collectors.clear()
        if self._awake is not None:
            self._awake.close()
            self._awake = None

    def close(self) -> None:
        """End everything; what is to be removed is known to the processes, which others use as well."""
        self.stop_all()

    def fetch(self, campaign: Path, folder: Path) -> None:
        """Bring what a folder of the campaign has into the one of the lab's machine."""

    def free_port(self) -> int:
        """Return a port of this host's address that nobody listens on, and that was not given just now."""
        return free_port(self.address)

    def listens(self, port: int) -> bool:
        """True when a connection to a port of this host's address, or of its loopback, is taken."""
        return is_listened_on(self.address, port) or is_listened_on(HERE, port)

    def answers(self, url: str) -> bool:
        """True when a GET is answered with 200."""
        return is_answered(url)

    def cores(self) -> list[int]:
        """Return the cores that this process may use."""
        return sorted(os.sched_getaffinity(0))

    def space(self, path: Path) -> tuple[int, int]:
        """Return the number of the device that holds a path (or will hold it) and its free bytes."""
        folder = existing(path)
        return folder.stat().st_dev, shutil.disk_usage(folder).free

    def describe(self) -> dict[str, Any]:
        """Describe this machine."""
        own = {"why_idle_cores_sleep": why_asleep(), "free_memory_goes_to_host": free_memory.goes_to_host()}
        return machine.describe() | own

    def keep_awake(self) -> str | None:
        """Have idle cores poll until `stop_all`, and return None; else return why they sleep."""
        why = why_asleep()
        if why is None and self._awake is None:
            try:
                self._awake = keep_awake()
            except OSError as error:
                return f"{error.filename or DEVICE}: {error.strerror}"
        return why

    def keep_memory(self, size_bytes: int) -> None:
        """Keep memory that a hypervisor would take while nobody uses it, from now to this process's end."""
        if self._memory is None and free_memory.goes_to_host():
            self._memory = free_memory.keep(size_bytes)

    def noise(self, cores: Sequence[int]) -> dict[str, Any]:
        """Watch cores for a second and return what could disturb a measurement on them."""
        return host_noise(cores)

    def cpu_pct(self, pids: Sequence[int], seconds: float) -> float:
        """Watch processes and those they started for a time; return the CPU time they used in per cent of one core."""
        try:
            with contextlib.closing(RoleCounters(pids)) as counters:
                began_ns, before_ns = time.monotonic_ns(), counters.read()["role_cpu_ns"]
                time.sleep(seconds)
                return 100 * (counters.read()["role_cpu_ns"] - before_ns) / (time.monotonic_ns() - began_ns)
        except MonitoringError as error:
            raise LabError(f"{error}.") from error

    def work_ms(self, cores: Sequence[int]) -> dict[str, float | None]:
        """Return by core the CPU time in ms that it needs for the fixed piece of work of `monitoring.noise`."""
        return {str(core): needed_ms for core, needed_ms in work_ms(cores).items()}

    def describe_disk(self, path: Path) -> dict[str, Any]:
        """Describe what holds a path, or will hold it."""
        return machine.describe_disk(existing(path))

    def versions(self, folder: Path, command: Sequence[str]) -> dict[str, Any]:
        """Ask a system's own command for the versions it runs on."""
        return ask_versions(folder, command)

    def missing(self, paths: Sequence[Path]) -> list[str]:
        """Return which of some paths are not there."""
        return [str(path) for path in paths if not path.exists()]

    def epoch_ahead_ns(self) -> int:
        """Return what the monotonic clock is short of the time since 1970."""
        return epoch_ahead_ns()

    def clock(self) -> ClockReading:
        """Return how far this clock is ahead of the lab's."""
        return ClockReading(at_ns=time.time_ns(), offset_ns=0, uncertainty_ns=0)


def ask_versions(folder: Path, command: Sequence[str]) -> dict[str, Any]:
    """Ask a system's own command for the versions it runs on."""
    asked = " ".join(command)
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=60)
        result = json.loads(done.stdout)
    except (OSError, subprocess.TimeoutExpired, json.JSONDecodeError) as error:
        raise LabError(f"{folder}: `{asked}` did not print its versions as JSON: {error}.") from error
    if not isinstance(result, dict):
        raise LabError(f"{folder}: `{asked}` did not print one JSON object.")
    return result


def existing(folder: Path) -> Path:
    """Return the nearest folder that exists already."""
    return next(path for path in (folder, *folder.parents) if path.exists())


def _cpu_of_creating_files(folder: Path) -> float:
    """Return the seconds of CPU that a few files take to be created."""
    files = [folder / str(number) for number in range(FILES_TRIED)]
    begun_s = time.thread_time()
    for file in files:
        file.touch()
    took_s = time.thread_time() - begun_s
    for file in files:
        file.unlink()
    return took_s


def _drop_from_memory(path: Path) -> None:
    file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(file)
