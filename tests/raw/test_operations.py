"""Operations from records made by hand: a dozen rows, every figure worked out on paper."""

import json
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pytest

from monitoring.records import KINDS, ROW, write_parquet
from uploadlab.errors import LabError
from uploadlab.metrics.figures import _cpu_per_operation as cpu_per_operation
from uploadlab.metrics.figures import request_figures, sampler_figures
from uploadlab.raw.operations import read_operations
from uploadlab.raw.recordings import read_samples_file
from uploadlab.records import Part, RunRecord, as_record
from uploadlab.results.campaign import Run
from uploadlab.statistics.distribution import Distribution

MS = 1_000_000
DECLARED = {
    "operation": {
        "from": ["asks", "sent"],
        "to": ["asks", "answered"],
        "scenario": {"loop": {"one_way": {"to": ["replies", "received"]}}},
    },
    "intervals": {"paper": {"from": ["replies", "waiting"], "to": ["replies", "replied"], "kind": "without_extremes"}},
}
OPERATION = {"operation": DECLARED["operation"]}


def record(folder: Path, part: str, *levels: Iterable[tuple[float, int, str]]) -> None:
    """Write a part's records: rows of (ms, seq, kind) of one level after the other."""
    rows = [(level, *row) for level, of_level in enumerate(levels) for row in of_level]
    table = np.zeros(len(rows), dtype=ROW)
    for row, (level, at_ms, seq, kind) in zip(table, rows, strict=True):
        row["op"], row["time_ns"], row["seq"] = level, round(at_ms * MS), seq
        row["bytes"], row["kind"] = 100, KINDS.index(kind)
    np.save(folder / "rows.npy", table)
    write_parquet(folder / "rows.npy", folder / f"{part}.records.parquet", ahead_ns=0)
    (folder / "rows.npy").unlink()


def run_of(folder: Path, *, within_run: int | None = None, **factors: str | int | float) -> Run:
    record = RunRecord(
        schema=1, cell="open-a", repeat="01", order=1, block=1, system="a", stack="current", factors=factors,
        status="complete", valid=True, parts=[Part(role="replies")],
    )  # fmt: skip
    return Run(
        folder=folder, cell="open-a", repeat="01", order=1, block=1, system="a", stack="current", factors=factors,
        threads=None, complete=True, valid=True, reason="", measure_start_ns=1000 * MS, measure_end_ns=2000 * MS,
        server_cores=(0,), injector_cores=(1,), record=record, within_run=within_run,
    )  # fmt: skip


def recorded_as(run: Run, **told: object) -> Run:
    """Give the run with a record in which `run.json` tells these keys otherwise, checked as what is read from it."""
    content = {**msgspec.to_builtins(run.record), **told}
    return replace(run, record=as_record(run.folder / "run.json", content, RunRecord))


def figures_of(run: Run, declared: dict = OPERATION) -> dict:
    return read_operations(run, declared)[1]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    # four operations of 1, 2, 3 and 6 ms; two before the window, of which one was never answered, and one such in it;
    # the paper's times are 5, 7, 9 and 30 ms
    asked = [(900, 9, "sent"), (901, 9, "answered"), (950, 8, "sent"), (1990, 5, "sent")]
    for seq, took_ms in enumerate((1, 2, 3, 6)):
        asked += [(1000 + 100 * seq, seq, "sent"), (1000 + 100 * seq + took_ms, seq, "answered")]
    answered = []
    for seq, took_ms in enumerate((7, 5, 30, 9)):
        at_ms = 1001 + 100 * seq
        answered += [(at_ms, seq, "waiting"), (at_ms + 0.25, seq, "received"), (at_ms + took_ms, seq, "replied")]
    record(tmp_path, "asks-0", asked)
    record(tmp_path, "replies-0", answered)
    return tmp_path


def test_operations_are_counted_from_record_to_record(folder):
    counts, figures = read_operations(run_of(folder), DECLARED)
    assert sorted(np.repeat(counts.elapsed_ms, counts.count).tolist()) == [1, 2, 3, 6]
    assert sum(counts.warmup.values()) == 1
    assert figures["lost"] == 1
    assert figures["delivered_per_s"] == pytest.approx(4 / 0.305)  # answered from 1001 to 1306 ms


