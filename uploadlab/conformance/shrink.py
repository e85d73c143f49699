"""Makes what fails smaller while it still fails: first whole damages, then bytes."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T", bound=Sequence[object])


def shrunk(whole: T, fails: Callable[[T], bool], *, seconds: float) -> T:
    """Leave out ever smaller pieces of a sequence that fails, as long as it does (delta debugging, Zeller 2002)."""
    deadline = time.monotonic() + seconds
    pieces = 2
    while len(whole) > 1 and time.monotonic() < deadline:
        size = max(len(whole) // pieces, 1)
        for start in range(0, len(whole), size):
            smaller = whole[:start] + whole[start + size :]  # type: ignore[operator]
            if time.monotonic() < deadline and fails(smaller):
                whole, pieces = smaller, max(pieces - 1, 2)
                break
        else:
            if size == 1:
                break
            pieces = min(pieces * 2, len(whole))
    return whole


def with_length(data: bytes) -> bytes:
    """Return a request whose Content-Length fits its body again, where it had one that a shrunk body made false."""
    head, blank, body = data.partition(b"\r\n\r\n")
    lines = [
        b"Content-Length: %d" % len(body) if line.lower().startswith(b"content-length:") else line
        for line in head.split(b"\r\n")
    ]
    return b"\r\n".join(lines) + blank + body
