"""A load whose server answers nothing any more is ended, and one that is slow is not."""

import pytest
import tiny
from tiny import TINY

from uploadlab.errors import LabError
from uploadlab.planning.system import choose
from uploadlab.runs import answers
from uploadlab.runs.answers import Answers
from uploadlab.runs.run import make_run
from uploadlab.runs.run_context import RunContext


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


def test_a_run_whose_server_takes_connections_and_answers_none_fails_with_that_reason(tmp_path, monkeypatch):
    monkeypatch.setattr(answers, "UNANSWERED_S", 1.0)
    campaign = tiny.campaign(tmp_path, "one", levels={"size": [1], "disk": ["local"]})
    stuck = choose(TINY / "alpha", "current", {"broken": "stuck"})
    run = next(run for run in campaign.runs() if run.system == "alpha")
    context = RunContext(campaign=campaign, gates=campaign.study.gates, seconds_of=lambda _: 0.0)
    try:
        record = make_run(context, run, stuck, campaign.profile.load_of(run.factors), lambda _: None)
    finally:
        campaign.place.close()
    assert record["status"] == "failed"
    assert record["reason"] == f"{stuck.key} answered no request for 0 min under load."