ONE_WAY = DECLARED | {"intervals": {"one_way": {"from": ["asks", "sent"], "to": ["replies", "received"]}}}


def test_an_interval_of_one_hosts_clock_is_withheld_where_parts_were_on_two(folder):
    def figures_on(*hosts: str) -> dict:
        parts = [{"role": role, "host": host} for role, host in zip(("asks", "replies", "broker"), hosts, strict=True)]
        return figures_of(recorded_as(run_of(folder), parts=parts), ONE_WAY)

    assert figures_on("here", "here", "there")["one_way_mean_ms"] == pytest.approx(1.25)
    assert "one_way_mean_ms" not in figures_on("here", "there", "there")


def test_the_time_of_a_message_that_was_sent_late_counts_from_when_it_was_due(folder):
    # Three messages take 1 ms each from the send; the second and the third were sent 4 and 9 ms late.
    lateness_ms = (0, 4, 9)
    rows = [(990, 9, "due"), (1001, 9, "sent"), (1002, 9, "answered")]  # due before the window
    for seq, late_ms in enumerate(lateness_ms):
        due_ms = 1010 + 10 * seq
        rows += [(due_ms, seq, "due"), (due_ms + late_ms, seq, "sent"), (due_ms + late_ms + 1, seq, "answered")]
    record(folder, "asks-0", rows)
    declared = {"operation": {**DECLARED["operation"], "late_from": ["asks", "due"]}}
    counts, _ = read_operations(run_of(folder), declared)
    figures = request_figures(counts, Distribution.of(counts.elapsed_ms, counts.count))
    assert figures["requests"] == 3
    for prefix in ("", "scheduled_"):
        assert figures[f"{prefix}mean_ms"] == pytest.approx((1 + 5 + 10) / 3)
        assert figures[f"{prefix}max_ms"] == pytest.approx(10)
    assert figures["late_mean_ms"] == pytest.approx((0 + 4 + 9) / 3)


def test_of_a_factor_within_the_run_only_its_level_counts(folder):
    with pytest.raises(LabError, match="no measured request"):
        read_operations(run_of(folder, within_run=3), DECLARED)


def sampled(folder: Path, role: str) -> None:
    """Write the samples of a role whose CPU time grows by 1 ms in 10."""
    rows = "".join(f"{ms * MS},{ms * MS // 10}\n" for ms in range(0, 5000, 100))
    (folder / f"{role}.samples.csv").write_text(f"time_ns,role_cpu_ns\n{rows}")


def tell(folder: Path, part: str, *events: dict) -> None:
    (folder / f"{part}.events.jsonl").write_text("".join(json.dumps(one) + "\n" for one in events))


def cpu_of_level(folder: Path, *, until_ms: float, others_ms: float) -> dict:
    """Return the CPU of three calls of level 0, the roles' counters growing by 1 ms in 10."""
    times = (1000, 1000 + (until_ms - 1001) / 2, until_ms - 1)
    calls = [(at, seq, kind) for seq, at in enumerate(times) for at, kind in ((at, "sent"), (at + 1, "answered"))]
    record(folder, "asks-0", calls, [(others_ms, 7, "sent"), (others_ms + 1, 7, "answered")])
    sampled(folder, "asks")
    return cpu_of(replace(run_of(folder, within_run=0), measure_end_ns=4000 * MS), "asks")


def cpu_of(run: Run, *roles: str) -> dict:
    problems: list[str] = []
    declared = {**DECLARED, "roles": {role: {"measured": True} for role in roles}}
    counts, told = read_operations(run, declared)
    found = cpu_per_operation(run, declared, counts, told, problems)
    assert not problems
    return found


