"""Clients that go away, stall or dawdle. What needs the server's process or disk is in the controlled cases."""

from __future__ import annotations

from conformance.case import (
    MALFORMED,
    Abort,
    Answer,
    AwaitAnswer,
    AwaitUpload,
    Cases,
    Exchange,
    Expected,
    FinishSending,
    Leave,
    Limits,
    Outcome,
    Pause,
    Send,
    SendInPieces,
    Step,
    accepted,
    closed,
    refused,
)
from conformance.message import chunked, chunked_request, file, form, head, sample, upload

CASES = Cases("failure")
ONE, TWO = sample(40_000, seed=14), sample(90_000, seed=15)
MESSAGE = upload(file(ONE), file(TWO))
CHUNKED = chunked_request(chunked(form(file(ONE), file(TWO))))
GONE = closed()
PERHAPS_STORED: Expected = (*GONE, Outcome(answers=(), stored=(ONE, TWO), connection="close", interim=None))
add = CASES.add

body_start = MESSAGE.index(b"\r\n\r\n") + 4
for what, cut in {
    "in the head": 60,
    "before the body": body_start,
    "in the first part header": body_start + 50,
    "inside the first file": body_start + 20_000,
    "between the files": MESSAGE.index(b"------", body_start + 40_000),
    "inside the second file": len(MESSAGE) - 30_000,
    "before the last byte": len(MESSAGE) - 1,
}.items():
    began: tuple[Step, ...] = (
        (Send(MESSAGE[:cut]), AwaitUpload()) if cut > body_start + 100 else (Send(MESSAGE[:cut]), Pause(0.02))
    )
    add("X1", f"a client that resets {what} leaves nothing", [*began, Abort()], GONE)
    add("X1", f"a client that closes {what} leaves nothing", [*began, Leave()], GONE)
add(
    "X1",
    "a chunked client that resets inside the second file leaves nothing",
    [Send(CHUNKED[:-30_000]), AwaitUpload(), Abort()],
    GONE,
)
add(
    "X1",
    "a client that resets before it has the answer leaves whole files or none",
    [Send(MESSAGE), Abort()],
    PERHAPS_STORED,
)
add("X1", "a client that connects and resets leaves nothing", [Abort()], GONE)

add(
    "X10",
    "a client that stops sending in order behind a whole upload is answered",
    [Send(MESSAGE), FinishSending()],
    accepted(ONE, TWO, connection="close"),
)
add(
    "X10",
    "a client that stops sending in order behind two pipelined uploads is answered twice",
    [Send(MESSAGE + MESSAGE), FinishSending()],
    accepted(ONE, TWO, ONE, TWO, times=2, connection="close"),
)

NOT_WHOLE = (*refused(400, MALFORMED), *closed(), *refused(400))
for what, cut in {
    "in the head": 60,
    "before the body": body_start,
    "inside a file": body_start + 20_000,
    "before the last byte": len(MESSAGE) - 1,
}.items():
    add(
        "X2",
        f"a client that stops sending in order {what} gets 400 or a close",
        [Send(MESSAGE[:cut]), FinishSending()],
        NOT_WHOLE,
    )
add(
    "X2",
    "a chunked client that stops before the last chunk gets 400 or a close",
    [Send(CHUNKED[:-5]), FinishSending()],
    NOT_WHOLE,
)

TIMED_OUT = (*closed(), Outcome(answers=(Answer(status=408),), interim=None))


def _add_stall(row: str, name: str, *steps: Step, expected: Expected = TIMED_OUT) -> None:
    def build(limits: Limits) -> Exchange:
        return Exchange(steps=steps, expected=expected, answer_timeout_s=limits.longest_wait_s, close_timeout_s=1.0)

    CASES.add_built(row, name, build, profile="impatient")


_add_stall("P1", "a client that stalls inside a file is dropped", Send(MESSAGE[: body_start + 20_000]))
_add_stall("P1", "a client that stalls before the body is dropped", Send(MESSAGE[:body_start]))
_add_stall("P1", "a client that stalls before the last byte is dropped", Send(MESSAGE[:-1]))
_add_stall("P1", "a chunked client that stalls inside a chunk is dropped", Send(CHUNKED[:-30_000]))
_add_stall(
    "P1",
    "a client that stalls after an error is answered and dropped",
    Send(upload(file(ONE, name="other"), file(TWO))[:-1]),
    expected=(*refused(400, "unexpected_field"), *TIMED_OUT),
)
_add_stall("P2", "a client that stalls in the request line is dropped", Send(b"POST /getim"))
_add_stall("P2", "a client that stalls in the headers is dropped", Send(MESSAGE[:60]))
_add_stall("P2", "a client that says nothing is dropped")


def _byte_by_byte(body: bytes) -> SendInPieces:
    """Ten bytes a second, for as long as the server listens."""
    return SendInPieces(body[:1_000], 1, 0.1)


_add_stall("P7", "a body that comes byte by byte is dropped", Send(MESSAGE[:body_start]), _byte_by_byte(ONE))
_add_stall(
    "P7",
    "a refused body that comes byte by byte is dropped",
    Send(MESSAGE[:body_start].replace(b"/getimages", b"/unknown")),
    _byte_by_byte(ONE),
    expected=(Outcome(answers=refused(404, "not_found")[0].answers, may_reset=True),),
)


def _steady(limits: Limits) -> Exchange:
    """A piece every third of the idle time, for six times the idle time."""
    pause_s = limits.idle_timeout_ms / 3000
    message = upload(file(ONE[:4_000]))
    return Exchange(
        steps=(SendInPieces(message, len(message) // 18 + 1, pause_s),),
        expected=accepted(ONE[:4_000]),
        answer_timeout_s=limits.longest_wait_s,
    )


CASES.add_built("P3", "a slow but steady client is stored", _steady, profile="impatient")


def _idle(limits: Limits) -> Exchange:
    """After a good answer nothing is sent: the next thing that happens is the end."""
    steps = (Send(upload(file(ONE))), AwaitAnswer(), Pause(limits.longest_wait_s))
    outcome = Outcome(answers=accepted()[0].answers, stored=(ONE,), connection="close")
    return Exchange(steps=steps, expected=(outcome,), close_timeout_s=0.5)


CASES.add_built("P5", "an idle kept connection is closed without an answer", _idle, profile="impatient")


def _kept(limits: Limits) -> Exchange:
    """A pause of a third of the idle time between two requests is no silence."""
    first = upload(file(ONE))
    steps = (Send(first), AwaitAnswer(), Pause(limits.idle_timeout_ms / 3000), Send(first))
    return Exchange(steps=steps, expected=accepted(ONE, ONE, times=2))


CASES.add_built("P5", "a kept connection survives a pause below the idle time", _kept, profile="impatient")
add(
    "X1",
    "a client that has gone leaves the next connection undisturbed",
    [Send(head(b"GET /health HTTP/1.1")), AwaitAnswer(), Send(MESSAGE)],
    (
        Outcome(
            answers=(Answer(status=200, health=True), Answer(status=200, page=True)),
            stored=(ONE, TWO),
            connection="keep",
        ),
    ),
)
