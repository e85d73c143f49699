"""The protocol around the form."""

# fmt: off
from uploadlab.conformance.case import CLIENT_ERRORS, REFUSED, REJECTED, SILENT_CLOSE, Case, Do, Expect, Outcome, Send, Step, accepted, either, may, must, should
from uploadlab.conformance.message import Forms, chunked, sample

EXPECT, HOST = "RFC 9110 10.1.1", "RFC 9112 3.2"
TOO_LARGE = Expect(says="413, or the connection closed", outcomes=(Outcome(statuses=frozenset([413])), SILENT_CLOSE))


def cases(f: Forms, max_file_bytes: int | None) -> list[Case]:
    """Return the group; what tests the limit of a file needs to know it."""
    one = sample(2_000, "http")
    body = f.form(f.file(one))
    good = f.request(body)
    stored = accepted(one)
    continued = Expect(says="100, then accepted", outcomes=(Outcome(stored=(one,), interim=(100,)),))
    either_way = either(REJECTED, stored)
    return [
        should("expect", "100-continue, the body sent when it came", _expecting(good), continued, EXPECT),
        should("expect-chunked", "100-continue for chunks", _expecting(f.chunks(chunked(body))), continued, EXPECT),
        should("expect-case", "100-Continue in other case", _expecting(good, b"100-Continue"), continued, EXPECT),
        should("expect-unwaited", "100-continue, the body sent at once", f.request(body, b"Expect: 100-continue"), stored, EXPECT),
        should("expect-1.0", "100-continue in HTTP/1.0", f.request(body, b"Expect: 100-continue", line=f.line(version=b"HTTP/1.0")), Expect(says="accepted, no 100", outcomes=(Outcome(stored=(one,), interim=()),)), EXPECT),
        should("expect-refused", "100-continue for a request that will be refused", [*_expecting(f.request(b"", type=b"text/plain", length=b"50000")), Do.LEAVE], either(REFUSED, Expect(says="100", outcomes=(Outcome(answers=0, interim=(100,)),))), EXPECT),
        may("expect-unknown", "another expectation", f.request(body, b"Expect: x"), EXPECT),
        should("no-host", "HTTP/1.1 without Host", good.replace(b"Host: " + f.host.encode() + b"\r\n", b""), REJECTED, HOST),
        should("two-hosts", "two Hosts", f.request(body, b"Host: other.example"), REJECTED, HOST),
        should("bad-host", "a Host that is none", good.replace(f.host.encode(), b"a b", 1), REJECTED, HOST),
        should("version-3", "HTTP/3.7", f.request(body, line=f.line(version=b"HTTP/3.7")), REJECTED, "RFC 9110 2.5"),
        should("not-http", "a request line that is none", b"hello\r\n\r\n", REJECTED, "RFC 9112 3"),
        should("tls", "a TLS handshake", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(60) + b"\r\n\r\n", REJECTED, "RFC 9112 3"),
        should("method", "an unknown method", f.request(body, line=f.line(b"UPLOAD")), REJECTED, "RFC 9110 9.1"),
        should("long-header", "a header of 100,000 bytes", f.request(body, b"X-Long: " + b"x" * 100_000), REJECTED, "RFC 6585 5"),
        should("long-path", "a query of 100,000 bytes", f.request(body, line=f.line(target=f.target.encode() + b"?" + b"x" * 100_000)), REJECTED, "RFC 9110 15.5.15"),
        should("many-headers", "20,000 headers", f.request(body, *[b"a: b"] * 20_000), either(REJECTED, stored), "RFC 6585 5"),
        should("unknown-path", "a path that is not there", f.request(body, line=f.line(target=b"/conformance/none")), REFUSED, "RFC 9110 15.5.5"),
        may("get", "GET of the endpoint", f.head(f.line(b"GET")), "RFC 9110 15.5.6"),
        may("put", "PUT of the endpoint", f.request(body, line=f.line(b"PUT")), "RFC 9110 15.5.6"),
        may("options", "OPTIONS of the endpoint", f.head(f.line(b"OPTIONS")), "RFC 9110 9.3.7"),
        may("encoded", "a form in gzip that is none", f.request(body, b"Content-Encoding: gzip"), "RFC 9110 8.4"),
        may("folded", "a folded header", f.request(body, b"X-Folded: a\r\n b"), "RFC 9112 5.2"),
        may("lf-only", "LF for CR LF in the head", good.replace(body, b"").replace(b"\r\n", b"\n") + body, "RFC 9112 2.2"),
        may("trailing-slash", "a slash behind the path", f.request(body, line=f.line(target=f.target.encode() + b"/")), "RFC 3986 6.2"),
        should("two-same-lengths", "the same length twice", f.request(body, b"Content-Length: %d" % len(body)), either_way, "RFC 9112 6.3"),
        *_limits(f, max_file_bytes),
    ]


def _limits(f: Forms, limit: int | None) -> list[Case]:
    """Sizes around the limit of a file, where it is known."""
    known = limit or 1
    at, over = sample(known, "limit"), sample(known + 1, "limit")
    far = sample(min(4 * known, known + (64 << 20)), "far")
    source = "RFC 9110 15.5.14"
    return [
        must("limit-at", "a file of exactly the limit", f.upload(f.file(at)), accepted(at), source, needs=("limit",)),
        must("limit-over", "a file one byte over the limit", f.upload(f.file(over)), REJECTED, source, needs=("limit",)),
        must("limit-over-chunked", "the same in chunks", f.chunks(chunked(f.form(f.file(over)), size=50_000)), REJECTED, source, needs=("limit",)),
        should("limit-413", "a file one byte over the limit is answered with 413", f.upload(f.file(over)), TOO_LARGE, source, needs=("limit",)),
        must("limit-far", "a file of four times the limit", f.upload(f.file(far)), REJECTED, source, needs=("limit",)),
        should("limit-announced", "a length of a terabyte, announced by 100-continue", [*_expecting(f.request(b"", length=b"1099511627776")), Do.LEAVE], Expect(says="a 4xx before the body", outcomes=(Outcome(statuses=CLIENT_ERRORS, interim=()),)), source, needs=("limit",)),
    ]


def _expecting(message: bytes, value: bytes = b"100-continue") -> list[Step]:
    cut, end = message.index(b"\r\n") + 2, message.index(b"\r\n\r\n") + 4
    return [Send(message[:cut] + b"Expect: " + value + b"\r\n" + message[cut:end]), Do.AWAIT_CONTINUE, Send(message[end:])]
