"""Mixed good, bad and aborted uploads for a long time: every 200 is a stored file, and nothing grows."""

from __future__ import annotations

import random
import statistics
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from conformance.case import Limits
from conformance.message import chunked, chunked_request, content_type, file, form, request, text
from conformance.profile import MIB
from conformance.store import Store
from conformance.target import Target, Usage, wait_until
from conformance.wire import Connection, Response, Unreadable, healthy

CLIENTS = 8
SAMPLE_S = 1.0
WARM_UP = 0.5  # the share of samples at the start that is left out: buffers and pools fill
MOST_RESIDENT_GROWTH_BYTES = 32 * MIB
MOST_THREAD_GROWTH = 10
MOST_DESCRIPTOR_GROWTH = 20
SPARE_DESCRIPTORS = 5
SETTLE_S = 15.0


@dataclass(frozen=True, kw_only=True)
class Growth:
    """How a figure went up: the slope of a straight line through its samples, times the time they cover."""

    name: str
    unit: str
    slope_per_min: float
    growth: float
    bound: float

    @property
    def flat(self) -> bool:
        """Whether it grew by no more than the bound."""
        return self.growth <= self.bound


@dataclass(kw_only=True)
class SoakReport:
    """What was sent, what was answered, what was stored, and what the process held meanwhile."""

    seconds: float = 0.0
    sent: Counter[str] = field(default_factory=Counter)
    answers: Counter[str] = field(default_factory=Counter)
    files_answered: int = 0
    files_stored: int = 0
    samples: list[tuple[float, Usage]] = field(default_factory=list)
    growths: list[Growth] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Upload:
    """A kind of request: what is sent, the answer it must get (None: aborted), how many files a 200 stores."""

    kind: str
    data: bytes
    status: int | None
    files: int = 0


