"""The conductor: parts that do as they are told, and parts that don't."""

import os
import re
import signal
import sys
from pathlib import Path

import pytest

from uploadlab.errors import LabError
from uploadlab.hosts.local_host import LocalHost
from uploadlab.hosts.processes import Processes
from uploadlab.planning.system import Start
from uploadlab.runs.conductor import Conductor
from uploadlab.runs.parts import Part, RunningPart

OBEYS = """
import sys
print("ready", flush=True)
for line in sys.stdin:
    word, *rest = line.split()
    if word == "stop":
        break
    if word == "measure":
        print("progress 40 1", flush=True)
    print({"verify": "verified", "warm_up": "warmed_up", "measure": "done"}[word], flush=True)
"""
LONG_S = 60.0


class Stage:
    """Starts parts that are Python programs, on this machine."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.registry = folder, Processes(folder / "state")
        self.host = LocalHost(self.registry, "127.0.0.1")
        self.progress: list[tuple[int, int]] = []
        self.conductor = Conductor(lambda *said: self.progress.append(said))

    def start(self, program: str, index: int = 0) -> RunningPart:
        start = Start(command=[sys.executable, "-c", program])
        cores = sorted(os.sched_getaffinity(0))
        part = Part(
            role="member", index=index, start=start, place="server", cores=cores, host="127.0.0.1", port=1, ports={}
        )
        log = self.folder / f"{part.name}.log"
        process = self.host.start(
            part.name, start.command, cwd=self.folder, cores=cores, log=log, piped=True, told=True
        )
        running = RunningPart(part=part, host=self.host, process=process, helpers=[], log=log)
        self.conductor.add(running)
        return running


@pytest.fixture
def stage(tmp_path):
    made = Stage(tmp_path)
    yield made
    made.registry.close("KILL")


def test_parts_are_taken_through_all_phases_and_end(stage):
    running = [stage.start(OBEYS, index) for index in range(2)]
    stage.conductor.await_ready(running, LONG_S)
    stage.conductor.verify(LONG_S)
    stage.conductor.warm_up(LONG_S)
    stage.conductor.measure(lambda _: 0, LONG_S, LONG_S)
    assert stage.conductor.stop(LONG_S) == {"member-0": 0, "member-1": 0}
    assert stage.progress[-1] == (80, 2), "of all parts together"


@pytest.mark.parametrize(
    ("program", "patience_s", "said"),
    [
        ("import time; time.sleep(1000)", 0.2, r"said nothing for 0\.2 s where 'ready' was expected"),
        ("print('hello', flush=True); input()", LONG_S, r"said 'hello' where 'ready' was expected\.$"),
        ("import sys; sys.exit('port 1: permission denied')", LONG_S, r"ended.*port 1: permission denied$"),
        (
            "import sys\nwhile True: sys.stdout.write('x' * 9999)",
            LONG_S,
            r"floods its standard output, where only the conductor's words are expected\.$",
        ),
    ],
)
def test_a_part_that_does_not_get_ready_is_named_with_what_it_did(stage, program, patience_s, said):
    running = stage.start(program)
    with pytest.raises(LabError) as failed:
        stage.conductor.await_ready([running], patience_s)
    assert re.match(f"member-0 {said}", str(failed.value), re.DOTALL)


def test_a_part_that_ends_while_it_measures_fails_the_run(stage):
    running = stage.start(OBEYS.replace('print("progress 40 1", flush=True)', "sys.exit('out of memory')"))
    stage.conductor.await_ready([running], LONG_S)
    with pytest.raises(LabError, match=r"member-0 ended.*out of memory"):
        stage.conductor.measure(lambda _: 0, LONG_S, LONG_S)


def test_the_part_that_was_killed_is_named_and_not_the_one_that_notices(stage):
    follows = stage.start("print('ready', flush=True); input(); raise SystemExit('the other is gone')", index=0)
    killed = stage.start(OBEYS, index=1)
    stage.conductor.await_ready([follows, killed], LONG_S)
    os.kill(killed.process.pid, signal.SIGKILL)
    killed.process.child.wait()
    with pytest.raises(LabError, match=r"^member-1 was ended by SIGKILL\.$"):
        stage.conductor.measure(lambda _: 0, LONG_S, LONG_S)


def test_a_part_that_goes_on_telling_progress_is_not_waited_for_without_end(stage):
    running = stage.start(
        "import time\nprint('ready', flush=True)\nwhile True: print('progress 1 0', flush=True); time.sleep(0.01)"
    )
    stage.conductor.await_ready([running], LONG_S)
    with pytest.raises(LabError, match="member-0 did not say 'done' within 0 s"):
        stage.conductor.measure(lambda _: 0, LONG_S, at_most_s=0.3)
