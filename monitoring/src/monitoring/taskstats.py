"""The kernel's taskstats interface: one request gives the totals of a whole process, whatever its number of threads.

Layout and commands are those of `linux/taskstats.h` and generic netlink. The kernel answers root only.
"""

import os
import resource
import socket
import struct
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_NETLINK_GENERIC = 16
_NLMSG_ERROR = 2
_NLM_F_REQUEST = 1
_GENL_ID_CTRL = 16
_CTRL_CMD_GETFAMILY = 3
_CTRL_ATTR_FAMILY_ID = 1
_CTRL_ATTR_FAMILY_NAME = 2
_TASKSTATS_CMD_GET = 1
_CMD_ATTR_TGID = 2
_CMD_ATTR_REGISTER_CPUMASK = 3
_TYPE_STATS = 3
_TYPE_AGGR_PID = 4
_TYPE_AGGR_TGID = 5

_HEADERS_BYTES = 20  # nlmsghdr and genlmsghdr
_ERROR_OFFSET = 16  # the error code follows nlmsghdr
_SO_RCVBUFFORCE = 33  # Python has no name for it
_CPU_DELAY_OFFSET = 24  # struct taskstats: cpu_delay_total
_SWITCHES_OFFSET = 272  # struct taskstats: nvcsw, nivcsw
_TGID_OFFSET = 368  # struct taskstats: ac_tgid, since version 12
_SHORTEST_STATS_BYTES = _SWITCHES_OFFSET + 16
_RECEIVE_BYTES = 16 * 1024 * 1024  # a thousand threads may end at once


class ProcessTotals(NamedTuple):
    """Totals over all threads of a process since its start."""

    wait_ns: int
    voluntary_switches: int
    involuntary_switches: int


def _attribute(kind: int, payload: bytes) -> bytes:
    length = 4 + len(payload)
    return struct.pack("=HH", length, kind) + payload + bytes(-length % 4)


def _attributes(data: bytes) -> Iterator[tuple[int, bytes]]:
    offset = 0
    while offset + 4 <= len(data):
        length, kind = struct.unpack_from("=HH", data, offset)
        if length < 4:
            return
        yield kind & 0x3FFF, data[offset + 4 : offset + length]
        offset += (length + 3) & ~3


def _find_attribute(data: bytes, kind: int) -> bytes:
    for found, payload in _attributes(data):
        if found == kind:
            return payload
    raise OSError("the kernel's taskstats answer has another form than expected")


class _Connection:
    """A generic netlink socket that knows the number of the taskstats family."""

    def __init__(self) -> None:
        self.socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_CLOEXEC, _NETLINK_GENERIC)
        try:
            self.socket.settimeout(1.0)
            self.socket.bind((0, 0))
            self._send(_GENL_ID_CTRL, _CTRL_CMD_GETFAMILY, _attribute(_CTRL_ATTR_FAMILY_NAME, b"TASKSTATS\0"))
            (self._family,) = struct.unpack_from("=H", _find_attribute(self.receive(), _CTRL_ATTR_FAMILY_ID))
        except OSError:
            self.close()
            raise

    def close(self) -> None:
        self.socket.close()

    def _send(self, family: int, command: int, attribute: bytes) -> None:
        body = struct.pack("=BBH", command, 1, 0) + attribute
        self.socket.send(struct.pack("=IHHII", 16 + len(body), family, _NLM_F_REQUEST, 0, 0) + body)

    def get(self, attribute: bytes) -> None:
        self._send(self._family, _TASKSTATS_CMD_GET, attribute)

    def receive(self) -> bytes:
        """Return the attributes of the next message; raises OSError when it is an error."""
        message = self.socket.recv(8192)
        (kind,) = struct.unpack_from("=H", message, 4)
        if kind == _NLMSG_ERROR:
            (code,) = struct.unpack_from("=i", message, _ERROR_OFFSET)
            raise OSError(-code, os.strerror(-code))
        return message[_HEADERS_BYTES:]


