"""The host's counters: the kernel's texts are read through descriptors that stay open, and parsed later, many at once.

Ten times a second each line of Python runs with cold caches and costs several times its usual; reading now and parsing
once a second more than halves the cost of a row.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from monitoring.errors import MonitoringError
from monitoring.storage import device_number

Cells = dict[str, int]

_SECTOR_BYTES = 512  # the unit of /sys/.../stat, whatever the disk's own sector size


class Source:
    """One kernel file, held open; reads as empty where the kernel does not have it."""

    def __init__(self, path: str) -> None:
        """Open `path`, if it is there."""
        self._buffer = bytearray(4096)
        try:
            self._descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            self._descriptor = -1

    def close(self) -> None:
        """Close the descriptor."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def read(self) -> bytes:
        """Read the whole file now."""
        if self._descriptor < 0:
            return b""
        try:
            while (count := os.preadv(self._descriptor, [self._buffer], 0)) == len(self._buffer):
                self._buffer = bytearray(2 * len(self._buffer))
        except OSError:  # for instance pressure files where the kernel was started without them
            return b""
        return bytes(self._buffer[:count])


class HostCounters:
    """All counters of the host that do not belong to a process."""

    def __init__(self, cores: Sequence[int], namespace_pid: int, device_of: Path) -> None:
        """Open everything: ticks of `cores`, TCP of `namespace_pid`'s network, the disk that holds `device_of`.

        Raises MonitoringError for a core or path that does not exist.
        """
        self._parts = (CpuTicks(cores), Pressure(), Tcp(namespace_pid), Memory(), Disk(device_of))
        self._sources = [source for part in self._parts for source in part.sources]

    def read(self) -> list[bytes]:
        """Read all texts now."""
        return [source.read() for source in self._sources]

    def close(self) -> None:
        """Close all descriptors."""
        for source in self._sources:
            source.close()

    def cells(self, texts: Sequence[bytes]) -> Cells:
        """Parse what `read` gave; what the kernel does not tell has no cell."""
        cells: Cells = {}
        place = 0
        for part in self._parts:
            cells.update(part.cells(texts[place : place + len(part.sources)]))
            place += len(part.sources)
        return cells


class CpuTicks:
    """`/proc/stat`: switches of the host, runnable and blocked processes, and the ticks of some cores."""

    _KINDS = ("user", "system", "idle", "iowait", "softirq", "steal")

    def __init__(self, cores: Sequence[int]) -> None:
        """Count the ticks of `cores`; raises MonitoringError for a core the host does not have."""
        self.sources = (Source("/proc/stat"),)
        self._labels = tuple(b"cpu%d " % core for core in cores)
        lines = self.sources[0].read().splitlines()
        for core, label in zip(cores, self._labels, strict=True):
            if not any(line.startswith(label) for line in lines):
                raise MonitoringError(f"this machine has no core {core}")

    def cells(self, texts: Sequence[bytes]) -> Cells:
        """Parse the text."""
        cells: Cells = {}
        totals = [0] * len(self._KINDS)
        for line in texts[0].splitlines():
            if line.startswith(self._labels):
                user, nice, system, idle, iowait, irq, softirq, steal = map(int, line.split()[1:9])
                for i, ticks in enumerate((user + nice, system + irq, idle, iowait, softirq, steal)):
                    totals[i] += ticks
            elif line.startswith((b"ctxt ", b"procs_running ", b"procs_blocked ")):
                name, value = line.split()
                cells[name.decode()] = int(value)
        for kind, ticks in zip(self._KINDS, totals, strict=True):
            cells[f"cpu_{kind}_ticks"] = ticks
        return cells


class Pressure:
    """`/proc/pressure`: microseconds in which something, or everything, was stalled."""

    _RESOURCES = ("cpu", "io", "memory")

    def __init__(self) -> None:
        self.sources = tuple(Source(f"/proc/pressure/{resource}") for resource in self._RESOURCES)

    def cells(self, texts: Sequence[bytes]) -> Cells:
        """Parse the texts; `full` of the CPU has no meaning for a whole host and is left out."""
        cells: Cells = {}
        for resource, text in zip(self._RESOURCES, texts, strict=True):
            for line in text.splitlines():
                share, _, total = line.decode().partition(" ")
                if share == "some" or resource != "cpu":
                    cells[f"psi_{resource}_{share}_us"] = int(total.rpartition("total=")[2])
        return cells


class Tcp:
    """TCP counters of a network namespace."""

    _NAMES: ClassVar = {
        b"ListenOverflows": "tcp_listen_overflows",
        b"ListenDrops": "tcp_listen_drops",
        b"RetransSegs": "tcp_retransmitted_segments",
        b"TCPSynRetrans": "tcp_syn_retransmits",
    }
    _PREFIXES = (b"Tcp: ", b"TcpExt: ")

    def __init__(self, pid: int) -> None:
        """Open the files of the namespace `pid` lives in, or of our own when that may not be read."""
        folder = f"/proc/{pid}/net"
        if not os.access(f"{folder}/netstat", os.R_OK):
            folder = "/proc/self/net"
        self.sources = (Source(f"{folder}/snmp"), Source(f"{folder}/netstat"), Source(f"{folder}/sockstat"))

    def cells(self, texts: Sequence[bytes]) -> Cells:
        """Parse the texts."""
        *tables, sockets = texts
        cells: Cells = {}
        for prefix, text in zip(self._PREFIXES, tables, strict=True):
            lines = [line.split() for line in text.splitlines() if line.startswith(prefix)]
            if len(lines) == 2:  # names, values
                values = dict(zip(*lines, strict=True))
                cells.update({column: int(values[name]) for name, column in self._NAMES.items() if name in values})
        for line in sockets.splitlines():
            if line.startswith(b"TCP:"):
                words = line.split()
                cells["tcp_sockets"] = int(words[words.index(b"inuse") + 1])
                cells["tcp_sockets_time_wait"] = int(words[words.index(b"tw") + 1])
        return cells


class Memory:
    """`/proc/meminfo`: available memory, dirty pages and pages being written back."""

    _NAMES: ClassVar = {
        b"MemAvailable:": "memory_available_bytes",
        b"Dirty:": "memory_dirty_bytes",
        b"Writeback:": "memory_writeback_bytes",
    }

    def __init__(self) -> None:
        self.sources = (Source("/proc/meminfo"),)

    def cells(self, texts: Sequence[bytes]) -> Cells:
        """Parse the text."""
        cells: Cells = {}
        for line in texts[0].splitlines():
            name, _, value = line.partition(b" ")
            column = self._NAMES.get(name)
            if column is not None:
                cells[column] = int(value.split()[0]) * 1024
        return cells


class Disk:
    """`/sys/dev/block/.../stat` of the device that holds a path.

    Fields as in the kernel's Documentation/block/stat.rst. A path on a file system without a device of its own (tmpfs,
    overlay) gives no cells.
    """

    def __init__(self, path: Path) -> None:
        """Find the device of `path`, which must exist (MonitoringError otherwise)."""
        self.sources = (Source(f"/sys/dev/block/{device_number(path)}/stat"),)

    def cells(self, texts: Sequence[bytes]) -> Cells:
        """Parse the text."""
        fields = texts[0].split()
        if len(fields) < 11:
            return {}
        return {
            "disk_read_bytes": int(fields[2]) * _SECTOR_BYTES,
            "disk_written_bytes": int(fields[6]) * _SECTOR_BYTES,
            "disk_busy_ms": int(fields[9]),
            "disk_queue_ms": int(fields[10]),
        }
