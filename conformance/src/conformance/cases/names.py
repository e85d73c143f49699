"""Names of files and fields: they say nothing about where a file goes."""

from __future__ import annotations

from conformance.case import MALFORMED, Cases, accepted, refused
from conformance.message import file, part, sample, text, upload

CASES = Cases("names")
ONE = sample(2_000, seed=8)
STORED = accepted(ONE)
BAD = refused(400, MALFORMED)
add = CASES.add


def _named(parameters: bytes) -> bytes:
    line = b'Content-Disposition: form-data; name="avatar"; ' + parameters
    return upload(part(line, b"Content-Type: image/png", data=ONE))


for filename in (
    "../../x",
    "..",
    ".",
    "/",
    "/etc/passwd",
    "a/b/c",
    "C:/x.png",
    ".incomplete-x",
    "CON",
    "__proto__",
    "constructor",
    "hasOwnProperty",
    "$(reboot)",
    "-rf",
    "*",
    "<script>",
    "a;b",
    "a=b",
    "a,b",
    "a'b",
    "null",
):
    add("N1", f"the file name {filename} is accepted", upload(file(ONE, filename)), STORED)
add("N1", "a Windows path is accepted", upload(file(ONE, "C:\\Temp\\x.png")), STORED)
add("N1", "a file name of 4,096 characters is accepted", upload(file(ONE, "x" * 4_096)), STORED)
add("N1", "a file name without quotes is accepted", _named(b"filename=image.png"), STORED)

for what, raw in {
    "raw UTF-8": "žluťoučký 猫 🐈.png".encode(),
    "raw ISO-8859-1": "café.png".encode("latin-1"),
    "invalid UTF-8": b"a\xff\xfe\xc3b",
    "RFC 2047": b"=?utf-8?B?xb5sdcWlb3XEjWvDvQ==?=",
    "broken RFC 2047": b"=?utf-8?B?xb5",
    "%22": b"a%22b",
    "%0D%0A": b"a%0D%0Ab",
    "%00": b"a%00b",
    "%2e%2e%2f": b"%2e%2e%2fx",
    "a lone %": b"50%",
    "an escaped quote": b'a\\"b',
    "an escaped backslash at its end": b"a\\\\",
    "outer spaces": b"  a.png  ",
    "only a space": b" ",
    "a tab": b"a\tb",
    "a right-to-left override": "a\u202egnp.exe".encode(),
}.items():
    add("N2", f"a file name with {what} is accepted", upload(file(ONE, raw)), STORED)

for what, parameters in {
    "in UTF-8 alone": b"filename*=UTF-8''%c5%be%20%e7%8c%ab.png",
    "in ISO-8859-1": b"filename*=ISO-8859-1''caf%e9.png",
    "with a language": b"filename*=utf-8'en'x.png",
    "before filename": b"filename*=UTF-8''%c5%be.png; filename=\"z.png\"",
    "after filename": b"filename=\"z.png\"; filename*=UTF-8''%c5%be.png",
    "with invalid UTF-8 in it": b"filename*=UTF-8''%ff%fe",
    "with a path": b"filename*=UTF-8''..%2f..%2fx",
    "with %00": b"filename*=UTF-8''a%00b",
}.items():
    add("N3", f"filename* {what} is accepted", _named(parameters), STORED)
add("N3", "filename* beside an empty filename is a file", _named(b"filename=\"\"; filename*=UTF-8''x"), STORED)

for what, parameters in {
    "without quotes": b"filename*=x.png",
    "with one quote": b"filename*=UTF-8'x.png",
    "with % and no digits": b"filename*=UTF-8''%zz",
    "with % at its end": b"filename*=UTF-8''a%",
    "with % and one digit": b"filename*=UTF-8''a%4",
    "without value": b"filename*=UTF-8''",
    "in double quotes": b"filename*=\"UTF-8''x.png\"",
    "empty": b"filename*=",
    "with an underscore in its language": b"filename*=UTF-8'e_n'x.png",
}.items():
    add("N4", f"filename* {what} is refused", _named(parameters), BAD)
    add("N4", f"filename* {what} after a good filename is refused", _named(b'filename="a"; ' + parameters), BAD)
add("N4", "another extended parameter in double quotes is refused", _named(b'filename="a"; x*="b"'), BAD)
add("N4", "another extended parameter is ignored", _named(b"filename=\"a\"; x*=UTF-8'en-GB'b"), STORED)
for charset in (b"windows-1252", b"KOI8-R", b"nonsense"):
    add(
        "N5",
        f"filename* in {charset.decode()} is accepted, or refused",
        _named(b"filename*=" + charset + b"''a%e9b"),
        STORED,
        BAD,
    )

for what, parameters in {
    "without value": b"filename=",
    "without value before another parameter": b"filename=; x=y",
    "with a space and no quotes": b"filename=my image.png",
    "with a slash and no quotes": b"filename=a/b",
    "beyond ASCII and no quotes": "filename=ž".encode(),
    "with an unclosed quote": b'filename="a',
    "with something after its quote": b'filename="a"b',
    "with ; at the end": b'filename="a";',
    "with a quote that is not escaped": b'filename="a"b"',
    "closed by an escaped quote": b'filename="a\\"',
}.items():
    add("N6", f"filename {what} is refused", _named(parameters), BAD)

for field in (
    "Avatar",
    " avatar",
    "avatar ",
    "avatar[]",
    "avatar[0]",
    "avatars",
    "a",
    "__proto__",
    "avat%61r",
    "=?utf-8?q?avatar?=",
):
    add(
        "N7",
        f"a file in the field {field!r} is refused",
        upload(file(ONE, name=field)),
        refused(400, "unexpected_field"),
    )
for name, send in {
    "name without quotes is accepted": upload(
        part(b"Content-Disposition: form-data; name=avatar; filename=a", data=ONE)
    ),
    "of two name parameters the first counts": upload(
        part(b"Content-Disposition: form-data; name=avatar; name=other; filename=a", data=ONE)
    ),
    "the parameters in another order are the same": upload(
        part(b'Content-Disposition: form-data; filename="a"; x=y; name="avatar"', data=ONE)
    ),
}.items():
    add("N7", name, send, STORED)

for what, fields in {
    "a[4294967294]": [text(b"x", "a[4294967294]")],
    "a[4294967294] and a[x]": [text(b"x", "a[4294967294]"), text(b"y", "a[x]")],
    "a[b]...[b] a thousand deep": [text(b"x", "a" + "[b]" * 1_000)],
    "__proto__": [text(b"x", "__proto__"), text(b"x", "__proto__[polluted]")],
    "constructor[prototype]": [text(b"x", "constructor[prototype][polluted]")],
    "a[": [text(b"x", "a[")],
    "[]": [text(b"x", "[]")],
    "a and a[b]": [text(b"x", "a"), text(b"y", "a[b]"), text(b"z", "a")],
    "toString": [text(b"x", "toString")],
    "of 10,000 characters": [text(b"x", "n" * 10_000)],
    "with line breaks": [text(b"x", "a%0D%0Ab")],
}.items():
    add("N8", f"text fields named {what} are ignored", upload(*fields, file(ONE)), STORED)
add("N9", "a backslash in a file name that escapes nothing is accepted", _named(b'filename="a\\b"'), STORED)
add(
    "N9",
    "a backslash in the field's name that escapes nothing is kept, or left out",
    upload(part(b'Content-Disposition: form-data; name="av\\atar"; filename="a"', data=ONE)),
    STORED,
    refused(400, "unexpected_field"),
)
