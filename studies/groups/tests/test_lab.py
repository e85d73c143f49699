"""The lab conducts groups: a member that is killed ends the run with a sentence, and nothing of it is left."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

REPOSITORY = Path(__file__).parents[3]
T = TypeVar("T")
pytestmark = [pytest.mark.slow, pytest.mark.long]


def wait_for(condition: Callable[[], T], patience_s: float = 180.0) -> T:
    """Return what a condition gives as soon as it is true."""
    until = time.monotonic() + patience_s
    while not (found := condition()):
        assert time.monotonic() < until, "the condition did not come true"
        time.sleep(0.05)
    return found


def members_of(out: Path) -> dict[str, int]:
    """Return the processes that are members of a campaign's run, by their numbers."""
    found = {}
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            told = dict(line.partition("=")[::2] for line in path.read_bytes().decode(errors="replace").split("\0"))
        except OSError:
            continue  # it has ended
        if told.get("EVENTS_FILE", "").startswith(f"{out}/") and told.get("ROLE") == "member":
            found[told["INDEX"]] = int(path.parent.name)
    return found


def test_a_member_that_is_killed_in_the_window_fails_its_gate_and_the_rest_end(tmp_path: Path) -> None:
    out = tmp_path / "campaign"
    command = [REPOSITORY / "lab", "--study", "groups", "run", "--profile", "smoke", "--baseline-repeats", "0"]
    command += ["--systems", "jgroups", "--load", "rounds=400", "--load", "messages=2000", "--out", out]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as lab:
        try:
            first = wait_for(lambda: next(iter(out.glob("runs/*/01/member-0.events.jsonl")), None))
            wait_for(lambda: '"measure"' in first.read_text())
            members = members_of(out)
            assert sorted(members) == ["0", "1", "2"]
            os.kill(members["1"], signal.SIGKILL)
            wait_for((first.parent / "run.json").exists)
            wait_for(lambda: not set(members.values()) & set(members_of(out).values()))
        finally:
            lab.send_signal(signal.SIGINT)
            said = lab.communicate(timeout=60)[0]
    run = json.loads((first.parent / "run.json").read_text())
    assert (run["status"], run["valid"]) == ("failed", False)
    assert run["reason"].startswith("member-1 was ended by SIGKILL")
    (gate,) = (gate for gate in run["gates"] if gate["name"] == "parts")
    assert (gate["passed"], gate["sentence"]) == (False, run["reason"])
    assert "Traceback" not in said
    assert not members_of(out)
    assert not Path(f"/dev/shm/upload-lab-{lab.pid}-records").exists()
