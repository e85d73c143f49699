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
from finished import gates_of
from queue_parts import QUEUES
from running_lab import RunningLab, kill_in_phase, running_lab
from waiting import wait_for

from uploadlab.table_file import read_table

LAB = [QUEUES.parents[1] / "lab", "--study", "queues", "run"]
LONG = ["--loops", "open", "--rates", "500", "--load", "duration_s=60"]
pytestmark = [pytest.mark.slow, pytest.mark.long, pytest.mark.xdist_group("rabbitmq")]


def count(folder: Path, role: str, kind: str) -> int:
    records = folder / f"{role}-0.records.parquet"
    with duckdb.connect() as database:
        return len(database.execute(f"select seq from '{records}' where kind = '{kind}'").fetchall())


def names_of_epmd() -> subprocess.CompletedProcess[str]:
    """Ask the port mapper at Erlang's usual port for the brokers that it knows; it fails where there is none."""
    return subprocess.run(["epmd", "-names"], capture_output=True, text=True, check=False)


@contextmanager
def left_over_epmd() -> Iterator[None]:
    """Run a port mapper at the usual port, as a broker leaves it behind; one that is there already will do."""
    with subprocess.Popen(["epmd"], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as epmd:
        try:
            wait_for(lambda: names_of_epmd().returncode == 0)
            yield
            assert names_of_epmd().returncode == 0, "the run has ended a port mapper that is not its own"
        finally:
            epmd.kill()


@pytest.mark.parametrize("system", ["simplified", "rabbitmq"])
def test_a_run_that_was_killed_is_made_again_and_every_message_of_it_is_kept(system, tmp_path):
    out = tmp_path / "campaign"
    with left_over_epmd() if system == "rabbitmq" else contextlib.nullcontext():
        killed = kill_in_phase(lambda lab: lab.told("producer", '"measure"'), command(system), out)
        subprocess.run([*LAB, "--resume", out], capture_output=True, check=False, timeout=300)
    folder = out / f"runs/closed-b100-{system}/01"
    run = json.loads((folder / "run.json").read_text())
    assert run["status"] == "complete"
    assert not killed.memory.exists()
    gates = gates_of(run)
    assert all(gates[name]["passed"] for name in ("lost", "duplicated", "out_of_order", "wrong", "left", "records"))
    sent, came = count(folder, "producer", "sent"), count(folder, "consumer", "received")
    assert sent == came == run["counts"]["requests"] > 0
    assert [part["role"] for part in run["parts"]] == ["broker", "consumer", "producer"]
    row, *_ = read_table(out / "analysis/runs.csv")  # an invalid run, as on a busy machine, is made again
    costs = [float(row[f"{role}_cpu_us_per_operation"]) for role in ("broker", "consumer", "producer")]
    assert min(costs) > 0
    assert float(row["cpu_us_per_operation"]) == pytest.approx(sum(costs), rel=1e-4)
    assert 0 <= float(row["depth_mean"]) <= float(row["depth_max"])


def command(system: str, *more: str | Path) -> list[str | Path]:
    return [*LAB, "--profile", "smoke", "--systems", system, "--repeats", "1", "--baseline-repeats", "0", *more]


def test_a_broker_that_is_killed_while_messages_flow_fails_the_run_and_is_named(tmp_path):
    with running_lab(command("rabbitmq", *LONG), tmp_path / "campaign") as lab:
        lab.wait_until(lambda: lab.told("producer", '"measure"'))
        os.kill(lab.below("beam.smp")[0], signal.SIGKILL)
        assert lab.why_failed() == "broker-0 was ended by SIGKILL."


@pytest.mark.skipif(os.geteuid() != 0, reason="a small file system can be mounted by root alone")
def test_a_disk_that_runs_full_under_the_broker_fails_the_run_with_what_the_broker_says(tmp_path):
    small = tmp_path / "small"
    small.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=128m", "tmpfs", small], check=True)
    try:
        out = small / "campaign"
        with running_lab(command("rabbitmq", *LONG), out) as lab:
            lab.wait_until(lambda: lab.told("producer", '"measure"'))
            free = shutil.disk_usage(small).free
            (small / "others").write_bytes(bytes(free - 20_000_000))  # RabbitMQ wants 50 MB
            assert lab.why_failed() == "producer-0 ended with code 2: RabbitMQ takes no more messages: low on disk."
    finally:
        subprocess.run(["umount", "--lazy", small], check=True)


TAKES_A_PORT = """#!/usr/bin/env python3
import os, socket, sys
taken = socket.create_server(("127.0.0.1", int(os.environ["{}"])))
os.set_inheritable(taken.fileno(), True)
os.execv("/usr/bin/epmd", sys.argv)
"""


def instead_of(folder: Path, program: str, script: str) -> dict[str, str]:
    """Return the environment in which a script stands for a program."""
    (folder / program).write_text(script)
    (folder / program).chmod(0o755)
    return {"PATH": f"{folder}:{os.environ['PATH']}"}


@pytest.mark.parametrize("variable", ["PORT", "DIST_PORT"])
def test_a_port_that_another_program_takes_before_the_broker_does_is_named(variable, tmp_path):
    env = instead_of(tmp_path, "epmd", TAKES_A_PORT.format(variable))
    with running_lab(command("rabbitmq"), tmp_path / "campaign", env) as lab:
        assert lab.why_failed().startswith("broker-0 was not started: another program listens on its port ")


PHASES: dict[str, Callable[[RunningLab], bool]] = {
    "start": lambda lab: bool(lab.below("beam.smp")),
    "stop": lambda lab: lab.told("producer", '"ended"'),
}


@pytest.mark.parametrize("phase", PHASES)
def test_nothing_is_left_running_when_the_lab_is_killed_as_the_broker_starts_or_stops(phase, tmp_path):
    kill_in_phase(PHASES[phase], command("rabbitmq"), tmp_path / "campaign")
