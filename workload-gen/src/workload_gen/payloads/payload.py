"""The bytes of a payload file: exact size, incompressible, a valid JPEG where it is large enough.

All payloads are cut from one root of pseudo-random bytes. A payload's content depends on its size alone, so the same
size is the same file in every list; each megabyte of it is the root exclusive-or a key of its own, so no two payloads
(and no two parts of one) share a block, and storage that removes duplicates or compresses gains nothing.

Layout: JPEG head, comment segments filled with root bytes, a small picture.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from workload_gen.payloads.jpeg import COMMENT_MARKER, LARGEST_SEGMENT, head, picture

_ROOT_SEED = 20161
_HEAD = head()
_PICTURE = picture()
PICTURE_FROM_BYTES = len(_HEAD) + len(_PICTURE)
"""The smallest payload that opens as a picture."""

_PIECE_BYTES = 16 * LARGEST_SEGMENT
_ROOT = np.random.SFC64(_ROOT_SEED).random_raw(_PIECE_BYTES // 8)
_BUFFER = np.empty_like(_ROOT)
"""Every piece is made in the same place: new memory for each costs more than its bytes."""
_MASK = 2**64 - 1


def _key(size: int, piece: int) -> np.uint64:
    """A 64-bit key for a piece of the payload of this size (SplitMix64's finaliser: Steele, Lea and Flood 2014)."""
    z = (size * 0x9E3779B97F4A7C15 + piece * 0xD1B54A32D192ED03 + 1) & _MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return np.uint64(z ^ (z >> 31))


def _cut(size: int, piece: int, length: int) -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
    """The first `length` bytes of the root under the key of this piece."""
    words = -(-length // 8)
    np.bitwise_xor(_ROOT[:words], _key(size, piece), out=_BUFFER[:words])
    return _BUFFER.view(np.uint8)[:length]


def _comments(size: int, piece: int, length: int) -> memoryview:
    """`length` bytes of comment segments; what is too short for a segment is fill bytes, as the format allows."""
    content = _cut(size, piece, length)
    for start in range(0, length, LARGEST_SEGMENT):
        here = min(LARGEST_SEGMENT, length - start)
        opening = COMMENT_MARKER + (here - 2).to_bytes(2) if here >= 4 else b"\xff" * here
        content[start : start + len(opening)] = np.frombuffer(opening, dtype=np.uint8)
    return content.data


def payload_parts(size: int) -> Iterator[list[bytes | memoryview]]:
    """The content of the payload of `size` bytes, about one megabyte at a time, each as buffers to write in order.

    Buffers hold their content until the next are asked for.
    """
    if size < PICTURE_FROM_BYTES:
        yield [(_HEAD + _cut(size, 0, size).tobytes())[:size]]
        return
    middle = size - PICTURE_FROM_BYTES
    for piece, start in enumerate(range(0, max(middle, 1), _PIECE_BYTES)):
        here = min(_PIECE_BYTES, middle - start)
        parts: list[bytes | memoryview] = [_comments(size, piece, here)] if here else []
        first, last = start == 0, start + here == middle
        yield ([_HEAD] if first else []) + parts + ([_PICTURE] if last else [])
