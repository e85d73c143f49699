"""Small requests that keep a server busy for long, make it end, or fill it up. Each must leave it serving."""

# fmt: off
from uploadlab.conformance.case import SAFE, Case, must
from uploadlab.conformance.message import BOUNDARY, DELIMITER, Forms, content_type, part, sample, text

INDEX = "CVE-2026-77078; CVE-2026-82333"


def cases(f: Forms) -> list[Case]:
    one = sample(2_000, "hostile")
    file = f.file(one)
    disposition = f.disposition(filename="a")
    body = f.form(file)
    rows = {
        "index": (f.upload(text("a[4294967294]"), file), "a text field with an index of 32 bits", INDEX),
        "index-twice": (f.upload(text("a[4294967294]"), text("a[]"), file), "the same, and one more behind it", INDEX),
        "index-and-key": (f.upload(text("a[4294967294]"), text("a[x]"), file), "the same, and a key that is no index", INDEX),
        "index-100m": (f.upload(text("a[99999999]"), text("a[x]"), file), "an index of a hundred million, and a key", INDEX),
        "depth-1000": (f.upload(text("a" + "[b]" * 1_000), file), "a field name nested 1,000 deep", "CVE-2026-5079"),
        "depth-100000": (f.upload(text("a" + "[b]" * 100_000), file), "a field name nested 100,000 deep", "CVE-2026-5079"),
        "depth-many": (f.upload(*(text("a" + "[b]" * 20_000 + f"[{i}]") for i in range(20)), file), "20 field names nested 20,000 deep", "CVE-2026-5079"),
        "many-fields": (f.upload(*[text("a", b"x")] * 20_000, file), "20,000 text fields", "CVE-2023-24998"),
        "many-files": (f.upload(*[f.file(b"x")] * 2_000), "2,000 files", "CVE-2023-24998"),
        "many-other-files": (f.upload(*[f.file(b"x", name="conformance-other")] * 2_000), "2,000 files in another field", "CVE-2026-3520"),
        "many-nameless": (f.upload(*[part(b"Content-Disposition: form-data; filename=a", data=b"x")] * 20_000), "20,000 files without a name", "CVE-2026-3520"),
        "many-broken": (f.upload(*[part(b"X", data=b"x")] * 20_000), "20,000 parts without a disposition", "CVE-2026-3520; CVE-2026-3304"),
        "many-headers": (f.upload(*[part(b"X: " + b"x" * 8_000, f.disposition(name="t"))] * 500, file), "500 parts with headers of 8,000 bytes", "CVE-2025-48976"),
        "header-lines": (f.upload(part(*[b"X-A: b"] * 200_000, disposition, data=one)), "200,000 headers in one part", "CVE-2026-42561"),
        "header-8-mib": (f.upload(part(b"X-A: " + b"x" * (8 << 20), disposition, data=one)), "a part header of 8 MiB", "CVE-2025-48976; CVE-2026-42561"),
        "header-folded": (f.upload(part(b"X-A: b" + b"\r\n c" * 200_000, disposition, data=one)), "a part header folded 200,000 times", "CVE-2026-42561"),
        "type-redos": (f.request(body, type=content_type() + b'; x="' + b'\\"' * 4_000), "a Content-Type of 8,000 escaped quotes", "CVE-2024-24762"),
        "type-redos-url": (f.request(b"a=b", type=b'application/x-www-form-urlencoded; !="' + b"\\" * 6_000), "a Content-Type of 6,000 backslashes", "CVE-2024-24762"),
        "type-parameters": (f.request(body, type=b"multipart/form-data; " + b"a=b; " * 1_500 + b"boundary=" + BOUNDARY.encode()), "1,500 parameters in Content-Type", "CWE-1333"),
        "disposition-quotes": (f.upload(part(disposition[:-1] + b'\\"' * 30_000, data=one)), "60,000 escaped quotes in a file name", "CWE-1333"),
        "disposition-semicolons": (f.upload(part(f.disposition() + b";" * 60_000, data=one)), "60,000 semicolons in a disposition", "CWE-1333"),
        "disposition-no-colon": (f.upload(part(b"x" * 79_000 + b" ", disposition, data=one)), "a header of 79,000 bytes without a colon", "CWE-1333"),
        "preamble": (f.upload(file, preamble=b"\r\n" * 1_000_000), "a preamble of a million empty lines", "CVE-2024-53981; CVE-2026-40347"),
        "preamble-dashes": (f.upload(file, preamble=b"\r\n--" * 500_000 + b"\r\n"), "a preamble of half a million dashes", "CVE-2026-40347"),
        "epilogue": (f.upload(file, end=b"--\r\n" + b"x\r\n" * 1_400_000), "an epilogue of 4 MB", "CVE-2024-53981; CVE-2026-40347"),
        "near-delimiters": (f.upload(f.file((b"\r\n" + DELIMITER[:-1]) * 60_000)), "60,000 almost delimiters", "CWE-407"),
        "cr-file": (f.upload(f.file(b"\r" * 1_900_000)), "a file of 1.9 MB of CR", "CWE-407"),
        "boundary-4k": (f.request(f.form(f.file(b"\r\n" * 100_000), boundary="b" * 4_090), type=content_type("b" * 4_090)), "a boundary as long as a buffer", "CVE-2014-0050; CVE-2016-3092"),
        "filename-1-mib": (f.upload(f.file(one, "n" * (1 << 20))), "a file name of 1 MiB", "CWE-400"),
        "field-1-mib": (f.upload(text("n" * (1 << 20)), file), "a field name of 1 MiB", "CWE-400"),
        "value-8-mib": (f.upload(text("a", b"x" * (8 << 20)), file), "a text field of 8 MiB", "CWE-400"),
        "chunk-extension": (f.chunks(b"%x;" % len(body) + b"e" * (1 << 20) + b"\r\n" + body + b"\r\n0\r\n\r\n"), "a chunk extension of 1 MiB", "CVE-2023-39326"),
        "trailer": (f.chunks(b"%x\r\n" % len(body) + body + b"\r\n0\r\n" + b"X: y\r\n" * 100_000 + b"\r\n"), "100,000 trailers", "RFC 9112 7.1.2"),
        "empty-name-bare": (f.upload(part(b'Content-Disposition: form-data; name=""; filename=""', data=b"")), "an empty name and an empty file name", "CVE-2025-48997"),
    }
    return [must(id, title, send, SAFE, source) for id, (send, title, source) in rows.items()]
