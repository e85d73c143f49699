"""Bodies that must not look like good ones."""

# fmt: off
from uploadlab.conformance.case import REFUSED, SAFE, Case, Do, Send, Step, accepted, either, may, must, should
from uploadlab.conformance.message import BOUNDARY, DELIMITER, Forms, chunked, content_type, form, part, sample, text

DELIMITERS, HEADERS, DISPOSITION = "RFC 2046 5.1.1", "RFC 5322 2.2", "RFC 7578 4.2"
OLD_CRASH, CRASH, EMPTY_NAME = "RFC 2046 5.1.1; CVE-2025-47944", "RFC 2046 5.1.1; CVE-2025-7338", "RFC 7578 4.2; CVE-2025-48997"


def cases(f: Forms) -> list[Case]:
    one, two = sample(3_000, "broken"), sample(5_000, "second")
    body = f.form(f.file(one))
    whole = f.form(f.file(one), f.file(two))
    disposition = f.disposition(filename="a.png")
    return [*_types(f, body), *_cuts(f, body, whole), *_delimiters(f, body, one), *_headers(f, disposition, one, two), *_dispositions(f, disposition, one, two)]


def _types(f: Forms, body: bytes) -> list[Case]:
    boundary = BOUNDARY.encode()
    kinds = {
        "no-type": (None, "no Content-Type"), "empty-type": (b"", "an empty Content-Type"),
        "urlencoded": (b"application/x-www-form-urlencoded", "application/x-www-form-urlencoded"),
        "image": (b"image/png", "image/png"), "other-type": (b"multipart/form-dataX; boundary=" + boundary, "multipart/form-dataX"),
        "no-boundary": (b"multipart/form-data", "multipart/form-data without boundary"),
        "boundary-no-value": (b"multipart/form-data; boundary", "a boundary parameter without a value"),
        "boundary-empty": (b'multipart/form-data; boundary=""', "an empty boundary"),
        "boundary-other": (content_type("other"), "another boundary than announced"),
        "boundary-case": (content_type(BOUNDARY.upper()), "the boundary in other case"),
    }
    rows = [should(id, title, f.request(body, type=kind), REFUSED, "RFC 9110 15.5.16; RFC 7578 4.1") for id, (kind, title) in kinds.items()]
    rows += [may(f"boundary-{size}", f"a boundary of {size} characters", f.request(f.form(f.file(b"x"), boundary="b" * size), type=content_type("b" * size)), "RFC 2046 5.1.1; CVE-2026-19484" if size == 252 else "RFC 2046 5.1.1; CVE-2014-0050") for size in (71, 252, 4_096)]
    return [*rows, may("mixed", "multipart/mixed", f.request(body, type=b"multipart/mixed; boundary=" + boundary), "RFC 7578 4.1")]


