"""Uploads as clients mean them."""

from __future__ import annotations

import base64

from conformance.case import MALFORMED, AwaitAnswer, Cases, Exchange, Limits, Send, accepted, refused
from conformance.message import disposition, file, form, part, request, sample, text, upload

CASES = Cases("good")
ONE, TWO = sample(5_000, seed=1), sample(70_000, seed=2)
STORED = accepted(ONE)
NOT_CHOSEN = file(b"", "", content_type=b"application/octet-stream")
NO_FILE = refused(400, "no_file")
BOTH_STORED = accepted(ONE, TWO)


add = CASES.add
add("G1", "one file is stored as sent", upload(file(ONE)), STORED)
add("G1", "a file of one byte is stored", upload(file(b"\x00")), accepted(b"\x00"))
add("G1", "two files are stored as sent", upload(file(ONE), file(TWO)), BOTH_STORED)
add("G1", "a text field before the file is ignored", upload(text(), file(ONE)), STORED)
add("G1", "a text field after the file is ignored", upload(file(ONE), text()), STORED)
add(
    "G1",
    "text fields before, between and after two files are ignored",
    upload(text(), file(ONE), text(b"", "empty"), file(TWO), text()),
    BOTH_STORED,
)
add("G1", "a text field given three times is ignored", upload(*[text()] * 3, file(ONE)), STORED)
add(
    "G1",
    "a file full of line ends and dashes is stored",
    upload(file(b"\r\n--\r\n" * 500)),
    accepted(b"\r\n--\r\n" * 500),
)
add("G1", "a file of every byte value is stored", upload(file(bytes(range(256)))), accepted(bytes(range(256))))
add(
    "G1",
    "a file that is UTF-16 text is stored",
    upload(file("žluťoučký".encode("utf-16"))),
    accepted("žluťoučký".encode("utf-16")),
)
add("G2", "an empty file with a name is stored", upload(file(b"")), accepted(b""))
add("G2", "an empty file beside a full one is stored", upload(file(b""), file(ONE)), accepted(b"", ONE))
add("G3", "the same file twice is stored twice", upload(file(ONE), file(ONE)), accepted(ONE, ONE))
add("G4", "no file chosen is an error", upload(NOT_CHOSEN), NO_FILE)
add(
    "G4",
    "no file chosen in the first input, one in the second: the one is stored",
    upload(NOT_CHOSEN, file(ONE)),
    STORED,
)
add(
    "G4",
    "no file chosen in two inputs after two files is ignored",
    upload(file(ONE), file(TWO), *[NOT_CHOSEN] * 2),
    BOTH_STORED,
)
add("G4", "data under an empty file name is ignored", upload(file(ONE, ""), file(TWO)), accepted(TWO))
add(
    "G4",
    "no file chosen in another field is ignored",
    upload(file(b"", "", name="other", content_type=b"application/octet-stream"), file(ONE)),
    STORED,
)
add(
    "G5",
    "application/octet-stream without a file name is ignored",
    upload(part(disposition(), b"Content-Type: application/octet-stream", data=ONE), file(TWO)),
    accepted(TWO),
)
add(
    "G5",
    "application/octet-stream without a file name is not a file",
    upload(part(disposition(), b"Content-Type: application/octet-stream", data=ONE)),
    NO_FILE,
)
add(
    "G5",
    "application/octet-stream without a file name has no field limit",
    upload(part(disposition(), b"Content-Type: application/octet-stream", data=sample(200_000)), file(ONE)),
    STORED,
)
add("G6", "a text field alone is not a file", upload(text()), NO_FILE)
add("G6", "a text field named avatar is not a file", upload(text(ONE, "avatar")), NO_FILE)
add("G6", "a text field named avatar beside a file is ignored", upload(text(ONE, "avatar"), file(TWO)), accepted(TWO))
add("G7", "a file without a type is stored", upload(part(disposition(filename="a"), data=ONE)), STORED)
for kind in (b"application/x-www-form-urlencoded", b"text/plain; charset=utf-7", b"nonsense", b"message/rfc822", b""):
    add("G7", f"a file of type {kind.decode() or 'nothing'!r} is stored", upload(file(ONE, content_type=kind)), STORED)
encoded = base64.b64encode(ONE)
for name in (b"base64", b"quoted-printable", b"nonsense"):
    add(
        "G8",
        f"Content-Transfer-Encoding: {name.decode()} is stored as sent",
        upload(part(disposition(filename="a"), b"Content-Transfer-Encoding: " + name, data=encoded)),
        accepted(encoded),
    )
add("G9", "Content-Encoding of the request is ignored", request(form(file(ONE)), b"Content-Encoding: gzip"), STORED)
add(
    "G9",
    "a body that really is gzip is not multipart",
    request(base64.b64decode("H4sIAAAAAAAAA0vOzy0oSi0uTk0BALWyZIsKAAAA"), b"Content-Encoding: gzip"),
    refused(400, MALFORMED),
)


def _every_size(limits: Limits) -> Exchange:
    """Sizes around the buffers that servers use."""
    sizes = [size + delta for size in (512, 4096, 8192, 16_384, 65_536) for delta in (-1, 0, 1)]
    contents = [sample(size, seed=3) for size in sizes]
    steps = [step for data in contents for step in (Send(upload(file(data))), AwaitAnswer())]
    return Exchange(steps=tuple(steps), expected=accepted(*contents, times=len(contents)))


CASES.add_built("G1", "files of sizes around the usual buffers are stored, one after the other", _every_size)
