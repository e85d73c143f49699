"""The parts of the RPC study do what the conductor says, measure what was done, and refuse a wrong server."""

import json
import os
import signal
import socket
import socketserver
import statistics
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from typing import IO, Any, Self

import numpy as np
import pytest
from asking import refused
from known_law import LAWS, drawn_times, uniforms_of_java
from rpc_conducting import OPERATIONS, RPC, conduct, library, start
from waiting import least_of, wait_for

from study_kit.conducting import Outcome, PartFailed, memory_folder
from uploadlab.hosts.ports import free_port, is_listened_on
from uploadlab.planning.install import set_up_systems
from uploadlab.planning.system import choose

PLAIN = ["plain", "../bin/part", "uploadlab.rpc.Plain"]
NULL = ["null", "../bin/part", "uploadlab.rpc.InProcess"]
KNOWN = ["known", "../bin/part", "uploadlab.rpc.Known"]


@pytest.fixture(scope="module", autouse=True)
def parts(quick_to_start) -> None:
    set_up_systems([choose(RPC / "plain", "current", {})])


@pytest.fixture(scope="module")
def plain(parts) -> Outcome:
    """Give what the parts left that called each operation seven times."""
    with memory_folder() as folder:
        return conduct(PLAIN, folder, free_port(), CALLS="7")


@pytest.fixture(scope="module")
def drawn(parts) -> Outcome:
    """Give what a client left that calls itself, in the order that a seed drew."""
    with memory_folder() as folder:
        return conduct(NULL, folder, free_port(), roles=["client"], ORDER="drawn")


@pytest.fixture(scope="module")
def cold(parts) -> Outcome:
    """Give what parts left that are measured as the paper did: cold, and by its clock."""
    with memory_folder() as folder:
        return conduct(PLAIN, folder, free_port(), JVM="cold", CLOCK="whole_ms", CALLS="100", FOO="drawn")


def made_order(outcome: Outcome) -> list[str]:
    """Return the operations in the order in which the client made them."""
    ops = outcome.of_kind("client", "sent")["op"]
    return [OPERATIONS[op] for op in ops[np.flatnonzero(np.diff(ops, prepend=-1))]]


def took_ns(outcome: Outcome) -> dict[int, np.ndarray]:
    """Return how long the calls of each operation took."""
    sent, answered = outcome.of_kind("client", "sent"), outcome.of_kind("client", "answered")
    took = answered["time_ns"] - sent["time_ns"]
    return {int(op): took[sent["op"] == op] for op in np.unique(sent["op"])}


def test_each_operation_is_called_as_often_as_asked_and_both_sides_saw_each_call(plain):
    sent, answered = plain.of_kind("client", "sent"), plain.of_kind("client", "answered")
    assert np.bincount(sent["op"]).tolist() == [7] * 15
    assert made_order(plain) == list(OPERATIONS)
    np.testing.assert_array_equal(sent["seq"], np.arange(7 * 15))
    assert not answered["status"].any()
    for kind in ("received", "replied"):
        np.testing.assert_array_equal(plain.of_kind("server", kind)[["seq", "op"]], sent[["seq", "op"]])
    received, replied = plain.of_kind("server", "received"), plain.of_kind("server", "replied")
    times = np.array([rows["time_ns"] for rows in (sent, received, replied, answered)])
    assert (np.diff(times, axis=0) > 0).all()
    assert plain.event("client", "counters")["wrong"] == 0


def test_every_system_answers_the_contract_with_the_same_sum(plain, drawn):
    assert plain.event("client", "verified")["sha256"] == drawn.event("client", "verified")["sha256"]


def test_payloads_of_plain_are_the_bytes_of_the_canonical_form(plain):
    sent = plain.of_kind("client", "sent")
    sizes = {OPERATIONS[op]: set(sent["bytes"][sent["op"] == op].tolist()) for op in range(14)}
    assert sizes == {"void": {0}, "singlelong": {8}, "eightlongs": {64}} | {
        f"string{2**n}": {4 + 2**n} for n in range(11)
    }


def libraries(*marks: Any) -> list[Any]:
    return [pytest.param(name, marks=marks) for name in ("grpc", "avro")]


def command_of(system: str) -> list[str]:
    return PLAIN if system == "plain" else library(system)


