"""Cases that need the server's process, disk or start: they run only on a system that the suite starts itself."""

from __future__ import annotations

import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

from conformance.case import MALFORMED, Answer, Limits, answer_problems
from conformance.message import file, form, head, request, sample, upload
from conformance.page import PAGE
from conformance.profile import MIB, NEEDS_PROCESS, STANDARD_LIMITS
from conformance.provider import NotRun, Provider, cleared, small_disk
from conformance.store import INCOMPLETE_PREFIX, STORED_NAME, Store, digest, digests
from conformance.system import CannotStart, Server, System, server
from conformance.target import Target, wait_until
from conformance.trial import Trial
from conformance.wire import Connection, Response, Unreadable, connected, healthy

GROUP = "failure"
CONTROLLED: list[Trial] = []
SETTLE_S = 10.0
AT_ONCE_S = 3.0
"""For what a server does without waiting for anything; Tomcat's own pause leaves connections open for six seconds."""

ONE = sample(40_000, seed=20)
PAGE_ANSWER = Answer(status=200, page=True)
MALFORMED_ANSWER = Answer(status=400, code=MALFORMED)
STORAGE_FAILED = Answer(status=500, code="storage_failed")
DISK_FULL = Answer(status=507, code="insufficient_storage")

Problems = list[str]


def _trial(row: str, name: str, group: str = GROUP) -> Callable[[Callable[[Provider], Problems]], None]:
    def register(run: Callable[[Provider], Problems]) -> None:
        number = 1 + sum(trial.id.startswith(f"{row}.c") for trial in CONTROLLED)
        CONTROLLED.append(Trial(group=group, id=f"{row}.c{number}", name=name, run=run))

    return register


def _system(provider: Provider) -> System:
    if provider.system is None:
        raise NotRun(NEEDS_PROCESS)
    return provider.system


def _upload(target: Target, *parts: bytes, timeout_s: float = 10.0) -> Response | None:
    with connected(target.address, timeout_s=timeout_s) as connection:
        connection.send(upload(*parts))
        return connection.receive()


def _check(what: str, answer: Answer, response: Response | None) -> Problems:
    if response is None:
        return [f"{what}: expected {answer}, got no answer"]
    return [f"{what}: {problem}" for problem in answer_problems(answer, response, PAGE)]


def _nothing_left(store: Store, *stored: bytes) -> Problems:
    wanted = digests(stored)
    seen = store.wait_until(lambda now: not now.strays and now.stored == wanted, SETTLE_S)
    found = [f"left behind: {name}" for name in seen.strays]
    if seen.stored != wanted:
        found.append(f"expected {wanted.total()} stored files, there are {seen.stored.total()}, or they differ")
    return found


@contextmanager
def _started(
    system: System,
    limits: Limits = STANDARD_LIMITS,
    *,
    upload_dir: Path | None = None,
    extra: Mapping[str, str] | None = None,
) -> Iterator[tuple[Server, Target, Store]]:
    with server(system, limits, upload_dir=upload_dir, extra=extra) as handle:
        target = handle.start()
        yield handle, target, Store(target.upload_dir)


def _small_disk(provider: Provider, size_bytes: int = MIB) -> tuple[Target, Store]:
    """Return the server whose uploads have a file system of their own, which is empty and of this size."""
    target, store = provider.target("small disk")
    _remount(target.upload_dir, f"rw,size={size_bytes}")
    for path in target.upload_dir.iterdir():
        path.unlink()
    store.clear()
    return target, store


