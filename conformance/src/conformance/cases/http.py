"""The protocol around the form."""

from __future__ import annotations

from conformance.case import (
    MALFORMED,
    Answer,
    AwaitAnswer,
    AwaitContinue,
    Cases,
    Exchange,
    Expected,
    Limits,
    Outcome,
    Send,
    Step,
    accepted,
    closed,
    refused,
)
from conformance.message import chunked, chunked_request, content_type, file, form, head, request, sample, upload

CASES = Cases("http")
ONE, TWO = sample(3_000, seed=16), sample(9_000, seed=17)
STORED = accepted(ONE)
BAD = refused(400, MALFORMED)
STORED_AND_CLOSED = accepted(ONE, connection="close")
FORM = form(file(ONE))
HEALTH = head(b"GET /health HTTP/1.1")
GOOD, OTHER = request(FORM), upload(file(TWO))
PAGE = Answer(status=200, page=True)
NOT_FOUND = refused(404, "not_found")
NOT_ALLOWED = refused(405, "method_not_allowed", allow="POST")
add = CASES.add


def parser_error(*statuses: int) -> Expected:
    """An error of the HTTP parser itself: the body is free."""
    return tuple(Outcome(answers=(Answer(status=status),)) for status in statuses)


OK = Answer(status=200, health=True)
HEALTHY: Expected = (Outcome(answers=(OK,), connection="keep"),)
add("H1", "GET /health is answered", HEALTH, HEALTHY)
add("H1", "HEAD /health is answered without a body", head(b"HEAD /health HTTP/1.1"), HEALTHY, head_only=True)
many: list[Step] = [step for _ in range(250) for step in (Send(GOOD), AwaitAnswer())]
add("H1", "250 uploads on one connection are stored", many, accepted(*[ONE] * 250, times=250))
add(
    "H1",
    "health and uploads alternate on one connection",
    [Send(HEALTH), AwaitAnswer(), Send(GOOD), AwaitAnswer(), Send(HEALTH)],
    (Outcome(answers=(OK, PAGE, OK), stored=(ONE,), connection="keep"),),
)
add("H1", "an empty line before the request line is ignored", b"\r\n" + GOOD, STORED)
add("H2", "two uploads pipelined are stored", GOOD + OTHER, accepted(ONE, TWO, times=2))
add("H2", "20 uploads pipelined are stored", GOOD * 20, accepted(*[ONE] * 20, times=20))
add(
    "H2",
    "a chunked and a measured upload pipelined are stored",
    chunked_request(chunked(FORM)) + OTHER,
    accepted(ONE, TWO, times=2),
)
for what, bad, error in (
    ("a malformed body", request(FORM[:-10]), BAD),
    ("a wrong type", request(FORM, type=b"image/png"), refused(415, "unsupported_media_type")),
    ("an unknown path", request(FORM, target=b"/unknown"), NOT_FOUND),
    ("a wrong method", request(FORM, method=b"PUT"), NOT_ALLOWED),
    ("too many files", upload(*[file(ONE)] * 3), refused(400, "too_many_files")),
):
    add("H3", f"an upload pipelined behind {what} is neither answered nor stored", bad + OTHER, error)
add(
    "H3",
    "an upload before a malformed one is stored and answered first",
    GOOD + request(form(file(TWO))[:-10]),
    (Outcome(answers=(PAGE, Answer(status=400, code=MALFORMED)), stored=(ONE,)),),
)
add("H4", "Connection: close is kept", request(FORM, b"Connection: close"), STORED_AND_CLOSED)
add("H4", "an HTTP/1.0 upload is stored and closed", request(FORM, version=b"HTTP/1.0"), STORED_AND_CLOSED)
add(
    "H4",
    "an HTTP/1.0 health check without Host is answered and closed",
    b"GET /health HTTP/1.0\r\n\r\n",
    (Outcome(answers=(OK,)),),
)


def _expecting(message: bytes) -> list[Step]:
    cut = message.index(b"\r\n") + 2
    end = message.index(b"\r\n\r\n") + 4
    return [Send(message[:cut] + b"Expect: 100-continue\r\n" + message[cut:end]), AwaitContinue(), Send(message[end:])]


def _expecting_at_once(message: bytes) -> list[Step]:
    return [Send(b"".join(step.data for step in _expecting(message) if isinstance(step, Send)))]


