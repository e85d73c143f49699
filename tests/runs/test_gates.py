"""The gates that come from recordings, on files small enough to reckon by hand."""

import os
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from monitoring.clocks import ClockAlignment
from monitoring.sample_columns import COLUMNS as SAMPLE_COLUMNS
from uploadlab.planning.study import Gates
from uploadlab.runs.gates import (
    LOOKS,
    clock_gate,
    disk_gate,
    gate,
    injector_gates,
    look_until_quiet,
    noise_gate,
    recorder_gates,
    server_gates,
    server_limit_gate,
    without_limit,
    worst_of,
)

S = 10**9
WINDOW = {"start_ns": 100 * S, "end_ns": 110 * S}
TICKS = os.sysconf("SC_CLK_TCK")
LIMITS = Gates(
    injector_cpu_pct=80,
    injector_wait_pct=10,
    server_others_pct=5,
    server_steal_pct=2,
    nmon_missing_pct=10,
    sampler_cpu_pct=1,
)


def _samples(path: Path, **grew: float) -> Path:
    """Write two samples 10 s apart between which the named counters grew."""
    rows = [dict.fromkeys(SAMPLE_COLUMNS, 0) | {"time_ns": 100 * S}]
    rows.append(rows[0] | {"time_ns": 110 * S} | {name: int(value) for name, value in grew.items()})
    lines = [",".join(SAMPLE_COLUMNS)] + [",".join(str(row[name]) for name in SAMPLE_COLUMNS) for row in rows]
    path.write_text("\n".join(lines) + "\n")
    return path


def _nmon(path: Path, seconds: Sequence[int]) -> Path:
    lines = ["AAA,progname,nmon", "AAA,interval,1", "CPU_ALL,CPU Total host,User%,Sys%,Wait%,Idle%"]
    for number, second in enumerate(seconds, start=1):
        lines.append(f"ZZZZ,T{number:04},00:{second // 60:02}:{second % 60:02},01-JAN-1970")
        lines.append(f"CPU_ALL,T{number:04},10.0,5.0,0.0,85.0")
    path.write_text("\n".join(lines) + "\n")
    return path


def _figures(gates: list[dict]) -> dict[str, tuple[float, bool]]:
    return {gate["name"]: (gate["figure"], gate["passed"]) for gate in gates}


def test_the_generators_cpu_and_its_wait_for_a_request_are_gated(tmp_path):
    # 7 s of CPU in 10 s on 1 core; 2 s of wait over 1,000 requests of 25 ms: 2 ms of 25.
    samples = _samples(tmp_path / "injector.csv", role_cpu_ns=7 * S, role_wait_ns=2 * S)
    gates = injector_gates(samples, LIMITS, **WINDOW, cores=1, requests=1000, mean_ms=25)
    assert _figures(gates) == {"injector_cpu": (70.0, True), "injector_wait": (8.0, True)}
    gates = injector_gates(samples, LIMITS, **WINDOW, cores=1, requests=1000, mean_ms=20)
    assert _figures(gates)["injector_wait"] == (10.0, False)


def test_the_cpu_of_a_generator_that_took_turns_is_a_share_of_its_turns(tmp_path):
    samples = _samples(tmp_path / "injector.csv", role_cpu_ns=3 * S, role_wait_ns=0)
    gates = injector_gates(samples, LIMITS, **WINDOW, cores=1, requests=1000, mean_ms=25, active_ns=int(3.2 * S))
    assert _figures(gates)["injector_cpu"] == (93.75, False)


