"""Capture the heads of a server's packets with tcpdump, so that response times are seen where the server is."""

import ipaddress
import json
import os
import shutil
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from monitoring.collectors import _Collector, _pinned, ending_with_us
from monitoring.errors import CollectorError

TCPDUMP_INSTALL_COMMAND = "apt-get install --yes tcpdump"
SNAP_BYTES = 96
"""Ethernet, IPv4 and TCP heads with all options; what follows of a packet is never kept."""
BUFFER_KIB = 32_768
GATHERED_S = 1.1
"""The kernel hands packets over in blocks, one a second at the latest."""
_PCAP_HEAD_BYTES = 24
# Packets that carry data (total length less both heads), and those that open or end a connection.
_FILTER = (
    "ip and tcp port {port} and (tcp[tcpflags] & (tcp-syn|tcp-fin|tcp-rst) != 0 or "
    "(ip[2:2] - ((ip[0] & 0x0f) << 2) - ((tcp[12] & 0xf0) >> 2)) != 0)"
)


class WireCollector(_Collector):
    """tcpdump on the server's port: the heads of all packets with data, with nanoseconds, into one pcap file."""

    name = "tcpdump"

    def __init__(self, out: Path, *, host: str, port: int, cores: Sequence[int] = ()) -> None:
        """Start capturing to `out` on the interface that has the address `host`; pinned to `cores` (empty: not pinned).

        Raises CollectorError when tcpdump is missing, no interface has the address, or `out` exists.
        """
        tcpdump = shutil.which("tcpdump")
        if tcpdump is None:
            raise CollectorError(f"tcpdump is not installed; install it with: {TCPDUMP_INSTALL_COMMAND}")
        command = [tcpdump, "-i", interface_with(host), "-n", "-p", "-s", str(SNAP_BYTES), "-B", str(BUFFER_KIB)]
        command += ["--time-stamp-precision=nano", "-U", "-w", str(out.absolute())]
        command += ["-Z", "root"] if os.geteuid() == 0 else []  # else it becomes a user who may not write there
        super().__init__([*ending_with_us("TERM"), *_pinned(cores), *command, _FILTER.format(port=port)], out, {})

    def stop(self, timeout_s: float = 5.0) -> int:
        """End the capture after what the kernel still gathers has reached it."""
        time.sleep(GATHERED_S)
        return super().stop(timeout_s)

    def _recording(self) -> bool:
        return self.out.exists() and self.out.stat().st_size >= _PCAP_HEAD_BYTES


def interface_with(host: str) -> str:
    """Return the name of the interface that has the IPv4 address `host`.

    Raises CollectorError when none has it or it is no address.
    """
    try:
        wanted = ipaddress.IPv4Address(host)
    except ValueError:
        raise CollectorError(f"{host} is not an IPv4 address, so its packets cannot be captured") from None
    listed = subprocess.run(["ip", "-json", "-4", "address"], capture_output=True, text=True, check=False)
    for interface in json.loads(listed.stdout or "[]"):
        for address in interface.get("addr_info", []):
            network = ipaddress.IPv4Interface(f"{address['local']}/{address['prefixlen']}")
            if wanted == network.ip or (wanted.is_loopback and wanted in network.network):
                return str(interface["ifname"])
    raise CollectorError(f"no interface of this host has the address {host}, so its packets cannot be captured")
