"""One less, exactly, one more."""

from __future__ import annotations

from collections.abc import Callable

from conformance.case import (
    AwaitAnswer,
    Cases,
    Exchange,
    Expected,
    Limits,
    Outcome,
    Pause,
    Send,
    accepted,
    closed,
    refused,
)
from conformance.message import chunked, chunked_request, disposition, file, form, part, request, sample, text, upload
from conformance.model import MAX_FIELD_BYTES, MAX_PARTS

CASES = Cases("limits")
ONE, TWO = sample(2_000, seed=9), sample(3_000, seed=10)
STORED = accepted(ONE)
UNEXPECTED_FIELD = refused(400, "unexpected_field")
add = CASES.add

Built = Callable[[Limits], tuple[bytes, Expected]]
FILE_TOO_LARGE = refused(413, "file_too_large")
REQUEST_TOO_LARGE = refused(413, "request_too_large")


def _add_sized(row: str, name: str, build: Built, *, reading: bool = True) -> None:
    def exchange(limits: Limits) -> Exchange:
        message, expected = build(limits)
        return Exchange(steps=(Send(message, reading),), expected=expected, answer_timeout_s=30.0)

    CASES.add_built(row, name, exchange)


def _sized_form(size: int, *parts: bytes) -> tuple[bytes, bytes]:
    """Return a form of exactly `size` bytes whose last part is a file, and that file."""
    data = sample(size - len(form(*parts, file(b""))), seed=11)
    return form(*parts, file(data)), data


def _file_of(difference: int, *, chunks: bool) -> Built:
    def build(limits: Limits) -> tuple[bytes, Expected]:
        data = sample(limits.max_file_bytes + difference, seed=12)
        body = form(file(data))
        message = chunked_request(chunked(body, size=50_000)) if chunks else request(body)
        return message, FILE_TOO_LARGE if difference > 0 else accepted(data)

    return build


for difference, what in ((-1, "one byte less than"), (0, "exactly"), (1, "one byte more than")):
    verb = "refused" if difference > 0 else "stored"
    _add_sized("L1", f"a file of {what} the limit is {verb}", _file_of(difference, chunks=False))
    _add_sized("L1", f"a chunked file of {what} the limit is {verb}", _file_of(difference, chunks=True))
_add_sized(
    "L1",
    "a file of the limit and data that looks like the end is stored",
    lambda limits: (lambda data: (upload(file(data)), accepted(data)))(sample(limits.max_file_bytes - 4) + b"\r\n--"),
)
_add_sized(
    "L2",
    "a second file over the limit removes the first",
    lambda limits: (upload(file(ONE), file(sample(limits.max_file_bytes + 1))), FILE_TOO_LARGE),
)
_add_sized(
    "L2",
    "a first file over the limit refuses the second",
    lambda limits: (upload(file(sample(limits.max_file_bytes + 1)), file(ONE)), FILE_TOO_LARGE),
)


def _body_of(difference: int, *, chunks: bool) -> Built:
    def build(limits: Limits) -> tuple[bytes, Expected]:
        first = sample(limits.max_file_bytes, seed=13)
        body, data = _sized_form(limits.max_request_bytes + difference, file(first))
        message = chunked_request(chunked(body, size=50_000)) if chunks else request(body)
        return message, REQUEST_TOO_LARGE if difference > 0 else accepted(first, data)

    return build


for difference, what in ((-1, "one byte less than"), (0, "exactly"), (1, "one byte more than")):
    verb = "refused" if difference > 0 else "stored"
    _add_sized("L3", f"a body of {what} the limit is {verb}", _body_of(difference, chunks=False))
    _add_sized("L4", f"a chunked body of {what} the limit is {verb}", _body_of(difference, chunks=True))


def _epilogue_to(difference: int) -> Built:
    def build(limits: Limits) -> tuple[bytes, Expected]:
        body = form(file(ONE)).ljust(limits.max_request_bytes + difference, b"x")
        return chunked_request(chunked(body, size=50_000)), REQUEST_TOO_LARGE if difference > 0 else STORED

    return build


