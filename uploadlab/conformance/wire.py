"""A client that sends any bytes and reads HTTP/1.1 answers, telling answers, silence, an end and a reset apart."""

import re
import select
import socket
import struct
import time
from contextlib import closing
from dataclasses import dataclass

from uploadlab.conformance.message import CRLF

READ_BYTES = 65_536
STATUS_LINE = re.compile(r"HTTP/1\.[^ ]* ([0-9]{3})(?: |$)")
LENGTH = re.compile(r"[0-9]{1,18}")
CHUNK_SIZE = re.compile(rb"[0-9A-Fa-f]{1,16}")


class Unreadable(Exception):
    """The server sent something that is not an HTTP/1.1 answer."""


@dataclass(frozen=True, kw_only=True)
class Response:
    """An answer as it came."""

    status: int
    body: bytes


class Connection:
    """A connection whose ends are told apart: still open, closed in order, reset."""

    def __init__(self, address: tuple[str, int], timeout_s: float = 10.0) -> None:
        """Connect, or raise OSError; `timeout_s` bounds every single wait."""
        self.timeout_s = timeout_s
        self.state = "open"
        self.interim: list[int] = []
        self._received = bytearray()
        self._socket = socket.create_connection(address, timeout_s)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket.setblocking(False)

    def send(self, data: bytes, timeout_s: float | None = None) -> bool:
        """Send everything, reading meanwhile. False when the server stopped it."""
        view = memoryview(data)
        while view and self.state == "open":
            events = self._events(select.POLLIN | select.POLLOUT, self.timeout_s if timeout_s is None else timeout_s)
            if not events:
                return False
            if events & ~select.POLLOUT:
                self._receive()
            if events & select.POLLOUT and self.state == "open":
                try:
                    view = view[self._socket.send(view) :]
                except BlockingIOError:
                    continue
                except OSError:
                    self._receive_the_rest()
        return not view

    def receive(self, timeout_s: float | None = None) -> Response | None:
        """Return the next final answer; None when the connection ended or stayed silent (then still open)."""
        deadline = time.monotonic() + (self.timeout_s if timeout_s is None else timeout_s)
        while True:
            response = self._parse()
            if response is not None and response.status >= 200:
                return response
            if response is not None:
                self.interim.append(response.status)
            elif self.state != "open" or not self._wait(deadline):
                return None

    def continues(self, timeout_s: float) -> bool:
        """Wait for a response; whether it is `100` or none came: nobody has to wait for ever."""
        deadline = time.monotonic() + timeout_s
        while b"\r\n\r\n" not in self._received:
            if self.state != "open" or not self._wait(deadline):
                return self.state == "open"
        if self._received[9:12] != b"100":
            return False
        self._parse()
        self.interim.append(100)
        return True

    def wait_for_end(self, timeout_s: float) -> str:
        """Wait until the server ends the connection; return `open`, `closed` or `reset`."""
        deadline = time.monotonic() + timeout_s
        while self.state == "open" and self._wait(deadline):
            pass
        return self.state

    def finish_sending(self) -> None:
        """Close our sending half in order."""
        try:
            self._socket.shutdown(socket.SHUT_WR)
        except OSError:
            self.state = "reset" if self.state == "open" else self.state

    def abort(self) -> None:
        """Reset the connection, as a client that dies."""
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close()

    def close(self) -> None:
        """Close both halves."""
        self._socket.close()
        self.state = "closed" if self.state == "open" else self.state

    def _wait(self, deadline: float) -> bool:
        remaining = deadline - time.monotonic()
        if remaining < 0 or not self._events(select.POLLIN, remaining):
            return False
        self._receive()
        return True

    def _events(self, wanted: int, timeout_s: float) -> int:
        """Wait for some of these events, an error or the end."""
        poll = select.poll()
        poll.register(self._socket, wanted)
        return sum(event for _, event in poll.poll(timeout_s * 1000))

    def _receive_the_rest(self) -> None:
        """Take what came before the server refused our bytes: the kernel keeps it."""
        while self.state == "open" and self._events(select.POLLIN, 1.0):
            self._receive()
        self.state = "reset"

    def _receive(self) -> None:
        try:
            data = self._socket.recv(READ_BYTES)
        except BlockingIOError:
            return
        except OSError:
            self.state = "reset"
            return
        self._received += data
        if not data:
            self.state = "closed"

    def _parse(self) -> Response | None:
        end = self._received.find(b"\r\n\r\n")
        if end < 0:
            if self.state != "open" and self._received:
                raise Unreadable(f"an answer was cut in its head: {bytes(self._received[:60])!r}")
            return None
        status, headers = _parse_head(bytes(self._received[:end]))
        body, stop = self._parse_body(status, headers, end + 4)
        if stop is not None:
            del self._received[:stop]
            return Response(status=status, body=body)
        if self.state != "open":
            raise Unreadable(f"the answer {status} was cut in its body")
        return None

    def _parse_body(self, status: int, headers: dict[str, str], start: int) -> tuple[bytes, int | None]:
        """Return the body and where it stops; None while it has not."""
        if status < 200 or status in (204, 304):
            return b"", start
        if "chunked" in headers.get("transfer-encoding", ""):
            return _parse_chunks(self._received, start)
        if "content-length" in headers:
            length = headers["content-length"]
            if not LENGTH.fullmatch(length):
                raise Unreadable(f"not a Content-Length: {length!r}")
            stop = start + int(length)
            return bytes(self._received[start:stop]), stop if len(self._received) >= stop else None
        if self.state == "open":
            return b"", None
        return bytes(self._received[start:]), len(self._received)


def exchanged(address: tuple[str, int], data: bytes, timeout_s: float = 10.0) -> Response | str:
    """Send on a connection of its own; return the response, or what happened instead."""
    try:
        with closing(Connection(address, timeout_s)) as connection:
            connection.send(data)
            return connection.receive() or ("no response" if connection.state == "open" else connection.state)
    except (OSError, Unreadable) as error:
        return str(error)


def said(response: Response | str) -> str:
    """Return what came, in few words."""
    return response if isinstance(response, str) else str(response.status)


def _parse_head(raw: bytes) -> tuple[int, dict[str, str]]:
    first, *lines = raw.decode("latin-1").split("\r\n")
    words = STATUS_LINE.match(first)
    if not words:
        raise Unreadable(f"not a status line: {first!r}")
    headers: dict[str, str] = {}
    for line in lines:
        name, colon, value = line.partition(":")
        if not colon:
            raise Unreadable(f"not a header line: {line!r}")
        headers.setdefault(name.lower(), value.strip())
    return int(words[1]), headers


def unchunked(message: bytes) -> bytes:
    """Return the data of a message in chunks; nothing where it is not in chunks."""
    try:
        return _parse_chunks(bytearray(message), message.find(b"\r\n\r\n") + 4)[0]
    except Unreadable:
        return b""


def _parse_chunks(data: bytearray, start: int) -> tuple[bytes, int | None]:
    body = b""
    while True:
        line_end = data.find(CRLF, start)
        if line_end < 0:
            return body, None
        digits = bytes(data[start:line_end]).partition(b";")[0].rstrip(b" \t")
        if not CHUNK_SIZE.fullmatch(digits):
            raise Unreadable(f"not the size of a chunk: {digits[:60]!r}")
        size = int(digits, 16)
        start = line_end + 2
        if len(data) < start + size + 2:
            return body, None
        body += bytes(data[start : start + size])
        start += size + 2
        if size == 0:
            return body, start
