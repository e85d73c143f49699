"""Start, watch and end the processes of a campaign so that none outlives it.

Three things hold whatever happens to the lab: each process is in a session of its own, so that it can be ended with
everything it started; the kernel kills it when the lab dies (parent-death signal); and its pid and start time are in
a state file, from which the next start ends what is left and removes what was temporary. Pids say nothing elsewhere:
where containers or hosts share a folder of state files, each leaves the others' alone.
"""

import contextlib
import json
import os
import resource
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any, Protocol

from monitoring.whole_file import replacing
from uploadlab.errors import LabError
from uploadlab.hosts import cpu_limit, deletions, throttled_disk

KILL_WAIT_S = 10.0
REMOVING = "Removing what an interrupted campaign stored."
# A parent that died before the parent-death signal was set sends none: then nothing is begun.
_BEGIN = '[ "$PPID" = "$0" ] || exit; [ -z "$1" ] || echo $$ > "$1" || exit; shift; exec "$@"'


class Process(Protocol):
    """What was started on a host, this one or another."""

    pid: int

    def poll(self) -> int | None:
        """Return its exit code, or None while it runs; LabError when its host is lost."""

    def read(self, timeout_s: float) -> bytes | None:
        """Return what it wrote next (piped output only); empty at its end, None when nothing came in time."""


def pinned(
    command: Sequence[str], cores: Sequence[int], open_files: int | None = None, group: Path | None = None
) -> list[str]:
    """Return a command that replaces itself by `command`, pinned to `cores`, killed when its parent dies.

    The parent is this process; started by another, the command ends at once.
    `open_files` limits its descriptors; where this user may not have as many, the highest number allowed is used.
    `group` is the file of a control group that takes the pid before anything of `command` runs.
    """
    prefix = ["setpriv", "--pdeathsig", "KILL", "sh", "-c", _BEGIN, str(os.getpid()), str(group or "")]
    prefix += ["taskset", "-c", ",".join(map(str, cores))]
    if open_files is not None:
        limit = allowed_open_files(open_files)
        prefix += ["prlimit", f"--nofile={limit}:{limit}"]
    return [*prefix, *command]


def allowed_open_files(wanted: int) -> int:
    """Return `wanted`, or the hard limit where it is lower and this user may not raise it."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if os.geteuid() == 0 or hard == resource.RLIM_INFINITY:
        return wanted
    return min(wanted, hard)


class Processes:
    """The processes and temporary folders of one campaign, mirrored in a state file."""

    def __init__(self, state_dir: Path) -> None:
        state_dir.mkdir(parents=True, exist_ok=True)
        here = _where()
        self._state = state_dir / f"{here['host']}-{here['pid_namespace']}-{os.getpid()}.json"
        self._children: dict[int, tuple[str, subprocess.Popen[bytes]]] = {}
        self._adopted: dict[int, Callable[[], None]] = {}
        self._folders: list[Path] = []
        self._left_over = False
        self._groups: list[Path] = []
        self._disks: list[Path] = []
        self._write()

    def start(
        self,
        name: str,
        command: Sequence[str],
        *,
        env: dict[str, str],
        cwd: Path,
        output: IO[bytes] | int,
        errors: IO[bytes] | int = subprocess.STDOUT,
        source: IO[bytes] | int = subprocess.DEVNULL,
    ) -> subprocess.Popen[bytes]:
        """Start a command in a session of its own, `source` its standard input; LabError when it cannot be started."""
        try:
            process = subprocess.Popen(
                command, cwd=cwd, env=env, stdin=source, stdout=output, stderr=errors, start_new_session=True
            )
        except OSError as error:
            raise LabError(f"{name} could not be started: {error}.") from error
        self._children[process.pid] = (name, process)
        self._write()
        return process

    def stop(self, process: subprocess.Popen[bytes], signal_name: str = "TERM", timeout_s: float = 10.0) -> int:
        """Ask a process to end, kill its session when it does not, and return its exit code (negative: the signal)."""
        if process.poll() is None:
            process.send_signal(getattr(signal, f"SIG{signal_name}"))
            self.resume(process.pid)  # one that is suspended would not hear it
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout_s)
        _signal_session(process.pid, signal.SIGKILL)
        code = process.wait(KILL_WAIT_S)
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()
        self._children.pop(process.pid, None)
        self._write()
        return code

    def suspend(self, pid: int) -> None:
        """Suspend a process and all of its session, until `resume`: it uses no CPU then."""
        _signal_session(pid, signal.SIGSTOP)

    def resume(self, pid: int) -> None:
        """Let a suspended process and all of its session go on."""
        _signal_session(pid, signal.SIGCONT)

    def adopt(self, pid: int, end: Callable[[], None]) -> None:
        """Register a process that somebody else started, the leader of its session; `end` ends it."""
        self._adopted[pid] = end
        self._write()

    def release(self, pid: int) -> None:
        """Forget an adopted process that has ended."""
        self._adopted.pop(pid, None)
        self._write()

    def temporary(self, folder: Path) -> Path:
        """Make a folder that is removed when the campaign ends, also after a crash (by the next start)."""
        folder.mkdir(parents=True, exist_ok=True)
        if folder not in self._folders:
            self._folders.append(folder)
            self._write()
        return folder

    def control_group(self, folder: Path) -> Path:
        """Make a control group that is removed when the campaign ends, also after a crash (by the next start)."""
        self._groups.append(folder)
        self._write()
        folder.mkdir()
        return folder

    def throttled_disk(self, folder: Path, durability: str = throttled_disk.SMALL_DIRTY) -> Path:
        """Make a slow disk that is removed when the campaign ends, also after a crash (by the next start).

        Returns where files on it are stored.
        """
        if folder in self._disks:
            return throttled_disk.stored_in(folder)
        self._disks.append(folder)
        self._write()
        return throttled_disk.make(folder, durability)

    def stop_all(self, signal_name: str = "TERM", keep: str | None = None) -> None:
        """End every process that still runs, the last started first, but those with the name `keep`."""
        for pid, end in list(self._adopted.items()):
            end()
            self.release(pid)
        for name, process in reversed(list(self._children.values())):
            if name != keep:
                self.stop(process, signal_name)

    def close(self, signal_name: str = "TERM") -> None:
        """End every process and remove every temporary folder; Ctrl-C leaves the rest of those to the next start."""
        self.stop_all(signal_name)
        disks = [disk for disk in self._disks if not throttled_disk.remove(disk)]
        self._left_over = self._left_over or not _remove(self._folders)
        groups = [group for group in self._groups if not _removed(group)]
        if not disks and not groups and not self._left_over:
            self._state.unlink(missing_ok=True)

    def _write(self) -> None:
        state = {
            "lab": _identity(os.getpid()) | _where(),
            "processes": [_identity(pid) for pid in (*self._children, *self._adopted)],
            "folders": [str(folder) for folder in self._folders],
            "groups": [str(group) for group in self._groups],
            "disks": [str(disk) for disk in self._disks],
        }
        with replacing(self._state) as new:
            new.write_text(json.dumps(state), encoding="utf-8")


def _remove(folders: Sequence[Path]) -> bool:
    """Remove folders; return False where Ctrl-C put an end to that: some million files take a disk many minutes."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        for folder in folders:
            shutil.rmtree(folder, ignore_errors=True)
    except KeyboardInterrupt:
        return False
    finally:
        signal.signal(signal.SIGINT, before)
    return True


