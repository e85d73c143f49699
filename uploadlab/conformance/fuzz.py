"""`--fuzz N`: damaged requests with good ones between them, held to the rules of every case, and made small."""

import re
import sys
import textwrap
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, TypeVar

from uploadlab.conformance.case import ANSWER_S, Send
from uploadlab.conformance.measures import SPARE_DESCRIPTORS
from uploadlab.conformance.mutation import Damage, Fuzzed, fuzzed
from uploadlab.conformance.process import descriptors
from uploadlab.conformance.reproduce import script
from uploadlab.conformance.runner import Gone, Runner
from uploadlab.conformance.store import Store, digests, wait_until
from uploadlab.conformance.wire import Connection, Response, Unreadable, exchanged, said

CLIENTS, BATCH, MOST_ENDED = 4, 400, 5
TAG = re.compile(rb"fuzz-(\d+):")
MOST_TRIES = 600
"""To make a fault smaller; what is found by then is shown."""
ENDED, HANGS = "the server ended", "it hangs"
T = TypeVar("T", bound=Sequence[object])
LEFT, LOST = "a file is left of a refused request", "a good upload was not stored as sent"


class Fault(NamedTuple):
    """What went wrong, and the request after which it did, where that is known."""

    kind: str
    request: Fuzzed | None

    @property
    def grade(self) -> str:
        """An error that the server admits is no more than a should."""
        return "should" if self.kind.startswith("answered with 5") else "must"


class Pair(NamedTuple):
    """A damaged request and what came of it, and what came of the good one behind it."""

    request: Fuzzed
    response: Response | str
    good: Response | str


def fuzz(runner: Runner, count: int, seed: int) -> int:
    """Send so many damaged requests and as many good ones, print what was found, and return 1 when a must failed."""
    began, fuzzer = time.monotonic(), Fuzzer(runner, seed)
    fuzzer.run(count)
    kinds = Counter((fault.grade, fault.kind) for fault in fuzzer.faults)
    for grade, kind in sorted(kinds):
        _print(runner, grade, kind, kinds[grade, kind], next(fault for fault in fuzzer.faults if fault.kind == kind))
    answers = ", ".join(f"{what} {number:,}" for what, number in fuzzer.answers.most_common(8))
    print(textwrap.fill(f"responses to damaged requests: {answers}", 80, subsequent_indent="  "))
    sent, musts = fuzzer.answers.total(), sum(fault.grade == "must" for fault in fuzzer.faults)
    took = f"{sent:,} damaged and {sent:,} good requests in {time.monotonic() - began:.0f} s, seed {seed}"
    print(f"{took}: must {musts} faults, should {len(fuzzer.faults) - musts}")
    return 1 if musts else 0


def _print(runner: Runner, grade: str, kind: str, times: int, fault: Fault) -> None:
    print(f"{grade}: {kind} ({times} times)")
    if fault.request is not None:
        small, damages = smallest(runner, fault.request, kind)
        print(f"    request {fault.request.index}, {', '.join(damage.name for damage in damages) or 'no damage'}:")
        print(textwrap.indent(script([Send(small)], runner.endpoint.address), "    "))


def smallest(runner: Runner, request: Fuzzed, kind: str) -> tuple[bytes, Sequence[Damage]]:
    """Return the smallest request found that fails alike, and its damages."""
    tag = request.tag

    def fails(data: bytes) -> bool:
        return attempt(runner, data, tag, 2.5) == kind

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


