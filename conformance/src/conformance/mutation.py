"""Uploads that nobody has written down: valid ones from a seed and an index, then damaged in zero or more ways."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from conformance.case import Limits
from conformance.message import CRLF, FIELD, chunked, disposition, file, form, head, part, text
from conformance.model import Verdict, judge

BOUNDARIES = ("x", "----WebKitFormBoundary7MA4YWxkTrZu0gW", "-" * 27 + "1867402349", "a'b(c)", "0" * 70, "=_part")
FILENAMES: tuple[str | bytes, ...] = (
    "image.png",
    "",
    "..",
    "../../etc/passwd",
    "žluťoučký 猫.png",
    b"\xff\xfe",
    'a\\"b',
    "=?utf-8?B?eA==?=",
    "a%22b%0D%0A",
    " ",
    "__proto__",
    "a;b",
    "x" * 300,
)
FIELDS = (FIELD,) * 40 + ("other", "avatar[]", " avatar", "", "a[4294967294]", "__proto__")
TEXT_FIELDS = ("comment", "a[4294967294]", "a[b][c]", "__proto__", "constructor[prototype]", "avatar", "a[", "ž")
TYPES = (b"image/png", b"application/octet-stream", b"text/plain; charset=utf-8", b"multipart/mixed; boundary=x", b"")
LINES = (
    b"Content-Type: image/png",
    b"Content-Length: 3",
    b"Content-Transfer-Encoding: base64",
    b"X-Folded: a\r\n b",
    b"__proto__: x",
    b"no colon",
    b"X-Bad : y",
    b"X-NUL: \x00",
    b" leading space",
    b"Content-Disposition: form-data; name=avatar; filename=second",
    b"Content-Disposition: attachment; filename=x",
    b"Content-Disposition: form-data; name=\"avatar\"; filename*=UTF-8''%c5%be",
    b"Content-Disposition: form-data; name=\"avatar\"; filename*=UTF-8''%zz",
)
TOKENS = (
    b"\r\n",
    b"\r",
    b"\n",
    b"--",
    b"-",
    b"\r\n\r\n",
    b"\x00",
    b'"',
    b";",
    b":",
    b" ",
    b"\t",
    b"\\",
    b"%",
    b"\xff",
    b"=",
)
METHODS = (b"GET", b"HEAD", b"PUT", b"DELETE", b"OPTIONS", b"PATCH", b"TRACE", b"post", b"FOO")
TARGETS = (
    b"/",
    b"/getimages/",
    b"/health",
    b"//getimages",
    b"/%67etimages",
    b"/getimages?x=1",
    b"/../getimages",
    b"*",
    b"/getimages;a",
)
HEADERS = (
    b"Connection: close",
    b"Connection: keep-alive",
    b"Expect: 100-continue",
    b"Expect: x",
    b"Transfer-Encoding: chunked",
    b"Transfer-Encoding: gzip",
    b"Content-Length: 5",
    b"Content-Encoding: gzip",
    b"Content-Type: text/plain",
    b"Host: second.example",
    b"Upgrade: h2c",
    b"no colon",
    b"X-Space : y",
    b"X-NUL: \x00",
    b" folded: x",
    b"Cookie: " + b"c" * 3_000,
    b"X-Long: " + b"l" * 9_000,
    b"Range: bytes=0-1",
    b"Content-Range: bytes 0-1/2",
    b"If-Match: x",
    b"X-HTTP-Method-Override: DELETE",
)


@dataclass(frozen=True, kw_only=True)
class FuzzedRequest:
    """One request. `verdicts` is what the contract allows, None when only the general rules hold."""

    index: int
    data: bytes
    verdicts: tuple[Verdict, ...] | None
    finishes: bool = False  # the request is shorter than it says: end our half to let the server know
    head_only: bool = False


def fuzzed_request(seed: int, index: int, limits: Limits) -> FuzzedRequest:
    """Return the request of this seed and index, always the same for the same limits."""
    draw = random.Random(f"{seed}:{index}")
    boundary = draw.choice(BOUNDARIES)
    body = _form(draw, boundary, index)
    kind = b'multipart/form-data; boundary="' + boundary.encode() + b'"'
    for _ in range(draw.choice((0, 0, 1, 1, 1, 2, 3, 6))):
        body = draw.choice(BODY_MUTATIONS)(draw, body, boundary.encode())
    if draw.random() < 0.1:
        kind = _mutate_content_type(draw, kind, boundary.encode())
    carrier = draw.random()
    if carrier < 0.72:
        return _measured(index, kind, body, limits)
    if carrier < 0.88:
        return _in_chunks(draw, index, kind, body, limits)
    return _mutate_head(draw, index, kind, body)


def _measured(index: int, kind: bytes, body: bytes, limits: Limits) -> FuzzedRequest:
    message = _upload_head(kind, b"Content-Length: %d" % len(body)) + body
    return FuzzedRequest(index=index, data=message, verdicts=_verdicts(kind, body, limits, length_known=True))


def _in_chunks(draw: random.Random, index: int, kind: bytes, body: bytes, limits: Limits) -> FuzzedRequest:
    encoded = chunked(body, size=draw.choice((1, 7, 100, 1_000, 100_000)) if len(body) < 5_000 else 4_096)
    start = _upload_head(kind, b"Transfer-Encoding: chunked")
    if draw.random() < 0.75:
        return FuzzedRequest(
            index=index, data=start + encoded, verdicts=_verdicts(kind, body, limits, length_known=False)
        )
    damaged = draw.choice((_flip, _delete, _insert_token))(draw, encoded, b"")
    return FuzzedRequest(index=index, data=start + damaged, verdicts=None, finishes=True)


def _mutate_head(draw: random.Random, index: int, kind: bytes, body: bytes) -> FuzzedRequest:
    """Wrong methods, paths, headers and lengths: only the general rules hold."""
    method = draw.choice(METHODS) if draw.random() < 0.4 else b"POST"
    target = draw.choice(TARGETS) if draw.random() < 0.4 else b"/getimages"
    length = len(body) + draw.choice((0, 0, 0, -1, 1, -len(body), 1_000))
    lines = [b"Content-Type: " + kind, b"Content-Length: %d" % max(length, 0)]
    lines += draw.sample(HEADERS, draw.choice((0, 1, 1, 2, 3)))
    draw.shuffle(lines)
    start = head(method + b" " + target + b" HTTP/1.%d" % (draw.random() < 0.9), *lines)
    if draw.random() < 0.2:
        start = draw.choice((_flip, _delete, _insert_token))(draw, start, b"")
    return FuzzedRequest(index=index, data=start + body, verdicts=None, finishes=True, head_only=start[:4] == b"HEAD")


def _upload_head(kind: bytes, length: bytes) -> bytes:
    return head(b"POST /getimages HTTP/1.1", b"Content-Type: " + kind, length)


def _verdicts(kind: bytes, body: bytes, limits: Limits, *, length_known: bool) -> tuple[Verdict, ...] | None:
    if any((byte < 32 and byte != 9) or byte == 127 for byte in kind):
        return None  # the HTTP parser's
    found = judge(kind, body, limits, length_known=length_known)
    return None if found is None else tuple(found)


# Valid forms --------------------------------------------------------------------------------------------------------


def _form(draw: random.Random, boundary: str, index: int) -> bytes:
    parts = [_part(draw, boundary, index) for _ in range(draw.choice((1, 1, 1, 2, 2, 3, 4)))]
    preamble = draw.choice((b"",) * 6 + (b"preamble\r\n", b"\r\n"))
    end = draw.choice((b"--\r\n",) * 6 + (b"--", b"--\r\nepilogue", b"-- "))
    return form(*parts, boundary=boundary, preamble=preamble, end=end)


def _part(draw: random.Random, boundary: str, index: int) -> bytes:
    kind = draw.random()
    if kind < 0.65:
        filename = draw.choice(FILENAMES[:1] * 8 + FILENAMES)
        return file(_data(draw, boundary, index), filename, name=draw.choice(FIELDS), content_type=draw.choice(TYPES))
    if kind < 0.9:
        return text(_data(draw, boundary, index), draw.choice(TEXT_FIELDS))
    if kind < 0.95:
        return file(b"", "", content_type=b"application/octet-stream")
    return part(disposition(), b"Content-Type: application/octet-stream", data=_data(draw, boundary, index))


def _data(draw: random.Random, boundary: str, index: int) -> bytes:
    """Data that is unlike any other file's, often with pieces of delimiters, but never with a whole one."""
    near = b"\r\n--" + boundary.encode()
    pieces = [b"%d:" % index]
    for _ in range(draw.choice((0, 1, 3, 8))):
        pieces.append(draw.choice((draw.randbytes(draw.randrange(1, 400)), near[: draw.randrange(len(near))], b"\r\n")))
    return b"".join(pieces).replace(near, b"").replace(b"\r\n--" + boundary.encode(), b"")


