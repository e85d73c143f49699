"""Starts the two parts of a run and conducts them by their words, as tests need it."""

import json
import os
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

SOCKETS = Path(__file__).parents[1]
ROLES = ("responder", "requester")
DEFAULTS = {"LOOP": "ping_pong", "MESSAGE_BYTES": "100", "DURATION_S": "0.3", "PATTERNS": "pair", "DRAIN_S": "2"}


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What the parts of a run left."""

    records: dict[str, np.ndarray]
    events: dict[str, list[dict]]
    progress: list[str]

    def counters(self, role: str, phase: str = "measure") -> dict:
        return next(one for one in self.events[role] if one["event"] == "counters" and one["phase"] == phase)

    def times_ns(self, role: str, kind: int) -> np.ndarray:
        rows = self.records[role]
        return rows["time_ns"][rows["kind"] == kind]


def start(
    system: str, role: str, folder: Path, port: int, *, core: int | None = None, **settings: str
) -> subprocess.Popen[str]:
    env = {
        **os.environ,
        **DEFAULTS,
        "ROLE": role,
        "HOST": "127.0.0.1",
        "PORT": str(port),
        "RESPONDER_ADDRESSES": f"127.0.0.1:{port}",
        "RECORDS_FILE": str(folder / f"{role}.records"),
        "RECORDS_CAPACITY": "1000000",
        "EVENTS_FILE": str(folder / f"{role}.events.jsonl"),
        **settings,
    }
    pipe = subprocess.PIPE
    pinned = [] if core is None else ["taskset", "--cpu-list", str(core)]
    return subprocess.Popen(
        [*pinned, SOCKETS / system / "target/part"], env=env, stdin=pipe, stdout=pipe, stderr=pipe, text=True, bufsize=1
    )


def conduct(
    system: str, folder: Path, port: int, *, cores: tuple[int | None, int | None] = (None, None), **settings: str
) -> Outcome:
    """Take both parts through all phases; AssertionError when one does not answer with the word it should."""
    parts = {}
    progress: list[str] = []
    try:
        for role, core in zip(ROLES, cores, strict=True):
            parts[role] = start(system, role, folder, port, core=core, **settings)
            assert parts[role].stdout.readline() == "ready\n", parts[role].stderr.read()
        for word, answer in (
            ("verify", "verified"),
            ("warm_up", "warmed_up"),
            (f"measure {time.monotonic_ns() + 20_000_000}", "done"),
            ("verify", "verified"),
        ):
            for part in parts.values():
                part.stdin.write(f"{word}\n")
            for part in parts.values():
                _await(part, answer, progress)
        for part in parts.values():
            part.stdin.write("stop\n")
        codes = [part.wait(10) for part in parts.values()]
        assert codes == [0, 0], [part.stderr.read() for part in parts.values()]
    finally:
        for part in parts.values():
            part.kill()
            part.communicate()
    return Outcome(
        records={role: np.load(folder / f"{role}.records") for role in ROLES},
        events={role: _events(folder / f"{role}.events.jsonl") for role in ROLES},
        progress=progress,
    )


def _await(part: subprocess.Popen[str], answer: str, progress: list[str]) -> None:
    for line in part.stdout:
        if line == f"{answer}\n":
            return
        assert line.startswith("progress "), line
        progress.append(line)
    raise AssertionError(f"No '{answer}': {part.stderr.read()}")


def _events(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]
