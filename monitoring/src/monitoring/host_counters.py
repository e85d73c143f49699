"""The host's counters, read through descriptors that stay open."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from monitoring.errors import MonitoringError
from monitoring.storage import device_number

Cells = dict[str, int]

_SECTOR_BYTES = 512  # the unit of /sys/.../stat, whatever the disk's own sector size


class _Source:
    """One kernel file, held open; reads as empty where the kernel does not have it."""

    def __init__(self, path: str) -> None:
        try:
            self._descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            self._descriptor = -1

    def read(self) -> bytes:
        if self._descriptor < 0:
            return b""
        try:
            return os.pread(self._descriptor, 1 << 20, 0)
        except OSError:  # for instance pressure files where the kernel was started without them
            return b""


class CpuTicks:
    """`/proc/stat`: switches of the host, runnable and blocked processes, and the ticks of some cores."""

    _KINDS = ("user", "system", "idle", "iowait", "softirq", "steal")

    def __init__(self, cores: Sequence[int]) -> None:
        """Count the ticks of `cores`; raises MonitoringError for a core the host does not have."""
        self._source = _Source("/proc/stat")
        self._labels = tuple(b"cpu%d " % core for core in cores)
        lines = self._source.read().splitlines()
        for core, label in zip(cores, self._labels, strict=True):
            if not any(line.startswith(label) for line in lines):
                raise MonitoringError(f"core {core} is not one of this machine's")

    def read(self) -> Cells:
        """Read now."""
        cells: Cells = {}
        totals = [0] * 6
        for line in self._source.read().splitlines():
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

    def __init__(self) -> None:
        """Open the files the kernel has."""
        self._sources = {kind: _Source(f"/proc/pressure/{kind}") for kind in ("cpu", "io", "memory")}

    def read(self) -> Cells:
        """Read now; empty where the kernel has no pressure accounting."""
        cells: Cells = {}
        for kind, source in self._sources.items():
            for line in source.read().splitlines():
                share, _, total = line.decode().partition(" ")
                if share == "some" or kind != "cpu":
                    cells[f"psi_{kind}_{share}_us"] = int(total.rpartition("total=")[2])
        return cells


class Tcp:
    """TCP counters of a network namespace: of `pid`'s, or our own."""

    _NAMES: ClassVar = {
        b"ListenOverflows": "tcp_listen_overflows",
        b"ListenDrops": "tcp_listen_drops",
        b"RetransSegs": "tcp_retransmitted_segments",
        b"TCPSynRetrans": "tcp_syn_retransmits",
    }

    def __init__(self, pid: int) -> None:
        """Open the files of the namespace `pid` lives in, or of our own when that may not be read."""
        folder = f"/proc/{pid}/net"
        if not os.access(f"{folder}/netstat", os.R_OK):
            folder = "/proc/self/net"
        self._tables = [(_Source(f"{folder}/snmp"), b"Tcp: "), (_Source(f"{folder}/netstat"), b"TcpExt: ")]
        self._sockets = _Source(f"{folder}/sockstat")
        self._columns = [self._find_columns(source, prefix) for source, prefix in self._tables]

    def _find_columns(self, source: _Source, prefix: bytes) -> list[tuple[int, str]]:
        for line in source.read().splitlines():
            if line.startswith(prefix):
                names = line.split()
                return [(names.index(name), column) for name, column in self._NAMES.items() if name in names]
        return []

    def read(self) -> Cells:
        """Read now."""
        cells: Cells = {}
        for (source, prefix), columns in zip(self._tables, self._columns, strict=True):
            text = source.read()
            names_start = text.find(prefix)
            values_start = text.find(prefix, names_start + 1)
            if not columns or values_start < 0:
                continue
            values = text[values_start : text.find(b"\n", values_start)].split()
            for index, column in columns:
                cells[column] = int(values[index])
        for line in self._sockets.read().splitlines():
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
        """Open the file."""
        self._source = _Source("/proc/meminfo")

    def read(self) -> Cells:
        """Read now."""
        cells: Cells = {}
        for line in self._source.read().splitlines():
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
        device = device_number(path)
        self._source = _Source(f"/sys/dev/block/{device}/stat")

    def read(self) -> Cells:
        """Read now."""
        fields = self._source.read().split()
        if len(fields) < 11:
            return {}
        return {
            "disk_read_bytes": int(fields[2]) * _SECTOR_BYTES,
            "disk_written_bytes": int(fields[6]) * _SECTOR_BYTES,
            "disk_busy_ms": int(fields[9]),
            "disk_queue_ms": int(fields[10]),
        }
