"""Carries cases out against an endpoint, one after the other, and judges what was seen."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from uploadlab.conformance.case import (
    ANSWER_S,
    Abort,
    AwaitAnswer,
    AwaitContinue,
    Case,
    FinishSending,
    Leave,
    Observation,
    Pause,
    Pieces,
    Send,
    Step,
    unexpected,
    unsafe,
)
from uploadlab.conformance.cases.names import MARK
from uploadlab.conformance.endpoint import Endpoint
from uploadlab.conformance.measures import Measures
from uploadlab.conformance.results import FAILED, PASSED, SHOWN, SKIPPED, Result
from uploadlab.conformance.store import Store, digests, wait_until
from uploadlab.conformance.wire import Connection, Response, Unreadable

MOST_HANGS, IMPATIENT_S = 10, 3.0
"""A server that did not answer so many cases in time is waited for less, so that the run ends."""
STORED_S = 2.0
SECOND_ANSWER_S = 0.15
LEFT_S = 10.0
"""What is left of refused uploads must be gone within this time."""
RECOVERY_S = 20.0
ESCAPES = (Path("/tmp"), Path("/"), Path.home())


class Gone(Exception):
    """The server no longer answers, and nobody can start it again."""


@dataclass(kw_only=True)
class Conversation:
    """A case under way."""

    case: Case
    result: Result
    connection: Connection
    began: float
    responses: list[Response] = field(default_factory=list)
    left: bool = False
    unreadable: str | None = None
    new_files: int = 0
    stored: tuple[bool, ...] | None = None
    files: set[Path] = field(default_factory=set)

    @property
    def silent(self) -> bool:
        """Whether it waits for an answer that may still come."""
        return not self.left and not self.responses and self.unreadable is None and self.connection.state == "open"

    def listen(self, timeout_s: float) -> None:
        """Read answers until there are as many as there may be, the connection ends, or the time is over."""
        deadline = time.monotonic() + timeout_s
        wanted = max((outcome.answers for outcome in self.case.expect.outcomes), default=1)
        try:
            while not self.left and len(self.responses) < max(wanted, 1):
                response = self.connection.receive(max(deadline - time.monotonic(), 0.0))
                if response is None:
                    return
                self.responses.append(response)
        except Unreadable as error:
            self.unreadable = str(error)

    def look_for_more(self, closing: bool) -> None:
        """See whether more answers come than were asked for, and whether the connection ends."""
        try:
            while self.connection.state == "open" or self.connection.unread:
                response = self.connection.receive(2.0 if closing else SECOND_ANSWER_S)
                if response is None:
                    return
                self.responses.append(response)
        except Unreadable as error:
            self.unreadable = str(error)

    def observation(self) -> Observation:
        """Return what was seen so far."""
        return Observation(
            responses=tuple(self.responses),
            interim=tuple(self.connection.interim),
            connection="left" if self.left else self.connection.state,
            unreadable=self.unreadable,
            stored=self.stored,
            new_files=self.new_files,
        )


class Runner:
    """Runs cases against one endpoint. `restart` starts the server again after it ended, where the lab can."""

    def __init__(self, endpoint: Endpoint, restart: Callable[[], Endpoint] | None = None) -> None:
        """Remember what is in the store now."""
        self.endpoint = endpoint
        self.store = Store(endpoint.store) if endpoint.store else None
        self.restarts = 0
        self._restart = restart
        self._hangs = 0
        self._left: list[tuple[Result, set[Path]]] = []
        self._outside = {path: _names(path) for path in _outside(endpoint)}

    def run(self, cases: Iterable[Case], report: Callable[[Result], None]) -> list[Result]:
        """Run the cases; return a result for each. What must not stay is looked for at the end."""
        results: list[Result] = []
        measures = Measures(self)
        gone = ""
        chosen = list(cases)
        measures.begin_stalls(case for case in chosen if case.measure == "stall")
        for case in sorted(chosen, key=lambda case: case.measure == "stall"):
            result = Result(case=case, endpoint=self.endpoint)
            results.append(result)
            if case.measure == "stall":
                self._judge_what_is_left()  # within the time that stalls are waited for
            missing = gone or self.missing(case.needs)
            if missing:
                result.verdict, result.reasons = SKIPPED, [missing]
            else:
                try:
                    self._one(result, measures)
                except Gone as error:
                    gone = str(error)
            report(result)
        self._judge_what_is_left()
        return results

    def missing(self, needs: Iterable[str]) -> str:
        """Return why a case cannot be run here; empty when it can."""
        endpoint = self.endpoint
        options = {
            "store": ("--store", bool(endpoint.store)),
            "pid": ("--pid", endpoint.pid is not None),
            "limit": ("--max-file-bytes", endpoint.max_file_bytes is not None),
        }
        lacking = [options[need][0] for need in needs if not options[need][1]]
        return f"needs {' and '.join(lacking)}" if lacking else ""

    def _one(self, result: Result, measures: Measures) -> None:
        began, took = time.monotonic(), True
        try:
            if result.case.measure:
                measures.run(result)
            else:
                took = self._send(result)
        except OSError as error:
            result.verdict, result.reasons = FAILED, [f"no connection: {error}"]
        result.unsafe += self._escaped()
        result.seconds = time.monotonic() - began
        self._require_alive(result)
        if self.store is not None and not took:
            self.note_left(result, self.store.settle())

    def _send(self, result: Result) -> bool:
        """Carry out a conversation; return whether what it stored may stay."""
        talk = self.converse(result)
        talk.listen(ANSWER_S if self._hangs < MOST_HANGS else IMPATIENT_S)
        self._hangs += talk.silent
        if result.case.group == "smuggling" and talk.responses:
            talk.look_for_more(any(outcome.closed for outcome in result.case.expect.outcomes))
        took = self._look_at_store(talk)
        self._judge(talk)
        talk.connection.close()
        return took

    def converse(self, result: Result) -> Conversation:
        """Connect and do the steps of a case."""
        talk = Conversation(
            case=result.case, result=result, connection=Connection(self.endpoint.address), began=time.monotonic()
        )
        try:
            for step in result.case.steps:
                if not _do(step, talk):
                    break
        except Unreadable as error:
            talk.unreadable = str(error)
        return talk

    def _look_at_store(self, talk: Conversation) -> bool:
        store = self.store
        if store is None:
            return True
        wanted = [digests(outcome.stored) for outcome in talk.case.expect.outcomes]
        hoped = [one for one in wanted if one]
        took = any(self.endpoint.accepts(response.status) for response in talk.responses)
        if not talk.responses and any(one.stored and not one.answers for one in talk.case.expect.outcomes):
            took = True  # the upload was complete, its response was lost
        if took and hoped:
            wait_until(lambda: any(store.stored() >= one for one in hoped), STORED_S)
        found = store.stored()
        talk.new_files = len(store.new())
        talk.stored = tuple(found >= one for one in wanted)
        if took:
            for one in wanted:
                store.remove(one)
            store.remove_sent([b"".join(step.data for step in talk.case.steps if isinstance(step, Send | Pieces))])
            store.settle()
        return took

    def note_left(self, result: Result, files: set[Path]) -> None:
        """Remember files that must not stay, to be judged at the end."""
        if files:
            self._left.append((result, files))

    def _judge(self, talk: Conversation) -> None:
        case, result, seen = talk.case, talk.result, talk.observation()
        result.seen = str(seen)
        result.reasons = [reason for reason in unexpected(case, seen, self.endpoint.statuses or None) if reason]
        result.verdict = SHOWN if case.grade == "may" else FAILED if result.reasons else PASSED
        result.unsafe += unsafe(case, seen)

    def _escaped(self) -> list[str]:
        """Return the files that a name carried out of the store, and forget them."""
        found = []
        for folder, before in self._outside.items():
            for name in _names(folder) - before:
                found.append(f"a file was written outside the store: {folder / name}")
                before.add(name)
        return found

    def _require_alive(self, result: Result) -> None:
        """Record it when the server ended or no longer answers after a case, and have it back for the next."""
        if self.endpoint.answers(ANSWER_S) and not self.endpoint.ended():
            return
        silent = not self.endpoint.ended() and _takes_connections(self.endpoint)
        what = f"the whole server is silent for {ANSWER_S:g} s" if silent else "the server ended"
        result.unsafe.append(what)
        self.recover(f"{what} after {result.case.id}")

    def recover(self, why: str) -> None:
        """Start the server again, or wait until somebody did; raise Gone where nobody does."""
        self.restarts += 1
        if self._restart is not None:
            self.endpoint = self._restart()
        elif self.endpoint.ended():
            self.endpoint = replace(self.endpoint, pid=None)  # who started it again has not told us
        if self._restart is None and not wait_until(lambda: self.endpoint.answers(1.0), RECOVERY_S, pause_s=0.1):
            raise Gone(f"{why}, and was not back within {RECOVERY_S:g} s")

    def _judge_what_is_left(self) -> None:
        noted, self._left = self._left, []
        if noted:
            wait_until(lambda: not any(path.exists() for _, files in noted for path in files), LEFT_S)
        for result, files in noted:
            if left := sorted(path.name for path in files if path.exists()):
                more = f" and {len(left) - 1} more" if len(left) > 1 else ""
                result.unsafe.append(
                    f"nothing was accepted, but {left[0]}{more} is left in the store after {LEFT_S:g} s"
                )


def _do(step: Step, talk: Conversation) -> bool:
    """Do one step; return whether the steps after it make sense."""
    connection = talk.connection
    match step:
        case Send(data):
            return connection.send(data)
        case Pieces(data, piece):
            return all(connection.send(data[start : start + piece]) for start in range(0, len(data), piece))
        case Pause(seconds):
            return connection.wait_for_end(seconds) == "open"
        case AwaitAnswer():
            response = connection.receive()
            if response is not None:
                talk.responses.append(response)
            return response is not None
        case AwaitContinue():
            return connection.continues(3.0)
        case FinishSending():
            connection.finish_sending()
        case Abort() | Leave():
            talk.left = True
            connection.abort() if isinstance(step, Abort) else connection.close()
    return True


def _takes_connections(endpoint: Endpoint) -> bool:
    with suppress(OSError):
        Connection(endpoint.address, timeout_s=2.0).close()
        return True
    return False


def _outside(endpoint: Endpoint) -> list[Path]:
    """Return the folders in which a name that leaves the store would show: those above it, and a few that are known."""
    above = [parent for folder in endpoint.store for parent in list(folder.parents)[:3]]
    return [path for path in dict.fromkeys((*above, *ESCAPES)) if path not in endpoint.store] if endpoint.store else []


def _names(folder: Path) -> set[str]:
    with suppress(OSError):
        return {path.name for path in folder.iterdir() if MARK in path.name}
    return set()
