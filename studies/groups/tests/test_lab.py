"""The lab conducts groups: a member that is killed ends the run with a sentence, and nothing of it is left."""

import json
import os
import signal
from pathlib import Path

import pytest
from finished import gates_of
from running_lab import running_lab

from uploadlab.paths import REPOSITORY

pytestmark = [pytest.mark.slow, pytest.mark.long]


def test_a_member_that_is_killed_in_the_window_fails_its_gate_and_the_rest_end(tmp_path: Path) -> None:
    out = tmp_path / "campaign"
    command = [REPOSITORY / "lab", "--study", "groups", "run", "--profile", "smoke", "--baseline-repeats", "0"]
    command += ["--systems", "jgroups", "--load", "rounds=400", "--load", "messages=2000"]
    with running_lab(command, out) as lab:
        lab.wait_until(lambda: lab.told("member", '"measure"'))
        os.kill(lab.part("member", "java"), signal.SIGKILL)
        why = lab.why_failed()
    assert why.startswith("member-2 was ended by SIGKILL")  # the one that was started last
    run = json.loads(next(out.glob("runs/*/01/run.json")).read_text())
    gate = gates_of(run)["parts"]
    assert (gate["passed"], gate["sentence"]) == (False, run["reason"])
    assert not lab.memory.exists()
