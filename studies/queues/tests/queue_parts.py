"""Starts broker, consumer and producer of a run and conducts the clients by their words, as tests need it."""

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from waiting import PATIENCE_S, wait_for

from study_kit import conducting
from study_kit.conducting import Outcome, Part
from uploadlab.hosts.ports import free_port, is_listened_on

QUEUES = Path(__file__).parents[1]
PROGRAMS = QUEUES / "target"
PAPERS_CLIENT = PROGRAMS / "paper-2025" / "client"
"""With the library that the paper's program has."""
CLIENTS = ("consumer", "producer")
# The drain ends with the last message; only where some are missing, or a busy machine pauses, does it last so long.
DEFAULTS = {"LOOP": "closed", "MESSAGE_BYTES": "100", "DURATION_S": "0.3", "DRAIN_S": "60", "ROUND_PAUSE_S": "0"}
FAULTS = ("duplicated", "out_of_order", "wrong", "left", "lost_records")


def build() -> None:
    """Build every program of the study."""
    PROGRAMS.mkdir(exist_ok=True)
    programs = [f"./{name}" for name in ("client", "simplified", "relay")]
    subprocess.run(["go", "build", "-o", f"{PROGRAMS}/", *programs], cwd=QUEUES, check=True)
    of_the_paper = ["-modfile=paper-2025.mod", "-o", f"{PAPERS_CLIENT.parent}/"]
    subprocess.run(["go", "build", *of_the_paper, "./client"], cwd=QUEUES, check=True)


def assert_all_arrived(outcome: Outcome) -> int:
    """Hold a run to it that each message arrived once, in order and as it was sent; return how many."""
    sent, came = outcome.counters("producer"), outcome.counters("consumer")
    assert came["received"] == came["different"] == sent["sent"] > 0
    assert came["received_bytes"] == sent["sent_bytes"]
    assert [came[name] for name in FAULTS] == [0] * len(FAULTS)
    return sent["sent"]


def latencies_ns(outcome: Outcome) -> np.ndarray:
    """Return the time from sent to received of each message, in the order sent."""
    sent, received = outcome.of_kind("producer", "sent"), outcome.of_kind("consumer", "received")
    np.testing.assert_array_equal(sent[["op", "seq"]], received[["op", "seq"]])
    return received["time_ns"] - sent["time_ns"]


@contextmanager
def broker(name: str, port: int, **settings: str) -> Iterator[subprocess.Popen[str]]:
    """Run a broker of ours until the block ends; `known` is what the relay is told to be."""
    command = [PROGRAMS / "relay", "known"] if name == "known" else [PROGRAMS / name]
    env = {**os.environ, "HOST": "127.0.0.1", "PORT": str(port), **settings}
    process = subprocess.Popen(command, env=env, stderr=subprocess.PIPE, text=True)
    try:
        wait_for(lambda: is_listened_on("127.0.0.1", port), beside=process)
        yield process
    finally:
        process.kill()
        process.communicate()


@contextmanager
def rabbitmq(
    run_dir: Path, ports: tuple[int, int, int] | None = None, *, busy_wait: str = "none"
) -> Iterator[tuple[int, subprocess.Popen[str]]]:
    """Run RabbitMQ and its epmd as the lab does, until the block ends; gives its port and its process.

    Beside other tests its schedulers do not spin; who measures gives the study's own `busy_wait`.
    """
    port, dist, epmd = ports or (free_port(), free_port(), free_port())
    names = {"PORT": str(port), "DIST_PORT": str(dist), "EPMD_PORT": str(epmd)}
    env = {**os.environ, **names, "HOST": "127.0.0.1", "RUN_DIR": str(run_dir), "BUSY_WAIT": busy_wait}
    started: list[subprocess.Popen[str]] = []
    with (run_dir / "broker.log").open("a") as log:
        try:
            for name, listens in (("epmd", epmd), ("start", port)):
                program = QUEUES / "rabbitmq/bin" / name
                started.append(
                    subprocess.Popen([program], env=env, stdin=subprocess.DEVNULL, stdout=log, stderr=log, text=True)
                )
                wait_for(lambda listens=listens: is_listened_on("127.0.0.1", listens), beside=started[-1])
            yield port, started[-1]
        finally:
            for process in reversed(started):
                process.terminate()
                process.wait(PATIENCE_S)


def start(role: str, folder: Path, ports: dict[str, int], program: Path = PROGRAMS / "client", **settings: str) -> Part:
    folder.mkdir(exist_ok=True)
    told = {
        **DEFAULTS,
        "PORT": str(ports[role]),
        "BROKER_ADDRESSES": f"127.0.0.1:{ports['broker']}",
        "CONSUMER_ADDRESSES": f"127.0.0.1:{ports['consumer']}",
        **settings,
    }
    return conducting.start([program], role, folder, told)


def conduct(
    folder: Path,
    broker_port: int,
    program: Path = PROGRAMS / "client",
    meanwhile: Callable[[dict[str, Part]], object] = lambda _: None,
    **settings: str,
) -> Outcome:
    """Take both clients through all phases; `meanwhile` is called while they measure."""
    ports = {"broker": broker_port, "consumer": free_port(), "producer": 0}
    starts = {role: lambda role=role: start(role, folder, ports, program, **settings) for role in CLIENTS}
    return conducting.conduct(folder, starts, meanwhile=meanwhile)
