"""The smoke profile of each study whose systems have parts, from the command to the page."""

import os
import subprocess
import tomllib
from pathlib import Path

import pytest
from finished import NOISE_OF_ANY, failed_gates, read_table, runs_of

from uploadlab.claims import Verdict
from uploadlab.claims.judge import load_claims
from uploadlab.paths import REPOSITORY

pytestmark = [pytest.mark.slow, pytest.mark.long]

NOISE = NOISE_OF_ANY | {"own_cost", "together", "server_gc", "client_gc"}


# Tests of one group run one after the other.
GROUPS = {"sockets": "studies", "rpc": "studies", "groups": "studies", "queues": "rabbitmq"}
STUDIES = [pytest.param(study, marks=pytest.mark.xdist_group(group)) for study, group in GROUPS.items()]


@pytest.mark.parametrize("study", STUDIES)
def test_it_ends_with_a_report_in_which_every_claim_has_a_verdict(study, tmp_path):
    out = tmp_path / "campaign"
    command = ["./lab", "--study", study, "run", "--profile", "smoke", "--out", str(out)]
    with subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as lab:
        said, errors = lab.communicate(timeout=900)
    assert lab.returncode in (0, 1), errors
    assert said.strip().splitlines()[-1].endswith("report/index.html")
    declared = tomllib.loads((REPOSITORY / "studies" / study / "study.toml").read_text(encoding="utf-8"))
    runs = [run for _, run in runs_of(out)]
    assert {Path(system).name for system in declared["study"]["systems"]} <= {run["system"] for run in runs}
    for run in runs:
        assert run["status"] == "complete", run["reason"]
        assert failed_gates(run) <= NOISE
        # What is not conducted, a broker, is told to stop by a signal alone.
        assert {code for part, code in run["exit_codes"].items() if not part.startswith("broker")} == {0}
    judged = {row["claim"]: row["verdict"] for row in read_table(out, "claims")}
    assert set(judged) == {claim.id for claim in load_claims(REPOSITORY / "studies" / study).claims}
    assert set(judged.values()) <= set(Verdict)
    assert not [path for path in Path("/dev/shm").glob(f"upload-lab-{lab.pid}-*") if os.path.lexists(path)]