_add_sized("L4", "an epilogue over the limit of the request is refused", _epilogue_to(1))
_add_sized("L4", "an epilogue up to the limit of the request is accepted", _epilogue_to(0))
_add_sized(
    "L3",
    "a preamble over the limit of the request is refused",
    lambda limits: (upload(file(ONE), preamble=b"x" * limits.max_request_bytes + b"\r\n"), REQUEST_TOO_LARGE),
)

for count in (3, 4, 20):
    add("L5", f"{count} files are too many", upload(*[file(ONE)] * count), refused(400, "too_many_files"))
add(
    "L5",
    "a third file after text fields is too many",
    upload(file(ONE), text(), file(TWO), text(), file(b"")),
    refused(400, "too_many_files"),
)
for name, send in {
    "a file in another field is refused": upload(file(ONE, name="other")),
    "a file in another field after a good one removes the good one": upload(file(ONE), file(TWO, name="other")),
    "a file in another field before a good one refuses it": upload(file(TWO, name="other"), file(ONE)),
    "an empty file in another field is refused": upload(file(ONE), file(b"", name="other")),
}.items():
    add("L6", name, send, UNEXPECTED_FIELD)

TOO_MANY_PARTS = refused(413, "too_many_parts")
nothing_chosen = file(b"", "", content_type=b"application/octet-stream")
add("L7", "100 parts, one of them a file, are accepted", upload(*[text()] * (MAX_PARTS - 1), file(ONE)), STORED)
add("L7", "101 parts are too many, with the file last", upload(*[text()] * MAX_PARTS, file(ONE)), TOO_MANY_PARTS)
add("L7", "101 parts are too many, with the file first", upload(file(ONE), *[text()] * MAX_PARTS), TOO_MANY_PARTS)
add(
    "L7", "100 parts without a chosen file are accepted", upload(file(ONE), *[nothing_chosen] * (MAX_PARTS - 1)), STORED
)
add(
    "L7",
    "101 parts without a chosen file are too many",
    upload(file(ONE), *[nothing_chosen] * MAX_PARTS),
    TOO_MANY_PARTS,
)
add("L7", "2,000 parts are too many", upload(file(ONE), *[text()] * 2_000), TOO_MANY_PARTS)

FIELD_TOO_LARGE = refused(413, "field_too_large")
add("L8", "a text field of 65,535 bytes is ignored", upload(text(b"x" * (MAX_FIELD_BYTES - 1)), file(ONE)), STORED)
add("L8", "a text field of 65,536 bytes is ignored", upload(text(b"x" * MAX_FIELD_BYTES), file(ONE)), STORED)
for name, send in {
    "a text field of 65,537 bytes is too large": upload(text(b"x" * (MAX_FIELD_BYTES + 1)), file(ONE)),
    "a text field of 65,537 bytes after a file removes the file": upload(file(ONE), text(b"x" * (MAX_FIELD_BYTES + 1))),
}.items():
    add("L8", name, send, FIELD_TOO_LARGE)
