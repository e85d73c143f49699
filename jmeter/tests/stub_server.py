"""A server that records what arrives, for the tests of the plans."""

import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from http.client import HTTPMessage
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self


@dataclass(frozen=True, kw_only=True)
class Arrival:
    """One request as it came over the wire; `connection` is the client's port, `received_ms` epoch milliseconds."""

    connection: int
    line: str
    headers: HTTPMessage
    body: bytes
    received_ms: float

    @property
    def boundary(self) -> str:
        return re.fullmatch(r"multipart/form-data; boundary=([\w-]+); charset=UTF-8", self.headers["Content-Type"])[1]

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
    headers: tuple[tuple[str, str], ...] = ()
    delay_s: float = 0.0


class StubServer(ThreadingHTTPServer):
    """Answers on a free port of the loopback; `answer` may look at the request's number, counted from 0."""

    request_queue_size = 512

    def __init__(self, answer: Callable[[int], Answer] = lambda number: Answer()) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.port = self.server_address[1]
        self.arrivals: list[Arrival] = []
        self._answer, self._lock = answer, threading.Lock()

    def __enter__(self) -> Self:
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()

    def answer_to(self, arrival: Arrival) -> Answer:
        with self._lock:
            self.arrivals.append(arrival)
            number = len(self.arrivals) - 1
        return self._answer(number)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # a response is sent in one piece

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        answer = self.server.answer_to(
            Arrival(
                connection=self.client_address[1],
                line=self.requestline,
                headers=self.headers,
                body=body,
                received_ms=time.time() * 1000,
            )
        )
        time.sleep(answer.delay_s)
        self.send_response_only(answer.status, "Said")
        for name, value in (("Content-Length", str(len(answer.page))), *answer.headers):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(answer.page)
