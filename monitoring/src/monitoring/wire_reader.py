"""Read a capture of a server's packets: when each request came in and its answer went out, in nanoseconds."""

from dataclasses import dataclass
from pathlib import Path

import dpkt
import numpy as np
from numpy.typing import NDArray

from monitoring.errors import RecordingError

_KEPT_BYTES = 96
_ETHERNET_HEAD = 14
_SYN = 0x02
_IPV4 = 0x0800
Times = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class WireRequests:
    """Requests as the server's host saw them, in the order in which they came; all arrays are (n,), times epoch ns.

    `connection` numbers the TCP connections. A request is what a client sends until the server sends data; its answer
    is what the server sends until the client does again. Requests whose answer was not seen are left out.
    """

    connection: Times
    first_in_ns: Times
    """The first packet of the request."""
    last_in_ns: Times
    last_out_ns: Times
    retransmitted: Times
    """How many packets of the request and its answer carried bytes that had been seen before."""


@dataclass(frozen=True, kw_only=True)
class _Packets:
    """Packets of one port, sorted by connection and time."""

    time_ns: Times
    connection: Times
    from_client: NDArray[np.bool_]
    sequence: Times
    """Bytes since the first that was seen in its direction."""
    data_bytes: Times


def read_wire(path: Path, *, port: int) -> WireRequests:
    """Read a pcap file of Ethernet packets to and from a server's TCP `port`.

    A file that was cut off is read up to there. Raises RecordingError when it cannot be read, is no such file or holds
    no packet with data of that port.
    """
    times, heads = _records(path)
    packets = _packets(times, heads, port)
    if not len(packets.time_ns):
        raise RecordingError(path, 0, f"holds no packet with data to or from port {port}")
    return _requests(packets)


def _records(path: Path) -> tuple[Times, NDArray[np.uint8]]:
    """Return times (n,) and the first bytes of each packet (n, 96), zeros where a packet is shorter."""
    times: list[int] = []
    heads: list[bytes] = []
    try:
        with path.open("rb") as file:
            capture = dpkt.pcap.Reader(file)
            if capture.datalink() != dpkt.pcap.DLT_EN10MB:
                raise RecordingError(path, 0, "holds no Ethernet packets")
            try:
                for stamp, packet in capture:
                    times.append(int(stamp * 1_000_000_000))
                    heads.append(packet[:_KEPT_BYTES].ljust(_KEPT_BYTES, b"\0"))
            except (dpkt.dpkt.NeedData, ValueError):
                pass  # cut off in a packet: what is whole counts
    except OSError as error:
        raise RecordingError(path, 0, f"cannot be read: {error.strerror}") from None
    except (ValueError, dpkt.dpkt.Error):
        raise RecordingError(path, 0, "is no pcap file") from None
    return np.array(times, dtype=np.int64), np.frombuffer(b"".join(heads), dtype=np.uint8).reshape(-1, _KEPT_BYTES)


def _packets(times: Times, heads: NDArray[np.uint8], port: int) -> _Packets:
    """Decode IPv4 and TCP heads (RFC 791, RFC 9293) of all packets at once."""
    ip = _ETHERNET_HEAD
    head_bytes = 4 * (heads[:, ip] & 0x0F).astype(np.int64)
    wanted = (_number(heads, 12, 2) == _IPV4) & (heads[:, ip + 9] == dpkt.ip.IP_PROTO_TCP)
    wanted &= head_bytes <= _KEPT_BYTES - _ETHERNET_HEAD - 20
    times, heads, head_bytes = times[wanted], heads[wanted], head_bytes[wanted]
    tcp = ip + head_bytes
    source, target = (_at(heads, tcp + offset, 2) for offset in (0, 2))
    data_bytes = _number(heads, ip + 2, 2) - head_bytes - 4 * (_at(heads, tcp + 12, 1) >> 4)
    from_client = target == port
    address = np.where(from_client, _number(heads, ip + 12, 4), _number(heads, ip + 16, 4))
    peer = address << 16 | np.where(from_client, source, target)
    opens = from_client & ((_at(heads, tcp + 13, 1) & _SYN) != 0)
    known = from_client | (source == port)
    order = np.lexsort((times, peer))
    order = order[known[order]]
    connection = _connections(peer[order], opens[order])
    sequence = _at(heads, tcp + 4, 4)[order]
    carries = data_bytes[order] > 0
    return _Packets(
        time_ns=times[order][carries],
        connection=connection[carries],
        from_client=from_client[order][carries],
        sequence=sequence[carries],
        data_bytes=data_bytes[order][carries],
    )


