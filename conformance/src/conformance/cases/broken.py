"""Bodies that must not look like good ones."""

from __future__ import annotations

from conformance.case import MALFORMED, Cases, accepted, refused
from conformance.message import (
    BOUNDARY,
    chunked,
    chunked_request,
    content_type,
    disposition,
    file,
    form,
    head,
    part,
    request,
    sample,
    text,
    upload,
)

CASES = Cases("broken")
ONE, TWO = sample(3_000, seed=6), sample(9_000, seed=7)
STORED = accepted(ONE)
FORM = form(file(ONE))
BAD = refused(400, MALFORMED)
DELIMITER = b"--" + BOUNDARY.encode()
CD = disposition(filename="a.png")
add = CASES.add

for what, kind in {
    "no Content-Type": None,
    "an empty Content-Type": b"",
    "application/x-www-form-urlencoded": b"application/x-www-form-urlencoded",
    "image/png": b"image/png",
    "multipart/mixed": b"multipart/mixed; boundary=" + BOUNDARY.encode(),
    "multipart/related": b"multipart/related; boundary=" + BOUNDARY.encode(),
    "multipart/form-dataX": b"multipart/form-dataX; boundary=" + BOUNDARY.encode(),
    "multipart/": b"multipart/; boundary=" + BOUNDARY.encode(),
    "text/plain that names the right type": b"text/plain; x=multipart/form-data; boundary=" + BOUNDARY.encode(),
}.items():
    add("B1", f"{what} is refused", request(FORM, type=kind), refused(415, "unsupported_media_type"))
for what, kind in {
    "without parameters": b"multipart/form-data",
    "without boundary": b"multipart/form-data; charset=utf-8",
    "with ; at the end": content_type() + b";",
    "with a parameter without value": b"multipart/form-data; boundary",
    "with a second type after it": content_type() + b", text/plain",
}.items():
    add("B2", f"multipart/form-data {what} is refused", request(FORM, type=kind), BAD)

add(
    "B2",
    "multipart/form-data with , for ; is refused",
    request(FORM, type=b"multipart/form-data, boundary=" + BOUNDARY.encode()),
    BAD,
    refused(415, "unsupported_media_type"),
)
add("B3", "an empty body is refused", request(b""), BAD)
add(
    "B3",
    "neither length nor chunks is an empty body",
    head(b"POST /getimages HTTP/1.1", b"Content-Type: " + content_type()),
    BAD,
)
add("B3", "an empty chunked body is refused", chunked_request(b"0\r\n\r\n"), BAD)
add("B3", "a body of one CR LF is refused", request(b"\r\n"), BAD)
add("B4", "a body without any delimiter is refused", request(sample(5_000)), BAD)
add("B4", "another boundary than announced is refused", request(form(file(ONE), boundary="other")), BAD)
add("B4", "the boundary in other case is refused", request(form(file(ONE), boundary=BOUNDARY.upper())), BAD)
add("B4", "the boundary without its dashes is refused", request(FORM.replace(DELIMITER, BOUNDARY.encode())), BAD)
add("B4", "a form after the final delimiter is not read", request(DELIMITER + b"--\r\n" + FORM), BAD)
add("B5", "a form without parts is refused", upload(), BAD)
add("B5", "a form without parts, with a preamble, is refused", upload(preamble=b"hello\r\n"), BAD)

whole = form(file(ONE), file(TWO))
for what, cut in {
    "in the first delimiter": 10,
    "after the first delimiter": len(DELIMITER),
    "after the first delimiter's CR": len(DELIMITER) + 1,
    "after the first delimiter's line": len(DELIMITER) + 2,
    "in a part header": len(DELIMITER) + 12,
    "before the empty line": whole.index(b"\r\n\r\n") + 2,
    "after the empty line": whole.index(b"\r\n\r\n") + 4,
    "in the first file": 2_000,
    "in the delimiter between the files": whole.index(DELIMITER, 10) + 5,
    "after the delimiter between the files": whole.index(DELIMITER, 10) + len(DELIMITER),
    "in the second file": len(whole) - 500,
    "before the final delimiter": whole.rindex(DELIMITER),
    "in the final boundary": len(whole) - 6,
    "before the final - -": len(whole) - 4,
    "between the final - and -": len(whole) - 3,
}.items():
    add("B6", f"a body that ends {what} is refused", request(whole[:cut]), BAD)
    if "final" in what or "second" in what:
        add("B6", f"a chunked body that ends {what} is refused", chunked_request(chunked(whole[:cut])), BAD)
add("B6", "a final delimiter with CR LF for - - is refused", upload(file(ONE), end=b"\r\n"), BAD)

