"""A network of 100 Mb/s on one host: a network namespace for each part, all joined by a switch.

The namespaces have no names. Each lasts as long as the process that holds it, which dies with the lab, and its devices
end with it: there is nothing to remove.
"""

import json
import os
import shutil
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from uploadlab.errors import LabError

if TYPE_CHECKING:  # a host knows its rig, and a rig its links
    from uploadlab.hosts.host import Host
    from uploadlab.hosts.processes import Process

LOOPBACK = "loopback"
ETHERNET_100 = "ethernet-100"
NETWORK = "10.77.0"
BITS_PER_S = 100_000_000
OVERHEAD_BYTES = 24
"""Of each frame on the wire, which the kernel doesn't count: preamble 8, check 4, gap 12 (IEEE 802.3)."""
LEAST_BYTES = 84
"""Of a frame with that overhead."""
BURST_BYTES = 4 * (1514 + OVERHEAD_BYTES)
"""What a port may send at once after a pause; what a program hands over as one is cut into frames above it."""
QUEUE_BYTES = 2 * 2**20
"""Before each port. Long, in the place of a switch's flow control: that makes senders wait rather than drop frames."""
PROGRAMS = {"ip": "iproute2", "tc": "iproute2", "nsenter": "util-linux", "unshare": "util-linux"}
HELD = "held"
HELD_S = 10.0
_HOLD = ["unshare", "--net", "sh", "-c", f"echo {HELD}; exec sleep infinity"]
_SHAPED = (
    f"tbf rate {BITS_PER_S}bit burst {BURST_BYTES} limit {QUEUE_BYTES} overhead {OVERHEAD_BYTES} mpu {LEAST_BYTES}"
)


def why_not() -> str | None:
    """Return why this machine can make no such network, or None; whether its kernel can, `try_out` says."""
    if os.geteuid() != 0:
        return f"a network of 100 Mb/s needs root, for its namespaces; --links {LOOPBACK} doesn't"
    missing = sorted({package for program, package in PROGRAMS.items() if shutil.which(program) is None})
    if missing:
        return (
            f"a network of 100 Mb/s needs the packages {', '.join(missing)}: sudo apt-get install {' '.join(missing)}"
        )
    return None


def facts(name: str) -> dict[str, Any]:
    """Return what campaign.json says of a link."""
    if name == LOOPBACK:
        return {}
    return {"bits_per_s": BITS_PER_S, "frame_overhead_bytes": OVERHEAD_BYTES, "queue_bytes": QUEUE_BYTES}


def try_out(host: "Host", log: Path) -> None:
    """Make a network and end it; LabError, one sentence, where the kernel cannot."""
    Ethernet(host, 2, log).close()


class Ethernet:
    """A switch and so many ends, each in a namespace of its own with the address `10.77.0.x`."""

    def __init__(self, host: "Host", ends: int, log: Path) -> None:
        """Make it on a host; `log` takes what its holders have to say. LabError when it cannot be made."""
        self._host, self._log = host, log
        self._holders: list[Process] = []
        self.addresses = [f"{NETWORK}.{number}" for number in range(1, ends + 1)]
        self._switch = self._hold()
        self._ends = [self._hold() for _ in range(ends)]
        self._in(self._switch, _switch_script(self._ends))
        for pid, address in zip(self._ends, self.addresses, strict=True):
            self._in(pid, _end_script(address))

    def entering(self, end: int) -> list[str]:
        """Return what a command begins with that is to run at an end."""
        return _entering(self._ends[end])

    def counters(self) -> dict[str, int]:
        """Return what has arrived at all ends so far, Ethernet's headers included, and what queues dropped."""
        arrived = [_arrived(pid) for pid in self._ends]
        queues = [self._in(pid, "tc -s -j qdisc show") for pid in (self._switch, *self._ends)]
        return {
            "received_bytes": sum(size for size, _ in arrived),
            "received_frames": sum(frames for _, frames in arrived),
            "dropped_frames": sum(int(one.get("drops", 0)) for said in queues for one in json.loads(said)),
        }

    def close(self) -> None:
        """End the holders; a namespace that nothing else is in ends with its own."""
        for holder in reversed(self._holders):
            self._host.stop(holder, "KILL")

    def _hold(self) -> int:
        """Start a process that holds a new namespace, and return its pid."""
        holder = self._host.start(
            "a network namespace", _HOLD, cwd=Path("/"), cores=self._host.cores(), log=self._log, piped=True
        )
        self._holders.append(holder)
        said, until = b"", time.monotonic() + HELD_S
        while f"{HELD}\n".encode() not in said:
            chunk = holder.read(0.1)
            if chunk == b"" or time.monotonic() > until:
                raise self._cannot(self._host.last_line(self._log))
            said += chunk or b""
        return holder.pid

    def _in(self, pid: int, script: str) -> str:
        """Run lines of a script in a namespace, up to the first that fails, and return what they print."""
        done = self._host.run([*_entering(pid), "sh", "-ec", script], cwd=Path("/"))
        if done.returncode:
            lines = [line for line in done.stderr.splitlines() if line.strip()]
            raise self._cannot(lines[0] if lines else "no reason given")
        return done.stdout

    @staticmethod
    def _cannot(why: str) -> LabError:
        return LabError(
            f"The link '{ETHERNET_100}' cannot be made here ({why.rstrip('.')}): it needs network namespaces, and a "
            f"kernel with veth, bridge and the queue tbf; --links {LOOPBACK} needs none of them."
        )


def _entering(pid: int) -> list[str]:
    return ["nsenter", f"--target={pid}", "--net"]


def _switch_script(ends: Sequence[int]) -> str:
    """Return the script that joins ends, by their pids, with a switch that passes multicast on to all of them."""
    lines = ["ip link add switch type bridge mcast_snooping 0", "ip link set switch addrgenmode none up"]
    for number, pid in enumerate(ends):
        lines += [
            f"ip link add port{number} type veth peer name eth0 netns {pid}",
            f"tc qdisc add dev port{number} root {_SHAPED}",
            f"ip link set port{number} master switch addrgenmode none up",
        ]
    return "\n".join(lines)


def _end_script(address: str) -> str:
    return "\n".join(
        [
            "ip link set lo up",
            f"tc qdisc add dev eth0 root {_SHAPED}",
            f"ip address add {address}/24 broadcast + dev eth0",
            "ip link set eth0 addrgenmode none up",
            "ip route add 224.0.0.0/4 dev eth0",
        ]
    )


def _arrived(pid: int) -> tuple[int, int]:
    """Return the bytes and frames that arrived at the end that a process holds (/proc/PID/net/dev, see proc(5))."""
    for line in Path(f"/proc/{pid}/net/dev").read_text(encoding="ascii").splitlines():
        name, _, figures = line.partition(":")
        if name.strip() == "eth0":
            size, frames = figures.split()[:2]
            return int(size), int(frames)
    raise LabError(f"/proc/{pid}/net/dev has no line of eth0: the network's end has gone.")
