"""A server that records what arrives, for the tests of the plans."""

import re
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Self


@dataclass(frozen=True, kw_only=True)
class Arrival:
    """One request as it came over the wire.

    `connection` counts connections from 0; `head` is the request line and headers without the empty line;
    `received_ms` and `answered_ms` are epoch milliseconds.
    """

    connection: int
    head: str
    body: bytes
    received_ms: float
    answered_ms: float

    @property
    def headers(self) -> dict[str, str]:
        lines = self.head.split("\r\n")[1:]
        return {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}

    @property
    def boundary(self) -> str:
        return re.fullmatch(r"multipart/form-data; boundary=([\w-]+); charset=UTF-8", self.headers["content-type"])[1]

    @property
    def file_name(self) -> str:
        return re.search(rb'filename="([^"]*)"', self.body)[1].decode()

    @property
    def size(self) -> int:
        """The size that the name of the file promises."""
        return int(self.file_name.removesuffix(".split"))


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What the stub says to a request, and after how long."""

    status: int = 200
    page: bytes = b"thanks"
    headers: tuple[str, ...] = ()
    delay_s: float = 0.0


@dataclass
class StubServer:
    """Answers on a free port of the loopback; `answer` may look at the request's number, counted from 0."""

    answer: Callable[[int], Answer] = lambda number: Answer()
    arrivals: list[Arrival] = field(default_factory=list)

    def __enter__(self) -> Self:
        self._lock = threading.Lock()
        self._numbers = iter(range(10**9))
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        connection = 0
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client, connection), daemon=True).start()
            connection += 1

    def _serve(self, client: socket.socket, connection: int) -> None:
        with client, client.makefile("rb") as stream:
            try:
                while self._one(client, stream, connection):
                    pass
            except OSError:
                return

    def _one(self, client: socket.socket, stream, connection: int) -> bool:
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            line = stream.readline()
            if not line:
                return False
            head += line
        text = head.decode().removesuffix("\r\n\r\n")
        length = re.search(r"(?im)^content-length:\s*(\d+)", text)
        body = stream.read(int(length[1]) if length else 0)
        with self._lock:
            received_ms = time.time() * 1000
            number = next(self._numbers)
        answer = self.answer(number)
        time.sleep(answer.delay_s)
        closing = "connection: close" in text.lower()
        arrival = Arrival(
            connection=connection, head=text, body=body, received_ms=received_ms, answered_ms=time.time() * 1000
        )
        with self._lock:
            self.arrivals.append(arrival)
        headers = "".join(f"{line}\r\n" for line in answer.headers)
        reply = f"HTTP/1.1 {answer.status} Said\r\nContent-Length: {len(answer.page)}\r\n{headers}\r\n".encode()
        client.sendall(reply + answer.page)
        return not closing