for name, steps in {
    "an expected continue comes before the body": _expecting(GOOD),
    "an expected continue comes before a chunked body": _expecting(chunked_request(chunked(FORM))),
    "100-Continue in other case is the same": [
        step if not isinstance(step, Send) else Send(step.data.replace(b"100-continue", b"100-Continue"))
        for step in _expecting(GOOD)
    ],
}.items():
    add("H5", name, steps, accepted(ONE, interim=(100,)))
add(
    "H5",
    "a client that does not wait for the continue is stored",
    _expecting_at_once(GOOD),
    accepted(ONE, interim=None),
)
add(
    "H5",
    "an HTTP/1.0 client is not asked to continue",
    request(FORM, b"Expect: 100-continue", version=b"HTTP/1.0"),
    STORED_AND_CLOSED,
)
for what, message, error in (
    ("an unknown path", request(FORM, target=b"/unknown"), NOT_FOUND),
    ("a wrong method", request(FORM, method=b"PUT"), NOT_ALLOWED),
    ("a wrong type", request(FORM, type=b"image/png"), refused(415, "unsupported_media_type")),
    ("a wrong boundary", request(FORM, type=b"multipart/form-data"), BAD),
):
    add("H6", f"an expected continue for {what} is an error at once", _expecting(message), error)


def _expect_too_large(limits: Limits) -> Exchange:
    message = request(b"", length=limits.max_request_bytes + 1)
    return Exchange(steps=tuple(_expecting(message)), expected=refused(413, "request_too_large"))


CASES.add_built("H6", "an expected continue for a body over the limit is an error at once", _expect_too_large)
add(
    "H5",
    "a health check, which has no body, is not asked to continue",
    head(b"GET /health HTTP/1.1", b"Expect: 100-continue"),
    HEALTHY,
)
for value in (b"the-unexpected", b"100-continue; q=1", b"x, 100-continue", b'"100-continue"', b"100-continued"):
    add("H7", f"Expect: {value.decode()} is refused", request(FORM, b"Expect: " + value), parser_error(417))
for what, first, second in (
    ("100-continue and another", b"100-continue", b"x"),
    ("another and 100-continue", b"x", b"100-continue"),
):
    add(
        "H25",
        f"two Expect lines, {what}, are refused, or the first counts",
        request(FORM, b"Expect: " + first, b"Expect: " + second),
        parser_error(417),
        accepted(ONE, interim=None),
    )

for method in (b"GET", b"OPTIONS", b"DELETE", b"TRACE"):
    add("H8", f"{method.decode()} /getimages is not allowed", head(method + b" /getimages HTTP/1.1"), NOT_ALLOWED)
for method in (b"PUT", b"PATCH", b"PROPFIND"):
    add("H8", f"{method.decode()} /getimages with a body is not allowed", request(FORM, method=method), NOT_ALLOWED)
add(
    "H8",
    "HEAD /getimages is not allowed, without a body",
    head(b"HEAD /getimages HTTP/1.1"),
    refused(405, allow="POST"),
    head_only=True,
)
for method in (b"POST", b"PUT", b"DELETE", b"OPTIONS"):
    add(
        "H9",
        f"{method.decode()} /health is not allowed",
        request(b"", method=method, target=b"/health"),
        refused(405, "method_not_allowed", allow="GET, HEAD"),
    )
for method in (b"UPLOAD", b"post", b"CONNECT"):
    add(
        "H10",
        f"the method {method.decode()} is refused",
        head(method + b" /getimages HTTP/1.1"),
        parser_error(400, 405, 501),
        closed(),
    )

add("H11", "a query string is ignored", request(FORM, target=b"/getimages?a=1&b=%zz&c=/?:@"), STORED)
add(
    "H11",
    "a query string with characters that RFC 3986 forbids is ignored, or refused",
    request(FORM, target=b"/getimages?a[4294967294]=<x>"),
    STORED,
    parser_error(400),
)
add("H11", "an empty query string is ignored", request(FORM, target=b"/getimages?"), STORED)
add("H11", "a query string on /health is ignored", head(b"GET /health?x=1 HTTP/1.1"), HEALTHY)
for target in (
    b"/getimages/",
    b"/GETIMAGES",
    b"//getimages",
    b"/%67etimages",
    b"/getimages;x=1",
    b"/x/../getimages",
    b"/./getimages",
    b"/getimages/x",
    b"/getimage",
    b"/",
    b"/WEB-INF/web.xml",
    b"/index.html",
):
    add("H12", f"{target.decode()} is not found", request(FORM, target=target), NOT_FOUND)