for what, junk in {
    "a space": b" ",
    "a tab": b"\t",
    "a letter": b"x",
    "a dash": b"-",
    "CR": b"\r",
    "NUL": b"\x00",
}.items():
    broken_line = DELIMITER + junk + b"\r\n"
    first = form(file(ONE), file(TWO)).replace(DELIMITER + b"\r\n", broken_line, 1)
    add("B7", f"{what} after the first delimiter is refused", request(first), BAD)
    later = broken_line.join(form(file(ONE), file(TWO)).rsplit(DELIMITER + b"\r\n", 1))
    add("B7", f"{what} after the second delimiter is refused", request(later), BAD)
for name, send in {
    "data with the boundary as a prefix at a line start is refused": upload(file(b"x\r\n" + DELIMITER + b"x\r\n")),
    "a line break missing after the delimiter is refused": request(FORM.replace(DELIMITER + b"\r\n", DELIMITER, 1)),
    "an empty line directly followed by the delimiter is refused": request(
        DELIMITER + b"\r\n" + CD + b"\r\n\r\n" + FORM
    ),
    "data that begins with the final delimiter is refused": upload(part(CD, data=DELIMITER + b"--")),
}.items():
    add("B7", name, send, BAD)
for name, send in {
    "LF for CR LF everywhere is refused": request(form(file(b"text")).replace(b"\r\n", b"\n")),
    "CR for CR LF everywhere is refused": request(form(file(b"text")).replace(b"\r\n", b"\r")),
    "LF for CR LF before the final delimiter is refused": request(
        form(part(CD, data=ONE)).replace(b"\r\n" + DELIMITER + b"--", b"\n" + DELIMITER + b"--")
    ),
    "LF for CR LF around the empty line is refused": request(
        form(part(CD, data=b"text")).replace(b"\r\n\r\n", b"\n\n")
    ),
}.items():
    add("B8", name, send, BAD)
add(
    "B9",
    "LF after the first delimiter is refused, or taken as CR LF",
    request(FORM.replace(DELIMITER + b"\r\n", DELIMITER + b"\n", 1)),
    BAD,
    STORED,
)

for what, header in {
    "without a colon": b"This is no header",
    "without a name": b": value",
    "with a space before the colon": b"X-Comment : value",
    "with a space in its name": b"X Comment: value",
    "with a bare CR": b"X-Comment: a\rb",
    "with a bare LF": b"X-Comment: a\nb",
    "with NUL in its value": b"X-Comment: a\x00b",
    "with NUL in its name": b"X-\x00: value",
    "with DEL": b"X-Comment: a\x7fb",
    "with ESC": b"X-Comment: a\x1bb",
    "with a name beyond ASCII": "X-Ž: value".encode(),
}.items():
    add("B10", f"a part header {what} is refused, after the disposition", upload(part(CD, header, data=ONE)), BAD)
    add("B10", f"a part header {what} is refused, before the disposition", upload(part(header, CD, data=ONE)), BAD)
add("B10", "a first part header that starts with a space is refused", upload(part(b" " + CD, data=ONE)), BAD)
add("B10", "a part without any header is refused", upload(part(data=ONE)), BAD)
add("B10", "a part without an empty line is refused", upload(CD), BAD)
add("B10", "a part without an empty line before a good one is refused", upload(CD, file(ONE)), BAD)
add("B10", "a NUL in the file name is refused", upload(file(ONE, b"a\x00b")), BAD)
add(
    "B10",
    "a part header without its disposition's colon is refused",
    upload(part(CD.replace(b":", b""), data=ONE)),
    BAD,
)

for name, send in {
    "a header continued with a space is joined": upload(part(CD.replace(b"; filename", b";\r\n filename"), data=ONE)),
    "a header continued with a tab is joined": upload(part(CD.replace(b"; filename", b";\r\n\tfilename"), data=ONE)),
    "a type continued twice is joined": upload(part(CD, b"Content-Type: text/plain;\r\n  a=b;\r\n\tc=d", data=ONE)),
}.items():
    add("B11", name, send, STORED)

add(
    "B11",
    "a disposition that begins on the next line is joined, or refused",
    upload(part(CD.replace(b": ", b":\r\n "), data=ONE)),
    STORED,
    BAD,
)
for name, send in {
    "a part header named __proto__ is ignored": upload(part(b"__proto__: x", CD, b"constructor: y", data=ONE)),
    "unknown part headers are ignored": upload(part(b"X-A: 1", CD, b"X-B: 2", b"X-A: 3", data=ONE)),
    "of two dispositions the first counts: a file": upload(part(CD, disposition(name="other"), data=ONE)),
}.items():
    add("B12", name, send, STORED)
add(
    "B12",
    "of two dispositions the first counts: no file",
    upload(part(disposition(name="other"), CD, data=ONE)),
    refused(400, "no_file"),
)
shouted = CD.replace(b"Content-Disposition: form-data", b"CONTENT-disposition:Form-Data").replace(b"name=", b"NAME=")
add("B12", "header names and words in other case are the same", upload(part(shouted, data=ONE)), STORED)
add("B12", "an empty header value is accepted", upload(part(CD, b"X-Empty:", data=ONE)), STORED)

