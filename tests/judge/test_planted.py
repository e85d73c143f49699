"""Changes to a real app that can't be missed, judged from its own repository to the end."""

import json
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest
from github import run_step
from planted_app import make_app

LAB = Path(__file__).parents[2] / "lab"
SMALL = ["--load", "warmup_loops=20", "--load", "saturated_s=2", "--load", "share_s=2", "--load", "settling_s=1"]

pytestmark = [pytest.mark.long, pytest.mark.alone]


@pytest.fixture
def app(tmp_path: Path) -> Path:
    return make_app(tmp_path / "photos")


def test_a_blocking_call_is_judged_worse_in_the_action_and_everything_says_so(app: Path, tmp_path: Path) -> None:
    options = f"{' '.join(SMALL)} --require p99_ms<10000 --require p99_ms<0.001"
    done = run_step(app, tmp_path / "runner", base="main", head="blocking", minutes="1", options=options)
    assert done.code == 1, done.stderr
    assert done.outputs == {"verdict": "worse"}
    judged = json.loads((done.report / "judge.json").read_text())
    capacity = next(row for row in judged["rows"] if row["metric"] == "capacity_per_s")
    assert capacity["verdict"] == "worse"
    assert capacity["change"]["hi"] < 0.6
    assert capacity["noise"]["ratio"] > capacity["change"]["ratio"]
    assert [one["verdict"] for one in judged["requirements"]] == ["pass", "fail"]
    assert 10 < len(done.summary.splitlines()) <= 20
    assert done.stderr.splitlines()[-1].startswith("p99_ms<0.001 does not hold")
    suite = ElementTree.parse(done.report / "judge.junit.xml").getroot()
    assert int(suite.get("failures") or 0) >= 2
    assert (done.report / "report" / "index.html").is_file()


def test_an_answer_before_the_file_is_stored_is_refused_by_the_bytes(app: Path, tmp_path: Path) -> None:
    command = [str(LAB), "judge", "main", "lost-await", "--minutes", "1", *SMALL, "--out", str(tmp_path / "judged")]
    done = subprocess.run(command, cwd=app, capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stderr
    assert "have the bytes that were sent" in done.stderr.splitlines()[-1]
    assert not (tmp_path / "judged" / "judge.json").exists()