def test_the_cpu_of_a_level_is_told_where_it_ran_alone_and_for_long_enough(folder):
    found = cpu_of_level(folder, until_ms=2200, others_ms=2300)
    each_us = pytest.approx(120_000 / 3)  # a tenth of 1200 ms, for three calls
    assert found == {"asks_cpu_us_per_operation": each_us, "cpu_us_per_operation": each_us}
    assert cpu_of_level(folder, until_ms=2200, others_ms=1500) == {}
    assert cpu_of_level(folder, until_ms=1900, others_ms=2300) == {}


def test_the_cpu_of_an_operation_is_told_of_each_role_and_of_all_together(folder):
    for role in ("asks", "replies"):
        sampled(folder, role)
    found = cpu_of(run_of(folder), "asks", "replies")
    each_us = pytest.approx(100_000 / 4)  # a tenth of 1000 ms, for four calls
    assert [found[f"{role}_cpu_us_per_operation"] for role in ("asks", "replies")] == [each_us, each_us]
    assert found["cpu_us_per_operation"] == pytest.approx(2 * 100_000 / 4)


def test_what_the_parts_tell_of_a_level_stands_for_what_the_samplers_cannot_see(folder):
    run = run_of(folder, within_run=0, operation="void", link="loopback")
    assert cpu_of(run, "asks", "replies") == {}  # a level of a third of a second
    of_asks = {"levels": ["foo", "void"], "cpu_us_per_operation": [9.0, 20.5], "sent_bytes_per_operation": [5.0, 0.0]}
    tell(folder, "asks-0", {"event": "levels", **of_asks})
    tell(folder, "replies-0", {"event": "levels", "levels": ["void"], "cpu_us_per_operation": [30.0]})
    assert cpu_of(run, "asks", "replies") == {
        "asks_cpu_us_per_operation": 20.5,
        "replies_cpu_us_per_operation": 30.0,
        "cpu_us_per_operation": 50.5,
    }
    assert figures_of(run, DECLARED)["asks_sent_bytes_per_operation"] == 0


def test_where_one_operation_in_ten_is_recorded_rates_and_costs_are_those_of_all(folder):
    sampled(folder, "asks")
    every = run_of(folder)
    tenth = recorded_as(every, load={"stamp_every": 10})
    (_, of_every), (counts, of_tenth) = (read_operations(run, DECLARED) for run in (every, tenth))
    assert of_tenth["delivered_per_s"] == pytest.approx(10 * of_every["delivered_per_s"])
    assert cpu_of(tenth, "asks")["cpu_us_per_operation"] == pytest.approx(100_000 / 40)
    distribution = Distribution.of(counts.elapsed_ms, counts.count)
    rates = [request_figures(counts, distribution, every)["throughput_rps"] for every in (1, 10)]
    assert rates[1] == pytest.approx(10 * rates[0])


def test_of_the_depths_of_a_queue_those_count_that_were_sampled_between_the_first_message_and_the_last(folder):
    run = run_of(folder)
    assert "depth_mean" not in figures_of(run)
    depths = [(890, 50), (900, 2), (1100, 3), (1305, 10), (1307, 70), (1999, 80)]  # messages from 900 to 1306 ms
    tell(folder, "asks-0", *({"event": "depth", "at_ns": at * MS, "messages": depth} for at, depth in depths))
    figures = figures_of(run)
    assert (figures["depth_mean"], figures["depth_max"]) == (5, 10)


def test_operations_in_flight_are_those_that_had_begun_and_not_ended_in_the_mean_and_at_most(folder):
    times = [(1000, 0, "sent"), (1004, 0, "answered"), (1001, 1, "sent"), (1003, 1, "answered")]
    times += [(1004, 2, "sent"), (1006, 2, "answered"), (1005, 3, "sent")]  # the last is never answered
    of_another_level = [(1500, 0, "sent"), (1502, 0, "answered")]
    record(folder, "asks-0", times, of_another_level)
    run = run_of(folder)
    assert "in_flight_mean" not in figures_of(run)
    declared = OPERATION | {"metrics": {"mean": {"column": "in_flight_mean"}, "most": {"column": "in_flight_max"}}}
    figures = figures_of(run, declared)
    assert figures["in_flight_mean"] == pytest.approx((4 + 2 + 2 + 2) / (6 + 2))  # ms in flight, of ms
    assert figures["in_flight_max"] == 2
    tenth = recorded_as(run, load={"stamp_every": 10})
    assert figures_of(tenth, declared)["in_flight_max"] == 20


