"""`--fuzz N`: damaged requests with good ones between them, held to the rules of every case, and made small."""

import re
import sys
import textwrap
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, TypeVar

from uploadlab.conformance.case import ANSWER_S, Send
from uploadlab.conformance.clients import at_once
from uploadlab.conformance.measures import SPARE_DESCRIPTORS
from uploadlab.conformance.mutation import Damage, Fuzzed, fuzzed
from uploadlab.conformance.process import descriptors, resident_bytes
from uploadlab.conformance.reproduce import script
from uploadlab.conformance.runner import Gone, Runner
from uploadlab.conformance.store import Store, digests, wait_until
from uploadlab.conformance.wire import Connection, Response, Unreadable, said, unchunked

CLIENTS, BATCH, MOST_ENDED, MOST_SHOWN = 4, 400, 5, 10
PATIENT_S = 30.0
"""On a busy machine a right response or file may be late: what did not come in time is wrong after so long."""
MOST_TRIES = 600
"""To make a fault smaller; what is found by then is shown."""
LATE = ("no response", "timed out")
"""What is said of a good upload whose response did not come in time, or whose connection did not."""
VERSION = re.compile(rb"[^\n]* HTTP/")
ENDED, HANGS = "the server ended", "it hangs"
T = TypeVar("T", bound=Sequence[object])
LEFT, LOST = "a file is left of a request that was not accepted", "a good upload was not stored as sent"


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

    @property
    def data(self) -> bytes:
        """What was sent of the damaged one."""
        return self.request.data(self.request.damages)


class Remnant(NamedTuple):
    """A file in the store that no response accepted, and the request that it is of, where that is known."""

    path: Path
    request: Fuzzed | None
    seen_s: float


def fuzz(runner: Runner, count: int, seed: int) -> int:
    """Send so many damaged requests and as many good ones, print what was found, and return 1 when a must failed.

    Each fault is printed when it is found, the sum of them also where this is interrupted.
    """
    began, fuzzer = time.monotonic(), Fuzzer(runner, seed)
    try:
        fuzzer.run(count)
        for fault in {fault.kind: fault for fault in reversed(fuzzer.faults)}.values():
            _print_smallest(runner, fault)
    finally:
        _print_sum(fuzzer, f"in {time.monotonic() - began:.0f} s, seed {seed}")
    return int(any(fault.grade == "must" for fault in fuzzer.faults))


def _print_sum(fuzzer: "Fuzzer", how: str) -> None:
    for (grade, kind), times in sorted(Counter((fault.grade, fault.kind) for fault in fuzzer.faults).items()):
        print(f"{grade}: {kind} ({times} times)")
    answers = ", ".join(f"{what} {number:,}" for what, number in fuzzer.answers.most_common(8))
    unanswered = f"{fuzzer.unanswered:,} files stored whole of clients that left before the response"
    unknown = f"{fuzzer.unknown:,} files left that are of no known request"
    for line in (
        f"responses to damaged requests: {answers}",
        *fuzzer.held(),
        f"{fuzzer.late} late, {unanswered}, {unknown}",
    ):
        print(textwrap.fill(line, 80, subsequent_indent="  "))
    sent, musts = fuzzer.answers.total(), sum(fault.grade == "must" for fault in fuzzer.faults)
    print(
        f"{sent:,} damaged and {sent:,} good requests {how}: must {musts} faults, should {len(fuzzer.faults) - musts}"
    )


def _print_smallest(runner: Runner, fault: Fault) -> None:
    if fault.request is not None:
        print(f"{fault.kind}, made smaller:")
        _print_request(runner, fault.request, *smallest(runner, fault.request, fault.kind))


def _print_request(runner: Runner, request: Fuzzed, data: bytes, damages: Sequence[Damage]) -> None:
    print(f"    request {request.index}, {', '.join(damage.name for damage in damages) or 'no damage'}:")
    print(textwrap.indent(script([Send(data)], runner.endpoint.address), "    "), flush=True)


