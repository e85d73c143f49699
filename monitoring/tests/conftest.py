"""Real processes that do a known amount of work when told to, and say what it was; and what work of our own takes."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any, Self

import pytest

_PROGRAM = """
import json, os, resource, sys, threading, time

def pingpong(rounds):
    to_child, from_parent = os.pipe()[::-1]
    to_parent, from_child = os.pipe()[::-1]
    child = os.fork()
    if child == 0:
        os.close(to_child)  # or it would keep itself waiting
        for _ in range(rounds):
            os.read(from_parent, 1)
            os.write(to_parent, b"x")
        os.read(from_parent, 1)  # until the parent is gone
        os._exit(0)
    for _ in range(rounds):
        os.write(to_child, b"x")
        os.read(from_child, 1)

def sleeps_in_threads(threads, sleeps):
    def sleep():
        for _ in range(sleeps):
            time.sleep(0.0005)
    for _ in range(threads):
        thread = threading.Thread(target=sleep)
        thread.start()
        thread.join()

def burn(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass

def hold_memory(bytes_):
    global held
    held = bytearray(b"x") * bytes_

def hold_threads(count):
    for _ in range(count):
        threading.Thread(target=threading.Event().wait, daemon=True).start()

print(json.dumps({}), flush=True)
for line in sys.stdin:
    name, *numbers = json.loads(line)
    usage, cpu, wall = resource.getrusage(resource.RUSAGE_SELF), time.process_time_ns(), time.monotonic_ns()
    globals()[name](*numbers)
    cpu_at_end, wall = time.process_time_ns(), time.monotonic_ns() - wall
    after = resource.getrusage(resource.RUSAGE_SELF)
    print(json.dumps({
        "cpu_at_start_ns": cpu,
        "cpu_at_end_ns": cpu_at_end,
        "cpu_ns": cpu_at_end - cpu,
        "wall_ns": wall,
        "voluntary": after.ru_nvcsw - usage.ru_nvcsw,
        "involuntary": after.ru_nivcsw - usage.ru_nivcsw,
    }), flush=True)
"""


class Worker:
    """A process that waits for work; leave the `with` block and it is gone."""

    def __init__(self, core: int | None = None) -> None:
        command = [sys.executable, "-c", _PROGRAM]
        if core is not None:
            command = ["taskset", "--cpu-list", str(core), *command]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.pid = self._process.pid

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    def begin(self, name: str, *numbers: float) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps([name, *numbers]) + "\n")
        self._process.stdin.flush()

    def answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer

    def do(self, name: str, *numbers: float) -> dict[str, Any]:
        self.begin(name, *numbers)
        return self.answer()


@pytest.fixture
def start_worker() -> Iterator[Callable[..., Worker]]:
    with ExitStack() as workers:

        def start(core: int | None = None) -> Worker:
            worker = workers.enter_context(Worker(core))
            worker.answer()  # it waits for work
            return worker

        yield start
