"""The driver's check sees each fault of a run by its own gate, and no other."""

import json
from pathlib import Path

import msgspec
import numpy as np
import pytest
from keeping import keep, made_up

from rpc_study.check import check
from rpc_study.needs import needs
from study_kit.spec import DriverError, RunSpec, Scenario

LOAD = {
    "calls": 1000, "warmup_calls": 0, "order": "as_listed", "jvm": "warm", "clock": "ns", "foo": "typical",
    "drain_s": 5, "window": "settled",
}  # fmt: skip
SPEC = {
    "seed": 1,
    "factors": {"link": "loopback"},
    "gates": {"wrong_answers": 0, "own_cost_pct": 10.0, "gc_pct": 2.0},
    "load": LOAD,
}
CALL_NS = 100_000
CALLS = 1000


def write_run(
    folder: Path, *, wrong: int = 0, lost: int = 0, unseen: int = 0, own_ns: int = 1000, gc_ms: int = 0, ports: int = 1,
    slow: int = 0, answers: int = CALLS, told: int = CALLS,
) -> Path:  # fmt: skip
    """Write what the parts of a run leave: a call each 200 µs, answered after 100 µs, the first `slow` after 150."""
    seq = np.arange(CALLS)
    sent_ns, took_ns = 2 * CALL_NS * seq, np.where(seq < slow, 150_000, CALL_NS)
    answered = made_up("answered", seq=seq, time_ns=sent_ns + took_ns, status=seq < wrong)
    keep(folder, "client-0", made_up("sent", seq=seq, time_ns=sent_ns), answered[:answers])
    counters = {"event": "counters", "phase": "measure", "gc_ms": gc_ms}
    _tell(
        folder,
        "client",
        {"event": "own_cost", "ns": own_ns},
        {"event": "connections", "local_ports": list(range(ports)), "same": True},
        counters | {"sent": told, "lost_records": lost, "order": ["void"]},
    )
    _tell(folder, "server", counters | {"lost_records": 0, "expected": CALLS, "received": CALLS - unseen})
    return folder


def _tell(folder: Path, role: str, *events: dict) -> None:
    (folder / f"{role}-0.events.jsonl").write_text("".join(json.dumps(one) + "\n" for one in events))


def checked(folder: Path) -> dict:
    return check(msgspec.convert(SPEC, RunSpec), folder)


def failed(folder: Path) -> list[str]:
    return [gate["name"] for gate in checked(folder)["gates"] if not gate["passed"]]


def test_a_good_run_passes_every_gate_and_tells_its_window_and_its_calls(tmp_path):
    write_run(tmp_path)
    assert failed(tmp_path) == []
    found = checked(tmp_path)
    assert (found["counts"]["requests"], found["counts"]["errors"]) == (CALLS, 0)
    assert found["phases"] == {"measure_start_ns": 0, "measure_end_ns": (2 * CALLS - 1) * CALL_NS}


@pytest.mark.parametrize(
    ("fault", "named"),
    [
        ({"wrong": 1}, "wrong_answers"),
        ({"answers": CALLS - 1}, "wrong_answers"),
        ({"told": CALLS + 1}, "counted"),
        ({"lost": 1}, "records"),
        ({"unseen": 1}, "calls_seen"),
        ({"ports": 2}, "connections"),
        ({"own_ns": 10_001}, "own_cost"),
        # Of 200 ms: 4 ms are 2 %.
        ({"gc_ms": 5}, "server_gc client_gc"),
    ],
)
def test_each_fault_fails_exactly_its_gate(fault, named, tmp_path):
    assert failed(write_run(tmp_path, **fault)) == named.split()


def test_a_run_without_a_right_answer_is_one_sentence(tmp_path):
    with pytest.raises(DriverError, match=r"^None of 1000 operations succeeded\.$"):
        checked(write_run(tmp_path, wrong=CALLS))


@pytest.mark.parametrize(("slow", "settled", "before"), [(0, True, 0), (300, True, 300), (700, False, 0)])
def test_calls_before_an_operation_settles_are_cut_and_one_that_never_does_costs_not_the_run(
    slow, settled, before, tmp_path
):
    found = checked(write_run(tmp_path, slow=slow))
    (level,) = found["settled"]["levels"]
    assert (level["settled"], level["cut"]) == (settled, before > 0)
    assert level["requests_before"] == pytest.approx(before, abs=20)  # one point of the series
    assert found["settled"]["settled"] == settled
    assert all(gate["passed"] for gate in found["gates"])


@pytest.mark.parametrize(
    ("load", "sentence"),
    [
        ({"calls": 0}, "calls must be 1 or more, not 0"),
        ({"warmup_calls": -1}, "warmup_calls must be 0 or more, not -1"),
    ],
)
def test_a_load_without_calls_is_refused_before_the_campaign(load, sentence):
    with pytest.raises(DriverError, match=f"The load .*--load.*: {sentence}"):
        needs(Scenario(factors={"link": "loopback"}, load=LOAD | load))


def test_what_a_scenario_needs_follows_from_its_calls():
    near = needs(Scenario(factors={"link": "loopback"}, load=LOAD))
    far = needs(Scenario(factors={"link": "far"}, load=LOAD | {"calls": 100, "clock": "whole_ms"}))
    assert (near["requests"], near["records"]) == (15_000, 30_000)
    assert (far["requests"], far["records"]) == (1_500, 6_000)
    assert far["seconds"] > 1_500 * 0.176
