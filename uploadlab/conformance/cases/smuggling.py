"""Where a request ends: whoever can make a server and a proxy disagree sends requests in other people's names."""

# fmt: off
from uploadlab.conformance.case import REJECTED, REJECTED_CLOSED, SILENT_CLOSE, Case, Do, Expect, Outcome, Pause, Send, Step, accepted, either, must
from uploadlab.conformance.message import CRLF, Forms, chunked, content_type, sample

LENGTH, CODING, CHUNKS, FIELDS = "RFC 9112 6.3", "RFC 9112 6.1", "RFC 9112 7.1", "RFC 9112 5.1"
BARE_LF = "RFC 9112 7.1; CVE-2025-22871"


def cases(f: Forms) -> list[Case]:
    """Return the group. What is smuggled would be answered as a second request."""
    one = sample(300, "smuggled")
    body = f.form(f.file(one))
    hidden = f.head(f.line(b"GET"))
    stored_closed = Expect(says="accepted, the connection closed", outcomes=(Outcome(stored=(one,), closed=True),))
    rejected = REJECTED_CLOSED
    whole = chunked(body)
    ended: list[Step] = [Send(f.chunks(whole + hidden, b"Content-Length: 4")), Do.FINISH]
    rows = [
        must("cl-te", "a length and chunks together, a request behind", ended, either(REJECTED_CLOSED, stored_closed), LENGTH),
        must("te-cl", "the same with the length first", [Send(f.chunks(whole + hidden, coding=b"Content-Length: 4\r\nTransfer-Encoding: chunked")), Do.FINISH], either(REJECTED_CLOSED, stored_closed), LENGTH),
        must("cl-cl", "two different lengths", f.request(body + hidden, b"Content-Length: %d" % len(body)), rejected, LENGTH),
        must("cl-list", "a list of different lengths", f.request(body + hidden, length=b"%d, 4" % len(body)), rejected, LENGTH),
        must("te-1.0", "chunks in HTTP/1.0, a request behind",
             [Send(f.head(f.line(version=b"HTTP/1.0"), b"Connection: keep-alive", b"Transfer-Encoding: chunked", b"Content-Type: " + content_type()) + whole + hidden), Pause(0.5), Do.FINISH],
             Expect(says="one response at most, the connection closed", outcomes=(Outcome(statuses=frozenset(range(200, 600)), closed=True), SILENT_CLOSE, Outcome(answers=0, stored=(one,), closed=True))),
             "RFC 9112 6.1; CVE-2026-77756"),
    ]
    lengths = {"minus": b"-1", "plus": b"+%d" % len(body), "hex": b"0x%x" % len(body), "letter": b"a", "space": b"%d 1" % len(body), "empty": b"", "huge": b"9" * 23}
    rows += [must(f"length-{id}", f"Content-Length: {value.decode()[:26] or '(nothing)'}", f.request(body, length=value), rejected, LENGTH) for id, value in lengths.items()]
    codings = {"gzip": b"Transfer-Encoding: gzip", "gzip-last": b"Transfer-Encoding: chunked, gzip",
               "unknown": b"Transfer-Encoding: xchunked", "identity": b"Transfer-Encoding: identity, nonsense",
               "vertical-tab": b"Transfer-Encoding: \x0bchunked", "quoted": b'Transfer-Encoding: "chunked"',
               "space-before-colon": b"Transfer-Encoding : chunked"}
    rows += [must(f"coding-{id}", f"{line.decode()!r}", [Send(f.chunks(whole, coding=line)), Do.FINISH], REJECTED, CODING) for id, line in codings.items()]
    first = body[:100]
    chunk = b"%x" % len(body) + CRLF + body + CRLF
    last = b"0\r\n\r\n"
    broken = {
        "size-not-hex": (b"xyz\r\n" + whole, "a chunk size that is not hexadecimal", CHUNKS),
        "size-empty": (CRLF + whole, "an empty chunk size", CHUNKS),
        "size-0x": (b"0x" + whole, "a chunk size with 0x", CHUNKS),
        "size-plus": (b"+" + whole, "a chunk size with a plus", CHUNKS),
        "size-minus": (b"-5\r\n" + whole, "a negative chunk size", CHUNKS),
        "size-huge": (b"f" * 17 + CRLF + whole, "a chunk size beyond 64 bit", CHUNKS),
        "size-space": (b" " + whole, "a space before a chunk size", CHUNKS),
        "size-underscore": (b"1_0\r\n" + whole, "a chunk size with an underscore", CHUNKS),
        "data-longer": (b"5\r\n" + first + CRLF + last, "a chunk longer than it says", CHUNKS),
        "no-crlf": (chunk.removesuffix(CRLF) + b"xx" + last, "a chunk that does not end in CR LF", CHUNKS),
        "lf-after-size": (chunk.replace(CRLF, b"\n", 1) + last, "LF alone after a chunk size", BARE_LF),
        "cr-after-size": (chunk.replace(CRLF, b"\r", 1) + last, "CR alone after a chunk size", CHUNKS),
        "lf-after-data": (chunk.removesuffix(CRLF) + b"\n" + last, "LF alone after the data of a chunk", CHUNKS),
        "lf-in-extension": (chunk.replace(CRLF, b";a\nb\r\n", 1) + last, "LF alone in a chunk extension", "RFC 9112 7.1.1; CVE-2026-24880"),
    }
    # The form is complete before the fault: who has read no further may accept it, and must close.
    after_form = either(REJECTED, stored_closed)
    rows += [must(f"chunk-{id}", title, [Send(f.chunks(data + hidden)), Do.FINISH], after_form if id in ("no-crlf", "lf-after-data") else REJECTED, source) for id, (data, title, source) in broken.items()]
    headers = {
        "space-before-colon": (b"X-A : b", "a space before a header's colon"),
        "name-with-space": (b"X A: b", "a space in a header's name"),
        "nul": (b"X-A: b\x00c", "NUL in a header"),
        "bare-cr": (b"X-A: b\rContent-Length: 4", "CR alone in a header"),
        "no-colon": (b"nonsense", "a header without a colon"),
        "first-folded": (b" X-A: b", "a header that starts with a space"),
    }
    joined = either(REJECTED, accepted(one))
    rows += [must(f"header-{id}", title, f.request(body, line), joined if id in ("bare-cr", "nul", "first-folded") else REJECTED, FIELDS) for id, (line, title) in headers.items()]
    rows += [
        must("request-line", "a request line with a fourth word", f.request(body, line=f.line(target=f.target.encode() + b" x")), REJECTED, "RFC 9112 3"),
        must("get-with-body", "a request hidden in the body of a GET", f.request(hidden, line=f.line(b"GET"), type=b"text/plain"), Expect(says="one response", outcomes=(Outcome(statuses=frozenset(range(200, 600))), SILENT_CLOSE)), "RFC 9110 9.3.1"),
        must("refused-with-body", "a request hidden in a body that is refused", f.request(b"x" * 20_000 + hidden, type=b"text/plain"), Expect(says="one response", outcomes=(Outcome(statuses=frozenset(range(200, 600))), SILENT_CLOSE)), "RFC 9112 9.3"),
        must("response-splitting", "line ends in a file's name and a field's name", f.upload(f.file(one, b"a%0d%0aX-Injected: 1%0d%0a%0d%0ab")), Expect(says="one response", outcomes=(Outcome(statuses=frozenset(range(200, 600))),)), "CWE-113"),
    ]
    return rows
