"""A case under way on one connection, and how far what came of it is what was expected."""

import time
from collections.abc import Sequence

from uploadlab.conformance.case import ANSWER_S, Case, Do, Outcome, Pause, Send, Step
from uploadlab.conformance.wire import Connection, Response, Unreadable

CONTINUE_S = 3.0


class Conversation:
    """What was sent and what came back."""

    def __init__(self, case: Case, address: tuple[str, int]) -> None:
        """Connect, and do the steps of the case; OSError where it cannot connect."""
        self.case, self.connection = case, Connection(address)
        self.responses: list[Response] = []
        self.left = False
        self.unreadable: str | None = None
        self.new_files = 0
        self.stored: tuple[bool, ...] | None = None
        """For each outcome of the case, whether its contents are stored; None where nobody can look."""
        try:
            all(map(self._do, case.steps))
        except Unreadable as error:
            self.unreadable = str(error)

    def _do(self, step: Step) -> bool:
        """Do one step; return whether the steps after it make sense."""
        connection = self.connection
        match step:
            case Send(data, piece):
                size = piece or len(data) or 1
                return all(connection.send(data[at : at + size]) for at in range(0, len(data), size))
            case Pause(seconds):
                return connection.wait_for_end(seconds) == "open"
            case Do.READ:
                before = len(self.responses)
                self.read(before + 1, ANSWER_S)
                return len(self.responses) > before
            case Do.AWAIT_CONTINUE:
                return connection.continues(CONTINUE_S)
            case Do.FINISH:
                connection.finish_sending()
            case Do.ABORT | Do.LEAVE:
                self.left = True
                connection.abort() if step is Do.ABORT else connection.close()
        return True

    def read(self, most: int, timeout_s: float) -> None:
        """Read responses until there are so many, the connection ends, or the time is over."""
        deadline = time.monotonic() + timeout_s
        try:
            while not self.left and len(self.responses) < most:
                response = self.connection.receive(max(deadline - time.monotonic(), 0.0))
                if response is None:
                    return
                self.responses.append(response)
        except Unreadable as error:
            self.unreadable = str(error)

    @property
    def hangs(self) -> bool:
        """Whether there is neither a response nor an end of the connection."""
        return not self.left and not self.responses and self.unreadable is None and self.connection.state == "open"

    @property
    def said(self) -> str:
        """The statuses that came."""
        return ", ".join(str(response.status) for response in self.responses) or "no response"

    def __str__(self) -> str:
        """As a table shows it."""
        interim = "".join(f"{status}, then " for status in self.connection.interim)
        state = self.connection.state
        how = ", the client left" if self.left else "" if state == "open" else f", {state}"
        files = f", {self.new_files} new file{'s' if self.new_files != 1 else ''}" if self.stored is not None else ""
        return self.unreadable or f"{interim}{self.said}{how}{files}"

    def unsafe(self) -> list[str]:
        """Return in what it breaks the rules that every case must keep."""
        if self.unreadable:
            return [self.unreadable]
        if len(self.responses) > (asked := self.case.answers):
            return [f"{len(self.responses)} responses to {asked} request{'s' if asked > 1 else ''}"]
        return [f"it hangs: neither a response nor a close within {ANSWER_S:g} s"] if self.hangs else []

    def unexpected(self, accepts: Sequence[int]) -> list[str]:
        """Return how it differs from the outcome that is nearest to it; empty when it is one, or any is good."""
        outcomes = self.case.expect.outcomes
        pairs = zip(outcomes, self.stored or (None,) * len(outcomes), strict=True)
        found = [self._difference(one, is_there, accepts) for one, is_there in pairs]
        return [reason for reason in min(found, key=len, default=[]) if reason]

    def _difference(self, outcome: Outcome, is_there: bool | None, accepts: Sequence[int]) -> list[str]:
        if len(self.responses) != outcome.answers:
            return [f"{self.said} instead of {outcome.answers} response{'s' if outcome.answers != 1 else ''}", "", ""]
        found = []
        allowed = outcome.statuses or accepts or range(200, 300)
        if not all(response.status in allowed for response in self.responses):
            found.append(f"the response is {self.said}")
        if is_there is False:
            found.append("a file is not stored as it was sent")
        if outcome.closed and self.connection.state == "open":
            found.append("the connection stays open")
        if outcome.interim is not None and tuple(self.connection.interim) != outcome.interim:
            found.append("100 Continue did not come" if outcome.interim else "100 Continue came unasked")
        return found
