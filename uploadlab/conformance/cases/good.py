"""What honest clients send."""

# fmt: off
from uploadlab.conformance.case import Case, Do, Pause, Send, accepted, may, must, should
from uploadlab.conformance.message import BOUNDARY, CRLF, DELIMITER, Forms, chunked, content_type, form, part, sample, text

NEAR = {
    "cr": (b"\r", "CR"),
    "crlf": (b"\r\n", "CR LF"),
    "crlf-dashes": (b"\r\n--", "CR LF and two dashes"),
    "delimiter-less-one": (b"\r\n" + DELIMITER[:-1], "the delimiter less its last byte"),
    "delimiter-changed": (b"\r\n" + DELIMITER[:-1] + b"z", "the delimiter with its last byte changed"),
    "delimiter-after-lf": (b"\n" + DELIMITER + b"x", "the delimiter after LF alone"),
    "delimiter-after-cr": (b"\r" + DELIMITER + b"x", "the delimiter after CR alone"),
    "one-dash": (b"\r\n-" + BOUNDARY.encode(), "the delimiter with one dash"),
    "boundary": (BOUNDARY.encode(), "the boundary alone"),
    "cr-cr-lf": (b"\r\r\n" + DELIMITER[:9], "CR CR LF and half of the delimiter"),
}
"""Data that a parser may take for a delimiter."""
RFC2046, RFC7578, RFC9112 = "RFC 2046 5.1.1", "RFC 7578 4", "RFC 9112 7.1"


def cases(f: Forms) -> list[Case]:
    one, two, large = sample(3_000, "one"), sample(9_000, "two"), sample(300_000, "large")
    stored = accepted(one)
    body = f.form(f.file(one))
    sizes = (1, 255, 4_096, 65_535, 65_536, 65_537, 300_000)
    rows = [
        *(must(f"size-{size}", f"a file of {size:,} bytes", f.upload(f.file(sample(size, f"{size}"))), accepted(sample(size, f"{size}")), RFC7578) for size in sizes),
        should("empty-file", "an empty file", f.upload(f.file(b"")), accepted(b""), "RFC 7578 4.2"),
        should("2-mib", "a file of 2 MiB", f.upload(f.file(sample(2 << 20, "2mib"))), accepted(sample(2 << 20, "2mib")), RFC7578),
        should("text-before", "a text field before the file", f.upload(text("comment"), f.file(one)), stored, RFC7578),
        should("text-after", "a text field after the file", f.upload(f.file(one), text("comment")), stored, RFC7578),
        may("two-files", "two files in one field", f.upload(f.file(one), f.file(two, "b.png")), "RFC 7578 4.3"),
        may("no-file-chosen", "a form in which no file was chosen", f.upload(part(f.disposition(filename=""), b"Content-Type: application/octet-stream")), "HTML, form data set"),
        must("null-bytes", "a file of NUL bytes", f.upload(f.file(bytes(5_000))), accepted(bytes(5_000)), RFC7578),
        must("text-stays", "line ends of all kinds in the file", f.upload(f.file(b"a\nb\r\nc\rd\n\r\n")), accepted(b"a\nb\r\nc\rd\n\r\n"), RFC7578),
        must("looks-like-a-part", "a file that contains another form", f.upload(f.file(form(f.file(one), boundary="inner"))), accepted(form(f.file(one), boundary="inner")), RFC2046),
    ]
    for id, (data, words) in NEAR.items():
        rows.append(must(f"ends-in-{id}", f"a file that ends in {words}", f.upload(f.file(b"data" + data)), accepted(b"data" + data), RFC2046))
        full = (b"x" + data) * 300
        rows.append(must(f"full-of-{id}", f"a file full of {words}", f.upload(f.file(full)), accepted(full), RFC2046))
    rows += [*_framing(f, one, body), *_carried(f, one, two, large, body)]
    return rows