def _cuts(f: Forms, body: bytes, whole: bytes) -> list[Case]:
    """Bodies that end too early, although the request is complete."""
    start = whole.rindex(DELIMITER + b"\r\n", 0, whole.index(b"filename"))
    blank, second = whole.index(b"\r\n\r\n", start), whole.rindex(DELIMITER + b"\r\n")
    cuts = {
        "first-delimiter": (start + 10, "in the first delimiter"), "after-first-delimiter": (start + len(DELIMITER), "after the first delimiter"),
        "after-first-line": (start + len(DELIMITER) + 2, "after the first delimiter's line"),
        "part-header": (start + len(DELIMITER) + 12, "in a part header"), "before-empty-line": (blank + 2, "before the empty line"),
        "after-empty-line": (blank + 4, "after the empty line"), "file": (blank + 2_000, "in the first file"),
        "between": (second + 5, "in the delimiter between the files"), "second-file": (len(whole) - 500, "in the second file"),
        "final-delimiter": (len(whole) - len(DELIMITER) - 4, "before the final delimiter"),
        "final-boundary": (len(whole) - 6, "in the final boundary"), "final-dashes": (len(whole) - 4, "before the final two dashes"),
        "final-dash": (len(whole) - 3, "between the final dashes"),
    }
    rows = []
    for id, (cut, words) in cuts.items():
        source = CRASH if id in ("final-boundary", "between") else OLD_CRASH if "file" in id else DELIMITERS
        rows.append(should(f"cut-{id}", f"a body that ends {words}", f.request(whole[:cut]), REFUSED, source))
        if id in ("part-header", "file", "final-boundary"):
            rows.append(should(f"cut-{id}-chunked", f"a chunked body that ends {words}", f.chunks(chunked(whole[:cut])), REFUSED, source))
    crash = part(f.disposition(filename=""), b"Content-Type: application/octet-stream")
    cut_short: list[Step] = [Send(f.request(body[:-900], length=b"%d" % len(body))), Do.FINISH]
    return [
        *rows,
        should("empty", "an empty body", f.request(b""), REFUSED, DELIMITERS),
        should("empty-chunked", "an empty chunked body", f.chunks(b"0\r\n\r\n"), REFUSED, DELIMITERS),
        should("crlf", "a body of one CR LF", f.request(b"\r\n"), REFUSED, DELIMITERS),
        should("no-delimiter", "a body without any delimiter", f.request(sample(5_000)), REFUSED, DELIMITERS),
        should("no-parts", "a form without parts", f.request(DELIMITER + b"--\r\n"), REFUSED, DELIMITERS),
        should("parts-after-final", "a file behind the final delimiter", f.request(DELIMITER + b"--\r\n" + body), REFUSED, DELIMITERS),
        should("empty-name-cut", "no file chosen, and the final delimiter cut", f.request(f.form(crash)[:-5]), REFUSED, CRASH),
        must("half-closed", "the client ends its side before the announced length", cut_short, SAFE, "RFC 9112 8"),
        must("half-closed-chunked", "the client ends its side within a chunk", [Send(f.chunks(chunked(body)[:-900])), Do.FINISH], SAFE, "RFC 9112 8"),
    ]


def _delimiters(f: Forms, body: bytes, one: bytes) -> list[Case]:
    line = DELIMITER + b"\r\n"
    rows = [should(f"after-delimiter-{id}", f"{words} after the first delimiter", f.request(body.replace(line, DELIMITER + junk + b"\r\n", 1)), REFUSED, DELIMITERS) for id, junk, words in (("letter", b"x", "a letter"), ("dash", b"-", "one dash"), ("nul", b"\x00", "NUL"), ("cr", b"\r", "CR"))]
    stored = accepted(one)
    return [
        *rows,
        should("no-line-after-delimiter", "no line end after the delimiter", f.request(body.replace(line, DELIMITER, 1)), REFUSED, DELIMITERS),
        should("end-crlf", "CR LF for the final two dashes", f.upload(f.file(one), end=b"\r\n"), REFUSED, DELIMITERS),
        should("nothing-in-part", "a delimiter where a part header should be", f.request(line + body), REFUSED, DELIMITERS),
        should("cr-only", "CR for CR LF everywhere", f.request(f.form(f.file(b"text")).replace(b"\r\n", b"\r")), REFUSED, DELIMITERS),
        should("linear-space", "a space after the first delimiter", f.request(body.replace(line, DELIMITER + b" \r\n", 1)), either(REFUSED, stored), DELIMITERS),
        may("lf-only", "LF for CR LF everywhere", f.request(f.form(f.file(b"text")).replace(b"\r\n", b"\n")), DELIMITERS),
        may("lf-after-delimiter", "LF for CR LF after the first delimiter", f.request(body.replace(line, DELIMITER + b"\n", 1)), DELIMITERS),
        may("delimiter-in-preamble", "a delimiter in the middle of a line of the preamble", f.request(b"x" + body), DELIMITERS),
    ]


