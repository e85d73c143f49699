"""What each broker keeps when it, or the consumer, is killed: shown with messages that were confirmed."""

import json
import os
import subprocess
import time
from pathlib import Path

import pytest
from queue_parts import PROGRAMS, broker, rabbitmq
from waiting import PATIENCE_S, read_process, wait_for

from study_kit.conducting import Part, memory_folder
from uploadlab.hosts.ports import free_port

COUNT = 200
ALL = {"received": COUNT, "different": COUNT, "duplicated": 0, "out_of_order": 0, "wrong": 0}
NONE = dict.fromkeys(ALL, 0)
pytestmark = pytest.mark.usefixtures("programs")
needs_rabbitmq = pytest.mark.skipif(not Path("/usr/lib/rabbitmq").exists(), reason="rabbitmq-server is not installed")


def start(port: int, *arguments: str, **settings: str) -> Part:
    env = {**os.environ, "BROKER_ADDRESSES": f"127.0.0.1:{port}", "DURATION_S": "1", "ACK": "each", **settings}
    pipe = subprocess.PIPE
    return Part([PROGRAMS / "client", *arguments], env=env, stdin=pipe, stdout=pipe, stderr=pipe, text=True)


def client(port: int, *arguments: str, **settings: str) -> dict[str, int]:
    with start(port, *arguments, **settings) as process:
        said, error = process.communicate()
    assert process.returncode == 0, error
    return json.loads(said)


def drain_when_read(port: int, kept: bool, **settings: str) -> dict[str, int]:
    """Drain a broker that was started again; a durable queue is there before what it holds has been read from disk."""
    drained = client(port, "drain", "1", **settings)
    deadline = time.monotonic() + PATIENCE_S
    while kept and drained == NONE and time.monotonic() < deadline:
        drained = client(port, "drain", "1", **settings)
    return drained


def confirmed_until_killed(port: int, broker: subprocess.Popen[str], **settings: str) -> int:
    """Kill a broker while messages are sent one after the other; return how many it had confirmed until then."""
    with start(port, "fill", "10000000", LOOP="closed", **settings) as filling:
        wait_for(lambda: written_bytes(filling.pid) > 100_000, beside=filling)  # some 1,000 messages
        broker.kill()
        said, error = filling.communicate(timeout=PATIENCE_S)
    assert filling.returncode == 2
    assert error.count("\n") == 1
    return json.loads(said)["sent"]


def written_bytes(pid: int) -> int:
    return int((read_process(pid, "io").partition("wchar: ")[2].split() or ["0"])[0])


def test_simplified_that_is_killed_while_messages_are_sent_keeps_none_of_those_it_confirmed(port):
    with broker("simplified", port) as process:
        assert confirmed_until_killed(port, process) > 100
    with broker("simplified", port):
        assert client(port, "drain", "1") == NONE


def test_simplified_gives_back_what_a_consumer_that_is_gone_had_not_acknowledged(port):
    with broker("simplified", port):
        assert_gives_back_what_a_consumer_that_is_gone_had_not_acknowledged(port)


@pytest.mark.slow
@pytest.mark.xdist_group("rabbitmq")
@needs_rabbitmq
@pytest.mark.parametrize("durable", ["yes", "no"])
def test_rabbitmq_gives_back_what_was_not_acknowledged_and_killed_keeps_it_and_what_it_confirmed_where_durable(durable):
    settings = {"TRANSPORT": "amqp", "DURABLE": durable}
    ports = (free_port(), free_port(), free_port())
    with memory_folder() as run_dir:
        with rabbitmq(run_dir, ports=ports) as (port, process):
            assert_gives_back_what_a_consumer_that_is_gone_had_not_acknowledged(port, **settings)
            client(port, "fill", str(COUNT), **settings)
            with start(port, "drain", "1", "unacked", **settings) as holding:
                assert json.loads(holding.stdout.readline()) == ALL
                confirmed = confirmed_until_killed(port, process, **settings)
        assert confirmed > COUNT
        with rabbitmq(run_dir, ports=ports) as (port, _):
            drained = drain_when_read(port, durable == "yes", **settings)  # and acknowledges each
    if durable == "no":
        assert drained == NONE
        return
    assert confirmed <= drained["different"] <= confirmed + 1  # the last one may have been kept and not confirmed
    # What was held comes first, then the others, which are numbered from 0 on again.
    assert drained["received"] == COUNT + drained["different"]
    assert (drained["duplicated"], drained["out_of_order"], drained["wrong"]) == (COUNT, 0, 0)


def assert_gives_back_what_a_consumer_that_is_gone_had_not_acknowledged(port: int, **settings: str) -> None:
    for ack, second in (("each", ALL), ("none", NONE)):
        client(port, "fill", str(COUNT), **settings)
        assert client(port, "drain", "1", "unacked", **settings, ACK=ack) == ALL
        assert client(port, "drain", "1", **settings, ACK=ack) == second
