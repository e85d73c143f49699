"""What a case is: steps on one connection, and the outcomes that the contract allows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from conformance.store import Contents, digests
from conformance.wire import Response

GROUPS = ("good", "framing", "broken", "names", "limits", "failure", "http")
CLIENT_GROUP = "clients"

HEALTH_BODY = b'{"status":"ok"}'
MALFORMED = "malformed_multipart"

MIN_BODY_BYTES_PER_S = 500  # the contract's default; patience is tested with it


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What the server under test was started with."""

    max_file_bytes: int = 209_715_200
    max_request_bytes: int = 241_172_480
    max_drain_bytes: int = 268_435_456
    idle_timeout_ms: int = 60_000

    @property
    def longest_wait_s(self) -> float:
        """How long a server may keep up a connection on which nothing comes."""
        return 4 * self.idle_timeout_ms / 1000 + 1

    def environment(self) -> dict[str, str]:
        """Return the variables that start a server with these limits."""
        return {
            "MAX_FILE_BYTES": str(self.max_file_bytes),
            "MAX_REQUEST_BYTES": str(self.max_request_bytes),
            "MAX_DRAIN_BYTES": str(self.max_drain_bytes),
            "IDLE_TIMEOUT_MS": str(self.idle_timeout_ms),
            "KEEP_ALIVE_TIMEOUT_MS": str(self.idle_timeout_ms),
            "MIN_BODY_BYTES_PER_S": str(MIN_BODY_BYTES_PER_S),
        }


# Steps ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Send:
    """Send all of it; with `reading` False without looking at what the server says meanwhile."""

    data: bytes
    reading: bool = True


@dataclass(frozen=True)
class SendInPieces:
    """Send `piece` bytes at a time with a pause between them; stop when the server closes."""

    data: bytes
    piece: int
    pause_s: float = 0.0


@dataclass(frozen=True)
class Pause:
    """Do nothing for so long."""

    seconds: float


@dataclass(frozen=True)
class AwaitAnswer:
    """Read the next final answer before going on."""


@dataclass(frozen=True)
class AwaitContinue:
    """Wait for `100 Continue`; when a final answer comes first, send nothing more."""


@dataclass(frozen=True)
class AwaitUpload:
    """Wait until the upload directory shows that the server has begun, where it shows it."""


@dataclass(frozen=True)
class FinishSending:
    """Close the sending half in order."""


@dataclass(frozen=True)
class Abort:
    """Reset the connection."""


@dataclass(frozen=True)
class Leave:
    """Close the connection in order, without reading an answer."""


Step = Send | SendInPieces | Pause | AwaitAnswer | AwaitContinue | AwaitUpload | FinishSending | Abort | Leave


# Outcomes -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Answer:
    """One answer: its status, its error code (None: the body is free), its `Allow`."""

    status: int
    code: str | None = None
    allow: str | None = None
    page: bool = False
    health: bool = False

    @property
    def free(self) -> bool:
        """Whether the contract leaves the body to the HTTP parser."""
        return self.code is None and not self.page and not self.health

    def __str__(self) -> str:
        """As a table shows it."""
        return f"{self.status} {self.code}" if self.code else str(self.status)


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """Everything a case may lead to: answers in order, stored contents, and the connection afterwards."""

    answers: tuple[Answer, ...]
    stored: tuple[bytes, ...] = ()
    connection: str = "close"  # close, keep, or any
    interim: tuple[int, ...] | None = ()
    may_reset: bool = False

    @property
    def orderly(self) -> bool:
        """Whether the server must let the client finish: after every answer but those of the HTTP parser."""
        return (
            not self.may_reset
            and bool(self.answers)
            and all(answer.code or answer.page or answer.allow for answer in self.answers)
        )

    def __str__(self) -> str:
        """As a table shows it."""
        said = ", ".join(map(str, self.answers)) or "no answer"
        return f"{said}; {len(self.stored)} stored; {self.connection}"


Expected = tuple[Outcome, ...]


def accepted(
    *stored: bytes, times: int = 1, connection: str = "keep", interim: tuple[int, ...] | None = ()
) -> Expected:
    """200 with the page, so many times, these contents stored."""
    answers = (Answer(status=200, page=True),) * times
    return (Outcome(answers=answers, stored=stored, connection=connection, interim=interim),)


def refused(status: int, *codes: str, allow: str | None = None) -> Expected:
    """An error, or one of several; nothing stored; the server closes."""
    return tuple(Outcome(answers=(Answer(status=status, code=code, allow=allow),)) for code in codes or (None,))


def closed() -> Expected:
    """The connection ends without an answer; nothing stored."""
    return (Outcome(answers=(), connection="close", interim=None),)


@dataclass(frozen=True, kw_only=True)
class Exchange:
    """What is done and what may come of it."""

    steps: tuple[Step, ...]
    expected: Expected
    head_only: bool = False
    answer_timeout_s: float = 10.0
    close_timeout_s: float = 5.0


@dataclass(frozen=True, kw_only=True)
class Case:
    """One sentence of the contract, tested. `row` is a row of the table of decisions."""

    group: str
    row: str
    name: str
    build: Callable[[Limits], Exchange]
    profile: str = "standard"
    number: int = 0

    @property
    def id(self) -> str:
        """The row and the number of the case within it."""
        return f"{self.row}.{self.number}"


