"""Names of files and fields. They are the client's; where a file goes is the server's."""

# fmt: off
from uploadlab.conformance.case import REFUSED, SAFE, Case, accepted, either, may, must, should
from uploadlab.conformance.message import Forms, part, sample, text

MARK = "conformance-escaped"
"""Part of every name that tries to leave the folder, so that it can be found where it should not be."""
TRAVERSAL, ODD, EXTENDED = "CWE-22; RFC 7578 4.2; CVE-2026-24486", "RFC 7578 4.2", "RFC 7578 4.2; RFC 8187 3.2"

PATHS: dict[str, str | bytes] = {
    "up": f"../{MARK}", "up-up": f"../../{MARK}", "up-deep": "../" * 12 + f"tmp/{MARK}", "absolute": f"/tmp/{MARK}",
    "backslash": f"..\\\\{MARK}", "windows": f"C:\\\\{MARK}", "encoded": f"..%2f{MARK}", "encoded-twice": f"..%252f{MARK}",
    "overlong": b"..\xc0\xaf" + MARK.encode(), "dot-dot": "..", "dot": ".", "slash": "/", "folder": f"{MARK}/",
    "nul": b"../" + MARK.encode() + b"\x00.png", "encoded-nul": f"../{MARK}%00.png", "mixed": f"....//{MARK}", "tilde": f"~/{MARK}",
}
ODD_NAMES: dict[str, tuple[str | bytes, str]] = {
    "utf-8": ("žluťoučký 猫 🐈.png", "raw UTF-8"), "spaces": ("a b c.png", "spaces"), "quote": (b'a\\"b.png', "an escaped quote"),
    "encoded-quote": ("a%22b.png", "%22, as browsers write a quote"), "semicolon": ("a;b=c.png", "a semicolon"), "apostrophe": ("a'b.png", "an apostrophe"),
    "command": ("$(reboot).png", "a command of a shell"), "option": ("-rf", "a dash in front"), "markup": ("<img src=x>.png", "markup"),
    "proto": ("__proto__", "__proto__"), "constructor": ("constructor", "constructor"), "device": ("CON", "a device of Windows"),
    "dot-file": (".htaccess", "a dot in front"), "no-extension": ("a", "no extension"), "255": ("n" * 251 + ".png", "255 characters"),
    "percent": ("50%.png", "a lone %"),
}


def cases(f: Forms) -> list[Case]:
    one = sample(2_000, "names")
    stored = accepted(one)
    rows = [must(f"path-{id}", f"the file name {_shown(name)}", f.upload(f.file(one, name)), SAFE, TRAVERSAL, needs=("store",)) for id, name in PATHS.items()]
    rows.append(must("path-extended", "filename* with a path", f.upload(part(_named(f, b"filename*=UTF-8''..%2f..%2f" + MARK.encode()), data=one)), SAFE, TRAVERSAL, needs=("store",)))
    rows += [should(f"name-{id}", f"a file name with {words}", f.upload(f.file(one, name)), stored, ODD) for id, (name, words) in ODD_NAMES.items()]
    rows += [
        should("same-name-twice", "the same file name twice, one after the other", f.upload(f.file(one)) * 2, accepted(one, one, times=2), ODD),
        should("name-4096", "a file name of 4,096 characters", f.upload(f.file(one, "n" * 4_096)), either(stored, REFUSED), ODD),
        should("name-nul", "NUL in a file name", f.upload(f.file(one, b"a\x00b.png")), either(stored, REFUSED), ODD),
        should("name-invalid-utf-8", "a file name that is not UTF-8", f.upload(f.file(one, b"a\xff\xfe\xc3b.png")), either(stored, REFUSED), ODD),
        should("name-control", "control characters in a file name", f.upload(f.file(one, b"a\x01\x1b[31mb.png")), either(stored, REFUSED), ODD),
        should("extended", "filename* in UTF-8", f.upload(part(_named(f, b"filename=\"a.png\"; filename*=UTF-8''%c5%be.png"), data=one)), stored, EXTENDED),
        may("extended-alone", "filename* without filename", f.upload(part(_named(f, b"filename*=UTF-8''%c5%be.png"), data=one)), EXTENDED),
        should("extended-broken", "filename* with % and no digits", f.upload(part(_named(f, b"filename=\"a\"; filename*=UTF-8''%zz"), data=one)), either(stored, REFUSED), EXTENDED),
        should("extended-charset", "filename* in a charset that is none", f.upload(part(_named(f, b"filename*=nonsense''a%e9b"), data=one)), either(stored, REFUSED), EXTENDED),
        may("rfc-2047", "a file name as mail writes it", f.upload(f.file(one, b"=?utf-8?B?xb5sdcWl?=")), "RFC 7578 5.1.3"),
        may("unquoted", "a file name without quotes", f.upload(part(_named(f, b"filename=a.png"), data=one)), "RFC 6266 4.1"),
    ]
    fields = {"brackets": "a[b]", "array": "a[]", "index": "a[0]", "open": "a[", "empty-brackets": "[]", "proto": "__proto__", "proto-key": "__proto__[x]", "prototype": "constructor[prototype][x]", "to-string": "toString", "length": "length"}
    rows += [should(f"field-{id}", f"a text field named {name}", f.upload(text(name), f.file(one)), either(stored, REFUSED), "CWE-1321") for id, name in fields.items()]
    rows.append(should("field-conflict", "text fields a and a[b]", f.upload(text("a"), text("a[b]"), text("a"), f.file(one)), either(stored, REFUSED), "CWE-1321"))
    return rows


def _named(f: Forms, parameters: bytes) -> bytes:
    return f.disposition() + b"; " + parameters


def _shown(name: str | bytes) -> str:
    text = name if isinstance(name, str) else name.decode("latin-1").encode("unicode_escape").decode()
    return text if len(text) < 50 else f"{text[:20]}…{text[-25:]}"
