import io
import zlib

import pytest
from PIL import Image

from workload_gen.payloads.payload import LARGEST_SEGMENT, PICTURE_FROM_BYTES, SIDE_PIXELS, payload_parts


def payload(size):
    return b"".join(bytes(part) for part in payload_parts(size))


EDGES = [PICTURE_FROM_BYTES + n for n in (0, 1, 2, 3, 4, 5, LARGEST_SEGMENT, LARGEST_SEGMENT + 1, LARGEST_SEGMENT + 3)]
LARGE = [100_000, 16 * LARGEST_SEGMENT + PICTURE_FROM_BYTES, 16 * LARGEST_SEGMENT + PICTURE_FROM_BYTES + 2, 5_000_001]


@pytest.mark.parametrize("size", [1, 2, 19, 20, 21, PICTURE_FROM_BYTES - 1, *EDGES, *LARGE])
def test_a_payload_has_exactly_its_size_and_is_a_jpeg_where_it_is_large_enough(size):
    content = payload(size)
    assert len(content) == size
    assert content[:4] == b"\xff\xd8\xff\xe0"[:size]
    if size < PICTURE_FROM_BYTES:
        return
    with Image.open(io.BytesIO(content)) as image:
        image.load()
        assert (image.format, image.size) == ("JPEG", (SIDE_PIXELS, SIDE_PIXELS))
        assert image.getextrema() == (128, 128)
    assert content.endswith(b"\xff\xd9")


def test_payloads_cannot_be_compressed():
    content = payload(3_000_000)
    assert len(zlib.compress(content, 9)) > 0.998 * len(content)


def test_no_block_occurs_twice_within_or_across_payloads():
    """At any alignment that storage may use: every aligned 512 bytes, against every one of the others."""
    blocks = []
    for size in (60_000, 60_001, 60_512, 64_096, 2_500_000, 2_500_512):
        content = payload(size)
        blocks += [content[i : i + 512] for i in range(512, size - 1024, 512)]
    assert len(set(blocks)) == len(blocks) > 5_000