for size in (600, 8_000, 16_000):
    add(
        "B13",
        f"part headers of {size:,} bytes are accepted",
        upload(part(CD, b"X-Long: " + b"x" * (size - len(CD) - 14), data=ONE)),
        STORED,
    )
add("B13", "part headers of 17,000 bytes are refused", upload(part(CD, b"X-Long: " + b"x" * 17_000, data=ONE)), BAD)
add(
    "B13",
    "part headers of 17,000 bytes in many lines are refused",
    upload(part(CD, *[b"X-Long: " + b"x" * 90] * 170, data=ONE)),
    BAD,
)
add("B13", "part headers of 200,000 bytes are refused", upload(part(b"X-Long: " + b"x" * 200_000, CD, data=ONE)), BAD)
add("B13", "a part header that never ends is refused", request(DELIMITER + b"\r\n" + b"X-Long: " + b"x" * 100_000), BAD)
add(
    "B13",
    "four parts with headers of 8,000 bytes each are accepted",
    upload(*[part(disposition(name="t"), b"X: " + b"x" * 7_900)] * 4, file(ONE)),
    STORED,
)

for what, header in {
    "without a disposition": b"Content-Type: image/png",
    "with an empty disposition": b"Content-Disposition:",
    "with disposition attachment": CD.replace(b"form-data", b"attachment"),
    "with disposition file": CD.replace(b"form-data", b"file"),
    "with disposition form-dataX": CD.replace(b"form-data", b"form-dataX"),
    "with a parameter before the type": b'Content-Disposition: name="avatar"; form-data; filename="a"',
    "with , for ;": CD.replace(b";", b","),
    "with a parameter without =": CD + b"; broken",
    "with spaces around =": CD.replace(b"filename=", b"filename = "),
}.items():
    add("B14", f"a part {what} is refused", upload(part(header, data=ONE)), BAD)
    add("B14", f"a part {what} before a good one is refused", upload(part(header, data=ONE), file(TWO)), BAD)
add(
    "B14", "a part without a disposition after a good one is refused", upload(file(ONE), part(b"X-A: b", data=TWO)), BAD
)

add("B15", "a file without a name is refused", upload(part(disposition(name=None, filename="a"), data=ONE)), BAD)
add("B15", "a file with an empty name is refused", upload(file(ONE, name="")), BAD)
add("B15", "a text field without a name is refused", upload(part(disposition(name=None), data=b"x"), file(ONE)), BAD)
add("B15", "a text field with an empty name is refused", upload(file(ONE), text(b"x", "")), BAD)
add(
    "B15",
    "name* is no name",
    upload(part(b"Content-Disposition: form-data; name*=UTF-8''avatar; filename=a", data=ONE)),
    BAD,
)

for value in (b"3", b"3000", b"99999999999999999999", b"-1", b"x"):
    add(
        "B16",
        f"a part's Content-Length: {value.decode()} is ignored",
        upload(part(CD, b"Content-Length: " + value, data=ONE)),
        STORED,
    )

inner = form(part(b"Content-Disposition: file; filename=a", data=ONE), boundary="inner")
mixed = part(disposition(), b"Content-Type: multipart/mixed; boundary=inner", data=inner)
add("B17", "a part of type multipart/mixed without a file name is text", upload(mixed), refused(400, "no_file"))
add(
    "B17",
    "a part of type multipart/mixed without a file name beside a file is ignored",
    upload(mixed, file(TWO)),
    accepted(TWO),
)
add(
    "B17",
    "a part of type multipart/mixed with a file name is a file",
    upload(file(inner, content_type=b"multipart/mixed; boundary=inner")),
    accepted(inner),
)
add(
    "B17",
    "a part of type multipart/mixed without a boundary is text",
    upload(part(disposition(), b"Content-Type: multipart/mixed", data=inner), file(TWO)),
    accepted(TWO),
)
add("B18", "NUL bytes in the data are data", upload(file(b"\x00" * 5_000)), accepted(b"\x00" * 5_000))
add(
    "B19",
    "a file in another field and no final delimiter: either error",
    request(form(file(ONE, name="other"))[:-40]),
    refused(400, "unexpected_field", MALFORMED),
)
add(
    "B19",
    "three files and a part without disposition: either error",
    upload(*[file(ONE)] * 3, part(b"X-A: b", data=TWO)),
    refused(400, "too_many_files", MALFORMED),
)
add("B20", "a parameter without a name is ignored, or refused", upload(part(CD + b'; ="x"', data=ONE)), STORED, BAD)
add(
    "B21",
    "a part header line that begins with the delimiter is ignored, or refused",
    upload(part(CD, DELIMITER + b"Content-Type: image/png", data=ONE)),
    STORED,
    BAD,
)
