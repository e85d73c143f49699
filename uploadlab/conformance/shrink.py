"""Makes what fails smaller while it still fails: first whole damages, then bytes."""

import re
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T", bound=Sequence[object])


def shrunk(whole: T, fails: Callable[[T], bool], *, tries: int) -> T:
    """Leave out ever smaller pieces of a sequence as long as it still fails; at most so many tries."""
    size, start, before = max(len(whole) // 2, 1), 0, len(whole)
    while tries and len(whole) > 1:
        smaller = whole[:start] + whole[start + size :]  # type: ignore[operator]
        tries -= 1
        if fails(smaller):
            whole = smaller
        else:
            start += size
        if start >= len(whole):
            if size == 1 and len(whole) == before:
                break
            size, start, before = max(size // 2, 1), 0, len(whole)
    return whole


def with_length(data: bytes) -> bytes:
    """Return a request whose Content-Length fits its body again, where it had one that a shrunk body made false."""
    head, blank, body = data.partition(b"\r\n\r\n")
    return re.sub(rb"(?i)(\r\ncontent-length:)[^\r]*", rb"\1 %d" % len(body), head) + blank + body