def test_a_wait_for_a_core_that_nobody_notices_passes_whatever_its_share(tmp_path):
    # 0.1 s of wait over 1,000 requests: 0.1 ms of 0.4.
    samples = _samples(tmp_path / "injector.csv", role_cpu_ns=1 * S, role_wait_ns=S // 10)
    for slack_ms, passed in ((0.09, False), (0.1, True)):
        limits = msgspec.structs.replace(LIMITS, injector_wait_ms=slack_ms)
        gates = injector_gates(samples, limits, **WINDOW, cores=1, requests=1000, mean_ms=0.4)
        assert _figures(gates)["injector_wait"] == (25.0, passed)
    gates = injector_gates(samples, limits, **WINDOW, cores=1, requests=1000, mean_ms=0)
    assert _figures(gates)["injector_wait"] == (None, False)


def test_other_programs_and_the_host_on_the_servers_core_are_gated(tmp_path):
    # Of 10 s the core was idle for 3.2, waited for a disk for 0.3, was stolen for 0.3; the server had 6 of the rest.
    samples = _samples(
        tmp_path / "server.csv",
        cpu_idle_ticks=3.2 * TICKS,
        cpu_iowait_ticks=0.3 * TICKS,
        cpu_steal_ticks=0.3 * TICKS,
        cpu_user_ticks=4.2 * TICKS,
        cpu_system_ticks=2.1 * TICKS,
        role_cpu_ns=6 * S,
    )
    figures = _figures(server_gates(samples, LIMITS, **WINDOW, cores=1))
    assert figures["server_alone"] == (pytest.approx(2.0), True)
    assert figures["server_steal"] == (pytest.approx(3.0), False)


def test_what_wakes_an_idle_core_a_thousand_times_a_second_is_no_other_program(tmp_path):
    # As with Berkeley sockets one way, 100 KB: one of 10 s is neither idle nor the responder's.
    woken = {"cpu_idle_ticks": 5.15 * TICKS, "cpu_softirq_ticks": 0.1 * TICKS, "role_cpu_ns": 3.78 * S}
    samples = _samples(tmp_path / "woken.csv", **woken, cpu_user_ticks=0.23 * TICKS, cpu_system_ticks=3.3 * TICKS)
    assert _figures(server_gates(samples, LIMITS, **WINDOW, cores=1))["server_alone"] == (0.0, True)
    samples = _samples(tmp_path / "shared.csv", **woken, cpu_user_ticks=1.23 * TICKS, cpu_system_ticks=3.3 * TICKS)
    assert _figures(server_gates(samples, LIMITS, **WINDOW, cores=1))["server_alone"] == (pytest.approx(7.5), False)


def test_the_shares_of_two_cores_are_of_both_and_other_parts_of_the_same_system_are_no_strangers(tmp_path):
    # Of 20 s of two cores 10 were idle; of the rest, all of programs, the server had 4 s and a part beside it 3.5.
    busy = {"cpu_idle_ticks": 10 * TICKS, "cpu_user_ticks": 8 * TICKS, "cpu_system_ticks": 2 * TICKS}
    server = _samples(tmp_path / "server.csv", **busy, cpu_steal_ticks=0.2 * TICKS, role_cpu_ns=4 * S)
    broker = _samples(tmp_path / "broker.csv", role_cpu_ns=3.5 * S)
    alone = _figures(server_gates(server, LIMITS, **WINDOW, cores=2))
    assert alone["server_alone"] == (pytest.approx(100 * (9.8 - 4) / 20), False)
    assert alone["server_steal"] == (pytest.approx(1.0), True)
    beside = _figures(server_gates(server, LIMITS, **WINDOW, cores=2, beside=[broker]))
    assert beside["server_alone"] == (pytest.approx(100 * (9.8 - 7.5) / 20), False)


def test_counters_are_read_between_the_samples_around_the_ends_of_the_window(tmp_path):
    # 1 s of CPU until 105 s, 6 s in the 5 s after: of 104 to 106 s 0.2 and 1.2.
    samples = _samples(tmp_path / "injector.csv", role_cpu_ns=7 * S, role_wait_ns=0)
    header, first, last = samples.read_text().splitlines()
    middle = dict(zip(header.split(","), first.split(","), strict=True)) | {"time_ns": 105 * S, "role_cpu_ns": S}
    samples.write_text("\n".join([header, first, ",".join(map(str, middle.values())), last]) + "\n")
    window = {"start_ns": 104 * S, "end_ns": 106 * S}
    gates = injector_gates(samples, LIMITS, **window, cores=2, requests=10, mean_ms=1)
    assert _figures(gates)["injector_cpu"] == (35.0, True)


@pytest.mark.parametrize(
    ("recorded", "missing_pct"),
    [
        (range(95, 120), 0),
        ((*range(95, 102), *range(104, 120)), 10),  # two are skipped, and one is forgiven
        ((*range(95, 102), *range(104, 106), *range(108, 120)), 30),  # two gaps of two, one forgiven in all
        (range(95, 105), 40),  # it ended 6 s before the window
        (range(106, 120), 40),  # it began 6 s after it
        (range(150, 155), 100),
        (range(100, 111), 0),  # just the window
    ],
)
def test_the_seconds_without_a_snapshot_are_counted_to_the_ends_of_the_window(tmp_path, recorded, missing_pct):
    samples = {_samples(tmp_path / "server.csv"): WINDOW}
    gates = recorder_gates(_nmon(tmp_path / "a.nmon", recorded), samples, LIMITS, **WINDOW)
    assert _figures(gates)["nmon_complete"] == (missing_pct, missing_pct < 10)


def test_a_window_of_three_seconds_without_a_snapshot_is_gated_and_one_with_a_late_one_is_not(tmp_path):
    window = {"start_ns": int(110.5 * S), "end_ns": int(113.4 * S)}
    samples = {_samples(tmp_path / "server.csv", sampler_cpu_ns=0.0): window}
    for lost, passed in ((range(111, 114), False), (range(109, 112), False), (range(112, 113), True), ((), True)):
        recorded = [second for second in range(95, 120) if second not in lost]
        gates = _figures(recorder_gates(_nmon(tmp_path / "a.nmon", recorded), samples, LIMITS, **window))
        assert gates["nmon_complete"][1] == passed, lost


def test_a_sampler_that_costs_too_much_is_named(tmp_path):
    cheap = _samples(tmp_path / "server.csv", sampler_cpu_ns=0.01 * S)
    dear = _samples(tmp_path / "injector.csv", sampler_cpu_ns=0.2 * S)
    nmon = _nmon(tmp_path / "a.nmon", range(95, 120))
    assert _figures(recorder_gates(nmon, {cheap: WINDOW}, LIMITS, **WINDOW))["sampler_cpu"] == (0.1, True)
    gates = recorder_gates(nmon, {cheap: WINDOW, dear: WINDOW}, LIMITS, **WINDOW)
    assert _figures(gates)["sampler_cpu"] == (2.0, False)
    assert gates[-1]["sentence"].startswith("The lab's own sampler used 2.00 % of a core")


def test_what_samplers_cost_is_not_known_where_one_of_them_recorded_nothing(tmp_path):
    seen, empty = _samples(tmp_path / "server.csv"), _samples(tmp_path / "injector.csv")
    empty.write_text("\n".join(empty.read_text().splitlines()[:2]) + "\n")
    gates = recorder_gates(_nmon(tmp_path / "a.nmon", range(95, 120)), {seen: WINDOW, empty: WINDOW}, LIMITS, **WINDOW)
    assert _figures(gates)["sampler_cpu"] == (None, False)


def test_without_samples_a_gate_does_not_pass(tmp_path):
    samples = _samples(tmp_path / "server.csv")
    lines = samples.read_text().splitlines()
    samples.write_text("\n".join(lines[:2]) + "\n")
    gates = server_gates(samples, LIMITS, **WINDOW, cores=1)
    assert [gate["passed"] for gate in gates] == [False, False]
    assert "could not be computed" in gates[0]["sentence"]


def test_a_host_that_was_not_quiet_is_named_with_its_busiest_core():
    quiet = {"busy_pct": {"0": 1.0, "1": 3.0}, "load_1m": 0.2, "governors": ["performance"], "temperature_c": None}
    busy = {"busy_pct": {"2": 45.0}, "load_1m": 3.5, "governors": ["powersave"], "temperature_c": 71.4}
    assert _figures([noise_gate({"host": quiet}, 20)]) == {"host_noise": (3.0, True)}
    said = noise_gate({"server": quiet, "injector": busy}, 20)
    assert not said["passed"]
    assert said["sentence"] == (
        "Before the run other programs kept a core of the load generator busy for 45 % of the time (at most 20 %; load "
        "3.5, governor powersave, 71 °C)."
    )


def test_a_server_that_was_held_to_its_share_too_late_or_never_is_gated():
    assert _figures([server_limit_gate(5 * S, 4 * S)]) == {"server_limited": (1000.0, True)}
    late, never = server_limit_gate(5 * S, 5 * S + 20_000_000), server_limit_gate(5 * S, None)
    assert [late["passed"], never["passed"]] == [False, False]
    assert "20 ms after the measured part began" in late["sentence"]
    assert "was never applied" in never["sentence"]


def test_a_disk_that_is_nearly_full_is_gated():
    assert _figures([disk_gate({"free_bytes": 5, "size_bytes": 100}, 5)]) == {"disk_free": (5.0, True)}
    assert _figures([disk_gate({"free_bytes": 4, "size_bytes": 100}, 5)]) == {"disk_free": (4.0, False)}
    assert _figures([disk_gate({"free_bytes": 120, "size_bytes": 200}, 5)]) == {"disk_free": (60.0, True)}


@pytest.mark.parametrize(("offset_ms", "passed"), [(4, True), (9, True), (9.5, False), (-9.5, False)])
def test_clocks_that_drift_by_more_than_a_bin_are_gated_with_what_is_not_known_of_them(offset_ms, passed):
    clocks = ClockAlignment(
        at_ns=(0, S), offset_ns=(5_000_000, 5_000_000 + int(offset_ms * 1e6)), uncertainty_ns=(400_000, 600_000)
    )
    entry = clock_gate(clocks, 10)
    assert (entry["figure"], entry["passed"]) == (abs(offset_ms) + 1, passed)
    assert f"drifted by up to {abs(offset_ms) + 1:.1f} ms" in entry["sentence"]


def test_what_meets_all_runs_alike_is_kept_without_a_limit():
    shown = without_limit([gate("a", False, 7, "%", 5, "a is 7."), gate("b", True, 1, "%", 5, "b is 1.")])
    assert [(entry["figure"], entry["passed"], entry["threshold"]) for entry in shown] == [
        (7, True, None),
        (1, True, None),
    ]


def test_of_several_hosts_the_worst_figure_counts_and_the_sentence_says_whose_it_is():
    by_host = {
        host: [gate("a", passed, figure, "", 5, f"a is {figure}."), gate("b", True, 1, "", 5, "b is 1.")]
        for host, passed, figure in (("h1", True, 2), ("h2", False, 7), ("h3", True, 3))
    }
    worst = worst_of(by_host)
    assert [(entry["name"], entry["figure"], entry["passed"]) for entry in worst] == [("a", 7, False), ("b", 1, True)]
    assert [entry["sentence"] for entry in worst] == ["h2: a is 7.", "h1: b is 1."]
    by_host["h3"][0] = gate("a", False, None, "", 5, "a could not be computed.")
    assert worst_of(by_host)[0]["sentence"] == "h3: a could not be computed.", "what is not known may be the worst"


def _noise(busy_pct: float) -> dict:
    seen = {"busy_pct": {"0": busy_pct}, "load_1m": 1.0, "governors": [], "temperature_c": None}
    return {"host": seen}


def test_a_host_that_is_busy_with_what_the_last_run_left_is_looked_at_again_until_it_is_quiet():
    seen = iter([_noise(60.0), _noise(30.0), _noise(4.0), _noise(50.0)])
    noise, entry = look_until_quiet(lambda: next(seen), 20)
    assert (noise, entry["passed"], entry["figure"]) == (_noise(4.0), True, 4.0)


def test_a_host_that_stays_busy_fails_the_gate_after_a_bounded_number_of_looks():
    seen = iter([_noise(60.0)] * LOOKS)
    assert not look_until_quiet(lambda: next(seen), 20)[1]["passed"]
    assert next(seen, None) is None
