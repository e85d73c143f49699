"""Studies of conducted parts, run as a user runs them."""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from campaigns_of_parts import ECHO, MEMBERS, kinds, lab, memory_of, start
from finished import gates_of, runs_of
from waiting import PATIENCE_S, wait_for

from uploadlab.cli import main
from uploadlab.paths import REPOSITORY
from uploadlab.planning.study import load_study

CONDUCTED = ("sockets", "queues", "rpc", "groups")


@pytest.mark.slow
def test_a_copy_of_the_study_of_the_documentation_is_a_study_of_its_own_and_runs_from_start_to_end(tmp_path):
    study = tmp_path / "mine"
    shutil.copytree(ECHO, study)
    for program in ("driver", "part/part.py"):
        lines = (study / program).read_text().split("\n", 1)
        (study / program).write_text(f"#!{sys.executable}\n{lines[1]}")
    declared = (study / "study.toml").read_text().replace('id = "echo"', 'id = "mine"\nfloors = ["nagle"]')
    (study / "study.toml").write_text(declared)
    said = lab(study, "--profile", "smoke", "--out", str(tmp_path / "out"))
    campaign = json.loads((tmp_path / "out" / "campaign.json").read_text())
    assert campaign["study"]["id"] == "mine"
    assert {name: system.get("floor") for name, system in campaign["systems"].items()} == {"plain": None, "nagle": True}
    found = runs_of(tmp_path / "out")
    assert len(found) == 2, said
    for folder, run in found:
        assert run["status"] == "complete", run["reason"]
        passed = {name: gate["passed"] for name, gate in gates_of(run).items()}
        assert [passed[name] for name in ("contract", "parts", "contract_after", "lost", "counted")] == [True] * 5
        assert not {"server_alone", "server_steal", "sampler_cpu", "nmon_complete"} & set(passed), "it lasts 20 ms"
        assert [part["role"] for part in run["parts"]] == ["responder", "requester"]
        assert kinds(folder, "requester-0") == {"sent": 200, "answered": 200}
        assert kinds(folder, "responder-0") == {"received": 200}
        start_ns, end_ns = run["clock_span_ns"]
        phases = run["phases"]
        assert phases["load_start_ns"] <= start_ns < end_ns <= phases["load_end_ns"], "records are on the epoch's clock"
        assert (folder / "requester.samples.csv").exists()


FAULTS = {
    "cut": "member-0.records",
    "full": "member-0: its file of records was full, 7 records were lost.",
    "pid": "the events of process 1; member-0 was process",
}


@pytest.fixture(scope="module")
def members(tmp_path_factory) -> list[tuple[Path, dict[str, Any]]]:
    """The first runs of two systems of three members, one of them also with each fault in its records."""
    out = tmp_path_factory.mktemp("members") / "out"
    lab(MEMBERS, "--set", f"one.fault=none,{','.join(FAULTS)}", "--out", str(out))
    return [(folder, run) for folder, run in runs_of(out) if folder.name == "01"]


@pytest.mark.slow
def test_three_equal_members_on_all_cores_each_get_every_message_of_each(members):
    found = [(folder, run) for folder, run in members if run["settings"].get("fault", "none") == "none"]
    assert [run["system"] for _, run in found] == ["one", "two"]
    for folder, run in found:
        assert run["status"] == "complete", run["reason"]
        assert [(part["role"], part["index"]) for part in run["parts"]] == [("member", index) for index in range(3)]
        assert len({part["address"] for part in run["parts"]}) == 3
        assert all(kinds(folder, f"member-{index}") == {"sent": 100, "received": 300} for index in range(3))
        assert run["counts"]["requests"] == 900


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_records_that_cannot_be_trusted_fail_the_run_with_one_sentence(fault, members):
    [run] = [run for _, run in members if run["settings"].get("fault") == fault]
    assert run["status"] == "failed"
    assert FAULTS[fault] in run["reason"]
    assert "\n" not in run["reason"]


PHASES = ("ready", "verify", "warm_up", "measure", "stop")
KILLED = [
    pytest.param(phase, killed, marks=[pytest.mark.long] if (phase, killed) != ("measure", "lab") else [])
    for phase in PHASES
    for killed in ("lab", "part")
]


@pytest.mark.slow
@pytest.mark.parametrize(("phase", "killed"), KILLED)
def test_kill_9_in_any_phase_leaves_nothing_behind_and_resume_goes_on(tmp_path, phase, killed):
    out, stays = tmp_path / "out", tmp_path / "stays"
    with start(MEMBERS, "--systems", "one", "--set", f"one.fault={phase}:{stays}", "--out", str(out)) as running:
        wait_for(lambda: stays.exists() and stays.read_text())
        ours = {pid for pid, environment in environments() if str(out) in environment}
        assert int(stays.read_text()) in ours
        os.kill(running.pid if killed == "lab" else int(stays.read_text()), signal.SIGKILL)
        running.communicate(timeout=PATIENCE_S)
    wait_for(lambda: not ours & {pid for pid, _ in environments()})
    if killed == "part":
        [(_, run)] = runs_of(out)
        assert run["status"] == "failed"
        assert re.match(r"member-\d (was ended by SIGKILL|ended with code -9)", run["reason"])
        failed = [gate["name"] for gate in run["gates"] if gate["sentence"] == run["reason"] and not gate["passed"]]
        assert failed == {"verify": ["contract"], "measure": ["parts"]}.get(phase, [])
    said = lab(MEMBERS, "--resume", str(out))
    # What a part's end made of the run is kept beside the new one.
    assert [run["status"] for _, run in runs_of(out)] == ["complete", "failed"][: 1 + (killed == "part")], said
    assert not memory_of(running).exists()


def environments() -> list[tuple[int, str]]:
    """Return every process that there is, and its environment."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):  # it has ended
            found.append((int(path.parent.name), path.read_bytes().decode(errors="replace")))
    return found


@pytest.mark.parametrize(
    ("told", "sentence"),
    [
        ({"scenarios": [{"factors": {"message_bytes": 100}, "requests": 1}]}, "missing required field `seconds`"),
        ({"scenarios": []}, "needs, says nothing of the scenario {'message_bytes': 100}."),
        ({}, "missing required field `scenarios`"),
    ],
)
def test_a_driver_that_does_not_say_what_a_scenario_takes_is_refused_in_one_sentence(tmp_path, told, sentence, capsys):
    study = tmp_path / "echo"
    shutil.copytree(ECHO, study)
    (study / "driver").write_text(f"#!/bin/sh\necho '{json.dumps(told)}'\n")
    assert main(["--study", str(study), "run", "--profile", "smoke", "--dry-run"]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert sentence in " ".join(printed.err.split())


@pytest.mark.parametrize("study", ["docs/echo-study", *(f"studies/{name}" for name in CONDUCTED)])
def test_a_threshold_that_no_gate_has_is_refused_before_anything_is_measured(tmp_path, study):
    campaign = {"seed": 1, "scenarios": [], "thresholds": load_study(REPOSITORY / study).thresholds}
    (tmp_path / "spec.json").write_text(json.dumps(campaign))
    command = [REPOSITORY / study / "driver", "needs", "--spec", tmp_path / "spec.json"]
    assert subprocess.run(command, cwd=REPOSITORY / study, capture_output=True, check=False).returncode == 0
    (tmp_path / "spec.json").write_text(json.dumps({**campaign, "thresholds": ["out_of_oder"]}))
    done = subprocess.run(command, cwd=REPOSITORY / study, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("study.toml: [gates] names 'out_of_oder'; this study knows lost, duplicated, ")
    assert done.stderr.count("\n") == 1
