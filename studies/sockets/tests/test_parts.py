"""The parts of the sockets study do what the conductor says, and see each fault for what it is."""

import subprocess

import numpy as np
import pytest
from asking import refused
from conducting import SOCKETS, conduct, start
from waiting import PATIENCE_S

LIBRARIES = ("berkeley", "zeromq", "nanomsg", "nng")
PAPER = ("berkeley", "zeromq", "nanomsg")


@pytest.fixture(scope="module", autouse=True)
def parts() -> None:
    subprocess.run(["make", "-s", "-C", SOCKETS, *LIBRARIES, "null", "known"], check=True)


@pytest.mark.parametrize("system", LIBRARIES)
@pytest.mark.parametrize("loop", ["ping_pong", "open", "paced"])
def test_each_message_is_sent_and_answered_once_in_order(system, loop, memory, port):
    outcome = conduct(system, memory, port, LOOP=loop, RATE_PER_S="300")
    asked, answered = outcome.counters("requester"), outcome.counters("responder")
    assert asked["sent"] == asked["different"] == answered["different"] > 0
    for one in (asked, answered):
        assert [one[name] for name in ("duplicated", "out_of_order", "wrong", "unanswered", "lost_records")] == [0] * 5
    round_trips_ns = outcome.times_ns("requester", "answered") - outcome.times_ns("requester", "sent")
    assert len(round_trips_ns) == asked["sent"]
    assert round_trips_ns.min() > 0


@pytest.mark.parametrize("system", LIBRARIES)
def test_a_saturating_sender_loses_nothing_and_the_responder_counts(system, memory, port):
    outcome = conduct(system, memory, port, LOOP="saturate", MESSAGE_BYTES="10240", STAMP_EVERY="10")
    sent, counted = outcome.counters("requester")["sent"], outcome.counters("responder")
    assert counted["different"] == counted["received"] == sent > 0
    assert counted["wrong"] == 0
    assert len(outcome.times_ns("responder", "received")) == (sent + 9) // 10


def test_an_answer_that_never_comes_is_timed_out_and_the_next_message_goes_out(memory, port):
    settings = {"KNOWN_FAULT": "drop", "KNOWN_EVERY": "50", "KNOWN_MEAN_US": "0", "DRAIN_S": "0.1"}
    outcome = conduct("known", memory, port, **settings)
    answered, counted = outcome.of_kind("requester", "answered"), outcome.counters("requester")
    timed_out = answered[answered["status"] == 4]
    assert len(timed_out) == counted["unanswered"] == counted["timed_out"] >= 1
    assert timed_out["seq"][0] == 49


@pytest.mark.parametrize(("bytes_", "reads"), [("10240", 1), ("102400", 2)])
@pytest.mark.parametrize("system", PAPER)
def test_the_published_timer_shows_the_send_period_of_any_library(system, bytes_, reads, memory, port):
    pieces = reads if system == "berkeley" else 1
    settings = {"PATTERNS": "as_published", "LOOP": "paced", "RATE_PER_S": "50", "DURATION_S": "1"}
    outcome = conduct(system, memory, port, MESSAGE_BYTES=bytes_, **settings)
    loop_ns = outcome.times_ns("responder", "replied") - outcome.times_ns("responder", "waiting")
    sent_ns = outcome.times_ns("requester", "sent")
    # TCP may hand over a message in more pieces than the reads that it needs, though seldom.
    assert 50 * pieces <= len(loop_ns) < 60 * pieces
    # However the machine stalls, the timer adds up to the time in which messages were sent.
    assert loop_ns.sum() == pytest.approx(sent_ns[-1] - sent_ns[0] + 20e6, rel=0.1)
    round_trips_ns = outcome.times_ns("requester", "answered") - outcome.times_ns("requester", "sent")
    # A busy machine may wake the parts late, but not for each message.
    assert round_trips_ns.min() < loop_ns.mean() / 4


def test_an_open_loop_sends_when_due_whether_or_not_earlier_messages_are_answered(memory, port):
    settings = {"LOOP": "open", "RATE_PER_S": "500", "KNOWN_LAW": "constant", "KNOWN_MEAN_US": "3000"}
    outcome = conduct("known", memory, port, **settings, DURATION_S="0.4")
    due, sent = outcome.times_ns("requester", "due"), outcome.times_ns("requester", "sent")
    answered = outcome.times_ns("requester", "answered")
    assert len(due) == len(sent) == len(answered)
    # 3 ms an answer and 2 ms between messages: each message finds the queue 1 ms longer
    response_ns = answered - due
    assert response_ns[-20:].mean() > response_ns[:20].mean() + 80e6
    assert (sent[50:] < answered[:-50]).any()


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"LOOP": "sideways"}, "LOOP=sideways: expected paced, ping_pong, open or saturate."),
        ({"LOOP": "open"}, "LOOP=open needs a RATE_PER_S above 0."),
        ({"IO_THREADS": "0"}, "IO_THREADS=0: expected a whole number from 1 to 64."),
        ({"MESSAGE_BYTES": "-1"}, "MESSAGE_BYTES=-1: expected a whole number from 0 to 1048576."),
        ({"DURATION_S": ""}, "The environment variable DURATION_S is missing."),
        ({"RESPONDER_ADDRESSES": "nowhere"}, "RESPONDER_ADDRESSES=nowhere: expected HOST:PORT."),
    ],
)
def test_a_setting_that_is_no_value_ends_a_part_with_a_sentence(settings, sentence, memory, port):
    assert refused(start("null", "requester", memory, port, **settings)) == f"part: {sentence}\n"


def test_a_part_whose_conductor_goes_ends_and_finishes_its_file(memory, port):
    with start("null", "requester", memory, port) as part:
        output, error = part.communicate("", timeout=PATIENCE_S)
    assert (part.returncode, output, error) == (0, "ready\n", "")
    assert len(np.load(memory / "requester-0.records")) == 0


@pytest.mark.parametrize(("system", "lines"), [("berkeley", 17), ("zeromq", 8), ("nanomsg", 7), ("nng", 7)])
def test_the_smallest_client_is_answered_and_its_lines_are_counted(system, lines, memory, port):
    subprocess.run(["make", "-s", "-C", SOCKETS, f"{system}/target/smallest"], check=True)
    with start(system, "responder", memory, port) as part:
        assert part.stdout.readline() == "ready\n"
        part.stdin.write("verify\n")  # it echoes what it is sent
        smallest = [SOCKETS / system / "target/smallest", str(port)]
        assert (
            subprocess.run(smallest, capture_output=True, text=True, timeout=PATIENCE_S, check=True).stdout == "Hello\n"
        )
    counted = subprocess.run(
        [SOCKETS / "part/lines", "smallest.c"], cwd=SOCKETS / system, capture_output=True, text=True
    )
    assert int(counted.stdout) == lines