def draw_upload(draw: random.Random, limits: Limits) -> Upload:
    """Return a random upload: six in ten good, the others bad or cut."""
    size = min(int(draw.lognormvariate(9.5, 1.5)), limits.max_file_bytes // 2)
    data = draw.randbytes(size)
    chance = draw.random()
    if chance < 0.35:
        return Upload("one file", request(form(text(), file(data))), 200, 1)
    if chance < 0.5:
        return Upload("two files", request(form(file(data), file(data[: size // 2]))), 200, 2)
    if chance < 0.6:
        return Upload("one file in chunks", chunked_request(chunked(form(file(data)), size=8_000)), 200, 1)
    if chance < 0.8:
        message = request(form(file(data), file(data)))
        return Upload("aborted", message[: draw.randrange(1, len(message))], None)
    return draw.choice(
        (
            Upload("cut body", request(form(file(data))[:-20]), 400),
            Upload("third file", request(form(*[file(data)] * 3)), 400),
            Upload("another field", request(form(file(data), file(data, name="other"))), 400),
            Upload("no file", request(form(text())), 400),
            Upload("wrong type", request(data, type=b"image/png"), 415),
            Upload("wrong boundary", request(form(file(data)), type=content_type("other")), 400),
            Upload("unknown path", request(form(file(data)), target=b"/unknown"), 404),
            Upload("file too large", request(form(file(data), file(bytes(limits.max_file_bytes + 1)))), 413),
        )
    )


class Soak:
    """Runs clients against a server until the time is over."""

    def __init__(self, target: Target, store: Store, seed: int) -> None:
        """Prepare; nothing is sent yet."""
        self.target = target
        self._store = store
        self._seed = seed
        self._report = SoakReport()
        self._lock = threading.Lock()
        self._over = threading.Event()

    def run(self, seconds: float, progress: Callable[[SoakReport], None]) -> SoakReport:
        """Run for so long; return what was seen. What `progress` raises, or Ctrl-C, ends the clients, too."""
        report = self._report
        usage = self._usage() if healthy(self.target.address) else None
        before = usage.descriptors if usage is not None else None
        began = time.monotonic()
        deadline = began + seconds
        with ThreadPoolExecutor(CLIENTS) as pool:
            try:
                clients = [pool.submit(self._client, number, deadline) for number in range(CLIENTS)]
                while time.monotonic() < deadline:
                    time.sleep(min(SAMPLE_S, max(deadline - time.monotonic(), 0)))
                    report.files_stored += self._store.take_whole()  # so that the disk does not fill
                    usage = self._usage()
                    if usage is not None:
                        report.samples.append((time.monotonic() - began, usage))
                    report.seconds = time.monotonic() - began
                    progress(report)
            finally:
                self._over.set()
            for client in clients:
                client.result()
        self._finish(before)
        return report

    def _usage(self) -> Usage | None:
        """Return what the server's process holds; None where it is not ours to see, or has ended."""
        if self.target.pid is None:
            return None
        try:
            return self.target.usage()
        except (OSError, KeyError):  # what has ended and is not waited for has no memory in its status
            return None

    def _client(self, number: int, deadline: float) -> None:
        draw = random.Random(f"{self._seed}:{number}")
        connection: Connection | None = None
        while time.monotonic() < deadline and not self._over.is_set():
            upload = draw_upload(draw, self.target.limits)
            try:
                if connection is None or connection.state != "open":
                    connection = Connection(self.target.address, timeout_s=30.0)
                keep = self._send(upload, connection, draw)
            except (OSError, Unreadable) as error:
                self._fault(f"{upload.kind}: {error}")
                keep = False
            if not keep or draw.random() < 0.05:
                if connection is not None:
                    connection.close()
                connection = None
        if connection is not None:
            connection.close()

    def _send(self, upload: Upload, connection: Connection, draw: random.Random) -> bool:
        """Send an upload; return whether the connection can be used again."""
        whole = connection.send(upload.data)
        if upload.status is None:
            if draw.random() < 0.5:
                connection.abort()
            self._count(upload, None)
            return False
        response = connection.receive()
        self._count(upload, response)
        if response is None:
            self._fault(f"{upload.kind}: no answer; {'sent' if whole else 'not all sent'}, {connection.state}")
        elif response.status != upload.status:
            self._fault(f"{upload.kind}: expected {upload.status}, got {response.status} {response.error_code}")
        return response is not None and response.status == 200 and not response.closes

    def _count(self, upload: Upload, response: Response | None) -> None:
        with self._lock:
            self._report.sent[upload.kind] += 1
            if response is not None:
                self._report.answers[response.short] += 1
                if response.status == 200:
                    self._report.files_answered += upload.files

    def _fault(self, what: str) -> None:
        with self._lock:
            if len(self._report.faults) < 20:
                self._report.faults.append(what)

    def _finish(self, before: int | None) -> None:
        report = self._report
        left = self._store.wait_until(lambda now: not now.strays, SETTLE_S)
        report.faults += [f"left behind: {name}" for name in left.strays]
        report.files_stored += self._store.take_whole()
        if report.files_stored != report.files_answered:
            report.faults.append(
                f"{report.files_answered} files were answered with 200, {report.files_stored} are stored"
            )
        lives = healthy(self.target.address)
        if not lives:
            report.faults.append("the server is not healthy afterwards")
        report.growths = growths(report.samples)
        report.faults += [
            f"{growth.name} grew by {growth.growth:.1f} {growth.unit}, allowed {growth.bound:.0f}"
            for growth in report.growths
            if not growth.flat
        ]
        if before is not None and lives:
            most = before + SPARE_DESCRIPTORS
            if not wait_until(lambda: self.target.usage().descriptors <= most, SETTLE_S, pause_s=0.1):
                report.faults.append(f"{before} descriptors before, {self.target.usage().descriptors} after")


def growths(samples: Sequence[tuple[float, Usage]]) -> list[Growth]:
    """Fit a line to each figure over the samples after the warm-up; fewer than five samples give nothing."""
    kept = samples[int(len(samples) * WARM_UP) :]
    if len(kept) < 5:
        return []
    times = [at for at, _ in kept]
    figures: tuple[tuple[str, str, float, float, Callable[[Usage], int]], ...] = (
        ("resident memory", "MiB", MIB, MOST_RESIDENT_GROWTH_BYTES, lambda usage: usage.resident_bytes),
        ("threads", "threads", 1, MOST_THREAD_GROWTH, lambda usage: usage.threads),
        ("descriptors", "descriptors", 1, MOST_DESCRIPTOR_GROWTH, lambda usage: usage.descriptors),
    )
    found = []
    for name, unit, scale, bound, value in figures:
        slope = statistics.linear_regression(times, [value(usage) / scale for _, usage in kept]).slope
        found.append(
            Growth(
                name=name,
                unit=unit,
                slope_per_min=slope * 60,
                growth=slope * (times[-1] - times[0]),
                bound=bound / scale,
            )
        )
    return found