@pytest.mark.parametrize("system", ["plain", *libraries(pytest.mark.slow)])
@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ("long_as_double", "singlelong(9007199254740993)"),
        ("text_normalised", "string4(cafe\u0301)"),
        ("authors_reordered", "foo("),
    ],
)
@pytest.mark.usefixtures("heard_alone")
def test_a_server_that_is_wrong_in_one_value_is_refused(wrong, told, system, memory, port):
    with pytest.raises(PartFailed) as failed:
        conduct(command_of(system), memory, port, WRONG_ANSWERS=wrong)
    said = str(failed.value).splitlines()
    assert said[-1].startswith(f"The server's answer differs from the local procedure's: {told}")
    assert system != "plain" or len(said) == 1  # libraries may say more, the last line is the reason
    events = map(json.loads, (memory / "client-0.events.jsonl").read_text().splitlines())
    (failures,) = (one["failures"] for one in events if one["event"] == "verified")
    assert {call.partition("(")[0] for call in failures} == {told.partition("(")[0]}


@pytest.mark.parametrize("system", ["plain", *libraries(pytest.mark.slow, pytest.mark.long)])
def test_a_server_that_answers_no_more_ends_the_client_with_a_sentence(system, memory, port):
    command = command_of(system)
    with start(command, "server", memory, port) as server:
        assert server.stdout.readline() == "ready\n"
        # Long enough for the first call of a cold JVM beside other work, which the server does answer.
        with start(command, "client", memory, port, ANSWER_S="10") as client:
            assert client.stdout.readline() == "ready\n"
            server.send_signal(signal.SIGSTOP)
            said = refused(client, "verify\n").splitlines()
    assert said[-1] == "The server did not answer within 10 s."


def test_a_wrong_answer_among_the_measured_ones_has_its_status(memory, port):
    # Cold, so that the first thing that can see it is the measurement; it fails the contract afterwards.
    with pytest.raises(PartFailed):
        conduct(PLAIN, memory, port, WRONG_ANSWERS="long_as_double", JVM="cold", CALLS="5")
    rows = np.load(memory / "client-0.records")
    wrong = rows[rows["status"] == 1]
    assert set(wrong["op"].tolist()) == {OPERATIONS.index("singlelong")}


@pytest.mark.parametrize("system", ["plain", *libraries(pytest.mark.slow, pytest.mark.long)])
def test_where_the_order_is_reversed_the_slow_calls_are_those_of_the_other_end(system, cold, memory, port):
    def called(order: str, attempt: int = 0) -> Outcome:
        return conduct(command_of(system), memory / f"{order}{attempt}", port, JVM="cold", ORDER=order, CALLS="20")

    def slower_than_usual(outcome: Outcome) -> dict[str, float]:
        """Compared with a median: a busy machine may hold up any single call."""
        first_ns = {OPERATIONS[op]: int(took[0]) for op, took in took_ns(outcome).items()}
        usual_ns = statistics.median(first_ns.values())
        return {name: ns / usual_ns for name, ns in first_ns.items()}

    def void_when_last(attempt: int) -> float:
        outcome = called("reversed", attempt)
        assert made_order(outcome) == list(reversed(OPERATIONS))
        slower = slower_than_usual(outcome)
        assert slower["foo"] > 1.5
        return slower["void"]

    # What a JVM does only once is in its very first call, whichever operation that is.
    when_first = slower_than_usual(cold if system == "plain" else called("as_listed"))["void"]
    assert when_first > 1.5
    assert least_of(void_when_last, when_first) < when_first


def test_both_sides_tell_their_cpu_for_a_call_and_the_client_its_bytes(memory, port):
    outcome = conduct(PLAIN, memory, port, CALLS="3000", CALLED="void,string1024")
    sides = {role: outcome.event(role, "levels") for role in ("client", "server")}
    for told in sides.values():
        assert told["levels"] == ["void", "string1024"]
    # The kernel's ticks of 10 ms are coarse beside some calls, but not beside all 6,000 of them.
    assert all(sum(told["cpu_us_per_operation"]) > 0 for told in sides.values())
    assert sides["client"]["sent_bytes_per_operation"] == [0, 4 + 1024]
    assert sides["client"]["received_bytes_per_operation"] == [0, 4 + 1024]


