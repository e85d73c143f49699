"""Carries cases out against an endpoint, one after the other, and judges what was seen."""

import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from uploadlab.conformance.case import ANSWER_S, Case
from uploadlab.conformance.cases.names import MARK
from uploadlab.conformance.conversation import Conversation
from uploadlab.conformance.endpoint import Endpoint
from uploadlab.conformance.measures import MEASURES, Stalled, stalled
from uploadlab.conformance.own_process import OWN_PROCESS
from uploadlab.conformance.results import FAILED, PASSED, SHOWN, SKIPPED, Result
from uploadlab.conformance.store import Store, digests, wait_until
from uploadlab.conformance.system import StartedSystem
from uploadlab.conformance.wire import Connection
from uploadlab.errors import LabError

MOST_HANGS, IMPATIENT_S = 10, 3.0
"""A server that did not answer so many cases in time is waited for less, so that the run ends."""
STORED_S = 2.0
SECOND_ANSWER_S, CLOSE_S = 0.15, 2.0
LEFT_S = 10.0
"""What is left of refused uploads must be gone within this time."""
RECOVERY_S = 20.0
SYSTEM = "a SYSTEM that the lab starts on any port and with any folder"
NEEDS = {"store": "--store", "pid": "--pid", "limit": "--max-file-bytes", "system": SYSTEM}
ESCAPES = (Path("/tmp"), Path("/"), Path.home())


class Gone(Exception):
    """The server no longer answers, and nobody can start it again."""


class Runner:
    """Runs cases against one endpoint; a system that the lab started is started again after it ended."""

    def __init__(self, endpoint: Endpoint, system: StartedSystem | None = None) -> None:
        """Remember what is in the store now."""
        self.endpoint, self.system = endpoint, system
        self.store = Store(endpoint.store) if endpoint.store else None
        self.stalled: dict[str, Stalled] = {}
        self.restarts = 0
        self._hangs = 0
        self._left: list[tuple[Result, set[Path]]] = []
        self._outside = {path: _names(path) for path in _outside(endpoint)}

    def run(self, cases: Iterable[Case], report: Callable[[Result], None]) -> list[Result]:
        """Run the cases; return a result for each. What must not stay is looked for at the end."""
        results: list[Result] = []
        gone = ""
        chosen = sorted(cases, key=lambda case: case.measure == "stall")
        self.stalled = {case.id: stalled(case, self.endpoint.address) for case in chosen if case.measure == "stall"}
        for case in chosen:
            result = Result(case=case, endpoint=self.endpoint)
            results.append(result)
            if case.measure == "stall":
                self._judge_what_is_left()  # within the time that stalls are waited for
            if missing := gone or self._missing(case.needs):
                result.verdict, result.reasons = SKIPPED, [missing]
            else:
                try:
                    self._one(result)
                except Gone as error:
                    gone = str(error)
            report(result)
        self._judge_what_is_left()
        return results

    def _missing(self, needs: Iterable[str]) -> str:
        """Return why a case cannot be run here; empty when it can."""
        endpoint = self.endpoint
        there = {
            "store": endpoint.store,
            "pid": endpoint.pid is not None,
            "limit": endpoint.max_file_bytes is not None,
            "system": self.system is not None and self.system.can_be_twice,
        }
        lacking = [NEEDS[need] for need in needs if not there[need]]
        return f"needs {' and '.join(lacking)}" if lacking else ""

    def _one(self, result: Result) -> None:
        began, took, measure = time.monotonic(), True, result.case.measure
        try:
            if measure in OWN_PROCESS and self.system is not None:
                OWN_PROCESS[measure](result, self.system)
            elif measure:
                MEASURES[measure](result, self)
            else:
                took = self._send(result)
        except OSError as error:
            result.fail(f"no connection: {error}")
        except LabError as error:
            result.fail(str(error))
        result.unsafe += self._escaped()
        result.seconds = time.monotonic() - began
        self._require_alive(result)
        if self.store is not None and not took:
            self.note_left(result, self.store.settle())

    def _send(self, result: Result) -> bool:
        """Carry out a conversation; return whether what it stored may stay."""
        case = result.case
        talk = Conversation(case, self.endpoint.address)
        talk.read(case.answers, ANSWER_S if self._hangs < MOST_HANGS else IMPATIENT_S)
        self._hangs += talk.hangs
        if case.group == "smuggling" and talk.responses:
            must_close = any(outcome.closed for outcome in case.expect.outcomes)
            talk.read(case.answers + 1, CLOSE_S if must_close else SECOND_ANSWER_S)
        took = self._look_at_store(talk)
        result.seen, result.reasons = str(talk), talk.unexpected(self.endpoint.statuses)
        result.verdict = SHOWN if case.grade == "may" else FAILED if result.reasons else PASSED
        result.unsafe += talk.unsafe()
        talk.connection.close()
        return took

    def _look_at_store(self, talk: Conversation) -> bool:
        store = self.store
        if store is None:
            return True
        wanted = [digests(outcome.stored) for outcome in talk.case.expect.outcomes]
        hoped = [one for one in wanted if one]
        may_be_lost = any(one.stored and not one.answers for one in talk.case.expect.outcomes)
        took = any(map(self.endpoint.accepts, talk.responses)) or (may_be_lost and not talk.responses)
        if took and hoped:
            wait_until(lambda: any(store.stored() >= one for one in hoped), STORED_S)
        found = store.stored()
        talk.new_files = len(store.new())
        talk.stored = tuple(found >= one for one in wanted)
        if took:
            for one in wanted:
                store.remove(one)
            store.remove_sent([talk.case.data])
            store.settle()
        return took

    def note_left(self, result: Result, files: set[Path]) -> None:
        """Remember files that must not stay, to be judged at the end."""
        if files:
            self._left.append((result, files))

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
        if self.system is not None:
            self.endpoint = self.system.start()
            return
        if self.endpoint.ended():
            self.endpoint = replace(self.endpoint, pid=None)  # who started it again has not told us
        if not wait_until(lambda: self.endpoint.answers(1.0), RECOVERY_S, pause_s=0.1):
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
