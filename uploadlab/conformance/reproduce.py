"""Writes what was sent as a short Python script that sends it again, and as text for people."""

from __future__ import annotations

import re
from collections.abc import Sequence

from uploadlab.conformance.case import (
    Abort,
    AwaitAnswer,
    AwaitContinue,
    FinishSending,
    Leave,
    Pause,
    Pieces,
    Send,
    Step,
)

EVERY_BYTE = bytes(range(256))
REPEATED = re.compile(rb"(?s)(.{1,64}?)\1{11,}")
MOST_SHOWN = 300


def literal(data: bytes) -> str:
    """Return a Python expression for these bytes; what repeats is written once."""
    pieces: list[str] = []
    at = 0
    for start, stop, unit in _repeats(data):
        if start > at:
            pieces.append(repr(data[at:start]))
        name = "bytes(range(256))" if unit == EVERY_BYTE else repr(unit)
        pieces.append(f"{name} * {(stop - start) // len(unit)}")
        at = stop
    if at < len(data) or not pieces:
        pieces.append(repr(data[at:]))
    return " + ".join(pieces)


def _repeats(data: bytes) -> list[tuple[int, int, bytes]]:
    found: list[tuple[int, int, bytes]] = []
    at = 0
    while (start := data.find(EVERY_BYTE, at)) >= 0:
        at = start
        while data.startswith(EVERY_BYTE, at):
            at += 256
        found.append((start, at, EVERY_BYTE))
    gaps = zip([0, *(stop for _, stop, _ in found)], [*(start for start, _, _ in found), len(data)], strict=True)
    for begin, end in list(gaps):
        found += _short_repeats(data, begin, end)
    return sorted(found)


def _short_repeats(data: bytes, begin: int, end: int) -> list[tuple[int, int, bytes]]:
    return [(each.start(), each.end(), each[1]) for each in REPEATED.finditer(data, begin, end)]


def script(steps: Sequence[Step], address: tuple[str, int], *, repeat: int = 1) -> str:
    """Return a script that does the steps and prints what comes back."""
    steps = steps[:12]
    lines = ["import socket, struct, time", f"s = socket.create_connection({address!r}, 15)"]
    for step in steps:
        lines += _lines(step)
    if not any(isinstance(step, Abort | Leave) for step in steps):
        lines.append("print(s.recv(65536))")
    if repeat > 1:
        lines = [lines[0], f"for _ in range({repeat}):", *(f"    {line}" for line in lines[1:])]
    unused = [name for name in ("struct", "time") if not any(f"{name}." in line for line in lines)]
    lines[0] = "import " + ", ".join(name for name in ("socket", "struct", "time") if name not in unused)
    return "\n".join(lines)


def _lines(step: Step) -> list[str]:
    match step:
        case Send(data):
            return [f"s.sendall({literal(data)})"]
        case Pieces(data, piece):
            return [f"d = {literal(data)}", f"[s.sendall(d[i:i + {piece}]) for i in range(0, len(d), {piece})]"]
        case Pause(seconds):
            return [f"time.sleep({seconds})"]
        case AwaitAnswer() | AwaitContinue():
            return ["print(s.recv(65536))"]
        case FinishSending():
            return ["s.shutdown(socket.SHUT_WR)"]
        case Abort():
            return ["s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))", "s.close()"]
        case Leave():
            return ["s.close()"]


def shown(steps: Sequence[Step]) -> str:
    """Return the beginning of what is sent, escaped."""
    data = b"".join(step.data for step in steps if isinstance(step, Send | Pieces))
    text = repr(data[:MOST_SHOWN])[2:-1]
    return f"{text}… ({len(data):,} bytes)" if len(data) > MOST_SHOWN else text
