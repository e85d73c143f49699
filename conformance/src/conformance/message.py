"""Requests as bytes: parts, forms and HTTP messages, exactly as written, so that they can also be wrong."""

from __future__ import annotations

import random
from collections.abc import Iterable

BOUNDARY = "----conformance7d159c1302d0y0"
UPLOAD_PATH = "/getimages"
HEALTH_PATH = "/health"
FIELD = "avatar"

CRLF = b"\r\n"


def disposition(*, name: str | bytes | None = FIELD, filename: str | bytes | None = None) -> bytes:
    """Return a `Content-Disposition` line (without line end); `None` leaves the parameter out."""
    line = b"Content-Disposition: form-data"
    for parameter, value in ((b"name", name), (b"filename", filename)):
        if value is not None:
            line += b"; " + parameter + b'="' + _bytes(value) + b'"'
    return line


def part(*headers: bytes, data: bytes = b"") -> bytes:
    """Return a part: its header lines, an empty line, its data."""
    return b"".join(line + CRLF for line in headers) + CRLF + data


def file(
    data: bytes, filename: str | bytes = "image.png", *, name: str | bytes = FIELD, content_type: bytes = b"image/png"
) -> bytes:
    """Return a part that carries a file, as browsers write it."""
    return part(disposition(name=name, filename=filename), b"Content-Type: " + content_type, data=data)


def text(value: bytes = b"a value", name: str | bytes = "comment") -> bytes:
    """Return a part that carries a text field, as browsers write it."""
    return part(disposition(name=name), data=value)


def form(*parts: bytes, boundary: str = BOUNDARY, preamble: bytes = b"", end: bytes = b"--\r\n") -> bytes:
    """Return a multipart body; `end` is what follows the boundary of the last delimiter."""
    delimiter = b"--" + boundary.encode("latin-1")
    body = preamble
    for content in parts:
        body += delimiter + CRLF + content + CRLF
    return body + delimiter + end


def content_type(boundary: str = BOUNDARY) -> bytes:
    """Return the value of `Content-Type` for a form with this boundary, not quoted."""
    return b"multipart/form-data; boundary=" + boundary.encode("latin-1")


def head(start_line: bytes, *headers: bytes) -> bytes:
    """Return a request head: the start line, `Host`, these header lines and the empty line."""
    return b"".join(line + CRLF for line in (start_line, b"Host: upload.example", *headers)) + CRLF


def request(
    body: bytes = b"",
    *headers: bytes,
    method: bytes = b"POST",
    target: bytes = UPLOAD_PATH.encode(),
    version: bytes = b"HTTP/1.1",
    type: bytes | None = content_type(),
    length: int | None = None,
) -> bytes:
    """Return a request with `Content-Length`, which may be false (`length`); `type` None leaves `Content-Type` out."""
    lines = [b"Content-Length: %d" % (len(body) if length is None else length)]
    if type is not None:
        lines.insert(0, b"Content-Type: " + type)
    return head(method + b" " + target + b" " + version, *lines, *headers) + body


def upload(*parts: bytes, preamble: bytes = b"", end: bytes = b"--\r\n") -> bytes:
    """Return a request whose body is a form of these parts, as `form` makes it."""
    return request(form(*parts, preamble=preamble, end=end))


def chunked(body: bytes, *, size: int = 1000, extension: bytes = b"", trailer: Iterable[bytes] = ()) -> bytes:
    """Return the body in chunks of `size` bytes, with the same extension on each and these trailer lines."""
    chunks = b"".join(
        b"%x" % len(body[i : i + size]) + extension + CRLF + body[i : i + size] + CRLF
        for i in range(0, len(body), size)
    )
    return chunks + b"0" + extension + CRLF + b"".join(line + CRLF for line in trailer) + CRLF


def chunked_request(encoded: bytes, *headers: bytes) -> bytes:
    """Return an upload whose body is already in chunks."""
    start = b"POST " + UPLOAD_PATH.encode() + b" HTTP/1.1"
    return head(start, b"Content-Type: " + content_type(), b"Transfer-Encoding: chunked", *headers) + encoded


def sample(size: int, seed: int = 0) -> bytes:
    """Return `size` random bytes, the same for the same seed."""
    return random.Random(seed).randbytes(size)


def _bytes(value: str | bytes) -> bytes:
    return value.encode() if isinstance(value, str) else value