class Cases:
    """The cases of one group, in the order of their declaration."""

    def __init__(self, group: str) -> None:
        self.group = group
        self.declared: list[Case] = []

    def add(
        self,
        row: str,
        name: str,
        send: bytes | Sequence[Step],
        *expected: Expected,
        head_only: bool = False,
        profile: str = "standard",
    ) -> None:
        """Declare a case that does not depend on the limits; several `expected` are alternatives."""
        steps = (Send(send),) if isinstance(send, bytes) else tuple(send)
        exchange = Exchange(
            steps=steps,
            expected=tuple(outcome for alternatives in expected for outcome in alternatives),
            head_only=head_only,
        )
        self.add_built(row, name, lambda _: exchange, profile=profile)

    def add_built(self, row: str, name: str, build: Callable[[Limits], Exchange], *, profile: str = "standard") -> None:
        """Declare a case that is built from the limits."""
        number = 1 + sum(case.row == row for case in self.declared)
        self.declared.append(Case(group=self.group, row=row, name=name, build=build, profile=profile, number=number))


# Judgement ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Observation:
    """What was seen: final answers in order, interim ones, the connection afterwards, the directory."""

    responses: tuple[Response, ...]
    interim: tuple[int, ...] = ()
    connection: str  # keep, close, hanging (says close, or nothing, and stays open)
    reset: bool = False
    contents: Contents
    unreadable: str | None = None
    elapsed_s: float = 0.0

    def summary(self) -> str:
        """Return it as a table shows it."""
        said = ", ".join(response.short for response in self.responses)
        left = f"; left behind: {', '.join(self.contents.strays)}" if self.contents.strays else ""
        interim = f"{', '.join(map(str, self.interim))} first; " if self.interim else ""
        how = f"{self.connection} by a reset" if self.reset else self.connection
        return f"{interim}{said or 'no answer'}; {self.contents.stored.total()} stored; {how}{left}"


def problems(outcome: Outcome, seen: Observation, page: bytes) -> list[str]:
    """Return a sentence for everything in which the observation is not this outcome; empty when it is."""
    found = []
    if seen.unreadable:
        found.append(seen.unreadable)
    if len(seen.responses) != len(outcome.answers):
        found.append(f"expected {len(outcome.answers)} answers, got {len(seen.responses)}")
    for answer, response in zip(outcome.answers, seen.responses, strict=False):
        found += answer_problems(answer, response, page)
    if outcome.interim is not None and seen.interim != outcome.interim:
        found.append(f"expected the interim answers {outcome.interim}, got {seen.interim}")
    found += storage_problems(outcome.stored, seen.contents)
    if outcome.connection != "any" and seen.connection != outcome.connection:
        found.append(f"expected the connection to be {outcome.connection}, it is {seen.connection}")
    if seen.reset and outcome.orderly:
        found.append("the connection was reset: a client that is still sending may lose the answer")
    return found


def answer_problems(answer: Answer, response: Response, page: bytes) -> list[str]:
    """Return what is wrong with one answer."""
    if response.status != answer.status:
        return [f"expected {answer}, got {response.short}"]
    found = []
    kind = (response.header("content-type") or "").replace(" ", "").lower()
    if answer.page:
        if response.body != page:
            found.append(f"the page is not the contract's: {response.body[:60]!r}")
        if kind != "text/html;charset=utf-8":
            found.append(f"the page's Content-Type is {kind!r}")
        if response.header("content-length") != str(len(page)):
            found.append(f"the page's Content-Length is {response.header('content-length')}")
        if response.header("etag") is not None:
            found.append("the page has an ETag")
    if answer.health and (kind.split(";")[0] != "application/json" or response.header("content-length") != "15"):
        found.append(f"the health check's Content-Type is {kind!r}, its length {response.header('content-length')}")
    if answer.health and response.body not in (HEALTH_BODY, b""):
        found.append(f"the health check says {response.body[:60]!r}")
    if answer.code is not None:
        if response.error_code != answer.code:
            found.append(f"expected {answer}, got {response.status} {response.error_code}: {response.body[:80]!r}")
        if kind.split(";")[0] != "application/json":
            found.append(f"the error's Content-Type is {kind!r}")
    if (answer.code is not None or answer.allow is not None) and not response.closes:
        found.append("the error does not carry Connection: close")
    if answer.allow is not None and _methods(response.header("allow")) != _methods(answer.allow):
        found.append(f"expected Allow: {answer.allow}, got {response.header('allow')}")
    return found


def storage_problems(stored: Sequence[bytes], contents: Contents) -> list[str]:
    """Return what is wrong with the directory."""
    expected = digests(stored)
    found = [f"left behind: {name}" for name in contents.strays]
    missing, surplus = expected - contents.stored, contents.stored - expected
    if missing:
        found.append(f"{missing.total()} of {expected.total()} files are not stored as sent")
    if surplus:
        found.append(f"{surplus.total()} files are stored that should not be")
    return found


def _methods(allow: str | None) -> set[str]:
    return {method.strip() for method in (allow or "").split(",")} - {""}
