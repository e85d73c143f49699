"""The driver judges real runs of the parts: known times come out as they are, and each fault fails its own gate."""

import json
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from threading import Thread

import numpy as np
import pytest
from asking import ask
from conducting import SOCKETS, conduct
from keeping import keep_recorded
from known_law import LAWS, drawn_times, uniforms_of_c
from waiting import least_of

from sockets_study.__main__ import STUDY
from study_kit.records import Ends, operations


@pytest.fixture(scope="module", autouse=True)
def parts() -> None:
    subprocess.run(["make", "-s", "-C", SOCKETS, "known", "berkeley"], check=True)


def _run(system, folder, port, factors, load, **settings):
    """Conduct a run and leave its files as the harness does."""
    told = {name.upper(): str(value) for name, value in (factors | load).items()}
    outcome = conduct(system, folder, port, **told, **settings)
    keep_recorded(folder)
    return outcome


def _check(folder, factors, load, gates=None):
    spec = {"seed": 1, "gates": gates or {}, "factors": factors, "load": load}
    return ask(STUDY, "check", spec, folder)


def _checked(folder, factors, load, gates=None):
    done = _check(folder, factors, load, gates)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


LARGE_BYTES, PIECE_BYTES, END_BYTES, PAUSE_S = 102_400, 40_000, 12, 0.004
OPEN = {"message_bytes": 100, "loop": "open", "rate_per_s": 12000}
PING_PONG = {"message_bytes": 100, "loop": "ping_pong", "rate_per_s": 0}


@pytest.mark.parametrize(
    ("fault", "counter", "gate"),
    [
        ("drop", "unanswered", "lost"),
        ("double", "duplicated", "duplicated"),
        ("swap", "out_of_order", "out_of_order"),
        ("corrupt", "wrong", "wrong"),
    ],
)
def test_one_message_in_ten_thousand_moves_exactly_its_counter_and_fails_its_gate(fault, counter, gate, memory, port):
    load = {"duration_s": 1, "drain_s": 1}
    faults = {"KNOWN_FAULT": fault, "KNOWN_EVERY": "10000", "KNOWN_MEAN_US": "0"}
    seen = _run("known", memory, port, OPEN, load, **faults).counters("requester")
    names = ("duplicated", "out_of_order", "wrong", "unanswered", "lost_records")
    assert {name: seen[name] for name in names if seen[name]} == {counter: 1}
    judged = _checked(memory, OPEN, load)["gates"]
    assert [one["name"] for one in judged if not one["passed"]] == [gate]
    assert next(one["figure"] for one in judged if one["name"] == gate) == 1


def test_a_message_doubled_in_the_warm_up_is_seen(memory, port):
    load = {"duration_s": 0.2, "warmup_s": 0.3, "drain_s": 1}
    _run("known", memory, port, OPEN, load, KNOWN_FAULT="double", KNOWN_EVERY="3000", KNOWN_MEAN_US="0")
    (failed,) = [one for one in _checked(memory, OPEN, load)["gates"] if not one["passed"]]
    assert (failed["name"], failed["figure"]) == ("warm_up", 1)


def test_an_answer_later_than_the_wait_for_it_makes_the_run_invalid_though_nothing_was_lost(memory, port):
    # Of this seed's first 97 delays, more than there are with those of the checks, one is 1.44 s long, the ninth that
    # is measured; the others are less than 0.24 s: far enough from drain_s for a busy machine.
    load = {"duration_s": 1.5, "drain_s": 1}
    _run("known", memory, port, PING_PONG, load, KNOWN_LAW="exponential", KNOWN_MEAN_US="80000", SEED="150189021")
    judged = {one["name"]: one for one in _checked(memory, PING_PONG, load)["gates"]}
    assert judged["lost"]["passed"]
    assert not judged["timed_out"]["passed"]
    assert judged["timed_out"]["figure"] == 1
    assert "no answer within drain_s = 1 s" in judged["timed_out"]["sentence"]