def test_bytes_on_the_wire_are_told_where_the_lab_counted_them_on_its_link(folder):
    run = run_of(folder)
    counted = recorded_as(run, link={"received_bytes": 1000})
    declared = {"operation": {"at": ["replies", "received"]}}
    assert figures_of(counted, declared)["wire_bytes_per_operation"] == 250  # four arrived
    assert "wire_bytes_per_operation" not in figures_of(run, declared)
    assert "wire_bytes_per_operation" not in figures_of(replace(counted, within_run=0), declared)


def test_datagrams_that_were_dropped_are_those_of_the_one_network_or_of_all_parts_networks(folder):
    assert "udp_receive_errors" not in figures_of(run_of(folder))
    for part, errors in (("asks-0", 3), ("replies-0", 4)):
        phases = (("warm_up", 9), ("measure", errors))
        tell(folder, part, *({"event": "counters", "phase": one, "udp_receive_errors": n} for one, n in phases))
    assert figures_of(run_of(folder))["udp_receive_errors"] == 4
    over_a_link = recorded_as(run_of(folder), parts=[], link={"received_bytes": 1})
    assert figures_of(over_a_link)["udp_receive_errors"] == 7


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b'{"event": "ready"}\n{"event": "coun', "asks-0.events.jsonl, line 2: not JSON"),
        (b'{"event": "ready"}\n7\n', "asks-0.events.jsonl, line 2: expected a JSON object"),
        (b'{"event": "vaz\xe3o"}\n', "asks-0.events.jsonl is not UTF-8 text"),
    ],
)
def test_events_that_cannot_be_read_are_named_with_their_line(folder, content, sentence):
    (folder / "asks-0.events.jsonl").write_bytes(content)
    with pytest.raises(LabError, match=re.escape(sentence)):
        read_operations(run_of(folder), DECLARED)


def test_events_are_held_to_what_the_run_recorded_of_them(folder):
    tell(folder, "asks-0", {"event": "counters", "phase": "measure", "udp_receive_errors": 1})
    state = {"bytes": (folder / "asks-0.events.jsonl").stat().st_size, "sha256": "0" * 64}
    recorded = recorded_as(run_of(folder), parts=[], files={"asks-0.events.jsonl": state})
    with pytest.raises(LabError, match=r"asks-0\.events\.jsonl is not the file that run\.json recorded"):
        read_operations(recorded, DECLARED)


def test_a_cost_that_varies_shows_in_the_dearest_third_over_the_cheapest(folder):
    sampled(folder, "server")  # 100 ms of CPU time each second
    server = read_samples_file(folder / "server.samples.csv")
    three_seconds = replace(run_of(folder), measure_end_ns=4000 * MS)

    def of_thirds(ended_per_s: list[int]) -> object:
        run = recorded_as(three_seconds, counts={"ended_per_s": ended_per_s})
        return sampler_figures(run, server, (), 10)["server_cpu_of_thirds"]

    assert of_thirds([10, 20, 40]) == pytest.approx(4)
    assert of_thirds([20, 40, 10]) == pytest.approx(4)
    assert of_thirds([10, 10, 10]) == pytest.approx(1)
    assert of_thirds([10, 20]) is None  # no thirds of whole seconds
    assert of_thirds([0, 20, 40]) is None


def test_where_no_request_ended_in_the_window_nothing_is_told_per_request(folder):
    """As of a server that was asked for far more than it can do: its first answers come after the window."""
    sampled(folder, "server")
    found = sampler_figures(run_of(folder), read_samples_file(folder / "server.samples.csv"), (), 0)
    assert found["server_cpu_us_per_request"] is None
    assert found["server_switches_per_request"] is None
    assert found["server_cpu_pct"] is not None
