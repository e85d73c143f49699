"""A campaign of the lab in the background, as tests disturb it: what it has started, what is told, how it ends."""

import contextlib
import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from waiting import PATIENCE_S, is_running, read_process, wait_for


@dataclass(frozen=True, kw_only=True)
class RunningLab:
    """A lab that makes the first run of a campaign."""

    process: subprocess.Popen[bytes]
    out: Path
    """The campaign's folder; what the lab says is beside it."""

    @property
    def memory(self) -> Path:
        """The folder of what it keeps in memory; one that was killed leaves it to the next lab to remove."""
        return Path(f"/dev/shm/upload-lab-{self.process.pid}-records")

    def below(self, name: str = "") -> list[int]:
        """Return the processes that descend from it, or those of a name among them."""
        return [pid for pid in _below(self.process.pid) if not name or read_process(pid, "comm") == name]

    def part(self, role: str, program: str) -> int:
        """Return the process of a role, by its environment; its helpers, which have the same, are started before it."""
        return [pid for pid in self.below(program) if f"ROLE={role} " in f"{read_process(pid, 'environ')} "][-1]

    def told(self, role: str, word: str) -> bool:
        """Return whether a part has told of something in its events."""
        return any(word in path.read_text("utf-8") for path in self.out.glob(f"runs/*/01/{role}-0.events.jsonl"))

    def wait_until(self, condition: Callable[[], bool]) -> None:
        """Wait for a condition while the lab runs; AssertionError when it ends, or it takes too long."""
        wait_for(condition, beside=self.process)

    def why_failed(self) -> str:
        """Wait until the first run has failed, interrupt the lab, and return why; nothing of it still runs then."""
        everything = set(self.below())
        wait_for(lambda: list(self.out.glob("runs/*/01/run.json")))
        (path,) = self.out.glob("runs/*/01/run.json")
        run = json.loads(path.read_text("utf-8"))
        said = self.out.with_suffix(".said")
        wait_for(lambda: run["reason"] in " ".join(said.read_text("utf-8").split()))
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


def kill_in_phase(reached: Callable[[RunningLab], bool], command: Sequence[str | Path], out: Path) -> RunningLab:
    """Start a campaign and kill the lab when its first run has reached a phase.

    Nothing of it runs any more, and its parts' records take no memory.
    """
    with running_lab(command, out) as lab:
        lab.wait_until(lambda: reached(lab))
        lab.kill()
    assert not list(out.glob("runs/*/01/run.json"))
    assert not list(lab.memory.iterdir())
    return lab


def assert_ended(pids: Iterable[int]) -> None:
    """Wait until none of these processes runs."""
    left = list(pids)
    wait_for(lambda: not any(map(is_running, left)))


def _below(parent: int) -> list[int]:
    found = []
    for task in Path(f"/proc/{parent}/task").glob("*/children"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it has just ended
            for child in map(int, task.read_text().split()):
                found += [child, *_below(child)]
    return found
