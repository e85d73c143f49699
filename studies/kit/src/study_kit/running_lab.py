"""A campaign of the lab in the background, as tests disturb it: what it has started, what is told, how it ends."""

import contextlib
import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

PATIENCE_S = 120.0


@dataclass(frozen=True, kw_only=True)
class RunningLab:
    """A lab that makes the first run of a campaign."""

    process: subprocess.Popen[bytes]
    out: Path
    """The campaign's folder; what the lab says is beside it."""

    def below(self, name: str = "") -> list[int]:
        """Return the processes that descend from it, or those of a name among them."""
        return [pid for pid in _below(self.process.pid) if not name or _name(pid) == name]

    def part(self, role: str, program: str) -> int:
        """Return the process of a role, by its environment; its helpers, which have the same, are started before it."""
        return [
            pid for pid in self.below(program) if f"ROLE={role}\0" in Path(f"/proc/{pid}/environ").read_text("utf-8")
        ][-1]

    def told(self, role: str, word: str) -> bool:
        """Return whether a part has told of something in its events."""
        return any(word in path.read_text("utf-8") for path in self.out.glob(f"runs/*/01/{role}-0.events.jsonl"))

    def wait_until(self, condition: Callable[[], bool]) -> None:
        """Wait for a condition while the lab runs; AssertionError when it ends, or it takes too long."""
        wait_until(lambda: condition() or self.process.poll() is not None)
        assert condition(), f"the lab has ended with {self.process.poll()}"

    def why_failed(self) -> str:
        """Wait until the first run has failed, interrupt the lab, and return why; nothing of it still runs then."""
        everything = set(self.below())
        wait_until(lambda: bool(list(self.out.glob("runs/*/01/run.json"))))
        (path,) = self.out.glob("runs/*/01/run.json")
        run = json.loads(path.read_text("utf-8"))
        said = self.out.with_suffix(".said")
        wait_until(lambda: run["reason"] in " ".join(said.read_text("utf-8").split()))
        everything |= set(self.below())
        self.process.send_signal(signal.SIGINT)
        self.process.wait(PATIENCE_S)
        assert_ended(everything)
        assert (run["status"], run["valid"]) == ("failed", False)
        assert "Traceback" not in said.read_text("utf-8")
        return str(run["reason"])

    def kill(self) -> None:
        """End it as nothing can prevent, and wait until nothing that it started still runs."""
        everything = self.below()
        self.process.kill()
        assert_ended(everything)


@contextmanager
def running_lab(command: Sequence[str | Path], out: Path, env: Mapping[str, str] | None = None) -> Iterator[RunningLab]:
    """Run a command of the lab in the background, its results in a folder. It is ended with the block."""
    with out.with_suffix(".said").open("wb") as said:
        told = {**os.environ, **(env or {})}
        process = subprocess.Popen([*command, "--out", out], stdout=said, stderr=said, env=told)
    try:
        yield RunningLab(process=process, out=out)
    finally:
        process.kill()
        process.wait()


def wait_until(condition: Callable[[], bool]) -> None:
    """Wait for a condition; AssertionError when it takes too long."""
    until = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < until, "it took too long"
        time.sleep(0.02)


def assert_ended(pids: Iterable[int]) -> None:
    """Wait until none of these processes runs."""
    left = list(pids)
    wait_until(lambda: not any(map(_runs, left)))


def _below(parent: int) -> list[int]:
    found = []
    for task in Path(f"/proc/{parent}/task").glob("*/children"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it has just ended
            for child in map(int, task.read_text().split()):
                found += [child, *_below(child)]
    return found


def _name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
