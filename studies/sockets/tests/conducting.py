"""The two parts of a run, started and conducted as tests need it."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from study_kit import conducting
from study_kit.conducting import Outcome, Part

SOCKETS = Path(__file__).parents[1]
ROLES = ("responder", "requester")
DEFAULTS = {
    "LOOP": "ping_pong", "MESSAGE_BYTES": "100", "DURATION_S": "0.3", "PATTERNS": "pair", "DRAIN_S": "2",
    "RECORDS_CAPACITY": "300000",
}  # fmt: skip


def start(system: str, role: str, folder: Path, port: int, *, core: int | None = None, **settings: str) -> Part:
    folder.mkdir(exist_ok=True)
    pinned = [] if core is None else ["taskset", "--cpu-list", str(core)]
    told = {**DEFAULTS, "PORT": str(port), "RESPONDER_ADDRESSES": f"127.0.0.1:{port}", **settings}
    return conducting.start([*pinned, SOCKETS / system / "target/part"], role, folder, told)


def conduct(
    system: str, folder: Path, port: int, *, cores: tuple[int | None, int | None] = (None, None), **settings: str
) -> Outcome:
    starts = {
        role: lambda role=role, core=core: start(system, role, folder, port, core=core, **settings)
        for role, core in zip(ROLES, cores, strict=True)
    }
    return conducting.conduct(folder, starts)


END_BYTES = 12


@contextmanager
def in_pieces(to: int, message_bytes: int, piece_bytes: int, pause_s: float) -> Iterator[int]:
    """Relay to the responder's port each message in pieces, a pause behind each; yield the port for the requester."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=_relay, args=(listener, to, message_bytes, piece_bytes, pause_s), daemon=True).start()
        yield listener.getsockname()[1]


def _relay(listener: socket.socket, to: int, message_bytes: int, piece_bytes: int, pause_s: float) -> None:
    # The listener is closed where the requester never came; the connections, where the test has ended.
    with suppress(OSError), listener.accept()[0] as asking, socket.create_connection(("127.0.0.1", to)) as answering:
        for one in (asking, answering):
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        threading.Thread(target=_pass_on, args=(answering, asking), daemon=True).start()
        at = 0  # in a message
        while piece := asking.recv(min(piece_bytes, message_bytes - at)):
            answering.sendall(piece)
            time.sleep(pause_s)
            is_end = at == 0 and len(piece) == END_BYTES
            at = 0 if is_end else (at + len(piece)) % message_bytes


def _pass_on(source: socket.socket, to: socket.socket) -> None:
    with suppress(OSError):
        while some := source.recv(65_536):
            to.sendall(some)