def on_the_wire(outcome: Outcome) -> dict[str, tuple[float, float]]:
    """Return the bytes that a call of each operation put on the connection: its request's and its response's."""
    told = next(one for one in outcome.events["client"] if "wire_sent_bytes_per_operation" in one)
    both = (told[f"wire_{side}_bytes_per_operation"] for side in ("sent", "received"))
    return dict(zip(told["levels"], zip(*both, strict=True), strict=True))


def test_the_published_clock_shows_whole_milliseconds_and_means_of_98_that_are_whole_in_sum(cold):
    begun, ended = cold.of_kind("client", "waiting"), cold.of_kind("client", "received")
    exact = cold.times_ns("client", "answered") - cold.times_ns("client", "sent")
    shown = ended["time_ns"] - begun["time_ns"]
    assert not (shown % 1_000_000).any()
    assert np.quantile(abs(shown - exact), 0.99) < 1_100_000  # a busy machine may hold it up between its two clocks
    for op in range(15):
        kept_ms = sorted(shown[begun["op"] == op] / 1e6)[1:-1]
        assert statistics.fmean(kept_ms) * 98 == pytest.approx(round(sum(kept_ms)), abs=1e-9)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.slow
def test_mean_and_p99_of_known_times_are_within_2_percent_of_what_the_law_drew(law, memory, port):
    # A wake-up takes up to 0.1 ms; of the 399 that count four stall: more than 1 %.
    cold, calls, mean_ns = 101, 500, 8_000_000
    drawn = drawn_times(law, mean_ns, range(1, calls + 1), uniforms_of_java(1))

    def times_ns(attempt: int) -> np.ndarray:
        told = {"LAW": law, "MEAN_US": str(mean_ns // 1000), "CALLED": "void", "CALLS": str(calls), "JVM": "cold"}
        return took_ns(conduct(KNOWN, memory / str(attempt), port, roles=["client"], **told))[0]

    def figures(times: np.ndarray) -> list[float]:
        warm = times[cold:]  # the first are made by code that is not compiled yet
        return [warm.mean(), np.quantile(warm, 0.99, method="inverted_cdf")]

    seen, expected = times_ns(0), pytest.approx(figures(drawn), rel=0.02)
    # A seed draws the same times in each run: what other work of the machine held up in one it leaves alone in another.
    for attempt in range(1, 40):
        if figures(seen) == expected:
            break
        seen = np.minimum(seen, times_ns(attempt))
    assert (seen > drawn).all()
    assert figures(seen) == expected


@contextmanager
def relay_to(port: int, **settings: Any) -> Iterator[int]:
    """Run the link `far` before a server; gives the port at which the relay listens."""
    relay_port = free_port()
    told = {"HOST": "127.0.0.1", "RELAY_PORT": str(relay_port), "SERVER_ADDRESSES": f"127.0.0.1:{port}"}
    with subprocess.Popen([RPC / "bin/relay"], env={**os.environ, **told}, **settings) as relay:
        try:
            wait_for(lambda: is_listened_on("127.0.0.1", relay_port), beside=relay)
            yield relay_port
        finally:
            relay.kill()


@pytest.mark.slow
def test_a_far_call_takes_the_distance_more_than_a_near_one_and_the_relay_passes_every_byte_on(plain, memory, port):
    settings = {"CALLS": "3", "WARMUP_CALLS": "5", "FOO": "largest", "CALLED": "void,string1024,foo"}
    least_near = took_ns(plain)
    with relay_to(port) as relay_port:
        outcome = conduct(PLAIN, memory, port, **settings, LINK="far", RELAY_PORT=str(relay_port))
    assert outcome.event("client", "verified")["failures"] == []
    for op in (0, OPERATIONS.index("string1024"), OPERATIONS.index("foo")):
        distance_ms = (min(took_ns(outcome)[op]) - min(least_near[op])) / 1e6
        assert distance_ms >= 0.98 * 176, OPERATIONS[op]  # a busy machine only makes it longer


class Passing(socketserver.ThreadingTCPServer):
    """Passes plain's calls on to a server's port at once, and counts those of each connection."""

    daemon_threads = True

    def __init__(self, to: int) -> None:
        super().__init__(("127.0.0.1", 0), _Connection)
        self.to, self.port = to, self.server_address[1]
        self.calls: list[int] = []

    def __enter__(self) -> Self:
        Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()


class _Connection(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        number = len(self.server.calls)
        self.server.calls.append(0)
        with socket.create_connection(("127.0.0.1", self.server.to)) as server, server.makefile("rb") as answers:
            while call := message(self.rfile):
                self.server.calls[number] += 1
                server.sendall(call)
                self.wfile.write(message(answers))


def message(stream: IO[bytes]) -> bytes:
    """Read a call or an answer of plain's: a length of 4 bytes, then so many bytes."""
    length = stream.read(4)
    return length + stream.read(int.from_bytes(length))


@pytest.mark.parametrize("warmup_link", ["direct", "same"])
def test_a_direct_warm_up_and_counted_calls_go_past_the_relay_and_measured_ones_through_it(warmup_link, memory, port):
    settings = {"CALLS": "3", "WARMUP_CALLS": "200", "LINK": "far", "WARMUP_LINK": warmup_link}
    with Passing(port) as direct, Passing(port) as relay:
        addresses = {"SERVER_ADDRESSES": f"127.0.0.1:{direct.port}", "RELAY_PORT": str(relay.port)}
        outcome = conduct(PLAIN, memory, port, **settings, **addresses)
    of_contract = outcome.event("client", "verified")["messages"]
    first, measured, warm_up, counted = 15, 3 * 15, 200 * 15, 15 + 3 * 15
    through_relay = first + 2 * of_contract + measured
    before = [warm_up] if warmup_link == "direct" else []
    expected = ([*before, counted], [through_relay + (0 if before else warm_up)])
    assert (direct.calls, relay.calls) == expected
    assert len(outcome.of_kind("server", "replied")) == measured


@pytest.mark.slow
@pytest.mark.parametrize("stack", ["current", pytest.param("paper-2018", marks=pytest.mark.long)])
@pytest.mark.parametrize(("system", "prefix_bytes"), [("grpc", 2), ("avro", 1)])
def test_each_library_keeps_the_contract_on_each_stack(system, prefix_bytes, stack, memory, port):
    command = library(system, stack)
    for transport in ("netty", "http") if system == "avro" else ("netty",):
        outcome = conduct(command, memory / transport, port, TRANSPORT=transport)
        assert outcome.event("client", "verified")["failures"] == []
        assert len(outcome.event("client", "connections")["local_ports"]) == 1
        assert len(outcome.of_kind("server", "replied")) == 20 * 15
        told = outcome.event("client", "levels")
        for side in ("sent", "received"):
            sizes = dict(zip(told["levels"], told[f"{side}_bytes_per_operation"], strict=True))
            assert (sizes["void"], sizes["string32"]) == (0, 32 + prefix_bytes)
        check_framing(outcome, transport if system == "avro" else "http2")


NETTY_NAMES = {"void": "nothing", "singlelong": "singleLong", "eightlongs": "eightLongs", "foo": "complex"}


def check_framing(outcome: Outcome, transport: str) -> None:
    """Hold what a request and a response carry beside the payload to what the transport prescribes."""
    told, wire = outcome.event("client", "levels"), on_the_wire(outcome)
    sizes = zip(told["levels"], told["sent_bytes_per_operation"], told["received_bytes_per_operation"], strict=True)
    for operation, sent, received in sizes:
        framing = (round(wire[operation][0] - sent, 6), round(wire[operation][1] - received, 6))
        if transport == "netty":
            # A serial number and the number of buffers, before each buffer its length. In the first buffer of a request
            # are no metadata and the call's name, in the second its arguments; a response has a buffer for a handshake,
            # which is empty, one for metadata, and one that begins with whether it is an error.
            name = NETTY_NAMES.get(operation, "text")
            assert framing == (8 + 4 + 1 + 1 + len(name) + 4, 8 + 4 + 4 + 1 + 4 + 1), operation
        elif transport == "http2":
            # RFC 9113, gRPC over HTTP/2: 9 bytes before each frame, 5 before a message. A request is headers and data,
            # a response headers, data and trailers; a header that was sent before takes one byte. Now and then come an
            # empty frame at a request's end, pings, and the opening of windows.
            assert 9 + 8 + 9 + 5 <= framing[0] < 60, operation
            assert 9 + 4 + 9 + 5 + 9 + 1 <= framing[1] < 60, operation
        else:  # the lines of HTTP/1.1, and a handshake with two MD5 sums
            assert 32 + 100 < framing[0] < 1000, operation
            assert 100 < framing[1] < 1000, operation
