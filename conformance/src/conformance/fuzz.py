"""Sends fuzzed requests and holds the server to the general rules: an answer, no 5xx, nothing left, still serving."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from conformance.mutation import FuzzedRequest, fuzzed_request
from conformance.store import Store, digests
from conformance.target import Target, wait_until
from conformance.wire import Connection, Response, Unreadable, connected, healthy

CLIENTS = 4
BATCH = 500
ALLOWED_5XX = {501, 505}  # rows H10, H17 and H22 leave them to the HTTP parser
SETTLE_S = 10.0
SPARE_DESCRIPTORS = 5
MOST_FAULTS = 20


@dataclass(frozen=True)
class Fault:
    """A request after which a rule did not hold."""

    index: int | None
    what: str


@dataclass(kw_only=True)
class FuzzReport:
    """What a fuzzing run did and found."""

    requests: int = 0
    seconds: float = 0.0
    answers: Counter[str] = field(default_factory=Counter)
    judged: int = 0
    stored: int = 0
    faults: list[Fault] = field(default_factory=list)
    descriptors: tuple[int, int] | None = None


class Fuzzer:
    """Keeps a connection for each client as long as the server does."""

    def __init__(self, target: Target, store: Store, seed: int) -> None:
        """Prepare; nothing is sent yet."""
        self.target = target
        self.seed = seed
        self._store = store
        self._kept: dict[int, Connection] = {}
        self.timeout_s = 4 * target.limits.idle_timeout_ms / 1000 + 5.0

    def run(self, indexes: Iterable[int], progress: Callable[[FuzzReport], None]) -> FuzzReport:
        """Send the requests of these indexes; stop early when there are many faults."""
        report = FuzzReport()
        before = self._descriptors()
        began = time.monotonic()
        pending = list(indexes)
        with ThreadPoolExecutor(CLIENTS) as pool:
            for start in range(0, len(pending), BATCH):
                batch = [
                    fuzzed_request(self.seed, index, self.target.limits) for index in pending[start : start + BATCH]
                ]
                responses = list(pool.map(self._exchange, batch))
                self._judge_batch(batch, responses, report)
                report.requests += len(batch)
                report.seconds = time.monotonic() - began
                progress(report)
                if len(report.faults) >= MOST_FAULTS:
                    break
        self._finish(report, before)
        return report

    def send(self, request: FuzzedRequest) -> Response | str:
        """Send one request on a connection of its own; return the answer, or what happened instead."""
        with connected(self.target.address, timeout_s=self.timeout_s) as connection:
            return self._attempt(request, connection)

    def _exchange(self, request: FuzzedRequest) -> Response | str:
        """Send one request on the connection that this client kept, or on a new one."""
        kept = self._kept.pop(threading.get_ident(), None)
        connection = kept or self._connect()
        seen = self._attempt(request, connection)
        if seen == "closed" and kept is not None:  # an idle connection may be closed at any time
            kept.close()
            connection = self._connect()
            seen = self._attempt(request, connection)
        keep = isinstance(seen, Response) and seen.status == 200 and not request.finishes and not seen.closes
        if keep and connection.state == "open" and not connection.unread:
            self._kept[threading.get_ident()] = connection
        else:
            connection.close()
        return seen

    def _connect(self) -> Connection:
        return Connection(self.target.address, timeout_s=self.timeout_s)

    def _attempt(self, request: FuzzedRequest, connection: Connection) -> Response | str:
        connection.head_only = request.head_only
        try:
            connection.send(request.data)
            response = None if not request.finishes else connection.receive(0.01)
            if request.finishes and response is None:
                connection.finish_sending()
            response = response or connection.receive()
        except Unreadable as error:
            return f"unreadable: {error}"
        if response is not None:
            return response
        return "silent" if connection.state == "open" else "closed"

    def _judge_batch(self, batch: list[FuzzedRequest], seen: list[Response | str], report: FuzzReport) -> None:
        sure: Counter[str] = Counter()
        possible = 0
        for request, answer in zip(batch, seen, strict=True):
            label = answer if isinstance(answer, str) else answer.short
            report.answers[label] += 1
            fault = judge_answer(request, answer)
            if fault:
                report.faults.append(Fault(request.index, fault))
            if request.verdicts is not None:
                report.judged += 1
            contents = {verdict.files for verdict in request.verdicts or () if verdict.code is None}
            if isinstance(answer, Response) and answer.status == 200 and len(contents) == 1:
                sure += digests(next(iter(contents)))
            elif isinstance(answer, str) or answer.status == 200:
                possible += 2
        found = self._store.wait_until(
            lambda now: not now.strays and now.stored >= sure and (now.stored - sure).total() <= possible, SETTLE_S
        )
        report.stored += found.stored.total()
        report.faults += [Fault(None, f"left behind after batch: {name}") for name in found.strays]
        if sure - found.stored:
            missing = ", ".join(self._owners(batch, sure - found.stored))
            report.faults.append(Fault(None, f"answered with 200 but not stored as sent: requests {missing}"))
        if (found.stored - sure).total() > possible:
            first, last = batch[0].index, batch[-1].index
            report.faults.append(Fault(None, f"stored without a 200 in the requests {first} to {last}"))
        self._store.clear()

    def _owners(self, batch: list[FuzzedRequest], missing: Counter[str]) -> list[str]:
        return [
            str(request.index)
            for request in batch
            if any(digests(verdict.files) & missing for verdict in request.verdicts or ())
        ]

    def _finish(self, report: FuzzReport, before: int | None) -> None:
        for connection in self._kept.values():
            connection.close()
        if not wait_until(lambda: healthy(self.target.address), SETTLE_S):
            report.faults.append(Fault(None, "the server is not healthy afterwards"))
            return
        if before is None:
            return
        wait_until(lambda: (self._descriptors() or 0) <= before + SPARE_DESCRIPTORS, SETTLE_S, pause_s=0.1)
        report.descriptors = (before, self._descriptors() or 0)
        if report.descriptors[1] > before + SPARE_DESCRIPTORS:
            report.faults.append(Fault(None, f"{before} descriptors before, {report.descriptors[1]} after"))

    def _descriptors(self) -> int | None:
        if self.target.pid is None:
            return None
        healthy(self.target.address)
        return self.target.usage().descriptors


def judge_answer(request: FuzzedRequest, answer: Response | str) -> str | None:
    """Return what is wrong with an answer, if anything."""
    if answer == "silent":
        return "no answer and no close: it hangs"
    if isinstance(answer, str):
        if answer == "closed" and request.verdicts is None:
            return None
        return f"no answer: {answer}"
    if answer.status >= 500 and answer.status not in ALLOWED_5XX:
        return f"answered {answer.status} {answer.error_code}"
    if request.verdicts is not None:
        allowed = {(verdict.status, verdict.code) for verdict in request.verdicts}
        got = (answer.status, None if answer.status == 200 else answer.error_code)
        if got not in allowed:
            wanted = " or ".join(f"{status} {code or ''}".strip() for status, code in sorted(allowed, key=str))
            return f"expected {wanted}, got {answer.short}"
    return None
