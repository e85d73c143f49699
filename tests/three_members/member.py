"""One of some equal members: sends each message to all, itself too, and records what it sends and receives."""

import contextlib
import json
import os
import signal
import socket
import struct
import sys
import threading
import time
from pathlib import Path

ROW = struct.Struct("<qIIHHBBH")
SENT, RECEIVED = 2, 4
NAMES, TYPES = "time_ns seq bytes stream op kind status spare", "<i8 <u4 <u4 <u2 <u2 u1 u1 <u2"
TURNS = 2
FAULT = os.environ.get("FAULT", "none")


def stay(phase: str) -> None:
    """Stay in the phase that FAULT names, for ever but once, and write who does into the file that it names."""
    named, _, path = FAULT.partition(":")
    if named == phase:
        with contextlib.suppress(FileExistsError), Path(path).open("x") as file:
            file.write(str(os.getpid()))
            file.flush()
            signal.pause()


def tell(word: str, **event: object) -> None:
    """Write an event, and answer the conductor."""
    with Path(os.environ["EVENTS_FILE"]).open("a") as file:
        file.write(json.dumps({"at_ns": time.time_ns(), **event}) + "\n")
    print(word, flush=True)


def write_records(rows: list[tuple[int, ...]]) -> None:
    """Write rows as a NumPy file."""
    described = {"descr": list(zip(NAMES.split(), TYPES.split(), strict=True)), "fortran_order": False}
    head = str(described | {"shape": (len(rows),)}).ljust(256 - 10 - 1) + "\n"
    body = b"".join(ROW.pack(*row, 0, 0) for row in rows)
    cut = body[:-5] if FAULT == "cut" else body
    Path(os.environ["RECORDS_FILE"]).write_bytes(
        b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + cut
    )


def main() -> None:
    """Do what the conductor says."""
    index, messages = int(os.environ["INDEX"]), int(os.environ["MESSAGES"])
    everyone = [address.partition(":") for address in os.environ["MEMBER_ADDRESSES"].split(",")]
    rows: list[tuple[int, ...]] = []
    listener = socket.create_server((os.environ["HOST"], int(os.environ["PORT"])))
    stay("ready")
    tell("ready", event="started", pid=1 if FAULT == "pid" else os.getpid())

    def receive(count: int) -> None:
        connection = listener.accept()[0]
        with connection, connection.makefile("rb") as file:
            for _ in range(count):
                sender, turn, seq = struct.unpack(">HHI", file.read(8))
                rows.append((time.monotonic_ns(), seq, 8, sender, turn, RECEIVED))

    for line in sys.stdin:
        word = line.split()[0]
        stay(word)
        if word == "stop":
            break
        if word != "measure":
            tell({"verify": "verified", "warm_up": "warmed_up"}[word], event="phase", name=word)
            continue
        receivers = [threading.Thread(target=receive, args=(TURNS * messages,)) for _ in everyone]
        for receiver in receivers:
            receiver.start()
        connections = [socket.create_connection((host, int(port))) for host, _, port in everyone]
        for turn, seq in ((turn, seq) for turn in range(TURNS) for seq in range(messages)):
            rows.append((time.monotonic_ns(), seq, 8, index, turn, SENT))
            for connection in connections:
                connection.sendall(struct.pack(">HHI", index, turn, seq))
        for receiver in receivers:
            receiver.join()
        lost = 7 if FAULT == "full" else 0
        tell("done", event="counters", received=TURNS * messages * len(everyone), lost_records=lost)
    write_records(rows)


if sys.argv[1:] == ["versions"]:
    print("{}")
else:
    main()