def shrunk(whole: T, fails: Callable[[T], bool], *, tries: int) -> T:
    """Leave out ever smaller pieces of a sequence as long as it still fails; at most so many tries."""
    size, start, before = max(len(whole) // 2, 1), 0, len(whole)
    while tries and len(whole) > 1:
        smaller = whole[:start] + whole[start + size :]  # type: ignore[operator]  # bytes or lists, which add up
        tries -= 1
        if fails(smaller):
            whole = smaller
        else:
            start += size
        if start >= len(whole):
            if size == 1 and len(whole) == before:
                break
            size, start, before = max(size // 2, 1), 0, len(whole)
    return whole


def with_length(data: bytes) -> bytes:
    """Return a request whose Content-Length fits its body again, where it had one that a shrunk body made false."""
    head, blank, body = data.partition(b"\r\n\r\n")
    return re.sub(rb"(?i)(\r\ncontent-length:)[^\r]*", rb"\1 %d" % len(body), head) + blank + body


def attempt(runner: Runner, data: bytes, tag: bytes, timeout_s: float) -> str | None:
    """Send one request alone; return what fault it shows, if any."""
    response, store = send(runner, data, timeout_s), runner.store
    if not runner.endpoint.answers(ANSWER_S):
        runner.recover(ENDED)
        return ENDED
    kind = judge(response)
    if kind is None and isinstance(response, Response) and not runner.endpoint.accepts(response) and store is not None:
        kind = None if wait_until(lambda: tag not in _tagged(store.new()).values(), 1.0) else LEFT
        store.settle()
    return kind


def send(runner: Runner, data: bytes, timeout_s: float) -> Response | str:
    """Send one request on a connection of its own; return the response, or what happened instead."""
    try:
        with closing(Connection(runner.endpoint.address, timeout_s)) as connection:
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
        self._runner, self._seed = runner, seed
        self.answers: Counter[str] = Counter()
        self.faults: list[Fault] = []

    def run(self, count: int) -> None:
        """Send; stop early where the server ends again and again."""
        shown_s, before = time.monotonic(), self._descriptors()
        with ThreadPoolExecutor(CLIENTS) as pool:
            for start in range(0, count, BATCH):
                pairs = list(pool.map(self._pair, range(start, min(start + BATCH, count))))
                self.answers.update(said(pair.response) for pair in pairs)
                try:
                    self._judge(pairs)
                except Gone as error:
                    self._found(str(error))
                    break
                if sum(fault.kind == ENDED for fault in self.faults) >= MOST_ENDED:
                    break
                if time.monotonic() - shown_s > 5:
                    shown_s = time.monotonic()
                    print(f"{self.answers.total():,} of {count:,}, {len(self.faults)} faults", file=sys.stderr)
        if not self._runner.restarts and not wait_until(
            lambda: self._descriptors() <= before + SPARE_DESCRIPTORS, ANSWER_S, pause_s=0.1
        ):
            self._found(f"{before} descriptors before, {self._descriptors()} after")

    def _found(self, kind: str, request: Fuzzed | None = None) -> None:
        self.faults.append(Fault(kind, request))

    def _descriptors(self) -> int:
        pid = self._runner.endpoint.pid
        return descriptors(pid) if pid is not None else 0

    def _good(self, index: int) -> bytes:
        return b"good-%d:" % index + bytes(range(256)) * (index % 40)

    def _pair(self, index: int) -> Pair:
        """Send a damaged request, and a good one."""
        endpoint = self._runner.endpoint
        request = fuzzed(endpoint.forms, self._seed, index)
        response = send(self._runner, request.data(request.damages), ANSWER_S)
        good = endpoint.forms.upload(endpoint.forms.file(self._good(index)))
        return Pair(request, response, exchanged(endpoint.address, good))

    def _judge(self, pairs: Sequence[Pair]) -> None:
        runner = self._runner
        if not runner.endpoint.answers(ANSWER_S) or any(pair.response == "no connection" for pair in pairs):
            self._find_the_end(pairs)
            return
        for pair in pairs:
            if kind := judge(pair.response):
                self._found(kind, pair.request)
            if not runner.endpoint.accepts(pair.good):
                self._found(f"a good upload beside it: {said(pair.good)}")
        if runner.store is not None:
            self._look_at_store(pairs, runner.store)

    def _look_at_store(self, pairs: Sequence[Pair], store: Store) -> None:
        accepts = self._runner.endpoint.accepts
        sent = digests(self._good(pair.request.index) for pair in pairs if accepts(pair.good))
        if not store.gets(sent):
            self._found(LOST)
        store.remove(sent)
        store.remove_sent(pair.request.data(pair.request.damages) for pair in pairs if accepts(pair.response))
        refused = {
            pair.request.tag: pair.request
            for pair in pairs
            if isinstance(pair.response, Response) and not accepts(pair.response)
        }
        wait_until(lambda: not refused.keys() & _tagged(store.new()).values(), ANSWER_S)
        for path, tag in _tagged(store.new()).items():
            if tag in refused:
                self._found(LEFT, refused[tag])
            path.unlink(missing_ok=True)
        store.settle()

    def _find_the_end(self, pairs: Sequence[Pair]) -> None:
        """Have the server back, and send again what was sent before it was gone, the last first, one by one."""
        gone = (number for number, pair in enumerate(pairs) if pair.response == "no connection")
        self._runner.recover(ENDED)
        for pair in reversed(pairs[: next(gone, len(pairs)) + CLIENTS]):
            if attempt(self._runner, pair.request.data(pair.request.damages), pair.request.tag, ANSWER_S) == ENDED:
                self._found(ENDED, pair.request)
                return
        self._found(ENDED)
