"""What many requests leave behind, and what they do to others at the same time."""

import time
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING

from uploadlab.conformance.case import Case
from uploadlab.conformance.cases.lasting import ONE, STORED
from uploadlab.conformance.clients import at_once
from uploadlab.conformance.conversation import Conversation
from uploadlab.conformance.process import descriptors, resident_bytes
from uploadlab.conformance.results import Result
from uploadlab.conformance.store import digests, wait_until
from uploadlab.conformance.wire import Connection, Unreadable, exchanged, said

if TYPE_CHECKING:
    from uploadlab.conformance.runner import Runner

AT_ONCE = 8
"""For memory, most of whose time is waiting. More at once make threads, whose descriptors are no leak."""
SPARE_DESCRIPTORS, SETTLE_S, MOST_ROUNDS = 10, 10.0, 10
MOST_GROWTH_BYTES = 4 << 20
"""A round of uploads after which the process holds so much more has grown; it may in every round but one."""
STALL_S = 95.0
"""Node.js looks every 30 s for heads older than 60 s; other servers cut sooner, or never."""
Stalled = tuple[Connection, float]
"""A connection on which nothing more is sent, and when it was opened."""


def _repeat(result: Result, runner: "Runner", clients: int = 1) -> list[Connection]:
    """Have the conversation so often, some at once."""

    def once(_: int) -> Connection:
        connection = Conversation(result.case, runner.endpoint.address).connection
        connection.close()
        return connection

    return at_once(clients, once, range(result.case.repeat))


def _descriptors(result: Result, runner: "Runner") -> None:
    pid = runner.endpoint.pid
    runner.endpoint.answers()
    before = descriptors(pid)
    _repeat(result, runner)
    wait_until(lambda: descriptors(pid) <= before + SPARE_DESCRIPTORS, SETTLE_S, pause_s=0.05)
    after = descriptors(pid)
    result.seen = f"{before} descriptors before, {after} after {result.case.repeat}"
    if after > before + SPARE_DESCRIPTORS:
        result.fail(f"{after - before} descriptors more after {result.case.repeat} requests")
    _forget_files(runner)


def _memory(result: Result, runner: "Runner") -> None:
    """Repeat until a round adds little; what adds much in every round is a leak."""
    held: list[int] = []
    for _ in range(MOST_ROUNDS):
        _repeat(result, runner, AT_ONCE)
        time.sleep(0.1)
        held.append(resident_bytes(runner.endpoint.pid))
        _forget_files(runner)
        if len(held) > 1 and held[-1] - held[-2] < MOST_GROWTH_BYTES:
            break
    else:
        result.fail(f"the process grew in each of {MOST_ROUNDS} rounds of {result.case.repeat} requests")
    result.seen = f"{', '.join(str(each >> 20) for each in held)} MiB after each round of {result.case.repeat}"


def _store(result: Result, runner: "Runner") -> None:
    """Repeat; what is new when the server has closed its connections must be gone in the end."""
    store, pid = runner.store, runner.endpoint.pid
    assert store is not None
    before = descriptors(pid)
    accepted = [connection for connection in _repeat(result, runner) if _accepted(connection, runner)]
    time.sleep(0.1)
    wait_until(lambda: descriptors(pid) <= before, 2.0)
    found = store.settle()
    result.seen = f"{'accepted, ' if accepted else ''}{len(found)} files when the client was gone"
    if not accepted:
        runner.note_left(result, found)


def _accepted(connection: Connection, runner: "Runner") -> bool:
    """Whether the upload had been accepted when the client left."""
    try:
        return runner.endpoint.accepts(connection.receive(0.0))
    except Unreadable:
        return False


def _forget_files(runner: "Runner") -> None:
    """Delete what these uploads stored, and take what else is new as known."""
    if runner.store is not None:
        runner.store.remove(digests(STORED))
        runner.store.settle()


def _beside(result: Result, runner: "Runner") -> None:
    with ExitStack() as stack:
        for _ in range(result.case.repeat):
            connection = stack.enter_context(closing(Connection(runner.endpoint.address)))
            connection.send(result.case.data, 0.2)
        began = time.monotonic()
        response = runner.endpoint.upload(ONE)
        result.seen = f"{said(response)} after {time.monotonic() - began:.1f} s"
    if not runner.endpoint.accepts(response):
        result.fail(f"the upload beside them: {said(response)}")
    time.sleep(0.2)
    _forget_files(runner)


def _together(result: Result, runner: "Runner") -> None:
    case = result.case
    responses = at_once(case.repeat, lambda _: exchanged(runner.endpoint.address, case.data), range(case.repeat))
    bad = [one for one in responses if not runner.endpoint.accepts(one)]
    result.seen = ", ".join(sorted({said(one) for one in responses}))
    if bad:
        result.fail(f"{len(bad)} of {case.repeat}: {said(bad[0])}")
    elif runner.store is not None and not runner.store.gets(digests(case.expect.outcomes[0].stored * case.repeat)):
        result.fail("not every file is stored as it was sent")
    _forget_files(runner)


def stalled(case: Case, address: tuple[str, int]) -> Stalled:
    """Open a connection on which nothing more will come; it is looked at in the end."""
    connection = Connection(address)
    connection.send(case.data)
    return connection, time.monotonic()


def _stall(result: Result, runner: "Runner") -> None:
    connection, began = runner.stalled.pop(result.case.id)
    response = None
    try:
        response = connection.receive(max(began + STALL_S - time.monotonic(), 0.0))
    except Unreadable as error:
        result.unsafe.append(str(error))
    if response is None and connection.state == "open":
        result.fail(f"still open after {STALL_S:g} s")
    result.seen = f"{said(response or connection.state)} within {time.monotonic() - began:.0f} s"
    connection.close()


MEASURES = {one.__name__[1:]: one for one in (_descriptors, _memory, _store, _beside, _together, _stall)}
"""By the name that a case has for it."""
