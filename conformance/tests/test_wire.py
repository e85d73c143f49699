"""The connection tells answers, ends and resets apart, byte by byte."""

from __future__ import annotations

import socket
import struct
import threading
from contextlib import contextmanager

import pytest

from conformance.wire import Connection, Unreadable, connected, healthy


@contextmanager
def scripted(script):
    """A server that runs `script(socket)` for its one connection."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve():
        peer, _ = listener.accept()
        with peer:
            script(peer)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield listener.getsockname()
    finally:
        thread.join(10)
        listener.close()


def says(*pieces, then=None):
    def script(peer):
        for piece in pieces:
            peer.sendall(piece)
        if then is not None:
            then(peer)

    return script


def reset(peer):
    peer.recv(1)
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def wait_for_client(peer):
    peer.settimeout(10)
    while peer.recv(65_536):
        pass


@pytest.mark.parametrize(
    ("raw", "body"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc", b"abc"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1;x=y\r\nc\r\n0\r\n\r\n", b"abc"),
        (b"HTTP/1.1 200 OK\r\n\r\nabc", b"abc"),
        (b"HTTP/1.1 204 No Content\r\n\r\n", b""),
    ],
)
def test_a_body_is_read_by_length_by_chunks_or_to_the_end(raw, body):
    with scripted(says(raw)) as address, connected(address) as connection:
        response = connection.receive()
    assert response is not None
    assert response.body == body


def test_an_answer_in_single_bytes_is_read():
    raw = b"HTTP/1.1 413 x\r\nConnection: Close\r\nContent-Length: 29\r\n\r\n" + b'{"error":{"code":"too_long"}}'
    with scripted(says(*[bytes([byte]) for byte in raw])) as address, connected(address) as connection:
        response = connection.receive()
    assert (response.status, response.error_code, response.closes) == (413, "too_long", True)


def test_interim_answers_are_kept_apart_from_final_ones():
    raw = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
    with scripted(says(raw)) as address, connected(address) as connection:
        assert connection.receive_interim_or_final(5) == 100
        assert connection.receive().status == 200
        assert connection.interim == [100]


def test_an_answer_to_head_has_no_body_whatever_its_length_says():
    raw = b"HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\nHTTP/1.1 405 x\r\nContent-Length: 9\r\n\r\n"
    with scripted(says(raw)) as address, connected(address) as connection:
        connection.head_only = True
        assert [connection.receive().status, connection.receive().status] == [200, 405]


def test_two_answers_in_one_piece_are_two():
    one = b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na"
    with scripted(says(one + one)) as address, connected(address) as connection:
        assert connection.receive().body == b"a"
        assert connection.receive().body == b"a"
        assert connection.receive() is None


CHUNKS = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize(
    "raw",
    [
        b"hello\r\n\r\n",
        b"HTTP/1.1 abc\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc",
        b"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\nabc",
        b"HTTP/1.1 20\xb2 OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: " + 5_000 * b"1" + b"\r\n\r\nabc",
        b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nabc",
        CHUNKS + b"xyz\r\nabc\r\n0\r\n\r\n",
        CHUNKS + b"-3\r\nabc\r\n0\r\n\r\n",
        CHUNKS + b"\r\nabc\r\n0\r\n\r\n",
    ],
)
def test_what_is_not_an_answer_or_is_cut_is_unreadable(raw):
    with scripted(says(raw)) as address, connected(address) as connection, pytest.raises(Unreadable):
        connection.receive()


def test_the_three_ends_are_told_apart():
    with scripted(says(b"")) as address, connected(address) as connection:
        assert connection.wait_for_end(5) == "closed"
    with scripted(says(b"", then=reset)) as address, connected(address) as connection:
        connection.send(b"x")
        assert connection.wait_for_end(5) == "reset"
    with scripted(wait_for_client) as address, connected(address) as connection:
        assert connection.wait_for_end(0.05) == "open"


def test_an_answer_that_came_before_a_reset_is_still_read():
    def refuse(peer):
        peer.recv(10)
        peer.sendall(b"HTTP/1.1 413 x\r\nContent-Length: 0\r\n\r\n")  # and closes with bytes unread: a reset

    with scripted(refuse) as address, connected(address) as connection:
        assert not connection.send(b"x" * 20_000_000, reading=False)
        assert connection.state == "reset"
        assert connection.receive().status == 413


def test_a_silent_server_is_given_up_on_and_stays_open():
    with scripted(wait_for_client) as address, connected(address) as connection:
        assert connection.receive(0.05) is None
        assert connection.state == "open"


def test_a_server_that_reads_nothing_stops_the_sender():
    blocked = threading.Event()

    def silent(peer):
        blocked.wait(10)

    with scripted(silent) as address:
        connection = Connection(address, timeout_s=0.2)
        assert not connection.send(b"x" * 50_000_000)
        connection.close()
        blocked.set()


def test_only_a_200_is_healthy():
    with scripted(says(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", then=wait_for_client)) as address:
        assert healthy(address)
    with scripted(says(b"HTTP/1.1 503 x\r\nContent-Length: 0\r\n\r\n", then=wait_for_client)) as address:
        assert not healthy(address)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = listener.getsockname()
    assert not healthy(address)