# Damage -------------------------------------------------------------------------------------------------------------

Mutation = Callable[[random.Random, bytes, bytes], bytes]


def _place(draw: random.Random, data: bytes) -> int:
    """Return a position, more often near a line break, where the grammar is."""
    breaks = [start for start in range(len(data) - 1) if data[start : start + 2] == CRLF] if len(data) < 20_000 else []
    if breaks and draw.random() < 0.6:
        return min(max(draw.choice(breaks) + draw.randrange(-3, 6), 0), len(data))
    return draw.randrange(len(data) + 1)


def _flip(draw: random.Random, data: bytes, boundary: bytes) -> bytes:
    at = _place(draw, data)
    return data[:at] + bytes([draw.randrange(256)]) + data[at + 1 :]


def _delete(draw: random.Random, data: bytes, boundary: bytes) -> bytes:
    at = _place(draw, data)
    return data[:at] + data[at + draw.choice((1, 1, 2, 2, 4, 20)) :]


def _insert_token(draw: random.Random, data: bytes, boundary: bytes) -> bytes:
    at = _place(draw, data)
    return data[:at] + draw.choice(TOKENS) + data[at:]


def _insert_delimiter(draw: random.Random, data: bytes, boundary: bytes) -> bytes:
    at = _place(draw, data)
    return (
        data[:at]
        + draw.choice((b"\r\n", b"\n", b""))
        + b"--"
        + boundary
        + draw.choice((b"\r\n", b"--", b""))
        + data[at:]
    )


