"""Changes to a real app that can't be missed, judged from its own repository to the end.

Other programs may run beside this test, so the study is one whose gates let everything through.
"""

import json
import re
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest
from finished import copy_of_upload_study, open_gates
from github import run_step
from planted_app import make_app

from uploadlab.paths import REPOSITORY

SMALL = ["--load", "warmup_loops=5", "--load", "saturated_s=4", "--load", "share_s=2", "--load", "settling_s=1"]

pytestmark = [pytest.mark.slow, pytest.mark.long]


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_app(tmp_path_factory.mktemp("app") / "photos")


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a `lab` whose upload study has gates that nothing fails."""
    folder = tmp_path_factory.mktemp("action")
    study = copy_of_upload_study(folder / "study", open_gates)
    (folder / "lab").write_text(f'#!/usr/bin/env bash\nexec {REPOSITORY}/lab --study {study} "$@"\n')
    (folder / "lab").chmod(0o755)
    return folder


def test_a_stalled_event_loop_is_judged_worse_in_the_action_and_everything_says_so(
    app: Path, lab: Path, tmp_path: Path
) -> None:
    options = f"{' '.join(SMALL)} --require p99_ms<100000 --require p99_ms<0.001"
    done = run_step(app, tmp_path / "runner", lab, base="main", head="stalled", minutes="1", options=options)
    assert done.code == 1, done.stderr
    assert done.outputs == {"verdict": "worse"}
    judged = json.loads((done.report / "judge.json").read_text())
    capacity = next(row for row in judged["rows"] if row["metric"] == "capacity_per_s")
    assert capacity["verdict"] == "worse"
    # Of three blocks on a busy machine the interval of BASE against itself reaches anywhere; its ratio is never a 20th.
    assert capacity["change"]["ratio"] < 0.5
    assert capacity["change"]["ratio"] < capacity["noise"]["ratio"]
    assert [one["verdict"] for one in judged["requirements"]] == ["pass", "fail"]
    assert 10 < len(done.summary.splitlines()) <= 20
    assert done.stderr.splitlines()[-1].startswith("p99_ms<0.001 does not hold")
    suite = ElementTree.parse(done.report / "judge.junit.xml").getroot()
    assert int(suite.get("failures") or 0) >= 2
    assert (done.report / "report" / "index.html").is_file()


def test_an_answer_before_the_file_is_stored_is_refused_by_the_bytes(app: Path, lab: Path, tmp_path: Path) -> None:
    command = [lab / "lab", "judge", "main", "lost-await", "--minutes", "1", *SMALL, "--out", tmp_path / "judged"]
    done = subprocess.run(command, cwd=app, capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stderr
    # One upload alone may be caught, too, where the machine is slow.
    caught = r"were answered before their file was stored|of which 0 have the bytes that were sent"
    assert re.search(caught, done.stderr.splitlines()[-1])
    assert not (tmp_path / "judged" / "judge.json").exists()
