"""What each broker keeps when it, or the consumer, is killed: shown with messages that were confirmed."""

import json
import os
import subprocess
import time
from pathlib import Path

import pytest
from queue_parts import PROGRAMS, broker, rabbitmq

from harness.hosts.ports import free_port
from study_kit.conducting import memory_folder

COUNT = 200
ALL = {"received": COUNT, "different": COUNT, "duplicated": 0, "out_of_order": 0, "wrong": 0}
NONE = dict.fromkeys(ALL, 0)
pytestmark = pytest.mark.usefixtures("programs")
needs_rabbitmq = pytest.mark.skipif(not Path("/usr/lib/rabbitmq").exists(), reason="rabbitmq-server is not installed")


def client(port: int, *arguments: str, **settings: str) -> dict[str, int]:
    env = {**os.environ, "BROKER_ADDRESSES": f"127.0.0.1:{port}", "DURATION_S": "1", "ACK": "each", **settings}
    done = subprocess.run([PROGRAMS / "client", *arguments], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_simplified_keeps_nothing_when_it_is_killed():
    port = free_port()
    with broker("simplified", port):
        client(port, "fill", str(COUNT))
    with broker("simplified", port):
        assert client(port, "drain", "1") == NONE


@pytest.mark.parametrize(("ack", "second"), [("each", ALL), ("none", NONE)])
def test_simplified_gives_back_what_a_consumer_that_is_gone_had_not_acknowledged(ack, second):
    port = free_port()
    with broker("simplified", port):
        client(port, "fill", str(COUNT))
        assert client(port, "drain", "1", "unacked", ACK=ack) == ALL
        assert client(port, "drain", "1", ACK=ack) == second
        assert client(port, "drain", "1", ACK=ack) == NONE


@pytest.mark.alone
@pytest.mark.slow
@pytest.mark.xdist_group("rabbitmq")
@needs_rabbitmq
@pytest.mark.parametrize(("durable", "kept"), [("yes", ALL), ("no", NONE)])
def test_rabbitmq_keeps_confirmed_messages_when_it_is_killed_where_they_are_durable(durable, kept):
    settings = {"TRANSPORT": "amqp", "DURABLE": durable}
    ports = (free_port(), free_port(), free_port())
    with memory_folder() as run_dir:
        with rabbitmq(run_dir, ports=ports) as (port, process):
            client(port, "fill", str(COUNT), **settings)
            process.kill()
        with rabbitmq(run_dir, ports=ports) as (port, _):
            drained = client(port, "drain", "2", **settings)
            deadline = time.monotonic() + 60  # a durable queue is there before what it holds has been read from disk
            while kept != drained == NONE and time.monotonic() < deadline:
                drained = client(port, "drain", "2", **settings)
            assert drained == kept


@pytest.mark.slow
@pytest.mark.xdist_group("rabbitmq")
@needs_rabbitmq
def test_rabbitmq_gives_back_what_a_consumer_that_is_gone_had_not_acknowledged():
    with memory_folder() as run_dir, rabbitmq(run_dir) as (port, _):
        for ack, second in (("each", ALL), ("none", NONE)):
            settings = {"TRANSPORT": "amqp", "ACK": ack}
            client(port, "fill", str(COUNT), TRANSPORT="amqp")
            assert client(port, "drain", "2", "unacked", **settings) == ALL
            assert client(port, "drain", "2", **settings) == second
