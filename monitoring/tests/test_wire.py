"""Captures of a server's packets: by hand, packet for packet, and of a real server on loopback."""

import contextlib
import http.client
import http.server
import os
import shutil
import struct
import threading
import time

import numpy as np
import pytest
from waiting import wait_for

from monitoring.errors import RecordingError
from monitoring.wire_capture import WireCollector
from monitoring.wire_reader import read_wire

PORT = 18080
T0 = 1_790_000_000_000_000_000
SYN, ACK, FIN = 0x02, 0x10, 0x01
can_capture = pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("tcpdump") is None, reason="packets are captured as root, with tcpdump"
)


def packet(at_us, client, *, up, sequence, data=0, flags=ACK):
    """Return one record of a pcap file: Ethernet, IPv4, TCP, and `data` bytes of which only the heads are kept."""
    ports = (client, PORT) if up else (PORT, client)
    tcp = struct.pack(">HHIIBBHHH", *ports, sequence, 0, 5 << 4, flags, 512, 0, 0)
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 40 + data, 0, 0, 64, 6, 0, b"\x7f\0\0\1", b"\x7f\0\0\1")
    head = b"\0" * 12 + b"\x08\0" + ip + tcp
    when_ns = T0 + at_us * 1000
    return struct.pack("<IIII", when_ns // 10**9, when_ns % 10**9, len(head), len(head) + data) + head


def capture(tmp_path, *packets, cut=0):
    path = tmp_path / "server.wire.pcap"
    content = struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 96, 1) + b"".join(packets)
    path.write_bytes(content[: len(content) - cut])
    return path


def us(times_ns):
    return ((times_ns - T0) // 1000).tolist()


def test_a_request_lasts_from_its_first_byte_in_to_the_last_byte_of_its_answer(tmp_path):
    path = capture(
        tmp_path,
        packet(0, 4000, up=True, sequence=99, flags=SYN),
        packet(10, 4000, up=True, sequence=100, data=500),
        packet(40, 4000, up=True, sequence=600, data=300),
        packet(90, 4000, up=False, sequence=7, data=50),
        packet(95, 4000, up=False, sequence=57, data=50),
        packet(200, 4000, up=True, sequence=900, data=500),
        packet(260, 4000, up=False, sequence=107, data=100),
    )
    found = read_wire(path, port=PORT)
    assert us(found.first_in_ns) == [10, 200]
    assert us(found.last_in_ns) == [40, 200]
    assert us(found.last_out_ns) == [95, 260]
    assert found.connection.tolist() == [0, 0]
    assert found.retransmitted.tolist() == [0, 0]


def test_connections_are_told_apart_by_the_clients_port_and_by_a_new_opening(tmp_path):
    path = capture(
        tmp_path,
        packet(0, 4000, up=True, sequence=99, flags=SYN),
        packet(10, 4000, up=True, sequence=100, data=5),
        packet(11, 4001, up=True, sequence=500, data=5),
        packet(20, 4000, up=False, sequence=7, data=5),
        packet(21, 4001, up=False, sequence=9, data=5),
        packet(30, 4000, up=True, sequence=105, flags=FIN | ACK),
        packet(40, 4000, up=True, sequence=70_000, flags=SYN),
        packet(50, 4000, up=True, sequence=70_001, data=5),
        packet(60, 4000, up=False, sequence=900, data=5),
    )
    found = read_wire(path, port=PORT)
    assert us(found.first_in_ns) == [10, 11, 50]
    assert len(set(found.connection.tolist())) == 3


def test_a_packet_that_brings_nothing_new_is_a_retransmission_also_where_sequence_numbers_wrap(tmp_path):
    near = 2**32 - 100
    path = capture(
        tmp_path,
        packet(0, 4000, up=True, sequence=near, data=80),
        packet(5, 4000, up=True, sequence=near + 80, data=80),
        packet(210, 4000, up=True, sequence=near + 80, data=80),
        packet(300, 4000, up=False, sequence=1, data=5),
        packet(400, 4000, up=True, sequence=60, data=80),
        packet(500, 4000, up=False, sequence=6, data=5),
    )
    assert read_wire(path, port=PORT).retransmitted.tolist() == [1, 0]


def test_a_tail_loss_probe_behind_the_answer_begins_no_request(tmp_path):
    path = capture(
        tmp_path,
        packet(0, 4000, up=True, sequence=1, data=80),
        packet(300, 4000, up=False, sequence=1, data=5),
        packet(310, 4000, up=True, sequence=1, data=80),
        packet(320, 4000, up=True, sequence=1, data=80),
        packet(9000, 4000, up=True, sequence=81, data=80),
        packet(9400, 4000, up=False, sequence=6, data=5),
    )
    requests = read_wire(path, port=PORT)
    assert us(requests.first_in_ns) == [0, 9000]
    assert us(requests.last_out_ns) == [300, 9400]
    assert requests.retransmitted.tolist() == [2, 0]


def test_a_request_without_an_answer_is_left_out(tmp_path):
    path = capture(tmp_path, packet(0, 4000, up=True, sequence=1, data=5), packet(1, 4001, up=True, sequence=1, data=5),
                   packet(9, 4001, up=False, sequence=1, data=5))  # fmt: skip
    found = read_wire(path, port=PORT)
    assert us(found.first_in_ns) == [1]


def test_a_capture_that_was_cut_off_is_read_as_far_as_it_is_whole(tmp_path):
    packets = [packet(0, 4000, up=True, sequence=1, data=5), packet(9, 4000, up=False, sequence=1, data=5)]
    path = capture(tmp_path, *packets, packet(20, 4000, up=True, sequence=6, data=5), cut=7)
    assert us(read_wire(path, port=PORT).first_in_ns) == [0]


class _Slow(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        time.sleep(0.03)
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *_):
        pass


def wait_until_answered(path, port, requests):
    """Wait until tcpdump has written all answers, which a busy machine keeps in the kernel for a while."""

    def all_are_there():
        with contextlib.suppress(RecordingError):  # nothing is written yet
            return len(read_wire(path, port=port).last_out_ns) == requests

    wait_for(all_are_there)


@can_capture
def test_a_real_server_is_seen_to_take_the_time_it_takes(tmp_path):
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Slow) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        port = server.server_address[1]
        collector = WireCollector(tmp_path / "server.wire.pcap", host="127.0.0.1", port=port)
        collector.wait_recording()
        elapsed_ms = []
        connection = http.client.HTTPConnection("127.0.0.1", port)
        for _ in range(10):
            began = time.monotonic_ns()
            connection.request("POST", "/", body=b"x" * 200_000)
            connection.getresponse().read()
            elapsed_ms.append((time.monotonic_ns() - began) / 1e6)
        connection.close()
        wait_until_answered(tmp_path / "server.wire.pcap", port, 10)
        collector.stop()
        server.shutdown()
    found = read_wire(tmp_path / "server.wire.pcap", port=port)
    wire_ms = (found.last_out_ns - found.first_in_ns) / 1e6
    assert len(wire_ms) == 10
    assert (wire_ms > 30).all()
    assert (wire_ms < np.array(elapsed_ms)).all()
