"""Servers that know nothing of the lab, in folders of their own, compared without changing a file of either."""

import json
import shutil
from pathlib import Path

import pytest
from finished import gates_of, make_campaign, runs_of
from token_server import make_token_server

from uploadlab.paths import REPOSITORY

pytestmark = pytest.mark.slow

TINY = ["--profile", "smoke", "--baseline-repeats", "0", "--load", "warmup_loops=2", "--load", "loops=4"]
TINY += ["--load", "threads=5", "--load", "think_time_ms=0"]


def _records(campaign: Path, system: str) -> list[dict]:
    return [record for _, record in runs_of(campaign) if record["system"] == system]


def _gates(record: dict) -> dict[str, dict]:
    assert record["status"] == "complete", record["reason"]
    return gates_of(record)


def test_a_fastify_app_outside_the_project_is_compared_with_node(tmp_path):
    app = Path(shutil.copytree(REPOSITORY / "docs" / "existing-server", tmp_path / "app"))
    campaign = make_campaign(tmp_path / "out", "--systems", f"node,{app}", *TINY)
    for system in ("node", "mine"):
        (record,) = _records(campaign, system)
        gates = _gates(record)
        assert all(gates[name]["passed"] for name in ("contract", "contract_after", "uploads_stored")), gates
        assert record["counts"]["errors"] == 0
    assert "each with a body of its own" in gates["contract"]["sentence"]


def test_one_that_wants_a_token_and_a_field_is_measured_by_both_load_generators(tmp_path, monkeypatch):
    monkeypatch.setenv("OTHER_TOKEN", "s3cret")
    app = make_token_server(tmp_path / "app")
    campaign = make_campaign(tmp_path / "out", "--systems", str(app), "--generator", "lean,jmeter", *TINY)
    records = _records(campaign, "other")
    assert len(records) == 2
    for record in records:
        gates = _gates(record)
        assert all(gates[name]["passed"] for name in ("contract", "contract_after", "uploads_stored")), gates
        assert record["counts"]["errors"] == 0
    assert json.loads((campaign / "campaign.json").read_text())["systems"]["other"]["bytes_verified"]
    assert (app / "files" / "older").exists()
    kept = [path for path in campaign.rglob("*") if path.is_file()]
    assert not [path for path in kept if b"s3cret" in path.read_bytes()]
