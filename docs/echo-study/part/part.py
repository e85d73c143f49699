"""A responder or a requester, by the variable ROLE: echoes messages over TCP and records when."""

import json
import os
import platform
import socket
import struct
import sys
import time
from contextlib import closing
from pathlib import Path

ROW = struct.Struct("<qIIHHBBH")  # time_ns, seq, bytes, stream, op, kind, status, spare
SENT, RECEIVED, ANSWERED = 2, 4, 5
NAMES = ("time_ns", "seq", "bytes", "stream", "op", "kind", "status", "spare")
TYPES = ("<i8", "<u4", "<u4", "<u2", "<u2", "u1", "u1", "<u2")


def write_records(rows: list[tuple[int, int, int, int]]) -> None:
    """Write (time_ns, seq, bytes, kind) as a NumPy file."""
    described = {"descr": list(zip(NAMES, TYPES, strict=False)), "fortran_order": False, "shape": (len(rows),)}
    head = str(described).ljust(256 - 10 - 1) + "\n"
    with Path(os.environ["RECORDS_FILE"]).open("wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode())
        file.writelines(ROW.pack(when, seq, size, 0, 0, kind, 0, 0) for when, seq, size, kind in rows)


def receive(connection: socket.socket, size: int) -> bytes:
    """Read exactly `size` bytes; fewer at the end."""
    found = b""
    while len(found) < size and (piece := connection.recv(size - len(found))):
        found += piece
    return found


def tell(word: str, **event: object) -> None:
    """Answer the conductor, and write an event."""
    with Path(os.environ["EVENTS_FILE"]).open("a") as file:
        file.write(json.dumps({"at_ns": time.time_ns(), **event}) + "\n")
    print(word, flush=True)


def main() -> None:
    """Do what the conductor says, word by word."""
    size, messages = int(os.environ["MESSAGE_BYTES"]), int(os.environ["MESSAGES"])
    host, _, port = os.environ["RESPONDER_ADDRESSES"].partition(":")
    responds = os.environ["ROLE"] == "responder"
    rows: list[tuple[int, int, int, int]] = []
    if responds:
        listener = socket.create_server((host, int(port)))
        tell("ready", event="started", pid=os.getpid())
        connection = listener.accept()[0]
    else:
        connection = socket.create_connection((host, int(port)))
        tell("ready", event="started", pid=os.getpid())
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, int(os.environ["NO_DELAY"]))

    def exchange(count: int, record: bool) -> int:
        for seq in range(count):
            sent = seq.to_bytes(8, "big").ljust(size, b"x")
            if responds:
                message = receive(connection, size)
                rows.extend([(time.monotonic_ns(), seq, len(message), RECEIVED)] * record)
                connection.sendall(message)
                continue
            rows.extend([(time.monotonic_ns(), seq, size, SENT)] * record)
            connection.sendall(sent)
            assert receive(connection, size) == sent, f"message {seq} came back changed"
            rows.extend([(time.monotonic_ns(), seq, size, ANSWERED)] * record)
        return count

    with closing(connection):
        for line in sys.stdin:
            word, *rest = line.split()
            if word == "stop":
                break
            if word == "measure":
                time.sleep(max(0, int(rest[0]) - time.monotonic_ns()) / 1e9)
            count = exchange({"verify": 3, "warm_up": 100, "measure": messages}[word], word == "measure")
            answer = {"verify": "verified", "warm_up": "warmed_up", "measure": "done"}[word]
            tell(answer, event="counters", phase=word, messages=count, lost_records=0)
    write_records(rows)


if sys.argv[1:] == ["versions"]:
    print(json.dumps({"python": platform.python_version()}))
else:
    main()