for name, send in {
    "several text fields of 65,536 bytes are ignored": upload(*[text(b"x" * MAX_FIELD_BYTES)] * 8, file(ONE)),
    "a text field of 65,536 bytes beyond ASCII counts bytes": upload(
        text("ž".encode() * (MAX_FIELD_BYTES // 2)), file(ONE)
    ),
}.items():
    add("L8", name, send, STORED)
add(
    "L8",
    "a text field with an empty file name is limited too",
    request(
        form(part(disposition(name="a", filename=""), b"Content-Type: text/plain", data=b"x" * (MAX_FIELD_BYTES + 1)))
    ),
    FIELD_TOO_LARGE,
)

add("L9", "with a limit of 0 an empty file is stored", upload(file(b"")), accepted(b""), profile="only empty files")
add(
    "L9",
    "with a limit of 0 a file of one byte is too large",
    upload(file(b"x")),
    FILE_TOO_LARGE,
    profile="only empty files",
)


def _over(limits: Limits) -> tuple[bytes, Expected]:
    surplus = min(limits.max_drain_bytes - 100_000, 3 * limits.max_request_bytes)
    return upload(file(sample(surplus))), REQUEST_TOO_LARGE


_add_sized("L10", "a client far over the limit that reads while it sends gets the answer", _over)
_add_sized("L10", "a client far over the limit that reads only after sending gets the answer", _over, reading=False)


def _chunked_over(limits: Limits) -> tuple[bytes, Expected]:
    surplus = min(limits.max_drain_bytes - 100_000, 3 * limits.max_request_bytes)
    expected = refused(413, "request_too_large", "file_too_large")
    return chunked_request(chunked(form(file(sample(surplus))), size=60_000)), expected


_add_sized("L10", "a chunked client far over the limit that reads while it sends gets the answer", _chunked_over)
_add_sized(
    "L10",
    "a chunked client far over the limit that reads only after sending gets the answer",
    _chunked_over,
    reading=False,
)


def _file_over_inside_request(limits: Limits) -> tuple[bytes, Expected]:
    size = max(limits.max_file_bytes + 1, limits.max_request_bytes - 1_000)
    return upload(file(sample(size))), FILE_TOO_LARGE


_add_sized(
    "L10",
    "a file over the limit in a request below it gets the answer after sending",
    _file_over_inside_request,
    reading=False,
)


def _refused_early(limits: Limits) -> tuple[bytes, Expected]:
    size = limits.max_request_bytes - 10_000 - limits.max_file_bytes
    return upload(file(ONE, name="other"), file(sample(size))), UNEXPECTED_FIELD


_add_sized(
    "L10",
    "an error in the first part is answered to a client that reads only after sending",
    _refused_early,
    reading=False,
)


def _unknown_path(limits: Limits) -> tuple[bytes, Expected]:
    size = limits.max_request_bytes - 10_000
    return request(sample(size), target=b"/unknown"), refused(404, "not_found")


_add_sized("L10", "404 is answered to a client that reads only after sending", _unknown_path, reading=False)


def _wrong_type(limits: Limits) -> tuple[bytes, Expected]:
    size = limits.max_request_bytes - 10_000
    return request(sample(size), type=b"image/png"), refused(415, "unsupported_media_type")


_add_sized("L10", "415 is answered to a client that reads only after sending", _wrong_type, reading=False)


def _beyond_drain(limits: Limits) -> Exchange:
    message = request(sample(limits.max_drain_bytes + limits.max_request_bytes + 8 * 1024 * 1024))
    answered = Outcome(answers=REQUEST_TOO_LARGE[0].answers, may_reset=True)
    return Exchange(steps=(Send(message),), expected=(answered, *closed()), answer_timeout_s=30.0)


CASES.add_built("L11", "a client that goes on beyond what is drained is answered, or reset, and closed", _beyond_drain)


def _slow_refusal(limits: Limits) -> Exchange:
    """The error is in the first kilobytes; the client sends on, slowly, and reads at the end."""
    message = upload(file(ONE, name="other"), file(sample(limits.max_file_bytes // 2)))
    half = len(message) // 2
    steps = (Send(message[:half], False), Pause(0.3), Send(message[half:], False), AwaitAnswer())
    return Exchange(steps=steps, expected=UNEXPECTED_FIELD)


CASES.add_built("L10", "a client that sends on for a while after the error gets the answer", _slow_refusal)

add("L12", "a field name of 15,000 characters is accepted", upload(text(b"x", "n" * 15_000), file(ONE)), STORED)
add("L12", "a file name of 15,000 characters is accepted", upload(file(ONE, "n" * 15_000)), STORED)
