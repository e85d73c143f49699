"""What a case is: steps on one connection, what may come of it, and who says so."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import Literal

Grade = Literal["must", "should", "may"]
GRADES: tuple[Grade, ...] = ("must", "should", "may")
ANSWER_S = 10.0
"""A request that is complete is answered, or its connection closed, within this time."""


@dataclass(frozen=True)
class Send:
    """Send all of it, reading meanwhile; `piece` bytes at a time, until the server closes, where that is said."""

    data: bytes
    piece: int = 0


@dataclass(frozen=True)
class Pause:
    """Do nothing for so long."""

    seconds: float


class Do(Enum):
    """What else a client does."""

    READ = "read the next final response before going on"
    AWAIT_CONTINUE = "wait a while for 100 Continue; when a final response comes first, send nothing more"
    FINISH = "close the sending half in order"
    ABORT = "reset the connection"
    LEAVE = "close the connection in order, without reading a response"


Step = Send | Pause | Do


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
# fmt: off
REFUSED = Expect(says="a 4xx", outcomes=(Outcome(statuses=CLIENT_ERRORS),))
"""A client that sent something broken is told so."""
REJECTED = Expect(says="an error, or the connection closed without a response", outcomes=(Outcome(statuses=REFUSALS), SILENT_CLOSE))
REJECTED_CLOSED = Expect(says="an error, and the connection closed", outcomes=(Outcome(statuses=REFUSALS, closed=True), SILENT_CLOSE))
SAFE = Expect(says="any one response, or the connection closed")
SHOWN = Expect(says="")
# fmt: on


def accepted(*stored: bytes, times: int = 1) -> Expect:
    """Accepted, each of these contents stored exactly."""
    says = "accepted, stored byte for byte" if times == 1 else f"accepted {times} times, stored byte for byte"
    return Expect(says=says, outcomes=(Outcome(answers=times, stored=stored),))


def either(*several: Expect) -> Expect:
    """Any of several."""
    says = ", or ".join(one.says for one in several)
    return Expect(says=says, outcomes=tuple(outcome for one in several for outcome in one.outcomes))


@dataclass(frozen=True)
class Case:
    """One row of a table: what is sent, what is expected, and who says so."""

    grade: Grade
    id: str
    title: str
    send: bytes | Sequence[Step]
    expect: Expect
    source: str
    needs: tuple[str, ...] = ()
    measure: str = ""
    """What looks at more than one conversation; `measures` and `own_process` have them by name."""
    repeat: int = 1
    group: str = ""

    @property
    def steps(self) -> tuple[Step, ...]:
        """What is done on one connection."""
        return (Send(self.send),) if isinstance(self.send, bytes) else tuple(self.send)

    @property
    def data(self) -> bytes:
        """All that it sends."""
        return b"".join(step.data for step in self.steps if isinstance(step, Send))

    @property
    def answers(self) -> int:
        """The most final responses that may come."""
        return max((outcome.answers for outcome in self.expect.outcomes), default=1) or 1


must = partial(Case, "must")
"""A failure lets a client harm the server, its files or other clients."""
should = partial(Case, "should")
"""A failure misleads an honest client, or turns it away."""


def may(id: str, title: str, send: bytes | Sequence[Step], source: str) -> Case:
    """Good servers differ: shown, not judged."""
    return Case("may", id, title, send, SHOWN, source)