add("H12", "GET of an unknown path is not found", head(b"GET /favicon.ico HTTP/1.1"), NOT_FOUND)
add("H12", "GET /health/ is not found", head(b"GET /health/ HTTP/1.1"), NOT_FOUND)
add("H12", "TRACE of an unknown path is not found", head(b"TRACE /unknown HTTP/1.1"), NOT_FOUND)
for target in (b"/../getimages", b"/getimages%2f", b"/getimages%", b"/getimages\\", b"/getimages%00"):
    add(
        "H13", f"{target.decode()} is not found, or refused", request(FORM, target=target), NOT_FOUND, parser_error(400)
    )
add(
    "H13",
    "OPTIONS * is answered, or refused",
    head(b"OPTIONS * HTTP/1.1"),
    tuple(
        Outcome(answers=(Answer(status=status),), connection=connection)
        for status in (200, 400, 404, 405)
        for connection in ("keep", "close")
    ),
)
add("H14", "the absolute form is the path", request(FORM, target=b"http://upload.example/getimages"), STORED)
add(
    "H14",
    "the absolute form of an unknown path is not found",
    request(FORM, target=b"http://upload.example/unknown"),
    NOT_FOUND,
)

add(
    "H14",
    "the absolute form for another host than Host is refused",
    request(FORM, target=b"http://elsewhere.example/getimages"),
    parser_error(400),
)

both = chunked_request(chunked(FORM), b"Content-Length: 5")
for name, send in {
    "chunks and a length together are refused, or the chunks count": both,
    "what follows chunks and a length together is not a request": both + OTHER,
}.items():
    add("H15", name, send, parser_error(400), STORED_AND_CLOSED)
add("H16", "two different lengths are refused", request(FORM, b"Content-Length: 5"), parser_error(400))
for value in (b"-1", b"+5", b"0x10", b"5 5", b"a", b"99999999999999999999999"):
    add(
        "H16",
        f"Content-Length: {value.decode()} is refused",
        GOOD.replace(b"Content-Length: %d" % (len(FORM)), b"Content-Length: " + value),
        parser_error(400),
    )
for value in (b"gzip", b"chunked, gzip", b"xchunked", b"identity, nonsense"):
    message = chunked_request(chunked(FORM)).replace(b"Transfer-Encoding: chunked", b"Transfer-Encoding: " + value)
    add("H17", f"Transfer-Encoding: {value.decode()} is refused", message, parser_error(400, 501))

encoded = chunked(FORM)
for what, damaged in {
    "a chunk size that is not hex": b"xyz\r\n" + encoded,
    "a chunk without its CR LF": encoded.replace(b"\r\n", b"\r\nxx", 2),
    "a chunk size beyond 64 bit": b"fffffffffffffffff1\r\n" + encoded,
    "a negative chunk size": b"-5\r\n" + encoded,
    "a chunk larger than it says": b"5\r\n" + FORM + b"\r\n0\r\n\r\n",
}.items():
    add("H18", f"{what} is refused", chunked_request(damaged), parser_error(400), BAD, closed())

add("H19", "HTTP/1.1 without Host is refused", b"GET /health HTTP/1.1\r\n\r\n", parser_error(400))
add("H19", "two Host lines are refused", head(b"GET /health HTTP/1.1", b"Host: upload.example"), parser_error(400))
for host in (b"a b", b"a:b", b"::1", b":80", b"[::g]", b"[::1", b"a/b", b"a@b"):
    add(
        "H19",
        f"a Host that is none, {host.decode()}, is refused",
        b"GET /health HTTP/1.1\r\nHost: " + host + b"\r\n\r\n",
        parser_error(400),
    )
for host in (
    b"upload-lab.example:8080",
    b"127.0.0.1:80",
    b"[::1]:8080",
    b"[::ffff:127.0.0.1]",
    b"xn--a.example",
    b"4a",
):
    add(
        "H27",
        f"GET /health is answered with the Host {host.decode()}",
        b"GET /health HTTP/1.1\r\nHost: " + host + b"\r\n\r\n",
        HEALTHY,
    )
