"""Parts conducted by their words without the lab, as a study's tests and benches do it."""

import json
import os
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from monitoring.records import KINDS

PATIENCE_S = 300
"""How long an answer may take; reading a line has no time limit, but a part that is killed ends it."""
PHASES = (("verify", "verified"), ("warm_up", "warmed_up"), ("measure", "done"), ("verify", "verified"))
"""What the parts of a run are told, and what each answers."""


class Part(subprocess.Popen[str]):
    """A part's process, which ends with its `with` block at the latest; its pipes are closed then."""

    log: Path | None = None

    def complaint(self) -> str:
        """Return what a part that has ended said last."""
        if self.log:
            return self.log.read_text()
        return self.stderr.read() if self.stderr else ""

    def __exit__(self, *_: object) -> None:
        self.kill()
        self.communicate()


class PartFailed(Exception):
    """A part ended in the place of an answer; the text is what it said last."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What the parts of a run left, by role; by `role-index` where there are several of one."""

    records: dict[str, npt.NDArray[Any]]
    events: dict[str, list[dict[str, Any]]]
    progress: list[str]

    def event(self, role: str, name: str) -> dict[str, Any]:
        """Return a role's first event of a name."""
        return next(one for one in self.events[role] if one["event"] == name)

    def counters(self, role: str, phase: str = "measure") -> dict[str, Any]:
        """Return what a role counted in a phase."""
        return next(one for one in self.events[role] if one["event"] == "counters" and one["phase"] == phase)

    def of_kind(self, role: str, kind: str) -> npt.NDArray[Any]:
        """Return a role's records of a kind, like `sent`."""
        rows = self.records[role]
        found: npt.NDArray[Any] = rows[rows["kind"] == KINDS.index(kind)]
        return found

    def times_ns(self, role: str, kind: str) -> npt.NDArray[np.int64]:
        """Return when a role's records of a kind were made."""
        times: npt.NDArray[np.int64] = self.of_kind(role, kind)["time_ns"]
        return times


@contextmanager
def memory_folder() -> Iterator[Path]:
    """Give a new folder on a memory file system, as records have it, and remove it afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="upload-lab-", dir="/dev/shm"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


def start(
    command: Sequence[str | Path],
    role: str,
    folder: Path,
    told: Mapping[str, str],
    *,
    index: int = 0,
    cwd: Path | None = None,
    log: Path | None = None,
) -> Part:
    """Start a part whose files go into a folder under the names that the lab gives them; it may complain to a log."""
    env = {
        **os.environ,
        "ROLE": role,
        "INDEX": str(index),
        "HOST": "127.0.0.1",
        "RUN_DIR": str(folder),
        "RECORDS_FILE": str(folder / f"{role}-{index}.records"),
        "RECORDS_CAPACITY": "1000000",
        "EVENTS_FILE": str(folder / f"{role}-{index}.events.jsonl"),
        **told,
    }
    pipe = subprocess.PIPE
    errors: AbstractContextManager[IO[str] | int] = log.open("w") if log else nullcontext(pipe)
    with errors as stderr:
        part = Part(command, cwd=cwd, env=env, stdin=pipe, stdout=pipe, stderr=stderr, text=True, bufsize=1)
    part.log = log
    return part


def conduct(
    folder: Path,
    starts: Mapping[str, Callable[[], Part]],
    *,
    ahead_ns: int = 20_000_000,
    phases: Sequence[tuple[str, str]] = PHASES,
    meanwhile: Callable[[dict[str, Part]], object] = lambda _: None,
) -> Outcome:
    """Start the parts of a run in order and take them through all phases; `ahead_ns` from the word on they measure.

    `meanwhile` is called while they do, and may take parts out that it ends.

    Raises PartFailed when one ends where it should answer. They are heard in reverse: the one that was started last
    complains of the others.
    """
    parts: dict[str, Part] = {}
    progress: list[str] = []
    with ExitStack() as begun:
        for role, begin in starts.items():
            parts[role] = begun.enter_context(begin())
            await_answer(parts[role], "ready", progress)
        for word, answer in phases:
            said = f"measure {time.monotonic_ns() + ahead_ns}" if word == "measure" else word
            for part in parts.values():
                _tell(part, said)
            if word == "measure":
                meanwhile(parts)
            for part in reversed(parts.values()):
                await_answer(part, answer, progress)
        for part in parts.values():
            _tell(part, "stop")
        for part in reversed(parts.values()):
            _end(part)
    names = {role: role if role[-1].isdigit() else f"{role}-0" for role in parts}
    return Outcome(
        records={role: np.load(folder / f"{name}.records") for role, name in names.items()},
        events={role: _events(folder / f"{name}.events.jsonl") for role, name in names.items()},
        progress=progress,
    )


def _tell(part: Part, word: str) -> None:
    assert part.stdin is not None
    with suppress(BrokenPipeError):  # it has ended: what it said last is told where its answer is missing
        part.stdin.write(f"{word}\n")


def await_answer(part: Part, answer: str, progress: list[str]) -> None:
    """Wait for a part's answer, and add what it says of its progress; PartFailed where it ends, or is killed."""
    patience = threading.Timer(PATIENCE_S, part.kill)
    patience.daemon = True  # a signal may come before there is something to cancel
    try:
        patience.start()
        assert part.stdout is not None
        for line in part.stdout:
            if line == f"{answer}\n":
                return
            assert line.startswith("progress "), line
            progress.append(line)
    finally:
        patience.cancel()
    raise PartFailed(part.complaint())


def _end(part: Part) -> None:
    if part.wait(PATIENCE_S) != 0:
        raise PartFailed(part.complaint())


def _events(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]
