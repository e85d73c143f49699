"""`--fuzz N`: damaged requests with good ones between them, held to the rules that every case must keep."""

from __future__ import annotations

import re
import sys
import textwrap
import threading
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

from uploadlab.conformance.case import ANSWER_S, Send
from uploadlab.conformance.mutation import Damage, Fuzzed, fuzzed
from uploadlab.conformance.process import descriptors
from uploadlab.conformance.reproduce import script
from uploadlab.conformance.runner import Gone, Runner
from uploadlab.conformance.shrink import shrunk, with_length
from uploadlab.conformance.store import digests, wait_until
from uploadlab.conformance.wire import Connection, Response, Unreadable, connected

CLIENTS = 4
BATCH = 400
TAG = re.compile(rb"fuzz-(\d+):")
MOST_TRIES = 600
"""To make a fault smaller; what is found by then is shown."""
SPARE_DESCRIPTORS = 10
MOST_ENDED = 5
ENDED, HANGS, LEFT, LOST = (
    "the server ended",
    "it hangs",
    "a file is left of a refused request",
    "a good upload was not stored as sent",
)


@dataclass(frozen=True, kw_only=True)
class Fault:
    """What went wrong, and the request after which it did, where that is known."""

    kind: str
    request: Fuzzed | None = None

    @property
    def grade(self) -> str:
        """An error that the server admits is no more than a should."""
        return "should" if self.kind.startswith("answered with 5") else "must"


@dataclass(kw_only=True)
class Fuzzing:
    """What a run did and found."""

    sent: int = 0
    answers: Counter[str] = field(default_factory=Counter)
    faults: list[Fault] = field(default_factory=list)


def fuzz(runner: Runner, count: int, seed: int) -> int:
    """Send so many damaged requests and as many good ones, print what was found, and return 1 when a must failed."""
    began = time.monotonic()
    done = Fuzzer(runner, seed).run(count)
    kinds = Counter((fault.grade, fault.kind) for fault in done.faults)
    for grade, kind in sorted(kinds):
        _print(runner, grade, kind, kinds[grade, kind], next(fault for fault in done.faults if fault.kind == kind))
    answers = ", ".join(f"{what} {number:,}" for what, number in done.answers.most_common(8))
    print(textwrap.fill(f"responses to damaged requests: {answers}", 80, subsequent_indent="  "))
    musts = sum(number for (grade, _), number in kinds.items() if grade == "must")
    print(
        f"{done.sent:,} damaged and {done.sent:,} good requests in {time.monotonic() - began:.0f} s, seed {seed}: "
        f"must {musts} faults, should {kinds.total() - musts}"
    )
    return 1 if musts else 0


def _print(runner: Runner, grade: str, kind: str, times: int, fault: Fault) -> None:
    print(f"{grade}: {kind} ({times} times)")
    if fault.request is None:
        return
    small, damages = smallest(runner, fault)
    print(f"    request {fault.request.index}, {', '.join(damage.name for damage in damages) or 'no damage'}:")
    print(textwrap.indent(script([Send(small)], runner.endpoint.address), "    "))


def smallest(runner: Runner, fault: Fault) -> tuple[bytes, Sequence[Damage]]:
    """Return the smallest request found that fails alike, and its damages."""
    request = fault.request
    assert request is not None

    tag = request.tag

    def fails(data: bytes) -> bool:
        return attempt(runner, data, tag, 2.5) == fault.kind

    try:
        plain = replace(request, in_chunks=False)
        request = plain if fails(plain.data(plain.damages)) else request
        damages = shrunk(request.damages, lambda some: fails(request.data(some)), tries=MOST_TRIES)
        data = request.data(damages)
        if not fails(data):
            return data, damages
        head, blank, body = data.partition(b"\r\n\r\n")
        if not body or not fails(with_length(data)):
            return shrunk(data, fails, tries=MOST_TRIES), damages
        small = shrunk(body, lambda some: fails(with_length(head + blank + some)), tries=MOST_TRIES)
        return with_length(head + blank + small), damages
    except Gone:
        return request.data(request.damages), request.damages


def attempt(runner: Runner, data: bytes, tag: bytes, timeout_s: float) -> str | None:
    """Send one request alone; return what fault it shows, if any."""
    response = send(runner, data, timeout_s)
    if not runner.endpoint.answers(ANSWER_S):
        runner.recover(ENDED)
        return ENDED
    kind = judge(response)
    if (
        kind is None
        and isinstance(response, Response)
        and not runner.endpoint.accepts(response.status)
        and runner.store is not None
    ):
        wait_until(lambda: not _tagged(runner.store.new()), 1.0)  # type: ignore[union-attr]
        kind = LEFT if any(number == tag for number in _tagged(runner.store.new()).values()) else None
        runner.store.settle()
    return kind


def send(runner: Runner, data: bytes, timeout_s: float) -> Response | str:
    """Send one request on a connection of its own; return the response, or what happened instead."""
    try:
        with connected(runner.endpoint.address, timeout_s=timeout_s) as connection:
            connection.send(data)
            response = connection.receive(0.02)
            if response is None and connection.state == "open":
                connection.finish_sending()
                response = connection.receive()
            return response or ("silent" if connection.state == "open" else "closed")
    except OSError:
        return "no connection"
    except Unreadable as error:
        return f"unreadable: {error}"


def judge(response: Response | str) -> str | None:
    """Return the fault that a response shows, if any."""
    if isinstance(response, Response):
        return (
            f"answered with {response.status}" if response.status >= 500 and response.status not in (501, 505) else None
        )
    return {"silent": HANGS, "closed": None, "no connection": ENDED}.get(response, "what it says is not HTTP")