class EndedThreads:
    """The switches of every thread of the host that has ended since this was made, by process."""

    def __init__(self) -> None:
        """Ask the kernel to tell; raises OSError where it does not, or not to us."""
        self._switches: dict[int, tuple[int, int]] = {}
        self._connection = _Connection()
        try:
            self._connection.socket.setsockopt(socket.SOL_SOCKET, _SO_RCVBUFFORCE, _RECEIVE_BYTES)
            cpus = Path("/sys/devices/system/cpu/possible").read_text().strip()
            self._connection.get(_attribute(_CMD_ATTR_REGISTER_CPUMASK, cpus.encode() + b"\0"))
            self._connection.socket.setblocking(False)
            self._drain()  # a refusal is already there
        except OSError:
            self.close()
            raise

    def close(self) -> None:
        """Stop listening."""
        self._connection.close()

    def _drain(self) -> None:
        while True:
            try:
                message = self._connection.receive()
            except BlockingIOError:
                return
            for kind, payload in _attributes(message):
                if kind == _TYPE_AGGR_PID:
                    self._add(_find_attribute(payload, _TYPE_STATS))

    def _add(self, stats: bytes) -> None:
        (process,) = struct.unpack_from("=I", stats, _TGID_OFFSET)
        voluntary, involuntary = struct.unpack_from("=QQ", stats, _SWITCHES_OFFSET)
        before = self._switches.get(process, (0, 0))
        self._switches[process] = (before[0] + voluntary, before[1] + involuntary)

    def switches(self, pid: int) -> tuple[int, int]:
        """Return the voluntary and involuntary switches of the ended threads of process `pid`."""
        self._drain()
        return self._switches.get(pid, (0, 0))


class Taskstats:
    """An open taskstats connection."""

    def __init__(self) -> None:
        """Connect; raises OSError where the kernel has no complete taskstats or we are not allowed to ask.

        Kernels differ in whether the switches of a process's ended threads stay in its totals (most do not keep
        them), so it is tried out, and where they are lost the ended threads are counted here.
        """
        self._ended: EndedThreads | None = None
        self._connection = _Connection()
        try:
            if not self._keeps_ended_threads():
                self._ended = EndedThreads()
        except OSError:
            self.close()
            raise

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()
        if self._ended is not None:
            self._ended.close()

    def read(self, pid: int) -> ProcessTotals:
        """Read the totals of process `pid`; raises OSError when it is gone."""
        # Ended threads first: one that ends in between is then missing in this reading, not counted twice.
        ended = self._ended.switches(pid) if self._ended is not None else (0, 0)
        self._connection.get(_attribute(_CMD_ATTR_TGID, struct.pack("=I", pid)))
        answer = self._connection.receive()
        stats = _find_attribute(_find_attribute(answer, _TYPE_AGGR_TGID), _TYPE_STATS)
        if len(stats) < _SHORTEST_STATS_BYTES:
            raise OSError("the kernel's taskstats answer is shorter than expected")
        (wait_ns,) = struct.unpack_from("=Q", stats, _CPU_DELAY_OFFSET)
        voluntary, involuntary = struct.unpack_from("=QQ", stats, _SWITCHES_OFFSET)
        return ProcessTotals(wait_ns, voluntary + ended[0], involuntary + ended[1])

    def _keeps_ended_threads(self) -> bool:
        """Let a thread of ours sleep often and end, and hold what is added against getrusage, which always counts it.

        Not the totals since our start: every thread that ends leaves a switch or two out of them.
        """
        sleeps = 50

        def sleep_often() -> None:
            for _ in range(sleeps):
                time.sleep(0.000_01)

        before = self._missing_switches()
        thread = threading.Thread(target=sleep_often)
        thread.start()
        thread.join()
        return self._missing_switches() - before < sleeps / 2

    def _missing_switches(self) -> int:
        counted = self.read(os.getpid()).voluntary_switches
        return resource.getrusage(resource.RUSAGE_SELF).ru_nvcsw - counted