def test_a_run_without_a_fault_passes_and_is_refused_where_an_end_is_missing_or_records_are_swapped(memory, port):
    load = {"duration_s": 0.5, "drain_s": 2}
    outcome = _run("berkeley", memory, port, PING_PONG, load)
    checked = _checked(memory, PING_PONG, load, {"own_cost_pct": 100.0})
    assert all(one["passed"] for one in checked["gates"])
    assert checked["counts"]["requests"] == outcome.counters("requester")["sent"]
    assert checked["counts"]["errors"] == 0
    command = [SOCKETS / "driver", "check", "--spec", memory / "spec.json", "--out", memory]
    assert json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout) == checked
    events = memory / "responder-0.events.jsonl"
    told = events.read_text()
    events.write_text(told.replace('"different"', '"others"'))
    done = _check(memory, PING_PONG, load)
    assert done.returncode == 2
    assert "Object missing required field `different`; this study's check needs" in done.stderr
    events.write_text(told)
    shutil.copy(memory / "responder-0.records.parquet", memory / "requester-0.records.parquet")
    done = _check(memory, PING_PONG, load)
    assert done.returncode == 2
    assert done.stderr.strip() == (
        "requester-0.records.parquet: expected records of the kind 'sent', found received, replied, waiting: is this "
        "another part's file?"
    )


@contextmanager
def in_pieces(to: int) -> Iterator[int]:
    """Relay to the responder's port each message in pieces, a pause behind each; yield the port for the requester."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        Thread(target=_relay, args=(listener, to), daemon=True).start()
        yield listener.getsockname()[1]


def _relay(listener: socket.socket, to: int) -> None:
    with suppress(OSError), listener.accept()[0] as asking, socket.create_connection(("127.0.0.1", to)) as answering:
        for one in (asking, answering):
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        Thread(target=_pass_on, args=(answering, asking), daemon=True).start()
        at = 0  # in a message
        while piece := asking.recv(min(PIECE_BYTES, LARGE_BYTES - at)):
            answering.sendall(piece)
            time.sleep(PAUSE_S)
            is_end = at == 0 and len(piece) == END_BYTES
            at = 0 if is_end else (at + len(piece)) % LARGE_BYTES


def _pass_on(source: socket.socket, to: socket.socket) -> None:
    with suppress(OSError):
        while some := source.recv(65_536):
            to.sendall(some)


@pytest.mark.parametrize(
    ("message_bytes", "relay", "waited_for", "failed"),
    [(10_240, nullcontext, 20, []), (LARGE_BYTES, in_pieces, 40, ["left_behind"])],  # 10 KB are handed over whole
)
def test_as_published_a_run_is_invalid_where_more_was_answered_than_was_waited_for(
    message_bytes, relay, waited_for, failed, memory, port
):
    factors = {"message_bytes": message_bytes, "loop": "paced", "rate_per_s": 20}
    load = {"patterns": "as_published", "duration_s": 1, "drain_s": 2}
    with relay(port) as asked:
        outcome = _run("berkeley", memory, port, factors, load, RESPONDER_ADDRESSES=f"127.0.0.1:{asked}")
    judged = {one["name"]: one for one in _checked(memory, factors, load, {"left_behind_pct": 1.0})["gates"]}
    assert [name for name, one in judged.items() if not one["passed"]] == failed
    expected = f"messages, of which the requester waited for {waited_for}: the other answers are "
    assert expected in judged["left_behind"]["sentence"]
    # No answer is taken for one to the next message: the second piece follows the first after the pause, and nothing
    # can be answered before it was sent.
    round_trips_ns = outcome.times_ns("requester", "answered") - outcome.times_ns("requester", "sent")
    assert not failed or np.median(round_trips_ns) > PAUSE_S * 1e9


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.slow
def test_each_answer_takes_the_time_that_the_law_drew(law, memory, port):
    load, mean_ms = {"duration_s": 4, "drain_s": 2}, 20.0

    def late_ms(attempt):
        folder = memory / str(attempt)
        outcome = _run("known", folder, port, PING_PONG, load, KNOWN_LAW=law, KNOWN_MEAN_US=str(1000 * mean_ms))
        assert _checked(folder, PING_PONG, load)["counts"]["requests"] > 50
        times_ms = operations(folder, Ends(from_=("requester", "sent"), to=("requester", "answered"))).elapsed_us / 1000
        earlier = outcome.counters("responder", "verify")["received"]
        numbers = [*range(earlier), *range(len(times_ms))]  # counted anew in each phase
        after_ms = times_ms - drawn_times(law, mean_ms, numbers, uniforms_of_c(1))[earlier:]
        assert after_ms.min() > 0
        return np.quantile(after_ms, 0.05)

    # So mean, deviation and p99 are right within 2 % on a quiet machine; a busy one holds up most answers, not all.
    assert least_of(late_ms, 0.02 * mean_ms) < 0.02 * mean_ms