def _remount(folder: Path, options: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{options}", str(folder)], check=True)


# Descriptors and crowds ---------------------------------------------------------------------------------------------


@_trial("X1", "200 clients that reset in the middle leave no descriptor and no file")
def _(provider: Provider) -> Problems:
    _system(provider)
    with cleared(provider) as (target, store):
        _abort_uploads(target, store, 20)
        before = target.usage().descriptors
        _abort_uploads(target, store, 200)
        if not wait_until(lambda: target.usage().descriptors <= before + 2, SETTLE_S):
            return [f"{before} descriptors before, {target.usage().descriptors} after"]
        return _nothing_left(store) + _check("an upload afterwards", PAGE_ANSWER, _upload(target, file(ONE)))


def _abort_uploads(target: Target, store: Store, count: int) -> None:
    message = upload(file(ONE), file(ONE))
    for number in range(count):
        with connected(target.address) as connection:
            connection.send(message[: len(message) * (number % 10) // 10])
            if number % 10 > 2:
                store.wait_for_upload(timeout_s=0.2)
            connection.abort()


@_trial("X9", "1,000 connections at once are all answered and stored")
def _(provider: Provider) -> Problems:
    contents = [sample(500 + number, seed=number) for number in range(1_000)]
    with cleared(provider) as (target, store):
        with ExitStack() as stack:
            connections = [stack.enter_context(connected(target.address, timeout_s=30.0)) for _ in contents]
            for connection, data in zip(connections, contents, strict=True):
                connection.send(upload(file(data)))
            found = [
                problem
                for connection in connections
                for problem in _check("one of 1,000", PAGE_ANSWER, connection.receive())
            ]
        return found[:3] + _nothing_left(store, *contents)


@_trial("P4", "250 clients that send their heads byte by byte hold nobody up")
def _(provider: Provider) -> Problems:
    target, _ = provider.target("standard")
    slow = head(b"POST /getimages HTTP/1.1", b"X-Slow: " + b"y" * 100)
    with ExitStack() as stack:
        crowd = [stack.enter_context(connected(target.address)) for _ in range(250)]
        found = []
        for position in range(20):
            for connection in crowd:
                if connection.state == "open":
                    connection.send(slow[position : position + 1])
            if position % 5 == 0:
                found += _served(target)
        return found


@_trial("P5", "an idle connection is kept for KEEP_ALIVE_TIMEOUT_MS, however short IDLE_TIMEOUT_MS is")
def _(provider: Provider) -> Problems:
    limits = replace(STANDARD_LIMITS, idle_timeout_ms=200)
    with _started(_system(provider), limits, extra={"KEEP_ALIVE_TIMEOUT_MS": "60000"}) as (_, target, store):
        with connected(target.address) as connection:
            connection.send(upload(file(ONE)))
            found = _check("before", PAGE_ANSWER, connection.receive())
            if connection.wait_for_end(limits.longest_wait_s) != "open":
                return [*found, "the idle connection was closed"]
            connection.send(upload(file(ONE)))
            found += _check("afterwards", PAGE_ANSWER, connection.receive())
        return found + _nothing_left(store, ONE, ONE)


@_trial("P6", "after 250 clients stalled in the body others are served again")
def _(provider: Provider) -> Problems:
    message = upload(file(ONE))
    with cleared(provider, "impatient") as (target, store), ExitStack() as stack:
        wait_s = target.limits.longest_wait_s
        for _ in range(250):
            stack.enter_context(connected(target.address)).send(message[:-1_000])
        with connected(target.address, timeout_s=wait_s + 10) as connection:
            connection.send(message)
            found = _check("an upload beside them", PAGE_ANSWER, connection.receive())
        store.wait_until(lambda now: not now.strays, wait_s)
        return found + _nothing_left(store, ONE)


@_trial("P6", "after 250 clients that send bodies byte by byte others are served again")
def _(provider: Provider) -> Problems:
    message = upload(file(ONE))
    with cleared(provider, "impatient") as (target, store):
        wait_s = target.limits.longest_wait_s
        with ExitStack() as stack, ThreadPoolExecutor(1) as pool:
            crowd = [stack.enter_context(connected(target.address)) for _ in range(250)]
            for connection in crowd:
                connection.send(message[:500])
            beside = pool.submit(_upload, target, file(ONE), timeout_s=60.0)
            deadline = time.monotonic() + 2 * wait_s + 10
            while not beside.done() and time.monotonic() < deadline:
                for connection in crowd:
                    if connection.state == "open":
                        connection.send(b"-")
                time.sleep(target.limits.idle_timeout_ms / 4000)
            found = [] if beside.done() else ["an upload beside them is not answered"]
        found += _check("an upload beside them", PAGE_ANSWER, beside.result())
        store.wait_until(lambda now: not now.strays, wait_s)
        return found + _nothing_left(store, ONE)


def _served(target: Target) -> Problems:
    return [] if healthy(target.address, timeout_s=10.0) else ["/health was not answered meanwhile"]


@_trial("X6", "out of descriptors: no wrong answer, nothing left, served again afterwards")
def _(provider: Provider) -> Problems:
    with _started(_system(provider)) as (_, target, store):
        _upload(target, file(ONE))
        store.clear()
        with target.limited_descriptors(target.usage().descriptors + 5):
            answers = _crowd(target, 60)
        found = [f"answered {status}" for status in set(answers) - {200, 500, 503, None}]
        if not wait_until(lambda: healthy(target.address, timeout_s=2.0), SETTLE_S):
            return [*found, "not healthy again after the limit was lifted"]
        found += _check("an upload afterwards", PAGE_ANSWER, _upload(target, file(ONE)))
        sure, most = answers.count(200) + 1, len(answers) + 1  # who got no answer may be served later
        seen = store.wait_until(lambda now: not now.strays and now.stored.total() >= sure, SETTLE_S)
        if seen.strays or set(seen.stored) != {digest(ONE)} or not sure <= seen.stored.total() <= most:
            found.append(f"expected {sure} to {most} whole files, found {seen.stored.total()}, left: {seen.strays}")
        return found


def _crowd(target: Target, count: int) -> list[int | None]:
    """Open connections, all at once, each with an upload; return their statuses."""
    statuses: list[int | None] = []
    with ExitStack() as stack:
        connections: list[Connection] = []
        for _ in range(count):
            try:
                connection = stack.enter_context(connected(target.address, timeout_s=3.0))
                connection.send(upload(file(ONE)))
            except OSError:
                statuses.append(None)
            else:
                connections.append(connection)
        deadline = time.monotonic() + 4.0
        for connection in connections:
            try:
                response = connection.receive(max(deadline - time.monotonic(), 0.05))
            except Unreadable:
                response = None
            statuses.append(None if response is None else response.status)
    return statuses


# The disk -----------------------------------------------------------------------------------------------------------


@_trial("X3", "a full disk is 507, leaves nothing, and serves again when there is room")
def _(provider: Provider) -> Problems:
    data = sample(600_000, seed=21)
    target, store = _small_disk(provider)
    found = _check("with room", PAGE_ANSWER, _upload(target, file(data)))
    for attempt in range(3):
        found += _check(f"full, attempt {attempt + 1}", DISK_FULL, _upload(target, file(data)))
    found += _nothing_left(store, data) + _served(target)
    store.clear()
    return found + _check("with room again", PAGE_ANSWER, _upload(target, file(data))) + _nothing_left(store, data)


@_trial("X3", "a disk full in the second file removes the first")
def _(provider: Provider) -> Problems:
    target, store = _small_disk(provider)
    response = _upload(target, file(sample(300_000)), file(sample(900_000)))
    return _check("the upload", DISK_FULL, response) + _nothing_left(store)


@_trial("X3", "a client that sends on after the disk is full gets the answer")
def _(provider: Provider) -> Problems:
    target, store = _small_disk(provider, MIB // 2)
    with connected(target.address) as connection:
        connection.send(upload(file(sample(900_000)), file(sample(900_000))), reading=False)
        found = _check("the upload", DISK_FULL, connection.receive())
    return found + _nothing_left(store)


@_trial("X4", "a missing upload directory is 500 storage_failed, and serves again when it is back")
def _(provider: Provider) -> Problems:
    _system(provider)
    with cleared(provider) as (target, store):
        away = target.upload_dir.with_name("away")
        target.upload_dir.rename(away)
        try:
            found = _check("missing", STORAGE_FAILED, _upload(target, file(ONE), file(ONE))) + _served(target)
        finally:
            away.rename(target.upload_dir)
        return found + _check("back", PAGE_ANSWER, _upload(target, file(ONE))) + _nothing_left(store, ONE)


@_trial("X4", "a read-only upload directory is 500 storage_failed, and serves again when it is writable")
def _(provider: Provider) -> Problems:
    target, store = _small_disk(provider)
    _remount(target.upload_dir, "ro")
    found = _check("read-only", STORAGE_FAILED, _upload(target, file(ONE))) + _served(target)
    _remount(target.upload_dir, "rw")
    return found + _check("writable", PAGE_ANSWER, _upload(target, file(ONE))) + _nothing_left(store, ONE)


# Start and stop -----------------------------------------------------------------------------------------------------


def _start(handle: Server, when: str) -> Problems:
    """Start a server where a case asks whether it does."""
    try:
        handle.start()
    except CannotStart as error:
        return [f"it does not start {when}: {error}"]
    return []


def _refuses_to_start(system: System, word: str, extra: Mapping[str, str], upload_dir: Path | None = None) -> Problems:
    with server(system, STANDARD_LIMITS, upload_dir=upload_dir, extra=extra) as handle:
        process = handle.launch()
        if not wait_until(lambda: process.poll() is not None or healthy(handle.target.address), SETTLE_S * 2):
            return [f"{word}: neither ended nor served"]
        if process.poll() is None:
            return [f"{word}: it serves"]
        said = handle.log_path.read_text(errors="replace").strip().splitlines()
        found = [] if process.returncode == 2 else [f"{word}: exit code {process.returncode}, expected 2"]
        if not said or word not in said[-1]:
            found.append(f"{word}: the last line said does not name it: {said[-1:]}")
        if any(line.lstrip().startswith("at ") for line in said):
            found.append(f"{word}: a stack trace is shown")
        return found


for variable, value in {
    "MAX_FILE_BYTES": "200MB",
    "MAX_REQUEST_BYTES": "-1",
    "MAX_DRAIN_BYTES": "9007199254740992",
    "IDLE_TIMEOUT_MS": "0",
    "MIN_BODY_BYTES_PER_S": "fast",
    "STOP_GRACE_MS": "soon",
    "PORT": "65536",
}.items():

    def _refuses(provider: Provider, variable: str = variable, value: str = value) -> Problems:
        return _refuses_to_start(_system(provider), variable, {variable: value})

    _trial("X5", f"{variable}={value} at start is refused with a sentence and exit 2")(_refuses)


@_trial("X5", "an empty UPLOAD_DIR at start is refused with a sentence and exit 2")
def _(provider: Provider) -> Problems:
    return _refuses_to_start(_system(provider), "UPLOAD_DIR", {"UPLOAD_DIR": ""})


@_trial("X5", "a missing upload directory at start is refused with a sentence and exit 2")
def _(provider: Provider) -> Problems:
    with tempfile.TemporaryDirectory() as folder:
        return _refuses_to_start(_system(provider), "UPLOAD_DIR", {}, Path(folder) / "missing")


@_trial("X5", "a file for an upload directory at start is refused with a sentence and exit 2")
def _(provider: Provider) -> Problems:
    with tempfile.NamedTemporaryFile() as plain:
        return _refuses_to_start(_system(provider), "UPLOAD_DIR", {}, Path(plain.name))


@_trial("X5", "a read-only upload directory at start is refused with a sentence and exit 2")
def _(provider: Provider) -> Problems:
    system = _system(provider)
    with small_disk(MIB) as folder:
        _remount(folder, "ro")
        return _refuses_to_start(system, "UPLOAD_DIR", {}, folder)


@_trial("X5", "a server without RUN_DIR leaves no temporary folder after a refused start")
def _(provider: Provider) -> Problems:
    with tempfile.TemporaryDirectory() as folder:
        extra = {"RUN_DIR": "", "TMPDIR": folder, "MAX_FILE_BYTES": "x"}
        found = _refuses_to_start(_system(provider), "MAX_FILE_BYTES", extra)
        return found + [f"left by a refused start: {path.name}" for path in Path(folder).iterdir()]


@_trial("X11", "nothing is left of a refused upload when its client has the answer")
def _(provider: Provider) -> Problems:
    data = sample(300_000, seed=24)
    message = upload(file(data), file(data), end=b"no\r\n")
    found: Problems = []
    with cleared(provider) as (target, store):
        for _ in range(20):
            with connected(target.address) as connection:
                connection.send(message)
                found += _check("the upload", MALFORMED_ANSWER, connection.receive())
                found += [f"still there: {name}" for name in store.look().strays]
    return found[:3]


@_trial(
    "X7",
    "kill -9 in the middle of uploads leaves only whole files after the next start, then no temporary folder",
)
def _(provider: Provider) -> Problems:
    with tempfile.TemporaryDirectory() as folder:
        found = _killed(_system(provider), {"RUN_DIR": "", "TMPDIR": folder})
        return found + [f"left after the next start and stop: {path.name}" for path in Path(folder).iterdir()]


def _killed(system: System, extra: Mapping[str, str]) -> Problems:
    with _started(system, extra=extra) as (handle, target, store):
        foreign = [target.upload_dir / name for name in ("notes.txt", ".hidden")]
        for path in foreign:
            path.write_text("not an upload")
        folder = target.upload_dir / f"{INCOMPLETE_PREFIX}folder"
        folder.mkdir()
        found = _check("before", PAGE_ANSWER, _upload(target, file(ONE)))
        with ExitStack() as stack:
            message = upload(file(ONE), file(ONE))
            for _ in range(10):
                stack.enter_context(connected(target.address)).send(message[:-1_000])
            store.wait_for_upload(10)
            handle.kill()
        names = {path.name for path in target.upload_dir.iterdir()} - {path.name for path in (*foreign, folder)}
        found += [
            f"after kill -9: {name}"
            for name in names
            if not STORED_NAME.fullmatch(name) and not name.startswith(INCOMPLETE_PREFIX)
        ]
        if not_started := _start(handle, "after kill -9"):
            return found + not_started
        for path in foreign:
            if not path.exists():
                found.append(f"the start removed {path.name}")
            path.unlink(missing_ok=True)
        if not folder.exists():
            found.append(f"the start removed the folder {folder.name}")
        shutil.rmtree(folder, ignore_errors=True)
        return found + _nothing_left(store, ONE)


def _stops(provider: Provider, number: signal.Signals) -> Problems:
    """An upload in flight, one whose head has begun, an idle connection: that is closed at once, they are finished."""
    with _started(_system(provider), extra={"STOP_GRACE_MS": "60000"}) as (handle, target, store):
        message = upload(file(ONE))
        with connected(target.address) as idle, connected(target.address) as begun, connected(target.address) as busy:
            idle.send(message)
            found = _check("before", PAGE_ANSWER, idle.receive())
            begun.send(message)
            found += _check("before", PAGE_ANSWER, begun.receive())
            begun.send(message[:40])
            busy.send(message[:-5_000])
            store.wait_for_upload()
            assert handle.process is not None
            handle.process.send_signal(number)
            if not wait_until(lambda: _connection_refused(target), SETTLE_S):
                found.append("new connections are still accepted")
            if idle.wait_for_end(AT_ONCE_S) == "open":
                found.append("the idle connection stays open")
            begun.send(message[40:])
            found += _check("the upload whose head had begun", PAGE_ANSWER, begun.receive())
            busy.send(message[-5_000:])
            found += _check("the upload in flight", PAGE_ANSWER, busy.receive())
            if busy.wait_for_end(SETTLE_S) == "open":
                found.append("the finished connection stays open")
        if not wait_until(lambda: handle.process is not None and handle.process.poll() is not None, SETTLE_S):
            return [*found, "the server does not end"]
        if handle.process.returncode != 0:
            found.append(f"exit code {handle.process.returncode}, expected 0")
        return found + _nothing_left(store, *[ONE] * 4)


def _connection_refused(target: Target) -> bool:
    try:
        with connected(target.address, timeout_s=1.0) as connection:
            connection.send(head(b"GET /health HTTP/1.1"))
            return connection.receive() is None
    except (OSError, Unreadable):
        return True


@_trial("X8", "SIGTERM finishes the upload in flight, closes idle connections and exits 0")
def _(provider: Provider) -> Problems:
    return _stops(provider, signal.SIGTERM)


@_trial("X8", "SIGINT does the same")
def _(provider: Provider) -> Problems:
    return _stops(provider, signal.SIGINT)


@_trial("X8", "SIGTERM cuts a stalled upload after STOP_GRACE_MS, removes its file and exits 0")
def _(provider: Provider) -> Problems:
    with _started(_system(provider), extra={"STOP_GRACE_MS": "1000"}) as (handle, target, store):
        with connected(target.address) as stalled:
            stalled.send(upload(file(ONE))[:-5_000])
            store.wait_for_upload()
            assert handle.process is not None
            handle.process.send_signal(signal.SIGTERM)
            if not wait_until(lambda: handle.process is not None and handle.process.poll() is not None, SETTLE_S):
                return ["the server does not end"]
        found = [] if handle.process.returncode == 0 else [f"exit code {handle.process.returncode}, expected 0"]
        return found + _nothing_left(store)


# Memory -------------------------------------------------------------------------------------------------------------


def _rise(target: Target, work: Callable[[], Problems], most: int) -> Problems:
    before = target.usage().resident_bytes
    target.reset_peak()
    found = work()
    rise = target.peak_resident_bytes() - before
    if rise >= most:
        found.append(
            f"resident memory rose by {rise / MIB:.0f} MiB over {before / MIB:.0f} MiB, allowed {most / MIB:.0f}"
        )
    return found


def _large_upload(target: Target, size_mib: int) -> Problems:
    block = sample(MIB, seed=22)
    body_head = form(file(b""))[: form(file(b"")).index(b"\r\n\r\n") + 4]
    tail = b"\r\n" + form()
    with connected(target.address, timeout_s=60.0) as connection:
        connection.send(request(body_head, length=len(body_head) + size_mib * MIB + len(tail)))
        for _ in range(size_mib):
            connection.send(block)
        connection.send(tail)
        return _check(f"{size_mib} MiB", PAGE_ANSWER, connection.receive())


@_trial("M1", "an upload of 200 MiB raises resident memory by less than 32 MiB", "limits")
def _(provider: Provider) -> Problems:
    with _started(_system(provider), Limits()) as (_, target, store):
        found = []
        for _ in range(10):
            found += _large_upload(target, 20)
            store.clear()
        found += _rise(target, lambda: _large_upload(target, 200), 32 * MIB)
        seen = store.look()
        return found if seen.stored.total() == 1 and not seen.strays else [*found, f"stored: {seen}"]


@_trial("M2", "200 uploads of 1 MiB at once raise resident memory by less than 256 MiB", "limits")
def _(provider: Provider) -> Problems:
    data = sample(MIB, seed=23)
    with _started(_system(provider), replace(STANDARD_LIMITS, idle_timeout_ms=60_000)) as (_, target, store):
        found = []
        for _ in range(20):
            found += _check("warm-up", PAGE_ANSWER, _upload(target, file(data)))
        store.clear()

        def crowd() -> Problems:
            with ThreadPoolExecutor(200) as pool:
                answers = list(pool.map(lambda _: _upload(target, file(data), timeout_s=60.0), range(200)))
            return [problem for answer in answers for problem in _check("one of 200", PAGE_ANSWER, answer)][:3]

        found += _rise(target, crowd, 256 * MIB)
        return found + _nothing_left(store, *[data] * 200)
