"""The whole lab on real parts: the smoke campaign, recomputed by hand from its raw files."""

import itertools
import json
import math
import statistics
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from finished import make_campaign, read_rows, read_table
from waiting import processes_that_name

from uploadlab.runs.gates import all_gates

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("smoke")]

REPOSITORY = Path(__file__).parents[1]
# A noisy machine may fail the gates on the load generator's own share; anything else is an error of ours.
NOISE = {"host_noise", "injector_cpu", "injector_wait", "injector_gc", "server_alone", "server_steal"}
NOISE |= {"nmon_complete", "sampler_cpu", "injector_delay"}


@pytest.fixture(scope="module")
def campaign(tmp_path_factory) -> Path:
    """Return the folder of a finished smoke campaign, with both load generators."""
    folder = tmp_path_factory.mktemp("smoke") / "campaign"
    return make_campaign(folder, "--profile", "smoke", "--generator", "lean,jmeter", "--capture")


def _runs(campaign: Path) -> Iterator[tuple[Path, dict]]:
    for path in sorted((campaign / "runs").glob("*/*/run.json")):
        yield path.parent, json.loads(path.read_text())


def test_each_run_is_complete_and_fails_no_gate_but_those_on_the_machines_noise(campaign):
    runs = list(_runs(campaign))
    asleep = json.loads((campaign / "campaign.json").read_text())["machine"]["why_idle_cores_sleep"]
    assert {record["system"] for _, record in runs} == {"node", "tomcat"}
    for _, record in runs:
        assert record["status"] == "complete", record["reason"]
        assert {gate["name"] for gate in all_gates(record) if not gate["passed"]} <= NOISE
        assert set(record["exit_codes"].values()) <= {0, 143}  # 143: Tomcat's JVM, which SIGTERM ends
        assert record["load"]["write_bytes"] == 8192
        assert record["idle_cores_asleep"] == {"server": asleep}  # both roles are on one host


def test_runs_csv_agrees_with_a_recomputation_from_the_raw_files(campaign):
    rows = {f"{row['cell']}/{row['repeat']}": row for row in read_table(campaign, "runs")}
    for folder, record in _runs(campaign):
        row = rows[f"{record['cell']}/{record['repeat']}"]
        expected = {**_from_requests(folder), **_from_nmon(folder, record)}
        for name, value in expected.items():
            assert _is_rounded(row[name], value), (folder, name, row[name], value)


def _is_rounded(printed: str, value: float) -> bool:
    """True when the printed number is the value to its last digit (either way where the next digit is exactly 5)."""
    last_digit = 10.0 ** -len(printed.partition(".")[2])
    return abs(float(printed) - value) <= 0.5 * last_digit * (1 + 1e-9)


def _from_requests(folder: Path) -> dict[str, float]:
    rows = [row for row in read_rows(folder / "requests.jtl") if row["label"] == "Upload file"]
    fine = "elapsed_us" in rows[0]  # a generator with a finer clock writes microseconds beside JMeter's columns
    took_ms = [int(row["elapsed_us"]) / 1000 if fine else int(row["elapsed"]) for row in rows]
    elapsed = sorted(took_ms)
    mean = statistics.fmean(elapsed)
    sd = statistics.stdev(elapsed)
    errors = sum(row["success"] != "true" for row in rows)
    starts = [int(row["start_us"]) / 1000 if fine else int(row["timeStamp"]) for row in rows]
    ends = [start + took for start, took in zip(starts, took_ms, strict=True)]
    ranks = {"p50_ms": 0.5, "p90_ms": 0.9, "p99_ms": 0.99, "p999_ms": 0.999}
    return {
        "requests": len(rows),
        "errors": errors,
        "error_pct": 100 * errors / len(rows),
        "mean_ms": mean,
        "sd_ms": sd,
        "mad_ms": statistics.fmean(abs(value - mean) for value in elapsed),
        "cv": sd / mean,
        "max_ms": elapsed[-1],
        "throughput_rps": len(rows) / ((max(ends) - min(starts)) / 1000),
        **{name: elapsed[math.ceil(q * len(elapsed)) - 1] for name, q in ranks.items()},
    }


