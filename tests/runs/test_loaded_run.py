"""A run whose load the driver makes, without what is around it in a campaign, and when one is given up."""

from pathlib import Path
from typing import Any

import pytest
import tiny
from tiny import TINY

from uploadlab.errors import LabError
from uploadlab.planning.campaign import Campaign
from uploadlab.planning.needs import Need, Needs
from uploadlab.planning.plan import PlannedRun
from uploadlab.planning.system import Sut, choose
from uploadlab.runs import answers
from uploadlab.runs.answers import Answers
from uploadlab.runs.attempt import RunContext
from uploadlab.runs.run import make_run

MEMORY = Path("/dev/shm")


def _record(campaign: Campaign, run: PlannedRun, sut: Sut) -> dict[str, Any]:
    needs = Needs(scenarios=[Need(factors=run.factors, requests=1, seconds=0.0)], overhead_s=0.0)
    return make_run(RunContext(campaign=campaign, needs=needs), run, sut)


@pytest.mark.skipif(not MEMORY.is_dir(), reason="no /dev/shm")
@pytest.mark.parametrize("mode", ["babbles", "fails_at_check"])
def test_a_failed_run_leaves_nothing_of_what_it_stored_in_memory(mode, tmp_path, monkeypatch):
    campaign = tiny.campaign(tmp_path, "one", levels={"size": [1], "disk": ["tmpfs"]})
    campaign.study.file.driver["mode"] = mode
    run = campaign.runs()[0]
    sut = next(sut for sut in campaign.systems if sut.key == run.key)
    stored = campaign.stores_in(run.factors) / f"{run.cell}-{run.repeat}"
    settle = campaign.place.server.settle

    def store(folder: Path) -> None:
        settle(folder)
        (folder / "upload").write_bytes(bytes(1000))

    monkeypatch.setattr(campaign.place.server, "settle", store)
    try:
        record = _record(campaign, run, sut)
        left = list(stored.iterdir())
    finally:
        campaign.place.close()
    assert record["status"] == "failed", record
    assert left == []
    assert not stored.exists()


def test_a_run_whose_server_takes_connections_and_answers_none_fails_with_that_reason(tmp_path, monkeypatch):
    monkeypatch.setattr(answers, "UNANSWERED_S", 1.0)
    campaign = tiny.campaign(tmp_path, "one", levels={"size": [1], "disk": ["local"]})
    stuck = choose(TINY / "alpha", "current", {"broken": "stuck"})
    try:
        record = _record(campaign, next(run for run in campaign.runs() if run.system == "alpha"), stuck)
    finally:
        campaign.place.close()
    assert record["status"] == "failed"
    assert record["reason"] == f"{stuck.key} answered no request for 0 min under load."


@pytest.fixture
def clock(monkeypatch) -> list[float]:
    """Return the time in seconds, which a test sets."""
    now = [0.0]
    monkeypatch.setattr(answers.time, "monotonic", lambda: now[0])
    return now


def _progress(phase: str, requests: int, errors: int) -> dict:
    return {"progress": {"phase": phase, "requests": requests, "errors": errors, "per_s": 0.0}}


def test_requests_that_only_time_out_are_no_progress(clock):
    load = Answers(10, emulated=False)
    for minute in range(5):
        clock[0] = 60.0 * minute
        load.take_in(_progress("measuring", 50 * minute, 50 * minute))
        load.check("node")
    clock[0] = answers.UNANSWERED_S + 5 * 10 + 1
    load.take_in(_progress("measuring", 300, 300))
    with pytest.raises(LabError, match=r"^node answered no request for 6 min under load\.$"):
        load.check("node")


def test_a_load_that_tells_of_its_requests_at_the_end_has_several_times_what_it_is_planned_to_take(clock):
    load = Answers(1000, emulated=False)
    clock[0] = 5000.0
    load.check("node")
    emulated = Answers(10, emulated=True)
    clock[0] += 9000.0
    emulated.check("node")