def _repeat(draw: random.Random, data: bytes, boundary: bytes) -> bytes:
    start, stop = sorted((_place(draw, data), _place(draw, data)))
    return data[:stop] + data[start:stop] * draw.choice((1, 1, 2, 3)) + data[stop:]


def _truncate(draw: random.Random, data: bytes, boundary: bytes) -> bytes:
    return data[: _place(draw, data)]


def _line_feed_only(draw: random.Random, data: bytes, boundary: bytes) -> bytes:
    breaks = data.count(CRLF)
    if not breaks or draw.random() < 0.2:
        return data.replace(CRLF, b"\n")
    pieces = data.split(CRLF)
    at = draw.randrange(breaks)
    return CRLF.join((*pieces[:at], pieces[at] + b"\n" + pieces[at + 1], *pieces[at + 2 :]))


def _insert_line(draw: random.Random, data: bytes, boundary: bytes) -> bytes:
    starts = [start + 2 for start in range(len(data) - 1) if data[start : start + 2] == CRLF] or [0]
    at = draw.choice(starts)
    return data[:at] + draw.choice(LINES) + CRLF + data[at:]


def _swap(draw: random.Random, data: bytes, boundary: bytes) -> bytes:
    first, second, third = sorted(_place(draw, data) for _ in range(3))
    return data[:first] + data[second:third] + data[first:second] + data[third:]


def _enlarge(draw: random.Random, data: bytes, boundary: bytes) -> bytes:
    """Something large where something small was: headers, text, parts."""
    delimiter = b"--" + boundary + CRLF
    if draw.random() < 0.3:
        return delimiter.join([b"", *[text(b"x", "n") + CRLF] * draw.choice((99, 100, 101))]) + data
    large = draw.choice((b"X: " + b"y" * 17_000, b"X: y\r\n" * 2_000))
    at = data.find(b"Content-Disposition")
    return data[: max(at, 0)] + large + CRLF + data[max(at, 0) :]


BODY_MUTATIONS: tuple[Mutation, ...] = (
    _flip,
    _delete,
    _insert_token,
    _insert_line,
    _insert_delimiter,
    _repeat,
    _truncate,
    _line_feed_only,
    _swap,
) * 3 + (_enlarge,)


def _mutate_content_type(draw: random.Random, kind: bytes, boundary: bytes) -> bytes:
    return draw.choice(
        (
            b"multipart/form-data",
            b"multipart/mixed; boundary=" + boundary,
            b"multipart/form-data; boundary=other",
            b"multipart/form-data; boundary=" + boundary,
            b'Multipart/Form-Data;BOUNDARY="' + boundary + b'"; x=y',
            b"text/plain",
            b"multipart/form-data; boundary=" + boundary * 80,
            kind + b"; boundary=z",
            draw.choice((_flip, _delete, _insert_token))(draw, kind, b""),
        )
    )
