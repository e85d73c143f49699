"""What the driver says of runs whose truth is known."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from groups_conducting import conduct
from keeping import keep, keep_recorded

from groups_study.check import check, settled
from groups_study.events import Round
from groups_study.needs import needs
from study_kit.conducting import Outcome
from study_kit.spec import DriverError, RunSpec, Scenario
from uploadlab.raw.operations import handed_bytes
from uploadlab.records import RunRecord
from uploadlab.results.campaign import Run

pytestmark = pytest.mark.usefixtures("quick_to_start")
GATES: dict[str, float | None] = {"view_changes": 0, "together_pct": 0, "lost": 0, "duplicated": 0, "out_of_order": 0}
FACTORS = {"members": 2, "message_bytes": 100, "transport": "tcp", "link": "loopback"}
LOAD = {"messages": 50, "rounds": 2}


def _run(folder: Path, **settings: str) -> Outcome:
    outcome = conduct("known", "none", folder, KNOWN_MEAN_US="100", **settings)
    keep_recorded(folder)
    return outcome


def _judge(folder: Path) -> dict[str, Any]:
    return check(RunSpec(seed=1, gates=GATES, factors=FACTORS, load=LOAD), folder)


@pytest.fixture(scope="module")
def ran(quick_to_start: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the files of a run without a fault."""
    folder = tmp_path_factory.mktemp("good")
    _run(folder)
    return folder


@pytest.fixture
def good(ran: Path, tmp_path: Path) -> Path:
    """Give a copy of these files, which a test may spoil."""
    shutil.copytree(ran, tmp_path, dirs_exist_ok=True)
    return tmp_path


def _failed(answer: dict[str, Any]) -> set[str]:
    return {one["name"] for one in answer["gates"] if not one["passed"]}


def test_a_good_run_passes_every_gate_and_counts_each_delivery(good: Path) -> None:
    answer = _judge(good)
    assert _failed(answer) == set()
    assert answer["counts"] == {"requests": 2 * 2 * 50 * 2, "errors": 0}
    record = RunRecord(
        schema=1, cell="m2-known", repeat="01", system="known", factors=FACTORS, status="complete", valid=True
    )
    run = Run(
        folder=good, cell="m2-known", repeat="01", order=1, block=1, system="known", stack="none", factors=FACTORS,
        threads=None, complete=True, valid=True, reason="", measure_start_ns=None, measure_end_ns=None,
        server_cores=(), injector_cores=(), record=record, within_run=None,
    )  # fmt: skip
    assert handed_bytes(run) == {"handed_bytes_per_operation": 100}


def test_rounds_in_which_nobody_received_anything_are_one_sentence(good: Path) -> None:
    for path in good.glob("*.events.jsonl"):
        told = [json.loads(line) for line in path.read_text().splitlines()]
        told = [one | {"received": 0} if one["event"] == "round" else one for one in told]
        path.write_text("".join(json.dumps(one) + "\n" for one in told))
    with pytest.raises(DriverError, match="no message of a measured round reached any member"):
        _judge(good)


def test_a_message_doubled_in_the_warm_up_is_seen(tmp_path: Path) -> None:
    _run(tmp_path, KNOWN_FAULT="double", KNOWN_EVERY="60", MESSAGES="61", ROUNDS="1", WARMUP_ROUNDS="1")
    load = {"messages": 61, "rounds": 1, "warmup_rounds": 1}
    answer = check(RunSpec(seed=1, gates=GATES, factors=FACTORS, load=load), tmp_path)
    assert "warm_up" in _failed(answer)


@pytest.mark.parametrize(
    ("fault", "gate"), [("drop", "lost"), ("double", "duplicated"), ("swap", "out_of_order"), ("corrupt", "wrong")]
)
def test_each_fault_is_counted_as_what_it_is_and_fails_the_gate_of_its_name_alone(
    fault: str, gate: str, tmp_path: Path
) -> None:
    outcome = _run(tmp_path, KNOWN_FAULT=fault, KNOWN_EVERY="40")
    for member in range(2):
        counted = outcome.counters(f"member-{member}")
        faults = {name: counted[name] for name in ("lost", "duplicated", "out_of_order", "wrong") if counted[name]}
        assert faults == {gate: 2}  # one in each round
    assert _failed(_judge(tmp_path)) == {gate}


