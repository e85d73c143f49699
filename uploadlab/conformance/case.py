"""What a case is: steps on one connection, and what may come of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from uploadlab.conformance.wire import Response

Grade = Literal["must", "should", "may"]
GRADES: tuple[Grade, ...] = ("must", "should", "may")
ANSWER_S = 10.0
"""A request that is complete is answered, or its connection closed, within this time."""

# Steps ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Send:
    """Send all of it, reading meanwhile."""

    data: bytes


@dataclass(frozen=True)
class Pieces:
    """Send `piece` bytes at a time; stop when the server closes."""

    data: bytes
    piece: int


@dataclass(frozen=True)
class Pause:
    """Do nothing for so long."""

    seconds: float


@dataclass(frozen=True)
class AwaitAnswer:
    """Read the next final answer before going on."""


@dataclass(frozen=True)
class AwaitContinue:
    """Wait a while for `100 Continue`; when a final answer comes first, send nothing more."""


@dataclass(frozen=True)
class FinishSending:
    """Close the sending half in order."""


@dataclass(frozen=True)
class Abort:
    """Reset the connection."""


@dataclass(frozen=True)
class Leave:
    """Close the connection in order, without reading an answer."""


Step = Send | Pieces | Pause | AwaitAnswer | AwaitContinue | FinishSending | Abort | Leave

# Expectations ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """One way a case may end. `statuses` None: as the endpoint says that it stored."""

    statuses: frozenset[int] | None = None
    answers: int = 1
    stored: tuple[bytes, ...] = ()
    closed: bool = False
    """Whether the server must end the connection."""
    interim: tuple[int, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class Expect:
    """What a case expects, in words and as alternatives; none: only what every case must keep."""

    says: str
    outcomes: tuple[Outcome, ...] = ()


CLIENT_ERRORS = frozenset(range(400, 500))
REFUSALS = frozenset(range(400, 600))
SILENT_CLOSE = Outcome(answers=0, closed=True)


def accepted(*stored: bytes, times: int = 1) -> Expect:
    """Accepted, each of these contents stored exactly."""
    return Expect(
        says="accepted, stored byte for byte" if times == 1 else f"accepted {times} times, stored byte for byte",
        outcomes=(Outcome(answers=times, stored=stored),),
    )


REFUSED = Expect(says="a 4xx", outcomes=(Outcome(statuses=CLIENT_ERRORS),))
"""A client that sent something broken is told so."""
REJECTED = Expect(
    says="an error, or the connection closed without a response",
    outcomes=(Outcome(statuses=REFUSALS), SILENT_CLOSE),
)
REJECTED_CLOSED = Expect(
    says="an error, and the connection closed",
    outcomes=(Outcome(statuses=REFUSALS, closed=True), SILENT_CLOSE),
)
SAFE = Expect(says="any one response, or the connection closed")
SHOWN = Expect(says="")


def refused(*statuses: int) -> Expect:
    """One of these statuses."""
    return Expect(says=" or ".join(map(str, statuses)), outcomes=(Outcome(statuses=frozenset(statuses)),))


def either(first: Expect, *others: Expect) -> Expect:
    """Any of several."""
    everything = (first, *others)
    return Expect(
        says=", or ".join(one.says for one in everything),
        outcomes=tuple(outcome for one in everything for outcome in one.outcomes),
    )


Measure = Literal["", "descriptors", "memory", "store", "beside", "together", "stall"]
"""What a case that is repeated looks at: what its process or its store holds afterwards, an upload beside the open
connections, the uploads at once, or when a connection on which nothing comes is ended."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """One row of a table: what is sent, what is expected, and who says so."""

    id: str
    grade: Grade
    title: str
    source: str
    steps: tuple[Step, ...]
    expect: Expect
    needs: tuple[str, ...] = ()
    requests: int = 1
    """The most final answers that may come."""
    group: str = ""
    measure: Measure = ""
    repeat: int = 1


class Declare:
    """Declares a case of one grade."""

    def __init__(self, grade: Grade) -> None:
        self._grade = grade

    def __call__(
        self,
        id: str,
        title: str,
        send: bytes | Sequence[Step],
        expect: Expect,
        source: str,
        *,
        needs: tuple[str, ...] = (),
        requests: int = 1,
        measure: Measure = "",
        repeat: int = 1,
    ) -> Case:
        """Declare it; the longest outcome says how many responses there may be."""
        return Case(
            id=id,
            grade=self._grade,
            title=title,
            source=source,
            steps=(Send(send),) if isinstance(send, bytes) else tuple(send),
            expect=expect,
            needs=needs,
            requests=max(requests, *(outcome.answers for outcome in expect.outcomes), 1),
            measure=measure,
            repeat=repeat,
        )


must = Declare("must")
"""A failure lets a client harm the server, its files or other clients."""
should = Declare("should")
"""A failure misleads an honest client, or turns it away."""


def may(id: str, title: str, send: bytes | Sequence[Step], source: str) -> Case:
    """Good servers differ: shown, not judged."""
    return Declare("may")(id, title, send, SHOWN, source)


# Judgement ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Observation:
    """What was seen of one case."""

    responses: tuple[Response, ...]
    interim: tuple[int, ...] = ()
    connection: str
    """`open`, `closed` or `reset`; `left` where the client ended it."""
    unreadable: str | None = None
    stored: tuple[bool, ...] | None = None
    """For each outcome of the case, whether its contents are stored; None where nobody can look."""
    new_files: int = 0

    def __str__(self) -> str:
        """As a table shows it."""
        said = ", ".join(str(response.status) for response in self.responses)
        interim = "".join(f"{status}, then " for status in self.interim)
        how = {"open": "", "left": ""}.get(self.connection, f", {self.connection}")
        files = f", {self.new_files} new file{'s' if self.new_files != 1 else ''}" if self.stored is not None else ""
        nothing = "no response" if self.connection != "left" else "no response awaited"
        return self.unreadable or f"{interim}{said or nothing}{how}{files}"


def unsafe(case: Case, seen: Observation) -> list[str]:
    """Return in what the observation breaks the rules that every case must keep."""
    if seen.unreadable:
        return [seen.unreadable]
    if len(seen.responses) > case.requests:
        return [f"{len(seen.responses)} responses to {case.requests} request{'s' if case.requests > 1 else ''}"]
    if not seen.responses and seen.connection == "open":
        return [f"it hangs: neither a response nor a close within {ANSWER_S:g} s"]
    return []


def unexpected(case: Case, seen: Observation, accepts: Sequence[int] | None) -> list[str]:
    """Return how the observation differs from the outcome that is nearest to it; empty when it is one."""
    if not case.expect.outcomes:
        return []
    stored = seen.stored or (None,) * len(case.expect.outcomes)
    found = [
        _difference(one, seen, is_there, accepts) for one, is_there in zip(case.expect.outcomes, stored, strict=True)
    ]
    return min(found, key=len)


def _difference(outcome: Outcome, seen: Observation, is_there: bool | None, accepts: Sequence[int] | None) -> list[str]:
    said = ", ".join(str(response.status) for response in seen.responses) or "no response"
    if len(seen.responses) != outcome.answers:
        return [f"{said} instead of {outcome.answers} response{'s' if outcome.answers != 1 else ''}", "", ""]
    found = []
    allowed = outcome.statuses if outcome.statuses is not None else accepts
    if not all(_allows(allowed, response.status) for response in seen.responses):
        found.append(f"the response is {said}")
    if is_there is False:
        found.append("a file is not stored as it was sent")
    if outcome.closed and seen.connection == "open":
        found.append("the connection stays open")
    if outcome.interim is not None and seen.interim != outcome.interim:
        found.append("100 Continue did not come" if outcome.interim else "100 Continue came unasked")
    return found


def _allows(allowed: Sequence[int] | frozenset[int] | None, status: int) -> bool:
    return status in allowed if allowed else 200 <= status < 300
