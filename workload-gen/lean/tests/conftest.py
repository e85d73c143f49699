"""What the tests of the generator share: its classes, payload files, and a server that says what it is told."""

import contextlib
import csv
import re
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

import pytest

FOLDER = Path(__file__).resolve().parent.parent
SIZES = (1, 10, 4095, 4096, 4097, 23_000, 65_536, 65_537, 19_000_000)
Say = Callable[[socket.socket], None]


def ok(page: bytes = b"thanks", *headers: bytes, status: bytes = b"200 OK") -> bytes:
    """Return an answer with a length."""
    lines = [b"HTTP/1.1 " + status, b"Content-Length: %d" % len(page), *headers]
    return b"\r\n".join(lines) + b"\r\n\r\n" + page


@dataclass
class Server:
    """Reads uploads; `say` answers the n-th of them, counted from 0, and may close the connection."""

    say: Callable[[int, socket.socket], None]
    read: Callable[[socket.socket, BinaryIO, int], bytes] = lambda _, stream, size: stream.read(size)
    """Takes the file of an upload: from a connection, by its stream, so many bytes."""
    heads: list[str] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    connections: list[int] = field(default_factory=list)
    at_once: int = 512
    """Connections that it serves at a time; further ones wait, as before a server with so many threads."""
    received_s: list[float] = field(default_factory=list)
    address: str = "127.0.0.1"
    port: int = 0

    def _accept(self, listener: socket.socket) -> None:
        with contextlib.suppress(OSError):
            number = 0
            while True:
                client, _ = listener.accept()
                threading.Thread(target=self._serve, args=(client, number), daemon=True).start()
                number += 1

    def _serve(self, client: socket.socket, connection: int) -> None:
        with self.places, client, client.makefile("rb") as stream, contextlib.suppress(OSError):
            while True:
                head = b""
                while not head.endswith(b"\r\n\r\n"):
                    line = stream.readline()
                    if not line:
                        return
                    head += line
                body = self.read(client, stream, int(re.search(rb"Content-Length: (\d+)", head)[1]))
                with self.lock:
                    number = len(self.heads)
                    self.heads.append(head.decode())
                    self.bodies.append(body)
                    self.connections.append(connection)
                    self.received_s.append(time.time())
                self.say(number, client)

    @contextlib.contextmanager
    def running(self) -> Iterator["Server"]:
        self.lock = threading.Lock()
        self.places = threading.Semaphore(self.at_once)
        family = socket.AF_INET6 if ":" in self.address else socket.AF_INET
        with socket.create_server((self.address, 0), family=family, backlog=512) as listener:
            self.port = listener.getsockname()[1]
            threading.Thread(target=self._accept, args=(listener,), daemon=True).start()
            yield self
            listener.shutdown(socket.SHUT_RDWR)


@pytest.fixture
def serving() -> Iterator[Callable[..., Server]]:
    """A function that starts a server; without `say` it thanks for every upload."""
    with contextlib.ExitStack() as stack:
        yield lambda say=lambda _, client: client.sendall(ok()), **how: stack.enter_context(
            Server(say=say, **how).running()
        )


@pytest.fixture(scope="session")
def classes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("classes")
    source = FOLDER / "src" / "uploadlab" / "lean" / "LeanGenerator.java"
    lint = ["-Xlint:all", "-Werror"]
    subprocess.run(
        ["javac", "-J-XX:TieredStopAtLevel=1", *lint, "-d", folder, "-sourcepath", FOLDER / "src", source],
        check=True,
        timeout=120,
    )
    return folder


@pytest.fixture(scope="session")
def payloads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of payloads, named by size, each of different bytes."""
    folder = tmp_path_factory.mktemp("payloads")
    for size in SIZES:
        block = bytes((7 * i + size) % 251 for i in range(min(size, 100_003)))
        (folder / f"{size}.split").write_bytes((block * (size // len(block) + 1))[:size])
    return folder


@dataclass(frozen=True, kw_only=True)
class Run:
    """What a run left."""

    rows: list[dict[str, str]]
    code: int
    output: str
    error: str
    warmed_up_us: float
    """When the warm-up was over, epoch."""

    @property
    def measured(self) -> list[dict[str, str]]:
        return [row for row in self.rows if row["label"] == "Upload file"]


@pytest.fixture
def run(classes: Path, payloads: Path, tmp_path: Path) -> Callable[..., Run]:
    """A function that makes a load to its end, and further ones `then`.

    Sizes are the list, `said` is its standard input, the rest are settings.
    """

    def carry_out(
        port: int, sizes: list[int], /, then: Sequence[dict[str, object]] = (), said: str = "", **settings: object
    ) -> Run:
        (tmp_path / "sizes.csv").write_text("".join(f"{size}\n" for size in sizes))
        given = {"port": port, "sizes_csv": "sizes.csv", "payload_dir": payloads, "lead_ms": 10, **settings}
        command = ["java", "-XX:TieredStopAtLevel=1", "-Xmx128m", "-cp", classes, "uploadlab.lean.LeanGenerator"]
        told = [f"{name}={value}" for name, value in given.items()]
        told += [word for load in then for word in ("then", *(f"{name}={value}" for name, value in load.items()))]
        done = subprocess.run(
            [*command, *told],
            cwd=tmp_path,
            input=said,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        path = tmp_path / settings.get("requests", "requests.jtl")
        rows = list(csv.DictReader(path.read_text().splitlines(keepends=True))) if path.exists() else []
        log = tmp_path / settings.get("log", "lean.log")
        over = datetime.fromisoformat(log.read_text()[:26] + "+00:00").timestamp() * 1e6 if log.exists() else 0.0
        return Run(rows=rows, code=done.returncode, output=done.stdout, error=done.stderr, warmed_up_us=over)

    return carry_out