def _tagged(paths: set[Path]) -> dict[Path, bytes]:
    """Return the files whose data begin with the tag of a fuzzed request, and the tag."""
    found = {}
    for path in paths:
        try:
            with path.open("rb") as file:
                if match := TAG.match(file.read(30)):
                    found[path] = match[0]
        except OSError:
            continue
    return found


class Fuzzer:
    """Sends them with a few clients at once, in batches after which the store is looked at."""

    def __init__(self, runner: Runner, seed: int) -> None:
        self._runner = runner
        self._seed = seed
        self._kept: dict[int, Connection] = {}
        self._done = Fuzzing()

    def run(self, count: int) -> Fuzzing:
        """Send; stop early where the server ends again and again."""
        done, said = self._done, time.monotonic()
        before = self._descriptors()
        with ThreadPoolExecutor(CLIENTS) as pool:
            for start in range(0, count, BATCH):
                batch = [
                    fuzzed(self._runner.endpoint.forms, self._seed, index)
                    for index in range(start, min(start + BATCH, count))
                ]
                responses = list(pool.map(self._pair, batch))
                done.sent += len(batch)
                try:
                    self._judge(batch, responses)
                except Gone as error:
                    done.faults.append(Fault(kind=str(error)))
                    break
                if sum(fault.kind == ENDED for fault in done.faults) >= MOST_ENDED:
                    break
                if time.monotonic() - said > 5:
                    said = time.monotonic()
                    print(f"{done.sent:,} of {count:,}, {len(done.faults)} faults", file=sys.stderr)
        for connection in self._kept.values():
            connection.close()
        if before is not None:
            wait_until(lambda: (self._descriptors() or 0) <= before + SPARE_DESCRIPTORS, ANSWER_S, pause_s=0.1)
            after = self._descriptors() or 0
            if after > before + SPARE_DESCRIPTORS and not self._runner.restarts:
                done.faults.append(Fault(kind=f"{before} descriptors before, {after} after"))
        return done

    def _descriptors(self) -> int | None:
        pid = self._runner.endpoint.pid
        return descriptors(pid) if pid is not None else None

    def _good(self, index: int) -> bytes:
        return b"good-%d:" % index + bytes(range(256)) * (index % 40)

    def _pair(self, request: Fuzzed) -> tuple[Response | str, Response | str]:
        """Send a damaged request, and a good one on the connection that this client keeps."""
        response = send(self._runner, request.data(request.damages), ANSWER_S)
        forms = self._runner.endpoint.forms
        return response, self._keep(forms.upload(forms.file(self._good(request.index))))

    def _keep(self, data: bytes) -> Response | str:
        kept = self._kept.pop(threading.get_ident(), None)
        for connection in (kept, None):
            try:
                connection = connection or Connection(self._runner.endpoint.address)
                if connection.send(data) and (response := connection.receive()) is not None:
                    if response.closes:
                        connection.close()
                    else:
                        self._kept[threading.get_ident()] = connection
                    return response
                connection.close()
            except (OSError, Unreadable):
                continue
        return "no response"

    def _judge(self, batch: Sequence[Fuzzed], pairs: Sequence[tuple[Response | str, Response | str]]) -> None:
        done, runner = self._done, self._runner
        if not runner.endpoint.answers(ANSWER_S) or any(first == "no connection" for first, _ in pairs):
            self._find_the_end(batch, pairs)
            return
        refused = {}
        for request, (response, good) in zip(batch, pairs, strict=True):
            done.answers[response if isinstance(response, str) else str(response.status)] += 1
            if kind := judge(response):
                done.faults.append(Fault(kind=kind, request=request))
            if not isinstance(good, Response) or not runner.endpoint.accepts(good.status):
                done.faults.append(
                    Fault(kind=f"a good upload beside it: {good if isinstance(good, str) else good.status}")
                )
            if isinstance(response, Response) and not runner.endpoint.accepts(response.status):
                refused[request.tag] = request
        self._look_at_store(batch, pairs, refused)

    def _look_at_store(
        self,
        batch: Sequence[Fuzzed],
        pairs: Sequence[tuple[Response | str, Response | str]],
        refused: dict[bytes, Fuzzed],
    ) -> None:
        done, store = self._done, self._runner.store
        if store is None:
            return
        sent = digests(
            self._good(request.index)
            for request, (_, good) in zip(batch, pairs, strict=True)
            if isinstance(good, Response) and self._runner.endpoint.accepts(good.status)
        )
        if not store.wait_for(sent, 2.0) >= sent:
            done.faults.append(Fault(kind=LOST))
        store.remove(sent)
        store.remove_sent(
            request.data(request.damages)
            for request, (response, _) in zip(batch, pairs, strict=True)
            if isinstance(response, Response) and self._runner.endpoint.accepts(response.status)
        )
        wait_until(lambda: not set(_tagged(store.new()).values()) & set(refused), ANSWER_S)
        for path, tag in _tagged(store.new()).items():
            if tag in refused:
                done.faults.append(Fault(kind=LEFT, request=refused[tag]))
            path.unlink(missing_ok=True)
        store.settle()

    def _find_the_end(self, batch: Sequence[Fuzzed], pairs: Sequence[tuple[Response | str, Response | str]]) -> None:
        """Have the server back, and send again what was sent before it was gone, the last first, one by one."""
        gone = (number for number, (response, _) in enumerate(pairs) if response == "no connection")
        self._runner.recover(ENDED)
        for request in reversed(batch[: next(gone, len(batch)) + CLIENTS]):
            if attempt(self._runner, request.data(request.damages), request.tag, ANSWER_S) == ENDED:
                self._done.faults.append(Fault(kind=ENDED, request=request))
                return
        self._done.faults.append(Fault(kind=ENDED))
