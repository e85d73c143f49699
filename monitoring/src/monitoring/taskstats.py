"""The kernel's taskstats interface: one request gives the totals of a whole process, whatever its number of threads.

Layout and commands are those of `linux/taskstats.h` and generic netlink. The kernel answers root only.
"""

import os
import resource
import socket
import struct
import threading
import time
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
_TYPE_STATS = 3
_TYPE_AGGR_TGID = 5

_HEADERS_BYTES = 20  # nlmsghdr and genlmsghdr
_CPU_DELAY_OFFSET = 24  # struct taskstats: cpu_delay_total
_SWITCHES_OFFSET = 272  # struct taskstats: nvcsw, nivcsw
_SHORTEST_STATS_BYTES = _SWITCHES_OFFSET + 16


class ProcessTotals(NamedTuple):
    """Totals over all threads of a process since its start."""

    wait_ns: int
    voluntary_switches: int
    involuntary_switches: int


def _attribute(kind: int, payload: bytes) -> bytes:
    length = 4 + len(payload)
    return struct.pack("=HH", length, kind) + payload + bytes(-length % 4)


def _find_attribute(data: bytes, kind: int) -> bytes:
    offset = 0
    while offset + 4 <= len(data):
        length, found = struct.unpack_from("=HH", data, offset)
        if found & 0x3FFF == kind:
            return data[offset + 4 : offset + length]
        if length < 4:
            break
        offset += (length + 3) & ~3
    raise OSError("the kernel's taskstats answer has another form than expected")


class Taskstats:
    """An open taskstats connection."""

    def __init__(self) -> None:
        """Connect; raises OSError where the kernel has no taskstats or we are not allowed to ask."""
        self._socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_CLOEXEC, _NETLINK_GENERIC)
        try:
            self._socket.settimeout(1.0)
            self._socket.bind((0, 0))
            name = _attribute(_CTRL_ATTR_FAMILY_NAME, b"TASKSTATS\0")
            answer = self._ask(_GENL_ID_CTRL, _CTRL_CMD_GETFAMILY, name)
            (self._family,) = struct.unpack_from("=H", _find_attribute(answer, _CTRL_ATTR_FAMILY_ID))
            self.read(os.getpid())
        except OSError:
            self.close()
            raise

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()

    def _ask(self, family: int, command: int, attribute: bytes) -> bytes:
        body = struct.pack("=BBH", command, 1, 0) + attribute
        self._socket.send(struct.pack("=IHHII", 16 + len(body), family, _NLM_F_REQUEST, 0, 0) + body)
        answer = self._socket.recv(8192)
        (kind,) = struct.unpack_from("=H", answer, 4)
        if kind == _NLMSG_ERROR:
            (code,) = struct.unpack_from("=i", answer, 16)
            raise OSError(-code, os.strerror(-code))
        return answer[_HEADERS_BYTES:]

    def read(self, pid: int) -> ProcessTotals:
        """Read the totals of process `pid`; raises OSError when it is gone."""
        request = _attribute(_CMD_ATTR_TGID, struct.pack("=I", pid))
        answer = self._ask(self._family, _TASKSTATS_CMD_GET, request)
        stats = _find_attribute(_find_attribute(answer, _TYPE_AGGR_TGID), _TYPE_STATS)
        if len(stats) < _SHORTEST_STATS_BYTES:
            raise OSError("the kernel's taskstats answer is shorter than expected")
        (wait_ns,) = struct.unpack_from("=Q", stats, _CPU_DELAY_OFFSET)
        voluntary, involuntary = struct.unpack_from("=QQ", stats, _SWITCHES_OFFSET)
        return ProcessTotals(wait_ns, voluntary, involuntary)

    def counts_ended_threads(self) -> bool:
        """Whether this kernel keeps the switches of threads that have ended in a process's totals.

        Kernels differ, so it is tried out: a thread of ours that has slept many times ends, and the totals are held
        against getrusage, which always counts it.
        """
        sleeps = 50

        def sleep_often() -> None:
            for _ in range(sleeps):
                time.sleep(0.000_01)

        thread = threading.Thread(target=sleep_often)
        thread.start()
        thread.join()
        missing = resource.getrusage(resource.RUSAGE_SELF).ru_nvcsw - self.read(os.getpid()).voluntary_switches
        return missing < sleeps / 2