def _from_nmon(folder: Path, record: dict) -> dict[str, float]:
    """Average the snapshots inside the measured window, by nmon's own lines and docs/method/statistics.md's rule."""
    start_s, end_s = (record["phases"][f"measure_{side}_ns"] / 1e9 for side in ("start", "end"))
    written_s = record["nmon_written_ns"] / 1e9
    core = f"CPU{record['processes']['server']['cores'][0] + 1:03}"
    times: dict[str, float] = {}
    cpu: dict[str, list[str]] = {}
    switches: dict[str, float] = {}
    for line in (folder / "server.nmon").read_text().splitlines():
        field = line.split(",")
        if field[0] == "ZZZZ":
            moment = datetime.strptime(f"{field[3]} {field[2]}", "%d-%b-%Y %H:%M:%S")
            times[field[1]] = moment.replace(tzinfo=UTC).timestamp()
        elif field[0] == core and field[1].startswith("T"):
            cpu[field[1]] = field
        elif field[0] == "PROC" and field[1].startswith("T"):
            switches[field[1]] = float(field[4])
    order = sorted(times)
    within_s = written_s - max(stamp for stamp in times.values() if stamp <= written_s)
    inside = [
        b
        for a, b in itertools.pairwise(order)
        if times[a] + within_s >= start_s - 0.05 and times[b] + within_s <= end_s + 0.05
    ]
    busy = [float(cpu[t][2]) + float(cpu[t][3]) for t in inside]
    if not inside:
        return {"nmon_snapshots": 0}
    figures = {
        "nmon_snapshots": len(inside),
        "cpu_pct": statistics.fmean(busy),
        "wait_pct": statistics.fmean(float(cpu[t][4]) for t in inside),
        "pswitch_per_s": statistics.fmean(switches[t] for t in inside),
    }
    return figures | ({"cpu_sd": statistics.stdev(busy)} if len(busy) > 1 else {})


def test_the_requests_are_found_among_the_captured_packets_and_take_less_time_at_the_server(campaign):
    for row in read_table(campaign, "runs"):
        # A connection that can't surely be told to be one user's is left out: of JMeter's seven several may be, as its
        # clock of whole milliseconds says little of responses that short.
        assert float(row["wire_joined_pct"]) > (25 if row["generator"] == "jmeter" else 50)
        # Of the joined requests alone: those left out may be the short ones. JMeter's clock tells whole milliseconds.
        assert float(row["wire_mean_ms"]) > 0
        clock_ms = 1 if row["generator"] == "jmeter" else 0
        assert float(row["client_mean_ms"]) + float(row["connect_mean_ms"]) > -clock_ms
        shares = [float(row[f"{part}_variance_pct"]) for part in ("wire", "client", "connect")]
        assert math.isclose(sum(shares), 100, abs_tol=0.01)


def test_a_server_that_does_nothing_was_run_under_the_same_load_and_is_no_system_of_the_comparison(campaign):
    generator = read_table(campaign, "generator")
    assert {row["system"] for row in generator} == {"reference"}
    assert {row["requests"] for row in generator} == {row["requests"] for row in read_table(campaign, "runs")}
    assert {record["factors"]["generator"] for _, record in _runs(campaign)} == {"lean", "jmeter"}
    assert {row["system"] for row in read_table(campaign, "cells")} == {"node", "tomcat"}
    for record in (campaign / "baseline").glob("*/*/run.json"):
        gates = {gate["name"]: gate["passed"] for gate in all_gates(json.loads(record.read_text()))}
        assert gates["contract"]
        assert "uploads_stored" not in gates, "it stores nothing"
        assert "injector_cpu" not in gates


def test_what_the_runtimes_say_of_themselves_is_in_the_tables(campaign):
    rows = {row["system"]: row for row in read_table(campaign, "runs")}
    assert float(rows["node"]["loop_delay_mean_ms"]) >= 0
    assert not rows["tomcat"]["loop_delay_mean_ms"]
    for row in rows.values():
        assert 0 <= float(row["gc_pct"]) < 100


def test_reporting_again_gives_the_same_tables(campaign):
    before = {path.name: path.read_bytes() for path in (campaign / "analysis").glob("*.csv")}
    for path in (campaign / "analysis").glob("*.csv"):
        path.unlink()
    subprocess.run(["./lab", "report", str(campaign)], cwd=REPOSITORY, capture_output=True, check=False)
    assert {path.name: path.read_bytes() for path in (campaign / "analysis").glob("*.csv")} == before


def test_the_raw_files_are_those_that_were_written(campaign):
    import hashlib

    for folder, record in _runs(campaign):
        for name, kept in record["files"].items():
            assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == kept["sha256"], folder / name


def test_nothing_is_left_running_and_no_upload_is_left(campaign):
    assert not (campaign / "stored").exists()
    assert not (campaign / "scratch").exists()
    assert processes_that_name(campaign) == []
