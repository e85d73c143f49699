"""The bytes of a payload file: exact size, incompressible, a valid JPEG where it is large enough.

All payloads are cut from one root of pseudo-random bytes. A payload's content depends on its size alone, so the same
size is the same file in every list; each megabyte of it is the root exclusive-or a key of its own, so no two payloads
(and no two parts of one) share a block, and storage that removes duplicates or compresses gains nothing.

Layout: JPEG head, comment segments filled with root bytes, a small grey picture with the end marker.
"""

from collections.abc import Iterator

import numpy as np

SIDE_PIXELS = 64
_COMMENT_MARKER = b"\xff\xfe"
LARGEST_SEGMENT = 2 + 0xFFFF
"""A marker and the most its 16-bit length can announce, in bytes."""


def _segment(marker: int, content: bytes) -> bytes:
    """A JPEG segment: marker, length (which counts itself), content."""
    return bytes([0xFF, marker]) + (len(content) + 2).to_bytes(2) + content


def _picture() -> bytes:
    """Everything a decoder needs for a uniform grey picture, from the quantisation table to end of image.

    Each Huffman table has one symbol (difference 0; end of block), whose code is the single bit 0: a block of 8 x 8
    pixels is two zero bits, so the whole scan is zero bytes.
    """
    quantisation = _segment(0xDB, b"\x00" + bytes([1] * 64))
    side = SIDE_PIXELS.to_bytes(2)
    frame = _segment(0xC0, b"\x08" + side + side + b"\x01" + b"\x01\x11\x00")
    one_code_of_one_bit = bytes([1] + [0] * 15) + b"\x00"
    tables = _segment(0xC4, b"\x00" + one_code_of_one_bit) + _segment(0xC4, b"\x10" + one_code_of_one_bit)
    scan = _segment(0xDA, b"\x01" + b"\x01\x00" + b"\x00\x3f\x00") + bytes(2 * (SIDE_PIXELS // 8) ** 2 // 8)
    return quantisation + frame + tables + scan + b"\xff\xd9"


_HEAD = b"\xff\xd8" + _segment(0xE0, b"JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00")
_PICTURE = _picture()
PICTURE_FROM_BYTES = len(_HEAD) + len(_PICTURE)
"""The smallest payload that opens as a picture."""

_ROOT_SEED = 20161
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
        opening = _COMMENT_MARKER + (here - 2).to_bytes(2) if here >= 4 else b"\xff" * here
        content[start : start + len(opening)] = np.frombuffer(opening, dtype=np.uint8)
    return content.data


def payload_parts(size: int) -> Iterator[bytes | memoryview]:
    """The content of the payload of `size` bytes in buffers of at most a megabyte, each valid until the next one."""
    if size < PICTURE_FROM_BYTES:
        yield (_HEAD + _cut(size, 0, size).tobytes())[:size]
        return
    middle = size - PICTURE_FROM_BYTES
    yield _HEAD
    for piece, start in enumerate(range(0, middle, _PIECE_BYTES)):
        yield _comments(size, piece, min(_PIECE_BYTES, middle - start))
    yield _PICTURE
