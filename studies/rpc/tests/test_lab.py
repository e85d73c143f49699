"""The lab conducts a run of this study, and a fault in it ends it with a sentence and leaves nothing running."""

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest
from finished import gates_of
from rpc_conducting import OPERATIONS, RPC
from running_lab import kill_in_phase, running_lab
from waiting import read_process

from uploadlab.table_file import read_table

LAB = [RPC.parents[1] / "lab", "--study", "rpc", "run"]
FAR = ["--links", "far", "--load", "calls=20", "--load", "warmup_calls=0"]
pytestmark = [pytest.mark.slow, pytest.mark.long]


def smoke(*more: str) -> list[str | Path]:
    """Return the command of a campaign of one run."""
    return [*LAB, "--profile", "smoke", "--systems", "plain", "--repeats", "1", "--baseline-repeats", "0", *more]


def test_a_run_that_was_killed_is_made_again_and_its_tables_have_what_each_side_of_each_call_cost(tmp_path):
    out = tmp_path / "campaign"
    killed = kill_in_phase(lambda lab: lab.told("client", '"measure"'), smoke("--load", "calls=2000"), out)
    subprocess.run([*LAB, "--resume", out], capture_output=True, check=False, timeout=300)
    run = json.loads((out / "runs/loopback-plain/01/run.json").read_text())
    assert run["status"] == "complete"
    assert not killed.memory.exists()
    gates = gates_of(run)
    assert all(gates[name]["passed"] for name in ("wrong_answers", "records", "counted", "calls_seen", "connections"))
    rows = {row["operation"]: row for row in read_table(out / "analysis/runs.csv")}
    assert set(rows) == set(OPERATIONS)
    for row in rows.values():
        sides = [float(row[f"{role}_cpu_us_per_operation"]) for role in ("client", "server")]
        assert float(row["cpu_us_per_operation"]) == pytest.approx(sum(sides), rel=1e-4)
    assert float(rows["string64"]["client_sent_bytes_per_operation"]) == 4 + 64
    assert float(rows["eightlongs"]["client_sent_bytes_per_operation"]) == 64
    assert float(rows["eightlongs"]["client_received_bytes_per_operation"]) == 8
    assert float(rows["eightlongs"]["client_wire_sent_bytes_per_operation"]) == 5 + 64
    assert float(rows["eightlongs"]["client_wire_received_bytes_per_operation"]) == 4 + 8
    assert float(rows["void"]["first_operation_ms"]) > 0
    assert float(rows["void"]["connect_ms"]) > 0


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ("long_as_double", "The server's answer differs from the local procedure's: singlelong(9007199254740993)"),
        ("all", "server-0 ended with code 2: WRONG_ANSWERS is 'all'; expected one of none, long_as_double"),
    ],
)
def test_a_server_that_answers_wrongly_or_does_not_start_fails_the_run_with_its_own_sentence(wrong, sentence, tmp_path):
    with running_lab(smoke("--set", f"plain.wrong_answers={wrong}"), tmp_path / "campaign") as lab:
        assert sentence in lab.why_failed()


def test_where_the_distance_is_gone_the_client_fails_the_run_with_a_sentence(tmp_path):
    with running_lab(smoke(*FAR), tmp_path / "campaign") as lab:
        lab.wait_until(lambda: lab.told("client", '"measure"'))
        (relay,) = (pid for pid in lab.below("java") if "uploadlab.rpc.Relay" in read_process(pid, "cmdline"))
        os.kill(relay, signal.SIGKILL)
        assert lab.why_failed().startswith("client-0 ended with code 2: ")
