"""Requests as bytes, exactly as written, so that they can also be wrong."""

from collections.abc import Iterable
from dataclasses import dataclass

BOUNDARY = "----conformance7d159c1302d0y0"
CRLF = b"\r\n"
DELIMITER = b"--" + BOUNDARY.encode()


def sample(size: int, tag: str = "file") -> bytes:
    """Return `size` bytes of every value, different for each tag; a reproducer can write them in few characters."""
    return (tag.encode() + b":" + bytes(range(256)) * (size // 256 + 1))[:size]


def part(*headers: bytes, data: bytes = b"") -> bytes:
    """Return a part: its header lines, an empty line, its data."""
    return b"".join(line + CRLF for line in headers) + CRLF + data


def form(*parts: bytes, boundary: str = BOUNDARY, preamble: bytes = b"", end: bytes = b"--\r\n") -> bytes:
    """Return a multipart body; `end` is what follows the boundary of the last delimiter."""
    delimiter = b"--" + boundary.encode("latin-1")
    return preamble + b"".join(delimiter + CRLF + content + CRLF for content in parts) + delimiter + end


def content_type(boundary: str = BOUNDARY) -> bytes:
    """Return the value of `Content-Type` for a form with this boundary, not quoted."""
    return b"multipart/form-data; boundary=" + boundary.encode("latin-1")


def chunked(body: bytes, *, size: int = 1000, extension: bytes = b"", trailer: Iterable[bytes] = ()) -> bytes:
    """Return the body in chunks of `size` bytes, with the same extension on each and these trailer lines."""
    chunks = b"".join(
        b"%x" % len(body[i : i + size]) + extension + CRLF + body[i : i + size] + CRLF
        for i in range(0, len(body), size)
    )
    return chunks + b"0" + extension + CRLF + b"".join(line + CRLF for line in trailer) + CRLF


def text(name: str | bytes, value: bytes = b"a value") -> bytes:
    """Return a part that carries a text field, as browsers write it."""
    return part(_disposition(name, None), data=value)


def _disposition(name: str | bytes | None, filename: str | bytes | None) -> bytes:
    line = b"Content-Disposition: form-data"
    for parameter, value in ((b"name", name), (b"filename", filename)):
        if value is not None:
            line += b"; " + parameter + b'="' + (value.encode() if isinstance(value, str) else value) + b'"'
    return line


@dataclass(frozen=True, kw_only=True)
class Forms:
    """Writes requests for one endpoint."""

    host: str
    target: str
    field: str
    headers: tuple[bytes, ...] = ()
    """Header lines that every request carries."""
    fields: tuple[tuple[str, str], ...] = ()
    """Text fields that every form carries first."""

    def disposition(self, *, name: str | bytes | None = "", filename: str | bytes | None = None) -> bytes:
        """Return a `Content-Disposition` line; an empty name is the endpoint's field, None leaves a parameter out."""
        return _disposition(self.field if name == "" else name, filename)

    def file(self, data: bytes, filename: str | bytes = "a.png", *, name: str | bytes = "") -> bytes:
        """Return a part that carries a file, as browsers write it."""
        return part(self.disposition(name=name, filename=filename), b"Content-Type: image/png", data=data)

    def form(self, *parts: bytes, boundary: str = BOUNDARY, preamble: bytes = b"", end: bytes = b"--\r\n") -> bytes:
        """Return a multipart body of the fields that every form carries and these parts."""
        given = (text(name, value.encode()) for name, value in self.fields)
        return form(*given, *parts, boundary=boundary, preamble=preamble, end=end)

    def head(self, start_line: bytes, *headers: bytes) -> bytes:
        """Return a request head: the start line, `Host`, the endpoint's header lines, these, and the empty line."""
        lines = (start_line, b"Host: " + self.host.encode(), *self.headers, *headers, b"")
        return b"".join(line + CRLF for line in lines)

    def line(self, method: bytes = b"POST", version: bytes = b"HTTP/1.1", target: bytes | None = None) -> bytes:
        """Return a request line."""
        return method + b" " + (self.target.encode() if target is None else target) + b" " + version

    def request(
        self, body: bytes = b"", *headers: bytes,
        line: bytes | None = None, type: bytes | None = content_type(), length: bytes | None = None,
    ) -> bytes:  # fmt: skip
        """Return a request with `Content-Length`, which may be false; `type` None leaves `Content-Type` out."""
        lines = [b"Content-Length: " + (b"%d" % len(body) if length is None else length)]
        if type is not None:
            lines.insert(0, b"Content-Type: " + type)
        return self.head(line or self.line(), *lines, *headers) + body

    def upload(self, *parts: bytes, preamble: bytes = b"", end: bytes = b"--\r\n") -> bytes:
        """Return a request whose body is a form of these parts."""
        return self.request(self.form(*parts, preamble=preamble, end=end))

    def chunks(self, encoded: bytes, *headers: bytes, coding: bytes = b"Transfer-Encoding: chunked") -> bytes:
        """Return an upload whose body is already in chunks."""
        return self.head(self.line(), b"Content-Type: " + content_type(), coding, *headers) + encoded
