"""Starts broker, consumer and producer of a run and conducts the clients by their words, as tests need it."""

import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from harness.hosts.ports import free_port

QUEUES = Path(__file__).parents[1]
PROGRAMS = QUEUES / "target"
PAPERS_CLIENT = PROGRAMS / "paper-2025" / "client"
"""With the library that the paper's program has."""
CLIENTS = ("consumer", "producer")
# The drain ends with the last message; only where some are missing, or a busy machine pauses, does it last so long.
DEFAULTS = {"LOOP": "closed", "MESSAGE_BYTES": "100", "DURATION_S": "0.3", "DRAIN_S": "60", "ROUND_PAUSE_S": "0"}
SENT, ACCEPTED, RECEIVED, DUE = 2, 3, 4, 1


def build() -> None:
    """Build every program of the study."""
    PROGRAMS.mkdir(exist_ok=True)
    programs = [f"./{name}" for name in ("client", "simplified", "relay", "known")]
    subprocess.run(["go", "build", "-o", f"{PROGRAMS}/", *programs], cwd=QUEUES, check=True)
    of_the_paper = ["-modfile=paper-2025.mod", "-o", f"{PAPERS_CLIENT.parent}/"]
    subprocess.run(["go", "build", *of_the_paper, "./client"], cwd=QUEUES, check=True)


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What the clients of a run left."""

    records: dict[str, np.ndarray]
    events: dict[str, list[dict]]
    progress: list[str] = field(default_factory=list)

    def counters(self, role: str, phase: str = "measure") -> dict:
        return next(one for one in self.events[role] if one["event"] == "counters" and one["phase"] == phase)

    def rows(self, role: str, kind: int) -> np.ndarray:
        rows = self.records[role]
        return rows[rows["kind"] == kind]

    def latencies_ns(self) -> np.ndarray:
        """Return the time from sent to received of each message, in the order sent."""
        sent, received = self.rows("producer", SENT), self.rows("consumer", RECEIVED)
        np.testing.assert_array_equal(sent[["op", "seq"]], received[["op", "seq"]])
        return received["time_ns"] - sent["time_ns"]


@contextmanager
def memory_folder() -> Iterator[Path]:
    """Give a new folder in memory and remove it afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="upload-lab-", dir="/dev/shm"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


def await_port(port: int, process: subprocess.Popen[str], timeout_s: float = 60.0) -> None:
    """Wait until something listens at the port; AssertionError when the process ends or the time is over."""
    until = time.monotonic() + timeout_s
    while time.monotonic() < until:
        assert process.poll() is None, f"ended with {process.returncode}"
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.01)
    raise AssertionError(f"nothing listens at {port}")


@contextmanager
def broker(name: str, port: int, **settings: str) -> Iterator[subprocess.Popen[str]]:
    """Run a broker of ours until the block ends."""
    env = {**os.environ, "HOST": "127.0.0.1", "PORT": str(port), **settings}
    process = subprocess.Popen([PROGRAMS / name], env=env, stderr=subprocess.PIPE, text=True)
    try:
        await_port(port, process)
        yield process
    finally:
        process.kill()
        process.communicate()


@contextmanager
def rabbitmq(
    run_dir: Path, port: int = 0, ports: tuple[int, int, int] | None = None
) -> Iterator[tuple[int, subprocess.Popen[str]]]:
    """Run RabbitMQ and its epmd as the lab does, until the block ends; gives its port and its process."""
    port, dist, epmd = ports or (port or free_port(), free_port(), free_port())
    names = {"PORT": str(port), "DIST_PORT": str(dist), "EPMD_PORT": str(epmd)}
    env = {**os.environ, **names, "HOST": "127.0.0.1", "RUN_DIR": str(run_dir)}
    started: list[subprocess.Popen[str]] = []
    with (run_dir / "broker.log").open("a") as log:
        try:
            for name, listens in (("epmd", epmd), ("start", port)):
                program = QUEUES / "rabbitmq/bin" / name
                started.append(
                    subprocess.Popen([program], env=env, stdin=subprocess.DEVNULL, stdout=log, stderr=log, text=True)
                )
                await_port(listens, started[-1])
            yield port, started[-1]
        finally:
            for process in reversed(started):
                process.terminate()
                process.wait(30)


def start(
    role: str, folder: Path, ports: dict[str, int], program: Path = PROGRAMS / "client", **settings: str
) -> subprocess.Popen[str]:
    env = {
        **os.environ,
        **DEFAULTS,
        "ROLE": role,
        "HOST": "127.0.0.1",
        "PORT": str(ports[role]),
        "BROKER_ADDRESSES": f"127.0.0.1:{ports['broker']}",
        "CONSUMER_ADDRESSES": f"127.0.0.1:{ports['consumer']}",
        "RECORDS_FILE": str(folder / f"{role}.records"),
        "RECORDS_CAPACITY": "1000000",
        "EVENTS_FILE": str(folder / f"{role}.events.jsonl"),
        **settings,
    }
    pipe = subprocess.PIPE
    return subprocess.Popen([program], env=env, stdin=pipe, stdout=pipe, stderr=pipe, text=True, bufsize=1)


def conduct(folder: Path, broker_port: int, program: Path = PROGRAMS / "client", **settings: str) -> Outcome:
    """Take both clients through all phases; AssertionError when one does not answer with the word it should."""
    ports = {"broker": broker_port, "consumer": free_port(), "producer": 0}
    clients: dict[str, subprocess.Popen[str]] = {}
    progress: list[str] = []
    try:
        for role in CLIENTS:
            clients[role] = start(role, folder, ports, program, **settings)
            assert clients[role].stdout.readline() == "ready\n", clients[role].stderr.read()
        for word, answer in (
            ("verify", "verified"),
            ("warm_up", "warmed_up"),
            ("measure", "done"),
            ("verify", "verified"),
        ):
            said = f"measure {time.monotonic_ns() + 20_000_000}" if word == "measure" else word
            for client in clients.values():
                client.stdin.write(f"{said}\n")
            for client in clients.values():
                _await(client, answer, progress)
        for client in clients.values():
            client.stdin.write("stop\n")
        codes = [client.wait(10) for client in clients.values()]
        assert codes == [0, 0], [client.stderr.read() for client in clients.values()]
    finally:
        for client in clients.values():
            client.kill()
            client.communicate()
    return read(folder, progress)


def read(folder: Path, progress: list[str]) -> Outcome:
    return Outcome(
        records={role: np.load(folder / f"{role}.records") for role in CLIENTS},
        events={
            role: [json.loads(line) for line in (folder / f"{role}.events.jsonl").read_text().splitlines()]
            for role in CLIENTS
        },
        progress=progress,
    )


def _await(client: subprocess.Popen[str], answer: str, progress: list[str]) -> None:
    for line in client.stdout:
        if line == f"{answer}\n":
            return
        assert line.startswith("progress "), line
        progress.append(line)
    raise AssertionError(f"No '{answer}': {client.stderr.read()}")
