"""Starts the two parts of a run and conducts them by their words, as tests need it."""

import json
import os
import subprocess
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

RPC = Path(__file__).parents[1]
ROLES = ("server", "client")
DEFAULTS = {
    "CALLS": "20", "WARMUP_CALLS": "2", "ORDER": "as_listed", "JVM": "warm", "FOO": "typical", "CLOCK": "ns",
    "SEED": "1", "DRAIN_S": "5", "HEAP_MB": "64",
}  # fmt: skip
OPERATIONS = ("void", "singlelong", "eightlongs", *(f"string{2**power}" for power in range(11)), "foo")
SENT, RECEIVED, ANSWERED, REPLIED, WAITING = 2, 4, 5, 6, 7
PATIENCE_S = 60
START_NS = 500_000_000  # a server that is told later than that says so


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What the parts of a run left."""

    records: dict[str, np.ndarray]
    events: dict[str, list[dict]]

    def event(self, role: str, name: str) -> dict:
        return next(one for one in self.events[role] if one["event"] == name)

    def of_kind(self, role: str, kind: int) -> np.ndarray:
        rows = self.records[role]
        return rows[rows["kind"] == kind]


class PartFailed(Exception):
    """A part ended in the place of an answer; the text is what it said last."""


def start(command: list[str], role: str, folder: Path, port: int, **settings: str) -> subprocess.Popen[str]:
    """Start a part; `command` is what a sut.toml would say, its folder among the systems first."""
    env = {
        **os.environ,
        **DEFAULTS,
        "ROLE": role,
        "INDEX": "0",
        "HOST": "127.0.0.1",
        "PORT": str(port),
        "LINK": "loopback",
        "SERVER_ADDRESSES": f"127.0.0.1:{port}",
        "RUN_DIR": str(folder),
        "RECORDS_FILE": str(folder / f"{role}-0.records"),
        "RECORDS_CAPACITY": "1000000",
        "EVENTS_FILE": str(folder / f"{role}-0.events.jsonl"),
        **settings,
    }
    pipe = subprocess.PIPE
    system, *words = command
    return subprocess.Popen(
        words, cwd=RPC / system, env=env, stdin=pipe, stdout=pipe, stderr=pipe, text=True, bufsize=1
    )


def conduct(command: list[str], folder: Path, port: int, **settings: str) -> Outcome:
    """Take both parts through all phases; PartFailed when one does not answer with the word it should."""
    parts: dict[str, subprocess.Popen[str]] = {}
    try:
        for role in ROLES:
            parts[role] = start(command, role, folder, port, **settings)
            _await(parts[role], "ready")
        for word, answer in (
            ("verify", "verified"),
            ("warm_up", "warmed_up"),
            ("measure", "done"),
            ("verify", "verified"),
        ):
            line = f"measure {time.monotonic_ns() + START_NS}" if word == "measure" else word
            for part in parts.values():
                part.stdin.write(f"{line}\n")
            for part in reversed(parts.values()):  # the client's complaint is the one that tells
                _await(part, answer)
        for part in parts.values():
            part.stdin.write("stop\n")
        assert [part.wait(PATIENCE_S) for part in parts.values()] == [0, 0]
    finally:
        for part in parts.values():
            part.kill()
            part.communicate()
    return Outcome(
        records={role: np.load(folder / f"{role}-0.records") for role in ROLES},
        events={role: _events(folder / f"{role}-0.events.jsonl") for role in ROLES},
    )


def _await(part: subprocess.Popen[str], answer: str) -> None:
    patience = threading.Timer(PATIENCE_S, part.kill)
    patience.start()
    try:
        for line in part.stdout:
            if line == f"{answer}\n":
                return
            assert line.startswith("progress "), line
    finally:
        patience.cancel()
    raise PartFailed(part.stderr.read())


def _events(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]
