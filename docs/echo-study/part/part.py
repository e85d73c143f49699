#!../../../.venv/bin/python
"""A responder or a requester, by the variable ROLE: echoes messages over TCP and records when."""

import json
import os
import socket
import sys
import time
from pathlib import Path

import numpy as np

ROW = np.dtype([
    ("time_ns", "<i8"), ("seq", "<u4"), ("bytes", "<u4"), ("stream", "<u2"), ("op", "<u2"), ("kind", "u1"),
    ("status", "u1"), ("spare", "<u2"),
])  # fmt: skip
SENT, RECEIVED, ANSWERED = 2, 4, 5


def tell(word: str, **event: object) -> None:
    """Answer the lab, and write an event."""
    with Path(os.environ["EVENTS_FILE"]).open("a") as file:
        file.write(json.dumps({"at_ns": time.time_ns(), **event}) + "\n")
    print(word, flush=True)


def exchange(connection: socket.socket, responds: bool, size: int, count: int) -> list[tuple[int, ...]]:
    """Send each message and get it back, or send back what comes; return the records of that."""
    rows = []
    for seq in range(count):
        message = seq.to_bytes(8, "big").ljust(size, b"x")
        if not responds:
            rows.append((time.monotonic_ns(), seq, size, 0, 0, SENT, 0, 0))
            connection.sendall(message)
        if connection.recv(size, socket.MSG_WAITALL) != message:
            sys.exit(f"Message {seq} came with other bytes than were sent.")
        rows.append((time.monotonic_ns(), seq, size, 0, 0, RECEIVED if responds else ANSWERED, 0, 0))
        if responds:
            connection.sendall(message)
    return rows


(host, port), responds = os.environ["RESPONDER_ADDRESSES"].split(":"), os.environ["ROLE"] == "responder"
peer = (socket.create_server if responds else socket.create_connection)((host, int(port)))
tell("ready", event="started", pid=os.getpid())
connection = peer.accept()[0] if responds else peer
connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, int(os.environ["NO_DELAY"]))
for line in sys.stdin:
    word, *start_ns = line.split()
    if word == "stop":
        break
    if word == "measure":
        time.sleep(max(0, int(start_ns[0]) - time.monotonic_ns()) / 1e9)
    count = {"verify": 3, "warm_up": 100, "measure": int(os.environ["MESSAGES"])}[word]
    rows = exchange(connection, responds, int(os.environ["MESSAGE_BYTES"]), count)
    if word == "measure":
        with Path(os.environ["RECORDS_FILE"]).open("xb") as file:
            np.save(file, np.array(rows, ROW))
    answer = {"verify": "verified", "warm_up": "warmed_up", "measure": "done"}[word]
    tell(answer, event="counters", phase=word, messages=count, lost_records=0)