def _connections(peer: Times, opens: NDArray[np.bool_]) -> Times:
    """Number the connections of packets sorted by peer and time: a new peer, or the first SYN after other packets."""
    if not len(peer):
        return np.zeros(0, dtype=np.int64)
    begins = np.ones(len(peer), dtype=np.bool_)
    begins[1:] = (peer[1:] != peer[:-1]) | (opens[1:] & ~opens[:-1])
    return np.cumsum(begins) - 1


def _requests(packets: _Packets) -> WireRequests:
    again = _seen_before(packets)
    stray = _after_the_answer(packets, again)
    kept = np.flatnonzero(~stray)
    connection, from_client, time_ns = packets.connection[kept], packets.from_client[kept], packets.time_ns[kept]
    begins = np.ones(len(kept), dtype=np.bool_)
    begins[1:] = (connection[1:] != connection[:-1]) | (from_client[1:] & ~from_client[:-1])
    number = np.cumsum(begins) - 1
    count = int(number[-1]) + 1
    first_in, last_in = _extremes(number, count, time_ns, from_client)
    _, last_out = _extremes(number, count, time_ns, ~from_client)
    request_of = number[np.searchsorted(kept, np.arange(len(stray)), side="right") - 1]
    whole = np.flatnonzero((last_in >= 0) & (last_out >= 0))
    whole = whole[np.argsort(first_in[whole], kind="stable")]
    return WireRequests(
        connection=connection[begins][whole],
        first_in_ns=first_in[whole],
        last_in_ns=last_in[whole],
        last_out_ns=last_out[whole],
        retransmitted=np.bincount(request_of, weights=again, minlength=count).astype(np.int64)[whole],
    )


def _after_the_answer(packets: _Packets, again: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which packets of a client come after the answer but bring nothing new: they begin no request.

    A tail loss probe (RFC 8985) is one: the last segment once more, because its acknowledgement took its time.
    """
    repeats = again & packets.from_client
    before = np.maximum.accumulate(np.where(repeats, 0, np.arange(len(repeats))))
    same = packets.connection == packets.connection[before]
    return np.asarray(repeats & same & ~packets.from_client[before])


def _seen_before(packets: _Packets) -> NDArray[np.bool_]:
    """Return whether a packet carries nothing that a former one of its connection and direction did not reach."""
    again = np.zeros(len(packets.time_ns), dtype=np.bool_)
    for client in (True, False):
        chosen = np.flatnonzero(packets.from_client == client)
        if not len(chosen):
            continue
        connection = packets.connection[chosen]
        starts = np.flatnonzero(np.r_[True, connection[1:] != connection[:-1]])
        first = np.repeat(packets.sequence[chosen][starts], np.diff(np.r_[starts, len(chosen)]))
        # 32-bit serial numbers: the distance from the first, as a signed number (RFC 1982)
        offset = (packets.sequence[chosen] - first + 2**31) % 2**32 - 2**31
        end = offset + packets.data_bytes[chosen]
        apart = (connection - connection[0]) * 2**33
        reached = np.maximum.accumulate(end + apart)
        again[chosen[1:]] = (connection[1:] == connection[:-1]) & (end[1:] + apart[1:] <= reached[:-1])
    return again


def _extremes(number: Times, count: int, time_ns: Times, chosen: NDArray[np.bool_]) -> tuple[Times, Times]:
    """Return the first and the last time of the chosen packets of each request; the last is -1 where there is none."""
    first = np.full(count, np.iinfo(np.int64).max)
    last = np.full(count, -1)
    np.minimum.at(first, number[chosen], time_ns[chosen])
    np.maximum.at(last, number[chosen], time_ns[chosen])
    return first, last


def _number(heads: NDArray[np.uint8], start: int, width: int) -> Times:
    """Return a big-endian number at a fixed place of each head."""
    return _at(heads, np.full(len(heads), start), width)


def _at(heads: NDArray[np.uint8], start: Times, width: int) -> Times:
    """Return a big-endian number at a place of its own in each head."""
    rows = np.arange(len(heads))
    value = np.zeros(len(heads), dtype=np.int64)
    for place in range(width):
        value = value << 8 | heads[rows, start + place]
    return value
