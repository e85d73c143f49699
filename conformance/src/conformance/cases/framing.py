"""How the same form can be cut, delimited and carried."""

from __future__ import annotations

from conformance.case import (
    MALFORMED,
    AwaitAnswer,
    Cases,
    Exchange,
    Limits,
    Pause,
    Send,
    SendInPieces,
    Step,
    accepted,
    refused,
)
from conformance.message import (
    BOUNDARY,
    chunked,
    chunked_request,
    content_type,
    file,
    form,
    request,
    sample,
    text,
    upload,
)

CASES = Cases("framing")
ONE, TWO = sample(3_000, seed=4), sample(9_000, seed=5)
STORED = accepted(ONE)
BAD = refused(400, MALFORMED)
BOTH_STORED = accepted(ONE, TWO)
FORM = form(file(ONE))
BODY = form(text(), file(ONE), file(TWO))
add = CASES.add


def _every_split(limits: Limits) -> Exchange:
    """One upload for each place at which its body can be cut in two; the pause lets the first half arrive alone."""
    data = b"\r\n--" + BOUNDARY.encode()[:9] + b"\r"
    message = request(form(file(data), boundary="xyz"), type=content_type("xyz"))
    start = message.index(b"\r\n\r\n") + 4
    steps: list[Step] = []
    for cut in range(start, len(message)):
        steps += [Send(message[:cut]), Pause(0.002), Send(message[cut:]), AwaitAnswer()]
    count = len(message) - start
    return Exchange(steps=tuple(steps), expected=accepted(*[data] * count, times=count))


CASES.add_built("F1", "a body cut in two at every byte is the same body", _every_split)
add(
    "F1",
    "a request sent one byte at a time is the same request",
    [SendInPieces(upload(file(ONE[:900])), 1)],
    accepted(ONE[:900]),
)
add(
    "F1",
    "a body in pieces of 7 bytes with pauses is the same body",
    [SendInPieces(upload(file(ONE[:700])), 7, 0.001)],
    accepted(ONE[:700]),
)

near = BOUNDARY.encode()
for what, data in {
    "a CR": b"\r",
    "CR LF": b"\r\n",
    "CR LF - -": b"\r\n--",
    "CR LF - - and the boundary less its last byte": b"\r\n--" + near[:-1],
    "the delimiter with its last byte changed": b"\r\n--" + near[:-1] + b"z",
    "the delimiter after LF only": b"\n--" + near + b"\r\n",
    "the delimiter after CR only": b"\r--" + near + b"\r\n",
    "the delimiter with one dash": b"\r\n-" + near + b"\r\n",
    "the boundary alone": near,
    "the delimiter in other case": b"\r\n--" + near.upper() + b"\r\n",
    "CR CR LF - - and half of the boundary": b"\r\r\n--" + near[:9],
}.items():
    add("F2", f"data that ends in {what} is data", upload(file(b"data" + data)), accepted(b"data" + data))
    repeated = (b"x" + data) * 300
    add("F2", f"data full of {what} is data", upload(file(repeated), file(ONE)), accepted(repeated, ONE))
add("F2", "data that begins with CR LF is data", upload(file(b"\r\n" + ONE)), accepted(b"\r\n" + ONE))

add("F3", "a preamble is ignored", upload(file(ONE), preamble=b"This is MIME.\r\n"), STORED)
add("F3", "a preamble of one empty line is ignored", upload(file(ONE), preamble=b"\r\n"), STORED)
add("F3", "a preamble of 20,000 bytes is ignored", upload(file(ONE), preamble=b"x" * 20_000 + b"\r\n"), STORED)
add(
    "F3",
    "a preamble with something like a delimiter is ignored",
    upload(file(ONE), preamble=b"--" + near[:-1] + b"\r\n\r\n"),
    STORED,
)
for what, end in {
    "no CR LF": b"--",
    "an epilogue": b"--\r\nThe end.",
    "an epilogue of 20,000 bytes": b"--\r\n" + b"x" * 20_000,
    "spaces": b"--  \t\r\n",
    "anything": b"--anything",
    "another form": b"--\r\n" + form(file(TWO)),
    "NUL": b"--\x00",
}.items():
    add("F3", f"{what} after the final delimiter is ignored", upload(file(ONE), end=end), STORED)

