"""What many requests leave behind, and what they do to others at the same time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import TYPE_CHECKING

from uploadlab.conformance.case import ANSWER_S, Case, Send
from uploadlab.conformance.cases.lasting import ONE, STORED
from uploadlab.conformance.process import descriptors, resident_bytes
from uploadlab.conformance.results import FAILED, Result
from uploadlab.conformance.store import digests, wait_until
from uploadlab.conformance.wire import Connection, Response, Unreadable, connected

if TYPE_CHECKING:
    from uploadlab.conformance.runner import Runner

SPARE_DESCRIPTORS = 10
SETTLE_S = 10.0
MOST_ROUNDS = 10
MOST_GROWTH_BYTES = 4 << 20
"""A round of uploads after which the process holds so much more has grown; it may in every round but one."""
STALL_S = 95.0
"""Node.js looks every 30 s for heads older than 60 s; other servers cut sooner, or never."""


class Measures:
    """Carries out the cases that are repeated."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self._stalled: dict[str, tuple[Connection, float]] = {}
        self._measures: dict[str, Callable[[Result], None]] = {
            "descriptors": self._descriptors,
            "memory": self._memory,
            "store": self._store,
            "beside": self._beside,
            "together": self._together,
            "stall": self._stall,
        }

    def run(self, result: Result) -> None:
        """Carry out one case."""
        self._measures[result.case.measure](result)

    def begin_stalls(self, cases: Iterable[Case]) -> None:
        """Open the connections on which nothing more will come; they are looked at in the end."""
        for case in cases:
            connection = Connection(self._runner.endpoint.address)
            for step in case.steps:
                if isinstance(step, Send):
                    connection.send(step.data)
            self._stalled[case.id] = (connection, time.monotonic())

    def _repeat(self, result: Result) -> list[Connection]:
        connections = []
        for _ in range(result.case.repeat):
            connections.append(self._runner.converse(result).connection)
            connections[-1].close()
        return connections

    def _descriptors(self, result: Result) -> None:
        endpoint = self._runner.endpoint
        assert endpoint.pid is not None
        pid = endpoint.pid
        endpoint.answers()
        before = descriptors(pid)
        self._repeat(result)
        wait_until(lambda: descriptors(pid) <= before + SPARE_DESCRIPTORS, SETTLE_S, pause_s=0.05)
        after = descriptors(pid)
        result.seen = f"{before} descriptors before, {after} after {result.case.repeat}"
        if after > before + SPARE_DESCRIPTORS:
            _fail(result, f"{after - before} descriptors more after {result.case.repeat} requests")
        self._forget_files()

    def _memory(self, result: Result) -> None:
        """Repeat until a round adds little; what adds much in every round is a leak."""
        pid = self._runner.endpoint.pid
        assert pid is not None
        held = []
        for _ in range(MOST_ROUNDS):
            self._repeat(result)
            time.sleep(0.1)
            held.append(resident_bytes(pid))
            self._forget_files()
            if len(held) > 1 and held[-1] - held[-2] < MOST_GROWTH_BYTES:
                break
        else:
            _fail(result, f"the process grew in each of {MOST_ROUNDS} rounds of {result.case.repeat} requests")
        result.seen = f"{', '.join(str(each >> 20) for each in held)} MiB after each round of {result.case.repeat}"

    def _store(self, result: Result) -> None:
        """Repeat; what is new when the server has closed its connections must be gone in the end."""
        store, pid = self._runner.store, self._runner.endpoint.pid
        assert store is not None
        before = descriptors(pid) if pid is not None else 0
        accepted = [connection for connection in self._repeat(result) if self._accepted(connection)]
        time.sleep(0.1)
        if pid is not None:
            wait_until(lambda: descriptors(pid) <= before, 2.0)
        found = store.settle()
        result.seen = f"{len(found)} files when the client was gone"
        if accepted:
            result.seen = f"accepted before the client was gone, {len(found)} files"
        else:
            self._runner.note_left(result, found)

    def _accepted(self, connection: Connection) -> bool:
        """Whether the upload had been accepted when the client left."""
        try:
            answer = connection.receive(0.0)
        except Unreadable:
            return False
        return answer is not None and self._runner.endpoint.accepts(answer.status)

    def _forget_files(self) -> None:
        """Delete what these uploads stored, and take what else is new as known."""
        if self._runner.store is not None:
            self._runner.store.remove(digests(STORED))
            self._runner.store.settle()

    def _beside(self, result: Result) -> None:
        with ExitStack() as stack:
            for _ in range(result.case.repeat):
                connection = stack.enter_context(connected(self._runner.endpoint.address))
                for step in result.case.steps:
                    if isinstance(step, Send):
                        connection.send(step.data, 0.2)
            began = time.monotonic()
            forms = self._runner.endpoint.forms
            response = self._upload(forms.upload(forms.file(ONE)))
            result.seen = f"{_said(response)} after {time.monotonic() - began:.1f} s"
        if not isinstance(response, Response) or not self._runner.endpoint.accepts(response.status):
            _fail(result, f"the upload beside them: {_said(response)}")
        time.sleep(0.2)
        self._forget_files()

    def _together(self, result: Result) -> None:
        case, endpoint, store = result.case, self._runner.endpoint, self._runner.store
        data = b"".join(step.data for step in case.steps if isinstance(step, Send))
        with ThreadPoolExecutor(case.repeat) as pool:
            responses = list(pool.map(self._upload, [data] * case.repeat))
        bad = [one for one in responses if not isinstance(one, Response) or not endpoint.accepts(one.status)]
        result.seen = ", ".join(sorted({_said(one) for one in responses}))
        if bad:
            _fail(result, f"{len(bad)} of {case.repeat}: {_said(bad[0])}")
        elif store is not None:
            wanted = digests(case.expect.outcomes[0].stored * case.repeat)
            if not store.wait_for(wanted, 2.0) >= wanted:
                _fail(result, "not every file is stored as it was sent")
        self._forget_files()

    def _upload(self, data: bytes) -> Response | str:
        try:
            with connected(self._runner.endpoint.address) as connection:
                connection.send(data)
                return connection.receive(ANSWER_S) or "no response"
        except (OSError, Unreadable) as error:
            return str(error)

    def _stall(self, result: Result) -> None:
        connection, began = self._stalled.pop(result.case.id)
        response = None
        try:
            response = connection.receive(max(began + STALL_S - time.monotonic(), 0.0))
        except Unreadable as error:
            result.unsafe.append(str(error))
        if response is None and connection.state == "open":
            _fail(result, f"still open after {STALL_S:g} s")
        result.seen = f"{_said(response or connection.state)} within {time.monotonic() - began:.0f} s"
        connection.close()


def _said(response: Response | str) -> str:
    return str(response.status) if isinstance(response, Response) else response


def _fail(result: Result, reason: str) -> None:
    result.verdict = FAILED
    result.reasons.append(reason)
