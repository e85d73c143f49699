"""Uploads that nobody has written down: a good one from a seed and an index, and damage that can be left out again."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from zlib import crc32

from uploadlab.conformance.message import CRLF, Forms, chunked, part, text

# fmt: off
BOUNDARIES = ("x", "----WebKitFormBoundary7MA4YWxkTrZu0gW", "-" * 27 + "1867402349", "a'b(c)", "0" * 70, "=_part")
FILENAMES: tuple[str | bytes, ...] = (
    "a.png", "", "..", "../../conformance-escaped", "ž猫.png", b"\xff\xfe", 'a\\"b', "=?utf-8?B?eA==?=", " ", "__proto__", "x" * 300,
)
FIELDS = ("comment", "a[4]", "a[b][c]", "__proto__", "constructor[prototype]", "a[", "ž", "")
LINES = (
    b"Content-Length: 3", b"Content-Transfer-Encoding: base64", b"X-Folded: a\r\n b", b"__proto__: x", b"no colon", b"X-Bad : y",
    b"X-NUL: \x00", b" leading space", b"Content-Disposition: attachment; filename=x",
    b"Content-Disposition: form-data; name=\"a\"; filename*=UTF-8''%zz", b"Content-Type: multipart/mixed; boundary=x", b"X-Long: " + b"l" * 9_000,
)
TOKENS = (b"\r\n", b"\r", b"\n", b"--", b"-", b"\r\n\r\n", b"\x00", b'"', b";", b":", b" ", b"\t", b"\\", b"%", b"\xff", b"=")
HEADERS = (
    b"Connection: close", b"Expect: 100-continue", b"Expect: x", b"Transfer-Encoding: chunked", b"Transfer-Encoding: gzip", b"Content-Length: 5",
    b"Content-Encoding: gzip", b"Content-Type: text/plain", b"Host: second.example", b"Upgrade: h2c", b"no colon", b"X-Space : y",
    b"X-NUL: \x00", b" folded: x", b"X-Long: " + b"l" * 9_000, b"Content-Range: bytes 0-1/2", b"X-HTTP-Method-Override: DELETE",
)
METHODS = (b"GET", b"PUT", b"DELETE", b"OPTIONS", b"PATCH", b"post", b"FOO")
# fmt: on


@dataclass(frozen=True)
class Damage:
    """One change, always the same for its seed."""

    name: str
    seed: str


@dataclass(frozen=True, kw_only=True)
class Fuzzed:
    """A good upload and what is done to it."""

    forms: Forms
    index: int
    boundary: bytes
    body: bytes
    in_chunks: bool
    damages: tuple[Damage, ...]

    def data(self, damages: Sequence[Damage]) -> bytes:
        """Return the request with some of its damages: those of the body first, then those of the head."""
        body, headers, line = self.body, [], self.forms.line()
        for damage in damages:
            draw = random.Random(damage.seed)
            if damage.name in BODY:
                body = _damaged(damage.name, draw, body, self.boundary)
            elif damage.name == "header":
                headers.append(draw.choice(HEADERS))
            elif damage.name == "method":
                line = self.forms.line(draw.choice(METHODS))
        framing = b"Transfer-Encoding: chunked" if self.in_chunks else b"Content-Length: %d" % len(body)
        kind = b'Content-Type: multipart/form-data; boundary="' + self.boundary + b'"'
        head = self.forms.head(line, kind, *headers, framing)
        sent = chunked(body, size=max(len(body) // 3, 1)) if self.in_chunks else body
        for damage in damages:
            draw = random.Random(damage.seed)
            if damage.name == "head-bytes":
                head = _damaged(draw.choice(BODY[:3]), draw, head)
            elif damage.name == "chunk-bytes" and self.in_chunks:
                sent = _damaged(draw.choice(BODY[:3]), draw, sent)
        return head + sent


def fuzzed(forms: Forms, seed: int, index: int) -> Fuzzed:
    """Return the request of this seed and index."""
    draw = random.Random(f"{seed}:{index}")
    boundary = draw.choice(BOUNDARIES)
    parts = [_part(draw, forms, boundary, index) for _ in range(draw.choice((1, 1, 1, 2, 2, 3)))]
    in_chunks = draw.random() < 0.2
    names = [*BODY] * 4 + ["header", "method", "head-bytes", "chunk-bytes"]
    damages = tuple(
        Damage(draw.choice(names), f"{seed}:{index}:{number}") for number in range(draw.choice((1, 1, 1, 2, 3, 6)))
    )
    body = forms.form(*parts, boundary=boundary, end=draw.choice((b"--\r\n",) * 6 + (b"--", b"--\r\nepilogue")))
    return Fuzzed(forms=forms, index=index, boundary=boundary.encode(), body=body, in_chunks=in_chunks, damages=damages)


def _part(draw: random.Random, forms: Forms, boundary: str, index: int) -> bytes:
    near = b"\r\n--" + boundary.encode()
    pieces = [
        draw.choice((draw.randbytes(draw.randrange(1, 400)), near[: draw.randrange(len(near))], b"\r\n"))
        for _ in range(draw.choice((0, 1, 3, 8)))
    ]
    # A damaged index must not be the index of another request.
    data = b"fuzz-%d-%08x:" % (index, crc32(b"%d" % index)) + b"".join(pieces).replace(near, b"")
    kind = draw.random()
    if kind < 0.7:
        return forms.file(data, draw.choice(FILENAMES[:1] * 8 + FILENAMES))
    if kind < 0.9:
        return text(draw.choice(FIELDS), data)
    return part(forms.disposition(), b"Content-Type: application/octet-stream", data=data)


BODY = ("flip", "delete", "insert", "insert-line", "insert-delimiter", "repeat", "truncate", "line-feed", "swap")


def _damaged(name: str, draw: random.Random, data: bytes, boundary: bytes = b"") -> bytes:
    """Return the data with one damage."""
    start, stop = sorted((_place(draw, data), _place(draw, data)))
    before, behind, middle = data[:start], data[start:], data[start:stop]
    match name:
        case "flip":
            return before + bytes([draw.randrange(256)]) + behind[1:]
        case "delete":
            return before + behind[draw.choice((1, 1, 2, 2, 4, 20)) :]
        case "insert":
            return before + draw.choice(TOKENS) + behind
        case "insert-line":
            lines = data.split(CRLF)
            lines.insert(draw.randrange(len(lines)), draw.choice(LINES))
            return CRLF.join(lines)
        case "insert-delimiter":
            breaks, ends = draw.choice((b"\r\n", b"\n", b"")), draw.choice((b"\r\n", b"--", b""))
            return before + breaks + b"--" + boundary + ends + behind
        case "repeat":
            return data[:stop] + middle * draw.choice((1, 1, 2, 3)) + data[stop:]
        case "truncate":
            return before
        case "line-feed":
            return data.replace(CRLF, b"\n", draw.choice((1, 2, -1)))
    return data[: start // 2] + middle + data[start // 2 : start] + data[stop:]  # swap


def _place(draw: random.Random, data: bytes) -> int:
    """Return a position, more often near a line break, where the grammar is."""
    breaks = [start for start in range(len(data) - 1) if data[start : start + 2] == CRLF] if len(data) < 20_000 else []
    if breaks and draw.random() < 0.6:
        return min(max(draw.choice(breaks) + draw.randrange(-3, 6), 0), len(data))
    return draw.randrange(len(data) + 1)