def test_of_messages_damaged_in_their_middle_those_compared_whole_are_counted_and_the_gate_says_so(
    tmp_path: Path,
) -> None:
    _run(tmp_path, KNOWN_FAULT="corrupt_middle", KNOWN_EVERY="91", MESSAGES="1001", ROUNDS="1")
    load = {"messages": 1001, "rounds": 1}
    answer = check(RunSpec(seed=1, gates=GATES, factors=FACTORS, load=load), tmp_path)
    (failed,) = (one for one in answer["gates"] if not one["passed"])
    assert (failed["name"], failed["figure"]) == ("wrong", 2)  # of eleven the 1,001st, at two members
    assert failed["sentence"].endswith("last bytes of each message, and all bytes of every thousandth.")


def test_a_view_that_changes_while_it_is_measured_fails(good: Path) -> None:
    path = good / "member-1.events.jsonl"
    lines = path.read_text().splitlines()
    at = next(n for n, line in enumerate(lines) if json.loads(line)["event"] == "own_cost")
    lines.insert(at, json.dumps({"at_ns": 1, "event": "view", "members": 1, "merged": False}))
    path.write_text("\n".join(lines) + "\n")
    assert _failed(_judge(good)) == {"view_changes"}


def test_members_that_sent_one_after_the_other_fail(good: Path) -> None:
    path = good / "member-1.events.jsonl"
    told = [json.loads(line) for line in path.read_text().splitlines()]
    for one in told:
        if one["event"] == "round":
            one.update({name: one[name] + 10**9 for name in one if name.endswith("_ns") and name != "at_ns"})
    path.write_text("".join(json.dumps(one) + "\n" for one in told))
    answer = check(RunSpec(seed=1, gates={**GATES, "together_pct": 90}, factors=FACTORS, load=LOAD), good)
    gate = next(one for one in answer["gates"] if one["name"] == "together")
    assert (gate["passed"], gate["figure"]) == (False, 0)


def test_records_of_one_member_in_the_place_of_anothers_are_one_sentence(good: Path) -> None:
    shutil.copy(good / "member-1.records.parquet", good / "member-0.records.parquet")
    with pytest.raises(DriverError, match="it holds what part 1 sent; expected that of part 0 alone"):
        _judge(good)


def test_fewer_records_than_the_members_counted_fail_the_gate_of_that_name(good: Path) -> None:
    for member in range(2):
        rows = np.load(good / f"member-{member}.records")
        keep(good, f"member-{member}", rows[(rows["seq"] != 99) | (rows["stream"] != 0)])  # of nobody, and nowhere lost
    assert _failed(_judge(good)) == {"counted"}


def test_records_have_room_for_all_that_a_member_sends_and_gets() -> None:
    one = needs(Scenario(factors={**FACTORS, "members": 4}, load={"messages": 10, "rounds": 3}))
    assert (one["requests"], one["records"]) == (4 * 4 * 10 * 3, 5 * 10 * 3 + 1000)


def test_on_100_megabits_the_bytes_of_the_other_members_take_their_time() -> None:
    ethernet = {"members": 4, "message_bytes": 11400, "transport": "tcp", "link": "ethernet-100"}
    over_ethernet, over_loopback = (
        needs(Scenario(factors={**ethernet, "link": link}, load={"messages": 3000}))
        for link in ("ethernet-100", "loopback")
    )
    # 3 others send 3,000 messages of 12,000 B on the wire at 12 MB/s: 9 s; members take 1.5 s each to join
    assert over_ethernet["fixed_seconds"] == 9.0 + 6.0
    assert over_loopback["fixed_seconds"] < 13


@pytest.mark.parametrize(
    ("rates_per_s", "expected"),
    [
        ([100, 200, 300, 400, 500, 600, 700], None),  # too few
        ([100, 200, 300, 400, 500, 600, 700, 800], False),
        ([100, 200, 100, 200, 110, 210, 100, 200], True),  # of two kinds from its beginning on
        ([138, 106, 131, 123, 207, 200, 192, 181], True),  # JGroups, measured: two speeds, each for some rounds on end
        ([109, 110, 130, 139, 171, 170, 145, 178], False),  # JGroups, measured: Java still compiling
        ([100, 101, 102, 103, 104, 105, 106, 107], True),  # surely faster, but by less than the limit
        ([800, 700, 600, 500, 400, 300, 200, 100], False),
    ],
)
def test_a_run_whose_rounds_go_on_getting_faster_or_slower_has_not_settled(rates_per_s, expected) -> None:
    def told(per_s: int) -> Round:
        last_ns = 10**12 // per_s
        return Round(first_sent_ns=0, first_received_ns=0, last_received_ns=last_ns, received=1000)

    found = settled([[told(per_s), told(per_s)] for per_s in rates_per_s])
    assert found["settled"] is expected, found["sentence"]