add(
    "F4",
    "a delimiter in the middle of a line of the preamble is ignored, or taken as the first",
    upload(file(ONE), file(TWO), preamble=b"x"),
    accepted(TWO),
    BOTH_STORED,
    BAD,
)

for boundary in ("x", "X" * 70, "-" * 10, "0123456789", "a.b_c+d-e'f", "WebKitFormBoundary7MA4YWxkTrZu0gW"):
    add(
        "F5",
        f"the boundary {boundary if len(boundary) < 40 else f'of {len(boundary)} characters'} is accepted",
        request(form(file(ONE), boundary=boundary), type=content_type(boundary)),
        STORED,
    )
for boundary in ("x", "a b c", "(:/?=,)", "=_'()+_,-./:=?", "Y" * 70):
    add(
        "F5",
        f"the quoted boundary {boundary if len(boundary) < 40 else f'of {len(boundary)} characters'} is accepted",
        request(form(file(ONE), boundary=boundary), type=b'multipart/form-data; boundary="' + boundary.encode() + b'"'),
        STORED,
    )
for what, kind in {
    "in other case": b"MultiPart/Form-Data; BOUNDARY=" + near,
    "with a charset before": b"multipart/form-data; charset=utf-8; boundary=" + near,
    "with a quoted parameter after": b"multipart/form-data; boundary=" + near + b'; x="a;b\\"c"',
    "without spaces": b"multipart/form-data;boundary=" + near,
    "with more spaces": b"multipart/form-data \t ;\t  boundary=" + near + b"  ",
}.items():
    add("F5", f"Content-Type {what} is accepted", request(FORM, type=kind), STORED)
for what, value in {
    "empty": b'""',
    "absent after =": b"",
    "of 71 characters": b"x" * 71,
    "of 252 characters": b"x" * 252,
    "of 5,000 characters": b"x" * 5_000,
    "with a slash, not quoted": b"a/b",
    "with a space, not quoted": b"a b",
    "with a space at its end": b'"ab "',
    "with characters that RFC 2046 forbids": b'"a{b}"',
    "not closed": b'"ab',
    "beyond ASCII": b'"\xc3\xa9"',
}.items():
    inner = value.strip(b'"').decode("latin-1") or "x"
    add(
        "F6",
        f"a boundary {what} is refused",
        request(form(file(ONE), boundary=inner), type=b"multipart/form-data; boundary=" + value),
        BAD,
    )
for name, send in {
    "of two boundary parameters the first counts": request(FORM, type=content_type() + b"; boundary=other"),
    "of two Content-Type headers the first counts": request(FORM, b"Content-Type: " + content_type("other")),
}.items():
    add("F7", name, send, STORED)

add("F8", "a chunked body is accepted", chunked_request(chunked(BODY)), BOTH_STORED)
add(
    "F8",
    "chunks of one byte are accepted",
    chunked_request(chunked(form(file(ONE[:500])), size=1)),
    accepted(ONE[:500]),
)
for name, send in {
    "one chunk is accepted": chunked_request(chunked(BODY, size=len(BODY))),
    "chunk sizes with leading zeros and capitals are accepted": chunked_request(
        b"000%X\r\n" % len(BODY) + BODY + b"\r\n0\r\n\r\n"
    ),
    "chunk extensions are ignored": chunked_request(chunked(BODY, extension=b";name=value")),
    "quoted chunk extensions are ignored": chunked_request(chunked(BODY, extension=b';name="a value"')),
}.items():
    add("F8", name, send, BOTH_STORED)
add(
    "F8",
    "a trailer named Content-Length is ignored, or refused",
    chunked_request(chunked(BODY, trailer=[b"Content-Length: 5"])),
    BOTH_STORED,
    refused(400),
    BAD,
)
for name, send in {
    "trailers are ignored": chunked_request(
        chunked(BODY, trailer=[b"X-Checksum: 1", b"Content-Type: text/plain"]), b"Trailer: X-Checksum"
    ),
    "Transfer-Encoding in other case is accepted": chunked_request(chunked(BODY)).replace(
        b"chunked\r\n", b"CHUNKED\r\n", 1
    ),
}.items():
    add("F8", name, send, BOTH_STORED)
add(
    "F8",
    "a chunked body sent in pieces of 100 bytes is accepted",
    [SendInPieces(chunked_request(chunked(BODY, size=99)), 100)],
    BOTH_STORED,
)
