"""The lab conducts a run of this study, and says in a sentence when a broker does not start."""

import contextlib
import json
import os
import signal
import subprocess
import time
from pathlib import Path

import duckdb
import pytest
from queue_parts import QUEUES

REPOSITORY = QUEUES.parents[1]
LAB = [REPOSITORY / "lab", "--study", "queues", "run", "--profile", "smoke", "--repeats", "1"]
ENDS = (("producer", "sent"), ("consumer", "received"))
pytestmark = [pytest.mark.slow, pytest.mark.long, pytest.mark.xdist_group("rabbitmq")]


def record(out: Path, system: str) -> dict:
    return json.loads((out / f"runs/closed-b100-{system}/01/run.json").read_text())


def count(records: Path, kind: str) -> int:
    with duckdb.connect() as database:
        return len(database.execute(f"select seq from '{records}' where kind = '{kind}'").fetchall())


@pytest.mark.parametrize("system", ["simplified", "rabbitmq"])
def test_a_run_is_conducted_and_every_message_of_it_is_kept(system, tmp_path):
    out = tmp_path / "campaign"
    subprocess.run([*LAB, "--systems", system, "--out", out], capture_output=True, check=False, timeout=300)
    run = record(out, system)
    assert run["status"] == "complete"
    judged = {gate["name"]: gate["passed"] for gate in run["gates"]}
    assert [judged[name] for name in ("lost", "duplicated", "out_of_order", "wrong", "records")] == [True] * 5
    folder = out / f"runs/closed-b100-{system}/01"
    sent, came = (count(folder / f"{role}-0.records.parquet", kind) for role, kind in ENDS)
    assert sent == came == run["counts"]["requests"] > 0
    assert [part["role"] for part in run["parts"]] == ["broker", "consumer", "producer"]


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ("simplified.store=heap", "STORE=heap: expected mutex_slice, mutex_ring or lock_free."),
        ("rabbitmq.busy_wait=lots", "BUSY_WAIT=lots: expected none, very_short, short, medium, long or very_long."),
    ],
)
def test_a_broker_that_does_not_start_fails_the_run_with_its_own_sentence(setting, sentence, tmp_path):
    out = tmp_path / "campaign"
    system = setting.partition(".")[0]
    command = [*LAB, "--systems", system, "--set", setting, "--out", out]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 2
    assert f"broker-0 ended with code 2 before it was ready: {sentence}" in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr


def test_nothing_is_left_running_when_the_lab_is_killed_while_rabbitmq_runs(tmp_path):
    out = tmp_path / "campaign"
    with (tmp_path / "said").open("w") as said:
        lab = subprocess.Popen([*LAB, "--systems", "rabbitmq", "--out", out], stdout=said, stderr=said)
    until = time.monotonic() + 120
    while not (started := _below(lab.pid, "beam.smp")) and time.monotonic() < until:
        assert lab.poll() is None, (tmp_path / "said").read_text()
        time.sleep(0.1)
    assert started
    everything = _below(lab.pid)
    os.kill(lab.pid, signal.SIGKILL)
    lab.wait()
    until = time.monotonic() + 30
    while (left := [pid for pid in everything if _is_alive(pid)]) and time.monotonic() < until:
        time.sleep(0.1)
    assert left == []


def _below(parent: int, name: str = "") -> list[int]:
    """Return the processes that descend from one, or those of a name among them."""
    found = []
    for task in Path(f"/proc/{parent}/task").glob("*/children"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it has just ended
            for child in map(int, task.read_text().split()):
                found += [child, *_below(child)]
    return [pid for pid in found if not name or _name(pid) == name]


def _name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def _is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
