"""The fixed parts of a payload: a JPEG head and a small grey picture with the end marker."""

from __future__ import annotations

SIDE_PIXELS = 64
_BLOCKS = (SIDE_PIXELS // 8) ** 2

COMMENT_MARKER = b"\xff\xfe"
LARGEST_SEGMENT = 2 + 0xFFFF
"""A marker and the most its 16-bit length can announce, in bytes."""


def segment(marker: int, content: bytes) -> bytes:
    """A JPEG segment: marker, length (which counts itself), content."""
    return bytes([0xFF, marker]) + (len(content) + 2).to_bytes(2) + content


def head() -> bytes:
    """Start of image and the JFIF header."""
    return b"\xff\xd8" + segment(0xE0, b"JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00")


def picture() -> bytes:
    """Everything a decoder needs for a uniform grey picture, from the quantisation table to end of image.

    Each Huffman table has one symbol (difference 0; end of block), whose code is the single bit 0: a block of 8 x 8
    pixels is two zero bits, so the whole scan is zero bytes.
    """
    quantisation = segment(0xDB, b"\x00" + bytes([1] * 64))
    side = SIDE_PIXELS.to_bytes(2)
    frame = segment(0xC0, b"\x08" + side + side + b"\x01" + b"\x01\x11\x00")
    one_code_of_one_bit = bytes([1] + [0] * 15) + b"\x00"
    tables = segment(0xC4, b"\x00" + one_code_of_one_bit) + segment(0xC4, b"\x10" + one_code_of_one_bit)
    scan = segment(0xDA, b"\x01" + b"\x01\x00" + b"\x00\x3f\x00") + bytes(2 * _BLOCKS // 8)
    return quantisation + frame + tables + scan + b"\xff\xd9"