def smallest(runner: Runner, request: Fuzzed, kind: str) -> tuple[bytes, Sequence[Damage]]:
    """Return the smallest request found that fails alike, and its damages."""

    def fails(data: bytes) -> bool:
        return attempt(runner, data, 2.5) == kind

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


def attempt(runner: Runner, data: bytes, timeout_s: float) -> str | None:
    """Send one request alone; return what fault it shows, if any."""
    response, store = send(runner, data, timeout_s), runner.store
    if not runner.endpoint.answers(max(timeout_s, ANSWER_S)):
        runner.recover(ENDED)
        return ENDED
    kind = judge(response)
    if kind is None and isinstance(response, Response) and not runner.endpoint.accepts(response) and store is not None:
        kind = None if wait_until(lambda: not store.sent_in([data]), 1.0) else LEFT
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
    except TimeoutError:
        return "silent"
    except OSError:
        return "no connection"
    except Unreadable as error:
        # Without a version it is a request of HTTP/0.9, whose response has no head (RFC 1945, section 4.1).
        return f"unreadable: {error}" if VERSION.match(data) else "HTTP/0.9"


def judge(response: Response | str) -> str | None:
    """Return the fault that a response shows, if any."""
    if isinstance(response, Response):
        is_fault = response.status >= 500 and response.status not in (501, 505)
        return f"answered with {response.status}" if is_fault else None
    known = {"silent": HANGS, "closed": None, "HTTP/0.9": None, "no connection": ENDED}
    return known.get(response, "what it says is not HTTP")