def clean_up_after_crash(state_dir: Path) -> list[str]:
    """End what campaigns left that did not come to their own end; return one sentence for each."""
    said: list[str] = []
    for path in sorted(state_dir.glob("*.json")) if state_dir.is_dir() else []:
        try:
            state = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, json.JSONDecodeError):
            continue
        if _is_elsewhere(state["lab"]) or _is_alive(state["lab"]):
            continue
        # Not a process that got the number of one of ours since.
        ours = [one["pid"] for one in state["processes"] if start_ticks(one["pid"]) in (None, one["start_ticks"])]
        killed = sum(_signal_session(pid, signal.SIGKILL) for pid in ours)
        disks = [disk for disk in state.get("disks", ()) if not throttled_disk.remove(Path(disk))]
        folders = [folder for folder in map(Path, state["folders"]) if folder.exists()]
        if deletions.used(folders):
            print(REMOVING, file=sys.stderr, flush=True)  # some million files take a disk many minutes
        with deletions.noted(state_dir, folders):
            for folder in folders:
                shutil.rmtree(folder, ignore_errors=True)
        groups = [group for group in state.get("groups", ()) if not _removed(Path(group))]
        if not disks and not groups:
            path.unlink(missing_ok=True)
        said.append(
            f"An earlier campaign (process {state['lab']['pid']}) was cut off: "
            f"ended {killed} of its processes and removed {len(folders)} temporary folders."
        )
    return said


def end_process(pid: int, started_ticks: int) -> None:
    """Kill a process and wait until it has gone, unless its number is another's by now."""
    deadline = time.monotonic() + KILL_WAIT_S
    while start_ticks(pid) == started_ticks and time.monotonic() < deadline:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        time.sleep(0.02)


def _removed(group: Path) -> bool:
    """Remove a control group; the kernel refuses as long as one of its killed processes has not quite gone.

    False when that lasts, and where no control groups are seen (`ip netns exec` mounts a /sys without them): whoever
    asked must remember the group, for the next start.
    """
    deadline = time.monotonic() + KILL_WAIT_S
    while group.exists() and time.monotonic() < deadline:
        with contextlib.suppress(OSError):
            group.rmdir()
            return True
        time.sleep(0.02)
    return not group.exists() and cpu_limit.sees(group)


def _identity(pid: int) -> dict[str, Any]:
    return {"pid": pid, "start_ticks": start_ticks(pid)}


def _where() -> dict[str, Any]:
    """Return what a pid is told by: the host, since when it runs, and the namespace of its pids."""
    boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    return {"host": socket.gethostname(), "boot": boot, "pid_namespace": Path("/proc/self/ns/pid").stat().st_ino}


def _is_elsewhere(lab: dict[str, Any]) -> bool:
    """True for the lab of another host or another container, which may run though its pid is not known here."""
    here = _where()
    return any(lab.get(name, here[name]) != here[name] for name in ("host", "pid_namespace"))


def start_ticks(pid: int) -> int | None:
    """Return when a process started, in clock ticks since boot (field 22 of /proc/PID/stat); None when it is gone."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return None
    fields = stat.rpartition(")")[2].split()
    return None if fields[0] in "ZX" else int(fields[19])


def _is_alive(entry: dict[str, Any]) -> bool:
    """True when the pid still belongs to the process that was recorded, not to one that got its number since."""
    boot = _where()["boot"]
    if entry.get("boot", boot) != boot:
        return False
    return entry["start_ticks"] is not None and start_ticks(entry["pid"]) == entry["start_ticks"]


def _signal_session(leader: int, number: int) -> int:
    """Send a signal to every process of the session that `leader` opened; return how many there were."""
    reached = 0
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if os.getsid(int(entry.name)) == leader and start_ticks(int(entry.name)) is not None:
                os.kill(int(entry.name), number)
                reached += 1
    return reached
