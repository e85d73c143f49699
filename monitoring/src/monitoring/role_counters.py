"""CPU, run-queue wait, switches, threads and memory of the processes of one role, their children included.

Values are running totals that never step back: what ended threads and processes had used stays counted.
"""

import contextlib
import os
import time
from collections.abc import Iterable
from pathlib import Path

from monitoring.errors import MonitoringError
from monitoring.taskstats import ProcessTotals, Taskstats

_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_TASK_FOLDER_LINKS = 2  # what the kernel counts besides one link per thread
_THREADS_CPU_SHARE = 0.004  # of one core, for reading thread by thread
_PSS_CPU_SHARE = 0.003  # of one core, for walking the page tables, which the process waits for when it maps memory
_PSS_EVERY_NS = 500_000_000


def cpu_clock_of(pid: int) -> int:
    """Return the id of the CPU-time clock of process `pid`, ended threads included (see clock_getcpuclockid)."""
    return (~pid << 3) | 2


def parent_of(pid: int) -> int:
    """Return the parent of process `pid`; raises OSError when it is gone."""
    descriptor = os.open(f"/proc/{pid}/stat", os.O_RDONLY | os.O_CLOEXEC)
    try:
        return int(os.pread(descriptor, 4096, 0).rpartition(b")")[2].split()[1])
    finally:
        os.close(descriptor)


def kernel_tells_wait() -> bool:
    """Whether this kernel accounts run-queue wait (CONFIG_SCHED_INFO)."""
    try:
        return Path("/proc/self/schedstat").read_text().split() != ["0", "0", "0"]
    except OSError:
        return False


def summed(totals: Iterable[ProcessTotals]) -> ProcessTotals:
    """Return the sum of some totals, at least one."""
    return ProcessTotals(*map(sum, zip(*totals, strict=True)))


