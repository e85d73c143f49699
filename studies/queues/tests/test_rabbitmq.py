"""RabbitMQ runs as a part of a run alone, keeps the contract in each loop, and says what is lost when it is killed."""

import socket
import subprocess
from pathlib import Path

import pytest
from queue_parts import (
    PAPERS_CLIENT,
    assert_all_arrived,
    conduct,
    latencies_ns,
    rabbitmq,
)
from waiting import PATIENCE_S, is_running, wait_until_none

from study_kit.conducting import memory_folder
from uploadlab.hosts.ports import free_port

AMQP = {"TRANSPORT": "amqp"}
pytestmark = [
    pytest.mark.slow,
    pytest.mark.usefixtures("programs"),
    pytest.mark.xdist_group("rabbitmq"),
    pytest.mark.skipif(not Path("/usr/lib/rabbitmq").exists(), reason="rabbitmq-server is not installed"),
]


@pytest.fixture(scope="module")
def broker():
    """Give the port of a RabbitMQ that the tests of this file share."""
    with memory_folder() as run_dir, rabbitmq(run_dir) as (port, _):
        yield port


@pytest.mark.parametrize(
    "settings",
    [
        {"LOOP": "closed"},
        {"LOOP": "open", "RATE_PER_S": "500", "ACK": "each", "PREFETCH": "10"},
        {"LOOP": "saturate", "ACK": "each", "WINDOW": "100"},
        {"LOOP": "saturate"},
        {"LOOP": "closed", "DELIVERY": "pull"},
    ],
    ids=["closed", "open-ack", "saturate-ack", "saturate", "pull"],
)
def test_each_message_arrives_once_in_order(settings, broker, memory):
    outcome = conduct(memory, broker, **AMQP, **settings, DURATION_S="0.2")
    sent = assert_all_arrived(outcome)
    assert len(latencies_ns(outcome)) == sent
    assert latencies_ns(outcome).min() > 0


@pytest.mark.parametrize(
    "settings",
    [{"LOOP": "saturate", "ACK": "each", "WINDOW": "100"}, {"LOOP": "closed", "DELIVERY": "pull"}],
    ids=["saturate-ack", "pull"],
)
def test_with_the_papers_library_too_each_message_arrives_once_in_order(settings, broker, memory):
    assert_all_arrived(conduct(memory, broker, PAPERS_CLIENT, **AMQP, **settings, DURATION_S="0.2"))


def test_nothing_of_it_listens_to_others_and_killed_it_leaves_nothing_and_ends_both_clients_with_a_sentence(memory):
    run_dir = memory / "run"
    run_dir.mkdir()
    ports = (free_port(), free_port(), free_port())
    with rabbitmq(run_dir, ports=ports) as (port, process):
        said = subprocess.run(["ss", "-ltnpH"], capture_output=True, text=True, check=True).stdout
        listening = [(line, *line.split()[3].rsplit(":", 1)) for line in said.splitlines()]
        of_broker = {(address, int(port)) for line, address, port in listening if f"pid={process.pid}," in line}
        assert of_broker == {("127.0.0.1", port) for port in ports[:2]}
        of_epmd = {address for _, address, port in listening if int(port) == ports[2]}
        assert "127.0.0.1" in of_epmd <= {"127.0.0.1", "[::1]"}
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        assert children

        def kill(clients):
            assert clients["producer"].stdout.readline().startswith("progress ")
            process.kill()
            for client in clients.values():
                _, error = client.communicate(timeout=PATIENCE_S)
                assert (client.returncode, error.count("\n")) == (2, 1), error
            clients.clear()

        conduct(memory, port, meanwhile=kill, **AMQP, DURATION_S="60")
    wait_until_none(
        lambda: list(filter(is_running, map(int, children)))
    )  # they end when they see that their parent has


def test_a_broker_that_crashes_as_it_starts_says_why_in_its_last_line(memory):
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = other.getsockname()[1]
        with pytest.raises(AssertionError), rabbitmq(memory, ports=(free_port(), taken, free_port())):
            pass
    assert "dist_port_already_used" in (memory / "broker.log").read_text().rstrip().splitlines()[-1]