class Fuzzer:
    """Sends them with a few clients at once, in batches after which the store is looked at."""

    def __init__(self, runner: Runner, seed: int) -> None:
        self._runner, self._seed = runner, seed
        self.answers: Counter[str] = Counter()
        self.faults: list[Fault] = []
        self.late = self.unanswered = self.unknown = 0
        self._last: Sequence[Pair] = ()
        self._remnants: list[Remnant] = []
        self._memory_mib: list[int] = []
        self._descriptors_before = self._descriptors()

    def run(self, count: int) -> None:
        """Send; stop early where the server ends again and again."""
        shown_s = time.monotonic()
        for start in range(0, count, BATCH):
            if start * 10 // count >= len(self._memory_mib):
                self._look_at_memory()
            pairs = at_once(CLIENTS, self._pair, range(start, min(start + BATCH, count)))
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
        self._look_at_memory()
        wait_until(lambda: not any(each.path.exists() for each in self._remnants), PATIENT_S, pause_s=0.1)
        self._judge_remnants(0.0)
        most = self._descriptors_before + SPARE_DESCRIPTORS
        if not self._runner.restarts and not wait_until(lambda: self._descriptors() <= most, PATIENT_S, pause_s=0.1):
            self._found(f"{self._descriptors_before} descriptors before, {self._descriptors()} after")

    def held(self) -> list[str]:
        """Return what the process held of memory and descriptors, in words; nothing where it can't be seen."""
        if self._runner.endpoint.pid is None:
            return []
        memory = ", ".join(map(str, self._memory_mib))
        descriptors = f"{self._descriptors_before} descriptors before, {self._descriptors()} after"
        return [f"memory before and after each tenth: {memory} MiB", descriptors]

    def _found(self, kind: str, request: Fuzzed | None = None) -> None:
        """Keep a fault and print it at once; of the first of its kind the request, too."""
        self.faults.append(fault := Fault(kind, request))
        times = sum(other.kind == kind for other in self.faults)
        if times <= MOST_SHOWN:
            print(f"{fault.grade}: {kind}{f', request {request.index}' if request else ''}", flush=True)
        if times == 1 and request is not None:
            _print_request(self._runner, request, request.data(request.damages), request.damages)

    def _descriptors(self) -> int:
        return descriptors(self._runner.endpoint.pid)

    def _look_at_memory(self) -> None:
        self._memory_mib.append(resident_bytes(self._runner.endpoint.pid) >> 20)

    def _good(self, index: int) -> bytes:
        return b"good-%d:" % index + bytes(range(256)) * (index % 40)

    def _send_good(self, index: int, timeout_s: float) -> Response | str:
        return self._runner.endpoint.upload(self._good(index), timeout_s)

    def _pair(self, index: int) -> Pair:
        """Send a damaged request, and a good one."""
        request = fuzzed(self._runner.endpoint.forms, self._seed, index)
        response = send(self._runner, request.data(request.damages), ANSWER_S)
        return Pair(request, response, self._send_good(index, ANSWER_S))

    def _judge(self, pairs: Sequence[Pair]) -> None:
        runner = self._runner
        if not runner.endpoint.answers(PATIENT_S) or any(pair.response == "no connection" for pair in pairs):
            self._find_the_end(pairs)
            return
        pairs = [self._repeated(pair) for pair in pairs]
        for pair in pairs:
            if kind := judge(pair.response):
                self._found(kind, pair.request)
            if not runner.endpoint.accepts(pair.good):
                self._found(f"a good upload beside it: {said(pair.good)}")
        if runner.store is not None:
            self._look_at_store(pairs, runner.store)
            self._judge_remnants(PATIENT_S)

    def _repeated(self, pair: Pair) -> Pair:
        """Send again, alone and with more patience, what had no response in time; where it has one now, it was late."""
        if pair.response == "silent" and judge(response := send(self._runner, pair.data, PATIENT_S)) is None:
            self.late += 1
            pair = pair._replace(response=response)
        if pair.good in LATE and isinstance(good := self._send_good(pair.request.index, PATIENT_S), Response):
            self.late += 1
            pair = pair._replace(good=good)
        return pair

    def _look_at_store(self, pairs: Sequence[Pair], store: Store) -> None:
        accepts = self._runner.endpoint.accepts
        sent = digests(self._good(pair.request.index) for pair in pairs if accepts(pair.good))
        if not store.gets(sent, PATIENT_S):
            self._found(LOST)
        store.remove(sent)
        recent, self._last = [*self._last, *pairs], pairs
        store.remove_sent(pair.data for pair in recent if accepts(pair.response))
        if left := store.settle():
            bodies = [(pair, data, unchunked(data)) for pair in recent for data in [pair.data]]
            for path in left:
                with suppress(OSError):
                    stored = path.read_bytes()
                    own = [(pair, data + body) for pair, data, body in bodies if stored in data or stored in body]
                    self._note(path, stored, own)

    def _note(self, path: Path, stored: bytes, own: Sequence[tuple[Pair, bytes]]) -> None:
        """Judge a file that no response accepted: a whole one whose client had no response may stay."""
        unanswered = any(not isinstance(pair.response, Response) for pair, _ in own)
        if unanswered and any(stored + line_end + b"--" in sent for _, sent in own for line_end in (b"\r\n", b"\n")):
            self.unanswered += 1
            path.unlink()
        else:
            self._remnants.append(Remnant(path, own[0][0].request if own else None, time.monotonic()))

    def _judge_remnants(self, patience_s: float) -> None:
        """Count the files that are there still after this time, and delete them."""
        now_s, remnants, self._remnants = time.monotonic(), self._remnants, []
        for remnant in remnants:
            if not remnant.path.exists():
                continue
            if now_s - remnant.seen_s < patience_s:
                self._remnants.append(remnant)
                continue
            if remnant.request is None:
                self.unknown += 1
            else:
                self._found(LEFT, remnant.request)
            remnant.path.unlink(missing_ok=True)

    def _find_the_end(self, pairs: Sequence[Pair]) -> None:
        """Have the server back, and send again what was sent before it was gone, the last first, one by one."""
        gone = (number for number, pair in enumerate(pairs) if pair.response == "no connection")
        self._runner.recover(ENDED)
        for pair in reversed(pairs[: next(gone, len(pairs)) + CLIENTS]):
            if attempt(self._runner, pair.data, ANSWER_S) == ENDED:
                self._found(ENDED, pair.request)
                return
        self._found(ENDED)
