"""Writes what was sent as a short Python script that sends it again, and as text for people."""

import itertools
import re
from collections.abc import Sequence

from uploadlab.conformance.case import Do, Pause, Send, Step
from uploadlab.conformance.message import DELIMITER

EVERY_BYTE = bytes(range(256))
REPEATED = re.compile(rb"(?s)((?:" + re.escape(EVERY_BYTE) + rb")+)|(.)\2{31,}|(.{2,64}?)\3{11,}")
MOST_SHOWN, MOST_STEPS = 300, 12

WORDS = {
    Do.READ: ["print(s.recv(65536))"],
    Do.AWAIT_CONTINUE: ["print(s.recv(65536))"],
    Do.FINISH: ["s.shutdown(socket.SHUT_WR)"],
    Do.ABORT: ["s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))", "s.close()"],
    Do.LEAVE: ["s.close()"],
}


def literal(data: bytes) -> str:
    """Return a Python expression for these bytes; what repeats, such as equal parts, is written once."""
    runs = [(unit, len(list(same))) for unit, same in itertools.groupby(re.split(b"(?=" + DELIMITER + b")", data))]
    pieces = [f"({_literal(unit)}) * {times}" if times > 1 else _literal(unit) for unit, times in runs if unit]
    return " + ".join(pieces) or repr(data)


def _literal(data: bytes) -> str:
    pieces, at = [], 0
    for found in REPEATED.finditer(data):
        if found.start() > at:
            pieces.append(repr(data[at : found.start()]))
        unit = EVERY_BYTE if found[1] else found[2] or found[3]
        name = "bytes(range(256))" if unit == EVERY_BYTE else repr(unit)
        pieces.append(f"{name} * {len(found[0]) // len(unit)}")
        at = found.end()
    if at < len(data):
        pieces.append(repr(data[at:]))
    return " + ".join(pieces)


def script(steps: Sequence[Step], address: tuple[str, int], *, repeat: int = 1) -> str:
    """Return a script that does the steps and prints what comes back."""
    lines = [f"s = socket.create_connection({address!r}, 15)"]
    lines += [line for step in steps[:MOST_STEPS] for line in _lines(step)]
    if Do.ABORT not in steps and Do.LEAVE not in steps:
        lines.append("print(s.recv(65536))")
    if repeat > 1:
        lines = [f"for _ in range({repeat}):", *(f"    {line}" for line in lines)]
    used = [name for name in ("socket", "struct", "time") if any(f"{name}." in line for line in lines)]
    return "\n".join([f"import {', '.join(used)}", *lines])


def _lines(step: Step) -> list[str]:
    match step:
        case Send(data, 0):
            return [f"s.sendall({literal(data)})"]
        case Send(data, piece):
            return [f"d = {literal(data)}", f"[s.sendall(d[i:i + {piece}]) for i in range(0, len(d), {piece})]"]
        case Pause(seconds):
            return [f"time.sleep({seconds})"]
    return WORDS[step]


def shown(data: bytes) -> str:
    """Return the beginning of what is sent, escaped."""
    text = repr(data[:MOST_SHOWN])[2:-1]
    return f"{text}… ({len(data):,} bytes)" if len(data) > MOST_SHOWN else text