for host in (b"upload_server:8080", b"-a", b"a-", b"a..b", b"%41", b"a,b", b"a~b", b"a!b", b"a(b", b"a;b"):
    add(
        "H26",
        f"the Host {host.decode()}, no name of DNS, is refused, or taken",
        b"GET /health HTTP/1.1\r\nHost: " + host + b"\r\n\r\n",
        parser_error(400),
        HEALTHY,
    )
add("H19", "a header line without a colon is refused", head(b"GET /health HTTP/1.1", b"nonsense"), parser_error(400))
add("H19", "a header name with a space is refused", head(b"GET /health HTTP/1.1", b"X Y: z"), parser_error(400))
add("H19", "a space before the colon is refused", head(b"GET /health HTTP/1.1", b"X-Y : z"), parser_error(400))
add("H19", "NUL in a header is refused", head(b"GET /health HTTP/1.1", b"X-Y: a\x00b"), parser_error(400))
add("H19", "a request line that is none is refused", b"hello\r\n\r\n", parser_error(400))
add(
    "H19",
    "a TLS handshake is refused",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 60 + b"\r\n\r\n",
    parser_error(400),
    closed(),
)

for name, send in {
    "a head of 14,000 bytes in one header is accepted": request(FORM, b"X-Long: " + b"x" * 14_000),
    "a head of 14,000 bytes in 140 headers is accepted": request(
        FORM, *[b"X-H%03d: " % i + b"x" * 90 for i in range(140)]
    ),
    "a query string of 7,000 bytes is accepted": request(FORM, target=b"/getimages?" + b"x" * 7_000),
    "a boundary header among 149 others is found": request(FORM, *[b"X-%d: y" % i for i in range(147)]),
}.items():
    add("H20", name, send, STORED)
for size in (17_000, 70_000):
    add(
        "H21",
        f"a head of {size:,} bytes in one header is refused",
        request(FORM, b"X-Long: " + b"x" * size),
        parser_error(400, 431),
    )
for name, send in {
    "a head of 20,000 bytes in 200 headers is refused": request(
        FORM, *[b"X-H%03d: " % i + b"x" * 91 for i in range(200)]
    ),
    "a head of 17,600 bytes in 800 small lines is refused": request(
        FORM, *[b"X-H%03d: %012d" % (i, i) for i in range(800)]
    ),
    "a head of 1,100 lines is refused": request(FORM, *[b"a: b"] * 1_100),
}.items():
    add("H21", name, send, parser_error(400, 431))
for name, send in {
    "a folded header line is refused, or joined": request(FORM, b"X-Folded: a\r\n b"),
    "line feeds for line ends are refused, or taken": GOOD[: GOOD.index(b"\r\n\r\n") + 4].replace(b"\r\n", b"\n")
    + FORM,
    "tabs in the request line are refused, or taken": GOOD.replace(
        b"POST /getimages HTTP", b"POST\t/getimages\tHTTP", 1
    ),
}.items():
    add("H23", name, send, parser_error(400), STORED)
add(
    "H24",
    "two spaces in the request line are taken",
    GOOD.replace(b"POST /getimages HTTP", b"POST  /getimages  HTTP", 1),
    STORED,
)
add("H22", "a request without a version is refused", b"GET /health\r\n\r\n", parser_error(400, 505), closed())
for version in (b"HTTP/0.9", b"HTTP/2.0", b"HTTP/3.7", b"HTTP/9", b"HTPP/1.1"):
    add(
        "H22",
        f"the version {version.decode()} is refused",
        head(b"GET /health " + version),
        parser_error(400, 505),
        closed(),
    )
add(
    "H22",
    "an upgrade to HTTP/2 is ignored",
    request(FORM, b"Connection: Upgrade, HTTP2-Settings", b"Upgrade: h2c", b"HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA"),
    accepted(ONE, connection="any"),
)
add(
    "H19",
    "content types are found whatever the case of the header's name",
    request(FORM, type=None).replace(b"Host:", b"CONTENT-TYPE: " + content_type() + b"\r\nhOsT:", 1),
    STORED,
)
