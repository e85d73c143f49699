"""The lab conducts a run of this study, and a fault in it ends it with a sentence and leaves nothing running."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pytest
from queue_parts import QUEUES
from waiting import is_running, wait_for

from harness.hosts.ports import free_port

REPOSITORY = QUEUES.parents[1]
LAB = [
    REPOSITORY / "lab",
    "--study",
    "queues",
    "run",
    "--profile",
    "smoke",
    "--repeats",
    "1",
    "--baseline-repeats",
    "0",
]
LONG = ["--loops", "open", "--rates", "500", "--load", "duration_s=60"]
ENDS = (("producer", "sent"), ("consumer", "received"))
pytestmark = [pytest.mark.slow, pytest.mark.long, pytest.mark.xdist_group("rabbitmq")]


def record(out: Path, system: str) -> dict:
    return json.loads((out / f"runs/closed-b100-{system}/01/run.json").read_text())


def count(records: Path, kind: str) -> int:
    with duckdb.connect() as database:
        return len(database.execute(f"select seq from '{records}' where kind = '{kind}'").fetchall())


@contextmanager
def left_over_epmd() -> Iterator[None]:
    """Run a port mapper as another broker may have left it: at the usual port, or beside the one that has it."""
    port = free_port()
    with subprocess.Popen(["epmd", "-port", str(port)], stdin=subprocess.DEVNULL) as epmd:
        try:
            wait_for(
                lambda: subprocess.run(["epmd", "-port", str(port), "-names"], capture_output=True).returncode == 0
            )
            yield
        finally:
            epmd.kill()


@pytest.mark.parametrize("system", ["simplified", "rabbitmq"])
def test_a_run_is_conducted_and_every_message_of_it_is_kept(system, tmp_path):
    out = tmp_path / "campaign"
    with left_over_epmd() if system == "rabbitmq" else contextlib.nullcontext():
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


@contextmanager
def running_lab(out: Path, system: str, *more: str, env: dict[str, str] | None = None) -> Iterator[subprocess.Popen]:
    """Run the lab in the background; what it says is beside its results. It is ended with the block."""
    with out.with_suffix(".said").open("w") as said:
        command = [*LAB, "--systems", system, "--out", out, *more]
        lab = subprocess.Popen(command, stdout=said, stderr=said, env={**os.environ, **(env or {})})
    try:
        yield lab
    finally:
        lab.kill()
        lab.wait()


def end_of(lab: subprocess.Popen, out: Path) -> str:
    """Wait until the first run has failed, interrupt the lab, and return why; nothing that it started still runs."""
    everything = set(_below(lab.pid))
    wait_for(lambda: bool(list(out.glob("runs/*/01/run.json"))))
    (path,) = out.glob("runs/*/01/run.json")
    run = json.loads(path.read_text())
    said = out.with_suffix(".said")
    wait_for(lambda: run["reason"] in " ".join(said.read_text().split()))
    everything |= set(_below(lab.pid))
    lab.send_signal(signal.SIGINT)
    lab.wait(60)
    wait_for(lambda: not any(map(is_running, everything)))
    assert (run["status"], run["valid"]) == ("failed", False)
    assert "Traceback" not in said.read_text()
    return run["reason"]


def told(out: Path, role: str, word: str) -> bool:
    """Return whether a part has told of something in its events."""
    return any(word in path.read_text() for path in out.glob(f"runs/*/01/{role}-0.events.jsonl"))


def part(lab: subprocess.Popen, role: str) -> int:
    """Return the process of a role."""
    (pid,) = (pid for pid in _below(lab.pid, "client") if f"ROLE={role}\0" in Path(f"/proc/{pid}/environ").read_text())
    return pid


BROKER = {"simplified": "simplified", "rabbitmq": "beam.smp"}


@pytest.mark.parametrize(
    ("system", "role"), [("simplified", "producer"), ("rabbitmq", "consumer"), ("rabbitmq", "broker")]
)
def test_a_part_that_is_killed_while_messages_flow_fails_the_run_and_is_named(system, role, tmp_path):
    out = tmp_path / "campaign"
    with running_lab(out, system, *LONG) as lab:
        wait_for(lambda: told(out, "producer", '"measure"'), beside=lab)
        pid = part(lab, role) if role != "broker" else _below(lab.pid, BROKER[system])[0]
        os.kill(pid, signal.SIGKILL)
        assert end_of(lab, out).startswith(f"{role}-0 was ended by SIGKILL: ")


@pytest.mark.skipif(os.geteuid() != 0, reason="a small file system can be mounted by root alone")
def test_a_disk_that_runs_full_under_the_broker_fails_the_run_with_what_the_broker_says(tmp_path):
    small = tmp_path / "small"
    small.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=128m", "tmpfs", small], check=True)
    try:
        out = small / "campaign"
        with running_lab(out, "rabbitmq", *LONG) as lab:
            wait_for(lambda: told(out, "producer", '"measure"'), beside=lab)
            free = shutil.disk_usage(small).free
            (small / "others").write_bytes(bytes(free - 20_000_000))  # RabbitMQ wants 50 MB
            assert end_of(lab, out) == "producer-0 ended with code 2: RabbitMQ takes no more messages: low on disk."
    finally:
        subprocess.run(["umount", "--lazy", small], check=True)


TAKES_THE_PORT = """#!/usr/bin/env python3
import os, socket, sys
taken = socket.create_server(("127.0.0.1", int(os.environ["PORT"])))
os.set_inheritable(taken.fileno(), True)
os.execv("/usr/bin/epmd", sys.argv)
"""


def test_a_port_that_another_program_takes_before_the_broker_does_is_named(tmp_path):
    (tmp_path / "epmd").write_text(TAKES_THE_PORT)
    (tmp_path / "epmd").chmod(0o755)
    out = tmp_path / "campaign"
    with running_lab(out, "rabbitmq", env={"PATH": f"{tmp_path}:{os.environ['PATH']}"}) as lab:
        assert end_of(lab, out).startswith("broker-0 was not started: another program listens on its port ")


PHASES: dict[str, Callable[[subprocess.Popen, Path], bool]] = {
    "start": lambda lab, _: bool(_below(lab.pid, "beam.smp")),
    "verify": lambda _, out: told(out, "producer", '"started"'),
    "measure": lambda _, out: told(out, "producer", '"measure"'),
    "stop": lambda _, out: told(out, "producer", '"ended"'),
}


@pytest.mark.parametrize("phase", PHASES)
def test_nothing_is_left_running_when_the_lab_is_killed_in_a_phase_and_the_run_is_made_again(phase, tmp_path):
    out = tmp_path / "campaign"
    with running_lab(out, "rabbitmq") as lab:
        wait_for(lambda: PHASES[phase](lab, out), beside=lab)
        everything = _below(lab.pid)
        os.kill(lab.pid, signal.SIGKILL)
        wait_for(lambda: not any(map(is_running, everything)))
    assert not list(out.glob("runs/*/01/run.json"))
    if phase == "measure":
        again = subprocess.run([*LAB[:4], "--resume", out], capture_output=True, text=True, check=False, timeout=300)
        assert record(out, "rabbitmq")["status"] == "complete", again.stderr
        assert not Path(f"/dev/shm/upload-lab-{lab.pid}-records").exists()


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
