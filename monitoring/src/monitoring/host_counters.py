"""The host's counters: the kernel's texts are read through descriptors that stay open, and parsed later, many at once.

Ten times a second each line of Python runs with cold caches and costs several times its usual; reading now and parsing
once a second more than halves the cost of a row.
"""

import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from monitoring.errors import MonitoringError
from monitoring.storage import device_number

Cells = dict[str, int]

_SECTOR_BYTES = 512  # the unit of /sys/.../stat, whatever the disk's own sector size
_TCP = {
    b"ListenOverflows": "tcp_listen_overflows",
    b"ListenDrops": "tcp_listen_drops",
    b"RetransSegs": "tcp_retransmitted_segments",
    b"TCPSynRetrans": "tcp_syn_retransmits",
}
_MEMORY = {
    b"MemAvailable:": "memory_available_bytes",
    b"Dirty:": "memory_dirty_bytes",
    b"Writeback:": "memory_writeback_bytes",
}


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

        Where that network may not be read it is our own. Raises MonitoringError for a core or path that does not exist.
        """
        network = f"/proc/{namespace_pid}/net"
        if not os.access(f"{network}/netstat", os.R_OK):
            network = "/proc/self/net"
        labels = {core: b"cpu%d " % core for core in cores}
        parsers: dict[str, Callable[[bytes], Cells]] = {
            "/proc/stat": partial(_processors, tuple(labels.values())),
            **{f"/proc/pressure/{name}": partial(_pressure, name) for name in ("cpu", "io", "memory")},
            f"{network}/snmp": _tcp,
            f"{network}/netstat": _tcp,
            f"{network}/sockstat": _sockets,
            "/proc/meminfo": _memory,
            f"/sys/dev/block/{device_number(device_of)}/stat": _disk,
        }
        self._sources = [Source(path) for path in parsers]
        self._parsers = list(parsers.values())
        for core, label in labels.items():
            if b"\n" + label not in self._sources[0].read():
                raise MonitoringError(f"this machine has no core {core}")

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
        for parse, text in zip(self._parsers, texts, strict=True):
            cells |= parse(text)
        return cells


def _processors(labels: tuple[bytes, ...], text: bytes) -> Cells:
    """Parse `/proc/stat`: switches of the host, runnable and blocked processes, and the ticks of some cores."""
    cells = {f"cpu_{kind}_ticks": 0 for kind in ("user", "system", "idle", "iowait", "softirq", "steal")}
    for line in text.splitlines():
        if line.startswith(labels):
            user, nice, system, idle, iowait, irq, softirq, steal = map(int, line.split()[1:9])
            for name, ticks in zip(cells, (user + nice, system + irq, idle, iowait, softirq, steal), strict=False):
                cells[name] += ticks
        elif line.startswith((b"ctxt ", b"procs_running ", b"procs_blocked ")):
            name, value = line.decode().split()
            cells[name] = int(value)
    return cells


def _pressure(resource: str, text: bytes) -> Cells:
    """Parse `/proc/pressure`: µs in which something, or everything, was stalled; `full` of the CPU has no meaning."""
    cells: Cells = {}
    for line in text.decode().splitlines():
        share, _, total = line.partition(" ")
        if share == "some" or resource != "cpu":
            cells[f"psi_{resource}_{share}_us"] = int(total.rpartition("total=")[2])
    return cells


def _tcp(text: bytes) -> Cells:
    """Parse `snmp` or `netstat` of a network: a line of names and one of values."""
    lines = [line.split() for line in text.splitlines() if line.startswith((b"Tcp: ", b"TcpExt: "))]
    values = dict(zip(*lines, strict=True)) if lines else {}
    return {column: int(values[name]) for name, column in _TCP.items() if name in values}


def _sockets(text: bytes) -> Cells:
    cells: Cells = {}
    for line in text.splitlines():
        if line.startswith(b"TCP:"):
            words = line.split()
            cells["tcp_sockets"] = int(words[words.index(b"inuse") + 1])
            cells["tcp_sockets_time_wait"] = int(words[words.index(b"tw") + 1])
    return cells


def _memory(text: bytes) -> Cells:
    values = (line.split() for line in text.splitlines())
    return {_MEMORY[name]: 1024 * int(value) for name, value, *_ in values if name in _MEMORY}


def _disk(text: bytes) -> Cells:
    """Parse `/sys/dev/block/.../stat`, fields as in the kernel's Documentation/block/stat.rst.

    A path on a file system without a device of its own (tmpfs, overlay) gives no cells.
    """
    fields = text.split()
    if len(fields) < 11:
        return {}
    return {
        "disk_read_bytes": int(fields[2]) * _SECTOR_BYTES,
        "disk_written_bytes": int(fields[6]) * _SECTOR_BYTES,
        "disk_busy_ms": int(fields[9]),
        "disk_queue_ms": int(fields[10]),
    }