def _framing(f: Forms, one: bytes, body: bytes) -> list[Case]:
    """How a form may be delimited."""
    stored = accepted(one)
    long = "Y" * 70
    return [
        should("preamble", "a preamble", f.upload(f.file(one), preamble=b"This is MIME.\r\n"), stored, RFC2046),
        should("preamble-empty-line", "an empty line before the first delimiter", f.upload(f.file(one), preamble=CRLF), stored, RFC2046),
        should("epilogue", "an epilogue", f.upload(f.file(one), end=b"--\r\nThe end."), stored, RFC2046),
        should("no-last-crlf", "no CR LF after the final delimiter", f.upload(f.file(one), end=b"--"), stored, RFC2046),
        should("padding", "spaces and tabs after the final delimiter", f.upload(f.file(one), end=b"-- \t\r\n"), stored, RFC2046),
        should("boundary-70", "a boundary of 70 characters", f.request(f.form(f.file(one), boundary=long), type=content_type(long)), stored, RFC2046),
        should("boundary-1", "a boundary of one character", f.request(f.form(f.file(one), boundary="x"), type=content_type("x")), stored, RFC2046),
        should("boundary-quoted", "a quoted boundary with all characters that it may have", f.request(f.form(f.file(one), boundary="=_'()+,-./:=? x"), type=b"multipart/form-data; boundary=\"=_'()+,-./:=? x\""), stored, RFC2046),
        should("type-case", "Content-Type in other case", f.request(body, type=b"Multipart/Form-Data; BOUNDARY=" + BOUNDARY.encode()), stored, "RFC 9110 8.3.1"),
        should("charset-first", "a charset before the boundary", f.request(body, type=b"multipart/form-data; charset=utf-8; boundary=" + BOUNDARY.encode()), stored, "RFC 9110 8.3.1"),
        should("type-without-spaces", "Content-Type without spaces", f.request(body, type=b"multipart/form-data;boundary=" + BOUNDARY.encode()), stored, "RFC 9110 5.6.6"),
        should("part-header-case", "part headers in other case", f.upload(part(f.disposition(filename="a.png").replace(b"Content-D", b"CONTENT-d"), data=one)), stored, "RFC 2046 5.1"),
        should("part-without-type", "a file without Content-Type", f.upload(part(f.disposition(filename="a"), data=one)), stored, "RFC 7578 4.4"),
        should("part-headers-more", "part headers that are not known", f.upload(part(b"X-A: 1", f.disposition(filename="a"), b"X-B: 2", data=one)), stored, "RFC 7578 4.8"),
    ]


def _carried(f: Forms, one: bytes, two: bytes, large: bytes, body: bytes) -> list[Case]:
    """How HTTP may carry a form."""
    stored, small = accepted(one), sample(500, "small")
    message = f.upload(f.file(small))
    start, again = message.index(b"\r\n\r\n") + 4, f.upload(f.file(two))
    every = [step for cut in range(start, len(message) - 500, 2) for step in (Send(message[:cut]), Pause(0.001), Send(message[cut:]), Do.READ)]
    many = [step for _ in range(50) for step in (Send(f.upload(f.file(one))), Do.READ)]
    return [
        must("one-byte-at-a-time", "a request sent one byte at a time", [Send(message, 1)], accepted(small), RFC9112),
        must("every-cut", "an upload cut in two at every other byte of its part header", every, accepted(*[small] * (len(every) // 4), times=len(every) // 4), RFC9112),
        must("keep-alive", "50 uploads on one connection", many, accepted(*[one] * 50, times=50), "RFC 9112 9.3"),
        should("pipelined", "two uploads sent at once", f.request(body) + again, accepted(one, two, times=2), "RFC 9112 9.3.2"),
        should("chunked", "a chunked body", f.chunks(chunked(f.form(f.file(large)))), accepted(large), RFC9112),
        should("chunks-of-1", "chunks of one byte", f.chunks(chunked(f.form(f.file(small)), size=1)), accepted(small), RFC9112),
        should("chunk-extensions", "chunk extensions", f.chunks(chunked(body, extension=b';a=b;c="d e"')), stored, "RFC 9112 7.1.1"),
        should("trailers", "trailers", f.chunks(chunked(body, trailer=[b"X-Checksum: 1"]), b"Trailer: X-Checksum"), stored, "RFC 9112 7.1.2"),
        should("chunk-zeros", "a chunk size with leading zeros and capitals", f.chunks(b"000%X\r\n" % len(body) + body + b"\r\n0\r\n\r\n"), stored, RFC9112),
        should("http-1.0", "an HTTP/1.0 upload", f.request(body, line=f.line(version=b"HTTP/1.0")), stored, "RFC 9110 2.5"),
        should("connection-close", "Connection: close", f.request(body, b"Connection: close"), stored, "RFC 9112 9.6"),
        should("absolute-form", "the absolute form of the target", f.request(body, line=f.line(target=b"http://" + f.host.encode() + f.target.encode())), stored, "RFC 9112 3.2.2"),
        should("leading-empty-line", "an empty line before the request", CRLF + f.request(body), stored, "RFC 9112 2.2"),
        should("upgrade-ignored", "an offer of HTTP/2", f.request(body, b"Connection: Upgrade, HTTP2-Settings", b"Upgrade: h2c", b"HTTP2-Settings: AAMAAABk"), stored, "RFC 9110 7.8"),
    ]
