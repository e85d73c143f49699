"""The contract's grammar as a program: what a server may answer to a body, and what it must then have stored.

The fuzzer needs it to judge bodies that nobody has written down. It reads a whole body at once and says `None` where
the contract leaves a choice that cannot be enumerated.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from conformance.case import MALFORMED, Limits
from conformance.message import FIELD

MAX_PARTS = 100
MAX_FIELD_BYTES = 65_536
MAX_HEADER_BYTES = 16_384
SURE_HEADER_BYTES = 16_000
SURE_HEADER_LINES = 1_000

TOKEN = rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+"
QUOTED = rb'"(?:[\t !#-\[\]-~\x80-\xff]|\\[\t -~\x80-\xff])*"'
PARAMETER = re.compile(rb"[ \t]*;[ \t]*(" + TOKEN + rb")=(" + TOKEN + rb"|" + QUOTED + rb")")
EXTENDED = re.compile(
    rb"[ \t]*;[ \t]*("
    + TOKEN
    + rb"\*)=([!#$%&+\-^_`{}~0-9A-Za-z]+)'([0-9A-Za-z-]*)'((?:[!#$&+\-.^_`|~0-9A-Za-z]|%[0-9A-Fa-f]{2})+)"
)
HEADER = re.compile(rb"(" + TOKEN + rb"):([\t -~\x80-\xff]*)")
CONTINUATION = re.compile(rb"[ \t][\t -~\x80-\xff]*")
BOUNDARY = re.compile(rb"[0-9A-Za-z'()+_,\-./:=? ]{0,69}[0-9A-Za-z'()+_,\-./:=?]")
FORM_DATA = re.compile(rb"multipart/form-data(?=$|[ \t;])", re.IGNORECASE)
DISPOSITION = re.compile(rb"form-data(?=$|[ \t;])", re.IGNORECASE)
KNOWN_CHARSETS = {b"utf-8", b"utf8", b"iso-8859-1", b"latin1", b"us-ascii", b"ascii"}

STATUS = {
    "unsupported_media_type": 415,
    MALFORMED: 400,
    "no_file": 400,
    "too_many_files": 400,
    "unexpected_field": 400,
    "file_too_large": 413,
    "request_too_large": 413,
    "field_too_large": 413,
    "too_many_parts": 413,
}


@dataclass(frozen=True)
class Verdict:
    """An answer that is allowed: an error code and nothing stored, or no code and these files stored."""

    code: str | None
    files: tuple[bytes, ...] = ()

    @property
    def status(self) -> int:
        """The HTTP status."""
        return 200 if self.code is None else STATUS[self.code]


class Unclear(Exception):
    """The contract allows more here than the model can say."""


def judge(
    content_type: bytes | None, body: bytes, limits: Limits, *, length_known: bool = True
) -> list[Verdict] | None:
    """Return every verdict that the contract allows for an upload; None when it cannot be said."""
    try:
        boundary = read_boundary(content_type)
        if isinstance(boundary, str):
            return [Verdict(boundary)]
        if length_known and len(body) > limits.max_request_bytes:
            return [Verdict("request_too_large")]
        if re.search(rb"\r\n--" + re.escape(boundary) + TOKEN + rb":", body):
            raise Unclear
        found: list[Verdict] = []
        for lf, loose in _readings(boundary, body):
            found += [verdict for verdict in _judge(boundary, body, limits, lf=lf, loose=loose) if verdict not in found]
    except Unclear:
        return None
    return found


def read_boundary(content_type: bytes | None) -> bytes | str:
    """Return the boundary of a `Content-Type`, or the code of the error in it."""
    value = (content_type or b"").strip(b" \t")
    kind = FORM_DATA.match(value)
    if kind is None:
        if value.lower().startswith(b"multipart/form-data,"):
            raise Unclear
        return "unsupported_media_type"
    if value[kind.end() :].lstrip(b" \t")[:1] not in (b"", b";"):
        raise Unclear
    parameters = read_parameters(value[kind.end() :])
    boundary = None if parameters is None else parameters.get(b"boundary")
    return MALFORMED if boundary is None or not BOUNDARY.fullmatch(boundary) else boundary


def read_parameters(text: bytes, *, extended: bool = False) -> dict[bytes, bytes] | None:
    """Return the parameters of a header value, the first of each name; None when they do not parse."""
    found: dict[bytes, bytes] = {}
    position = 0
    while text[position:].strip(b" \t"):
        match = EXTENDED.match(text, position) if extended else None
        if match is not None:
            if match[2].lower() not in KNOWN_CHARSETS:
                raise Unclear
            value = match[4]
        else:
            match = PARAMETER.match(text, position)
            if match is None:
                if extended and re.match(rb"[ \t]*;[ \t]*=", text[position:]):
                    raise Unclear
                return None
            if extended and match[1].endswith(b"*"):
                return None
            value = match[2]
            if value.startswith(b'"'):
                if b"\\" in re.sub(rb'\\["\\]', b"", value[1:-1]) and match[1].lower() in (b"name", b"boundary"):
                    raise Unclear
                value = re.sub(rb'\\(["\\])', rb"\1", value[1:-1])
        found.setdefault(match[1].lower(), value)
        position = match.end()
    return found


def _readings(boundary: bytes, body: bytes) -> Iterator[tuple[bool, bool]]:
    """Yield how a body may be read: whether LF ends a delimiter, whether the first needs no line start."""
    delimiter = b"--" + boundary
    first = body.find(delimiter)
    loose = first > 0 and body[first - 2 : first] != b"\r\n"
    lf = delimiter + b"\n" in body
    for use_lf in (False, True) if lf else (False,):
        for use_loose in (False, True) if loose else (False,):
            yield use_lf, use_loose


def _judge(boundary: bytes, body: bytes, limits: Limits, *, lf: bool, loose: bool) -> list[Verdict]:
    errors: list[str] = []
    files: list[bytes] = []
    parts = 0
    if len(body) > limits.max_request_bytes:
        errors.append("request_too_large")
    for part in _parts(boundary, body, lf=lf, loose=loose):
        parts += 1
        if parts > MAX_PARTS:
            errors.append("too_many_parts")
        if part is None:
            errors.append(MALFORMED)
            continue
        error, data = _judge_part(part, boundary, limits, len(files))
        errors += error
        if data is not None:
            files.append(data)
    if parts == 0:
        errors.append(MALFORMED)  # a final delimiter, and no other
    if not errors and not files:
        errors.append("no_file")
    if MALFORMED in errors:
        errors += _errors_beside(body)
    return [Verdict(code) for code in dict.fromkeys(errors)] or [Verdict(None, tuple(files))]


def _errors_beside(body: bytes) -> list[str]:
    """Return what a server may find first in a malformed body, when it takes a damaged part for a file."""
    named = body.lower().count(b"filename")
    return ["unexpected_field"] * (named > 0) + ["too_many_files"] * (named > 2)


def _parts(boundary: bytes, body: bytes, *, lf: bool, loose: bool) -> Iterator[bytes | None]:
    """Yield what is between the delimiters' lines; None for everything that is not as it must be."""
    delimiter = b"\r\n--" + boundary
    if loose:
        body = b"\r\n" + body[body.find(delimiter[2:]) :]
    elif not body.startswith(delimiter[2:]):
        start = body.find(delimiter)
        if start < 0:
            yield None
            return
        body = body[start:]
    else:
        body = b"\r\n" + body
    for piece in body.split(delimiter)[1:]:
        if piece.startswith(b"--"):
            return
        if piece.startswith(b"\r\n"):
            yield piece[2:]
        elif lf and piece.startswith(b"\n"):
            yield piece[1:]
        else:
            yield None
    yield None  # no final delimiter