class _Thread:
    """Open schedstat and status of one thread, and their last values."""

    def __init__(self, folder: str) -> None:
        self._status = os.open(f"{folder}/status", os.O_RDONLY | os.O_CLOEXEC)
        try:
            self._schedstat = os.open(f"{folder}/schedstat", os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            self._schedstat = os.open("/dev/null", os.O_RDONLY | os.O_CLOEXEC)
        self.totals = ProcessTotals(0, 0, 0)

    def read(self) -> None:
        schedstat = os.pread(self._schedstat, 128, 0).split()
        wait_ns = int(schedstat[1]) if schedstat else 0
        status = os.pread(self._status, 4096, 0)
        words = status[status.rindex(b"\nvoluntary_ctxt_switches:") :].split()
        self.totals = ProcessTotals(wait_ns, int(words[1]), int(words[3]))

    def close(self) -> None:
        os.close(self._schedstat)
        os.close(self._status)


class ThreadByThread:
    """The totals of a process summed over `/proc/PID/task`: works without root, but costs some 10 us a thread.

    A thread that ends keeps its last seen values in the sum.
    """

    def __init__(self, pid: int) -> None:
        self._folder = f"/proc/{pid}/task"
        self._threads: dict[str, _Thread] = {}
        self._ended = ProcessTotals(0, 0, 0)

    def read(self) -> ProcessTotals:
        """Read all threads; raises OSError when the process is gone."""
        present = set(os.listdir(self._folder))  # noqa: PTH208 - names are all we need, ten times a second
        for name in present - self._threads.keys():
            try:
                self._threads[name] = _Thread(f"{self._folder}/{name}")
            except OSError:  # ended between the listing and now
                continue
        for name, thread in list(self._threads.items()):
            try:
                thread.read()
            except OSError:  # the descriptor of an ended thread answers ESRCH
                self._forget(name)
        return summed([self._ended, *(thread.totals for thread in self._threads.values())])

    def _forget(self, name: str) -> None:
        thread = self._threads.pop(name)
        thread.close()
        self._ended = summed([self._ended, thread.totals])

    def close(self) -> None:
        """Close all descriptors."""
        for name in list(self._threads):
            self._forget(name)


class _Process:
    """One watched process and its last totals."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.cpu_ns = 0
        self.threads = 0
        self.rss_bytes = 0
        self.totals = ProcessTotals(0, 0, 0)
        self._clock = cpu_clock_of(pid)
        self._task_folder = os.open(f"/proc/{pid}/task", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            self._statm = os.open(f"/proc/{pid}/statm", os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            os.close(self._task_folder)
            raise
        self.pss_bytes: int | None = None
        self._rollup = f"/proc/{pid}/smaps_rollup"
        self.thread_by_thread = ThreadByThread(pid)

    def read(self) -> None:
        """Read what is cheap; raises OSError when the process is gone."""
        self.threads = os.fstat(self._task_folder).st_nlink - _TASK_FOLDER_LINKS
        if self.threads < 1:
            raise ProcessLookupError
        self.cpu_ns = max(self.cpu_ns, time.clock_gettime_ns(self._clock))
        self.rss_bytes = int(os.pread(self._statm, 128, 0).split()[1]) * _PAGE_BYTES

    def read_pss(self) -> None:
        """Read the memory it has, what it shares with others divided among them; unknown where it may not be read."""
        try:
            text = Path(self._rollup).read_bytes()
        except PermissionError:
            return
        self.pss_bytes = 1024 * int(text[text.index(b"\nPss:") + 5 :].split(maxsplit=1)[0])

    def keep(self, totals: ProcessTotals) -> None:
        """Take new totals, never below the last ones (a dying process answers with less)."""
        self.totals = ProcessTotals(*map(max, self.totals, totals))

    def close(self) -> None:
        os.close(self._task_folder)
        os.close(self._statm)
        self.thread_by_thread.close()


class RoleCounters:
    """The counters of a role's processes and of every process they start."""

    def __init__(self, pids: Iterable[int], *, use_taskstats: bool = True) -> None:
        """Watch `pids`; raises MonitoringError when one of them does not run.

        `use_taskstats=False` reads thread by thread even where the kernel would answer at once.
        """
        self._processes: dict[int, _Process] = {}
        self._ended_cpu_ns = 0
        self._ended = ProcessTotals(0, 0, 0)
        self._known = {os.getpid()}  # whoever started us is perhaps watched; we are not part of it
        self._next_full_read_ns = 0
        self._next_pss_read_ns = 0
        self._tells_wait = kernel_tells_wait()
        self._taskstats = self._open_taskstats() if use_taskstats else None
        for pid in pids:
            if not self._watch(pid):
                self.close()
                raise MonitoringError(f"no process {pid} is running, so it cannot be watched")
        self.find_children()

    @staticmethod
    def _open_taskstats() -> Taskstats | None:
        try:
            return Taskstats()
        except OSError:  # not root, or a kernel without it
            return None

    def close(self) -> None:
        """Close all descriptors."""
        for process in self._processes.values():
            process.close()
        if self._taskstats is not None:
            self._taskstats.close()

    def find_children(self) -> None:
        """Look for new processes and watch those started by a watched one."""
        present = {int(name) for name in os.listdir("/proc") if name.isdigit()}  # noqa: PTH208 - see above
        new = present - self._known
        self._known = present
        parents: dict[int, int] = {}
        for pid in new - self._processes.keys():
            try:
                parents[pid] = parent_of(pid)
            except OSError:
                continue
        found = True
        while found:
            found = False
            for pid, parent in list(parents.items()):
                if parent in self._processes:
                    del parents[pid]
                    found = self._watch(pid) or found

    def _watch(self, pid: int) -> bool:
        try:
            self._processes[pid] = _Process(pid)
        except OSError:
            return False
        return True

    def read(self) -> dict[str, int]:
        """Read now; what costs more (wait, switches, PSS) is left out in rows where reading it would cost too much."""
        for process in list(self._processes.values()):
            try:
                process.read()
            except OSError:
                self._end(process)
                continue
            if self._taskstats is not None:
                with contextlib.suppress(OSError):  # seldom an answer has no totals in it; the next one has
                    process.keep(self._taskstats.read(process.pid))
        processes = self._processes.values()
        cells = {
            "role_cpu_ns": self._ended_cpu_ns + sum(process.cpu_ns for process in processes),
            "role_threads": sum(process.threads for process in processes),
            "role_rss_bytes": sum(process.rss_bytes for process in processes),
        }
        if self._read_pss() and all(process.pss_bytes is not None for process in processes):
            cells["role_pss_bytes"] = sum(process.pss_bytes or 0 for process in processes)
        if self._taskstats is not None or self._read_thread_by_thread():
            totals = summed([self._ended, *(process.totals for process in processes)])
            if self._tells_wait:
                cells["role_wait_ns"] = totals.wait_ns
            cells["role_voluntary_switches"] = totals.voluntary_switches
            cells["role_involuntary_switches"] = totals.involuntary_switches
        return cells

    def _read_pss(self) -> bool:
        now_ns = time.monotonic_ns()
        if now_ns < self._next_pss_read_ns:
            return False
        before_ns = time.thread_time_ns()
        for process in list(self._processes.values()):
            try:
                process.read_pss()
            except (OSError, ValueError):  # gone, or has no memory left: its end is noticed elsewhere
                process.pss_bytes = 0
        took_ns = time.thread_time_ns() - before_ns
        self._next_pss_read_ns = now_ns + max(_PSS_EVERY_NS, int(took_ns / _PSS_CPU_SHARE))
        return True

    def _read_thread_by_thread(self) -> bool:
        now_ns = time.monotonic_ns()
        if now_ns < self._next_full_read_ns:
            return False
        before_ns = time.thread_time_ns()
        for process in list(self._processes.values()):
            try:
                process.keep(process.thread_by_thread.read())
            except OSError:
                self._end(process)
        self._next_full_read_ns = now_ns + int((time.thread_time_ns() - before_ns) / _THREADS_CPU_SHARE)
        return True

    def _end(self, process: _Process) -> None:
        del self._processes[process.pid]
        process.close()
        self._ended_cpu_ns += process.cpu_ns
        self._ended = summed([self._ended, process.totals])
