"""What the tests of the generator share: its classes, payload files, and a server that says what it is told."""

import contextlib
import csv
import re
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path
from typing import BinaryIO

import pytest

FOLDER = Path(__file__).resolve().parent.parent
SIZES = (1, 10, 4095, 4096, 4097, 23_000, 65_536, 65_537, 19_000_000)


def ok(page: bytes = b"thanks", *headers: bytes, status: bytes = b"200 OK") -> bytes:
    """Return an answer with a length."""
    lines = [b"HTTP/1.1 " + status, b"Content-Length: %d" % len(page), *headers]
    return b"\r\n".join(lines) + b"\r\n\r\n" + page


def schedule(folder: Path, offsets_ms: Sequence[object], name: str = "schedule.csv") -> Path:
    """Write a schedule of open arrivals."""
    path = folder / name
    path.write_text("start_ms,session\n" + "".join(f"{offset},{n}\n" for n, offset in enumerate(offsets_ms)))
    return path


@dataclass
class Server:
    """A server that keeps what arrives and answers the n-th upload by `say(n, client)`."""

    say: Callable[[int, socket.socket], None]
    read: Callable[[socket.socket, BinaryIO, int], bytes] = lambda _, stream, size: stream.read(size)
    """Takes the file of an upload: from a connection, by its stream, so many bytes."""
    heads: list[str] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    connections: list[int] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)
    port: int = 0

    def _accept(self, listener: socket.socket) -> None:
        number = 0
        with contextlib.suppress(OSError):
            while True:
                client, _ = listener.accept()
                threading.Thread(target=self._serve, args=(client, number), daemon=True).start()
                number += 1

    def _serve(self, client: socket.socket, connection: int) -> None:
        with client, client.makefile("rb") as stream, contextlib.suppress(OSError):
            while head := b"".join(takewhile(bytes.strip, iter(stream.readline, None))):
                body = self.read(client, stream, int(re.search(rb"Content-Length: (\d+)", head)[1]))
                with self.lock:
                    number = len(self.heads)
                    self.heads.append(f"{head.decode()}\r\n")
                    self.bodies.append(body)
                    self.connections.append(connection)
                self.say(number, client)

    @contextlib.contextmanager
    def running(self) -> Iterator["Server"]:
        with socket.create_server(("127.0.0.1", 0), backlog=512) as listener:
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
            [*command, *told], cwd=tmp_path, input=said, capture_output=True, text=True, timeout=120, check=False
        )
        path = tmp_path / settings.get("requests", "requests.jtl")
        rows = list(csv.DictReader(path.read_text().splitlines(keepends=True))) if path.exists() else []
        return Run(rows=rows, code=done.returncode, output=done.stdout, error=done.stderr)

    return carry_out