def _judge_part(part: bytes, boundary: bytes, limits: Limits, files: int) -> tuple[list[str], bytes | None]:
    end = part.find(b"\r\n\r\n")
    if end < 0 or part.startswith(b"\r\n"):
        return [MALFORMED], None
    headers = _read_headers(part[: end + 2])
    if end + 4 > MAX_HEADER_BYTES or headers is None:
        return [MALFORMED], None
    if end + 4 > SURE_HEADER_BYTES:
        raise Unclear
    disposition = headers.get(b"content-disposition", b"")
    kind = DISPOSITION.match(disposition)
    parameters = read_parameters(disposition[kind.end() :], extended=True) if kind else None
    if not parameters or not parameters.get(b"name"):
        return [MALFORMED], None
    data = part[end + 4 :]
    if data.startswith(b"--" + boundary):
        return [MALFORMED], None
    if not parameters.get(b"filename*") and not parameters.get(b"filename"):
        return _judge_text(headers.get(b"content-type", b""), data), None
    if parameters[b"name"] != FIELD.encode():
        return ["unexpected_field"], None
    if files >= 2:
        return ["too_many_files"], None
    return (["file_too_large"] if len(data) > limits.max_file_bytes else []), data


def _judge_text(content_type: bytes, data: bytes) -> list[str]:
    if len(data) <= MAX_FIELD_BYTES:
        return []
    if b"octet-stream" in content_type.lower():
        if content_type.lower() != b"application/octet-stream":
            raise Unclear
        return []
    return ["field_too_large"]


def _read_headers(block: bytes) -> dict[bytes, bytes] | None:
    """Return the headers, the first of each name, without outer spaces; None when a line is not one."""
    lines: list[bytes] = []
    for line in block.split(b"\r\n")[:-1]:
        if lines and CONTINUATION.fullmatch(line):
            if not lines[-1].partition(b":")[2].strip(b" \t"):
                raise Unclear
            lines[-1] += line
        elif HEADER.fullmatch(line):
            lines.append(line)
        else:
            return None
    found: dict[bytes, bytes] = {}
    if len(lines) > SURE_HEADER_LINES:
        raise Unclear
    for line in lines:
        name, _, value = line.partition(b":")
        found.setdefault(name.lower(), value.strip(b" \t"))
    return found