def _headers(f: Forms, disposition: bytes, one: bytes, two: bytes) -> list[Case]:
    lines = {
        "no-colon": (b"This is no header", "a part header without a colon"), "no-name": (b": value", "a part header without a name"),
        "space-in-name": (b"X Comment: value", "a part header with a space in its name"),
        "bare-cr": (b"X-A: a\rb", "a part header with CR alone"), "nul": (b"X-A: a\x00b", "a part header with NUL"),
        "nul-name": (b"X-\x00: value", "a part header with NUL in its name"),
    }
    rows = [should(f"header-{id}", title, f.upload(part(disposition, line, data=one)), REFUSED, HEADERS) for id, (line, title) in lines.items()]
    stored = accepted(one)
    return [
        *rows,
        should("first-folded", "a first part header that starts with a space", f.upload(part(b" " + disposition, data=one)), REFUSED, HEADERS),
        should("no-headers", "a part without headers", f.upload(part(data=one)), REFUSED, DISPOSITION),
        should("no-empty-line", "a part without an empty line", f.upload(disposition), REFUSED, "RFC 2046 5.1"),
        should("header-__proto__", "a part header named __proto__", f.upload(part(b"__proto__: x", disposition, b"constructor: y", data=one)), either(stored, REFUSED), "CVE-2022-24434; CVE-2026-19481"),
        should("header-never-ends", "part headers of 300,000 bytes that never end", f.request(DELIMITER + b"\r\nX-Long: " + b"x" * 300_000), REFUSED, "CVE-2025-48976; CVE-2026-42561"),
        should("header-100k", "a part header of 100,000 bytes", f.upload(part(b"X-Long: " + b"x" * 100_000, disposition, data=one)), REFUSED, "CVE-2025-48976; CVE-2026-42561"),
        should("header-lines", "2,000 headers in one part", f.upload(part(*[b"X-A: b"] * 2_000, disposition, data=one)), REFUSED, "CVE-2025-48976; CVE-2026-42561"),
        may("header-600", "a part header of 600 bytes", f.upload(part(b"X: " + b"x" * 600, disposition, data=one)), "CVE-2025-48976"),
        may("folded", "a folded disposition", f.upload(part(disposition.replace(b"; filename", b";\r\n filename"), data=one)), "RFC 5322 2.2.3"),
        may("length-in-part", "a part with a false Content-Length", f.upload(part(disposition, b"Content-Length: 3", data=one)), "RFC 7578 4.8"),
        may("base64", "a part said to be in base64", f.upload(part(disposition, b"Content-Transfer-Encoding: base64", data=b"eHh4")), "RFC 7578 4.7"),
        may("nested", "a part that is multipart/mixed", f.upload(part(f.disposition(), b"Content-Type: multipart/mixed; boundary=inner", data=form(part(b"Content-Disposition: file; filename=a", data=two), boundary="inner"))), "RFC 7578 4.3"),
        may("two-dispositions", "two dispositions", f.upload(part(disposition, f.disposition(name="other"), data=one)), "RFC 7578 4.2"),
    ]


def _dispositions(f: Forms, disposition: bytes, one: bytes, two: bytes) -> list[Case]:
    parts = {
        "none": (part(b"Content-Type: image/png", data=one), "a part without a disposition"),
        "empty": (part(b"Content-Disposition:", data=one), "an empty disposition"),
        "attachment": (part(disposition.replace(b"form-data", b"attachment"), data=one), "the disposition attachment"),
        "no-name": (part(f.disposition(name=None, filename="a"), data=one), "a file without a field's name"),
    }
    rows = [should(f"disposition-{id}", title, f.upload(content), REFUSED, DISPOSITION) for id, (content, title) in parts.items()]
    rows += [should(f"disposition-{id}-after", f"{title}, behind a good file", f.upload(f.file(two), content), either(REFUSED, accepted(two)), DISPOSITION) for id, (content, title) in parts.items()]
    nameless = part(b'Content-Disposition: form-data; name=""; filename="a"', data=one)
    return [
        *rows,
        should("empty-name", "a file in a field whose name is empty", f.upload(nameless), REFUSED, EMPTY_NAME),
        should("empty-text-name", "a text field whose name is empty, and a file", f.upload(part(b'Content-Disposition: form-data; name=""', data=b"x"), f.file(one)), either(REFUSED, accepted(one)), EMPTY_NAME),
        should("no-file", "text fields and no file", f.upload(text("comment")), REFUSED, DISPOSITION),
        should("other-field", "a file in another field", f.upload(f.file(one, name="conformance-other")), REFUSED, DISPOSITION),
        should("other-field-after", "a file in another field behind a good file", f.upload(f.file(one), f.file(two, name="conformance-other")), either(REFUSED, accepted(one)), DISPOSITION),
        may("unclosed-quote", "a file name whose quote is not closed", f.upload(part(disposition[:-1], data=one)), "RFC 6266 4.1"),
        may("octet-stream-no-filename", "data without a file name", f.upload(part(f.disposition(), b"Content-Type: application/octet-stream", data=one)), DISPOSITION),
    ]
