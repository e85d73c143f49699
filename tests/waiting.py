"""What tests of programs share: run one, and a screen for it, wait until something holds, and see what runs."""

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest

from uploadlab.hosts.processes import start_ticks

Found = TypeVar("Found")
PATIENCE_S = 480.0


@contextmanager
def running(command: Sequence[str | Path], **settings: Any) -> Iterator["subprocess.Popen[str]"]:
    """Run a program whose standard error is read, unless told otherwise; it is killed with the block."""
    pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, text=True, **{**pipes, **settings}) as process:  # which closes the pipes
        try:
            yield process
        finally:
            process.kill()


def lines_until(program: "subprocess.Popen[str]", part: str) -> list[str]:
    """Wait for a program to say something on standard error, and return the lines that it has said until then."""
    assert program.stderr is not None
    lines = []
    for line in program.stderr:
        lines.append(line)
        if part in line:
            return lines
    raise AssertionError(f"it ended without saying '{part}': {''.join(lines)}")


@contextmanager
def screen() -> Iterator[str]:
    """Run a screen that no one sees; gives its DISPLAY."""
    if not shutil.which("Xvfb"):
        pytest.skip("Xvfb is not installed (apt-get install xvfb)")
    command = ["Xvfb", "-displayfd", "1", "-screen", "0", "1400x900x24", "-nolisten", "tcp"]
    with running(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
        try:
            yield f":{server.stdout.readline().strip()}"
        finally:
            server.terminate()  # killed, it would leave its lock behind
            server.wait(PATIENCE_S)


def wait_for(
    condition: Callable[[], Found], *, beside: "subprocess.Popen[Any] | None" = None, pause_s: float = 0.01
) -> Found:
    """Wait until a condition holds and return what it gave; fail when the program `beside` ends, or in the end.

    Whoever starts a program to see whether it holds asks for a longer pause.
    """
    deadline = time.monotonic() + PATIENCE_S
    while not (found := condition()):
        assert beside is None or beside.poll() is None, f"ended with {beside.returncode}"
        assert time.monotonic() < deadline, "the condition did not come true"
        time.sleep(pause_s)
    return found


def wait_until_none(left: Callable[[], object], seconds: float = PATIENCE_S) -> None:
    """Wait until nothing is left; fail with what is."""
    deadline = time.monotonic() + seconds
    while remaining := left():
        assert time.monotonic() < deadline, remaining
        time.sleep(0.05)


def least_of(measure: Callable[[int], float], enough: float) -> float:
    """Return the least of up to five measurements, each told its number; one below `enough` is the last.

    A busy machine holds up most of what some of them measure, though not of each.
    """
    found = [measure(0)]
    while min(found) >= enough and len(found) < 5:
        found.append(measure(len(found)))
    return min(found)


def is_running(pid: int) -> bool:
    """Return whether there is a process of this number that has not ended."""
    return start_ticks(pid) is not None


def read_process(pid: int | str, file: str) -> str:
    """Return the words of a file that the kernel has of a process (`comm`, `cmdline`, `environ`); none of one gone."""
    try:
        return Path(f"/proc/{pid}/{file}").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return ""


def processes_that_name(folder: Path) -> list[str]:
    """Return the command lines of the other processes that name a folder, were told of it, or work below it."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                line, told = (entry / "cmdline").read_bytes(), (entry / "environ").read_bytes()
                works_in = str((entry / "cwd").readlink())
            except OSError:
                continue
            if str(folder).encode() in line + told or works_in.startswith(str(folder)):
                found.append(line.replace(b"\0", b" ").decode(errors="replace"))
    return found
