"""Studies of conducted parts, run as a user runs them."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import duckdb
import pytest


REPOSITORY = Path(__file__).parents[2]
ECHO, MEMBERS = REPOSITORY / "docs" / "echo-study", REPOSITORY / "harness" / "tests" / "three_members"


def lab(study: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "harness", "--study", str(study), *arguments],
        cwd=REPOSITORY, capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip


def runs(out: Path) -> list[tuple[Path, dict[str, Any]]]:
    return [(path.parent, json.loads(path.read_text())) for path in sorted(out.glob("runs/*/*/run.json"))]


def kinds(folder: Path, part: str) -> dict[str, int]:
    return dict(
        duckdb.execute(
            "SELECT kind, count(*) FROM read_parquet(?) GROUP BY kind", [f"{folder}/{part}.records.parquet"]
        ).fetchall()
    )


def left_in_memory() -> set[Path]:
    return set(Path("/dev/shm").glob("upload-lab-*"))


@pytest.mark.slow
def test_the_study_of_the_documentation_runs_from_start_to_end(tmp_path):
    before = left_in_memory()
    said = lab(ECHO, "run", "--profile", "smoke", "--out", str(tmp_path / "out"))
    found = runs(tmp_path / "out")
    assert len(found) == 2, said.stderr
    for folder, run in found:
        assert run["status"] == "complete", run["reason"]
        assert [gate["passed"] for gate in run["gates"] if gate["name"] == "lost"] == [True]
        assert [part["role"] for part in run["parts"]] == ["responder", "requester"]
        assert kinds(folder, "requester-0") == {"sent": 200, "answered": 200}
        assert kinds(folder, "responder-0") == {"received": 200}
        start_ns, end_ns = run["clock_span_ns"]
        phases = run["phases"]
        assert phases["load_start_ns"] <= start_ns < end_ns <= phases["load_end_ns"], "records are on the epoch's clock"
        assert (folder / "requester.samples.csv").exists()
    assert left_in_memory() <= before


@pytest.mark.slow
def test_three_equal_members_on_all_cores_each_get_every_message_of_each(tmp_path):
    said = lab(MEMBERS, "run", "--out", str(tmp_path / "out"))
    found = runs(tmp_path / "out")
    assert len(found) == 2, said.stderr
    for folder, run in found:
        assert run["status"] == "complete", run["reason"]
        assert [(part["role"], part["index"]) for part in run["parts"]] == [("member", index) for index in range(3)]
        assert len({part["address"] for part in run["parts"]}) == 3
        assert all(kinds(folder, f"member-{index}") == {"sent": 100, "received": 300} for index in range(3))
        assert run["counts"]["requests"] == 900


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        ("cut", "member-0.records"),
        ("full", "member-0: its file of records was full, 7 records were lost."),
        ("pid", "the events of process 1; member-0 was process"),
    ],
)
def test_records_that_cannot_be_trusted_fail_the_run_with_one_sentence(tmp_path, fault, sentence):
    before = left_in_memory()
    lab(MEMBERS, "run", "--systems", "one", "--load", f"fault={fault}", "--out", str(tmp_path / "out"))
    [(_, run)] = runs(tmp_path / "out")[:1]
    assert run["status"] == "failed"
    assert sentence in run["reason"]
    assert "\n" not in run["reason"]
    assert left_in_memory() <= before


@pytest.mark.slow
@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGINT])
def test_a_lab_that_ends_while_it_measures_leaves_nothing_behind_and_resumes(tmp_path, ending):
    before, out = left_in_memory(), tmp_path / "out"
    command = [sys.executable, "-m", "harness", "--study", str(ECHO), "run", "--profile", "smoke", "--out", str(out)]
    cut = subprocess.Popen(
        [*command, "--load", "messages=100000000"], cwd=REPOSITORY, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    events = wait_for(lambda: next(out.glob("runs/*/*/requester-0.events.jsonl"), None))
    wait_for(lambda: "warm_up" in events.read_text())
    pids = [json.loads(path.read_text().splitlines()[0])["pid"] for path in out.glob("runs/*/*/*.events.jsonl")]
    cut.send_signal(ending)
    cut.wait(60)
    wait_for(lambda: not any(Path(f"/proc/{pid}").exists() for pid in pids))
    lab(ECHO, "run", "--resume", str(out), "--load", "messages=100")  # refused, yet it sweeps
    assert left_in_memory() <= before


def wait_for(condition: Any, seconds: float = 60.0) -> Any:
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline, "the condition did not come true"
        time.sleep(0.02)
    return found
