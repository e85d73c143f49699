"""The whole lab on real parts: the smoke campaign, recomputed by hand from its raw files."""

import json
import math
from pathlib import Path

import pytest
from finished import NOISE_OF_ANY, failed_gates, gates_of, make_campaign, read_table, runs_of
from recomputation import differences
from waiting import processes_that_name

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("smoke")]

# Those on the load generator's own share, too.
NOISE = NOISE_OF_ANY | {"injector_cpu", "injector_wait", "injector_gc", "injector_delay"}


@pytest.fixture(scope="module")
def campaign(tmp_path_factory) -> Path:
    """Return the folder of a finished smoke campaign, with both load generators."""
    folder = tmp_path_factory.mktemp("smoke") / "campaign"
    return make_campaign(folder, "--profile", "smoke", "--generator", "lean,jmeter", "--capture")


def test_each_run_is_complete_and_fails_no_gate_but_those_on_the_machines_noise(campaign):
    runs = runs_of(campaign)
    asleep = json.loads((campaign / "campaign.json").read_text())["machine"]["why_idle_cores_sleep"]
    assert {record["system"] for _, record in runs} == {"node", "tomcat"}
    for _, record in runs:
        assert record["status"] == "complete", record["reason"]
        assert failed_gates(record) <= NOISE
        assert set(record["exit_codes"].values()) <= {0, 143}  # 143: Tomcat's JVM, which SIGTERM ends
        assert record["load"]["write_bytes"] == 8192
        assert record["idle_cores_asleep"] == {"server": asleep}  # both roles are on one host


def test_runs_csv_agrees_to_the_last_digit_with_a_recomputation_from_the_raw_files(campaign):
    assert differences(campaign) == []


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
    assert {record["factors"]["generator"] for _, record in runs_of(campaign)} == {"lean", "jmeter"}
    assert {row["system"] for row in read_table(campaign, "cells")} == {"node", "tomcat"}
    for record in (campaign / "baseline").glob("*/*/run.json"):
        gates = gates_of(json.loads(record.read_text()))
        assert gates["contract"]["passed"]
        assert "uploads_stored" not in gates, "it stores nothing"
        assert "injector_cpu" not in gates


def test_what_the_runtimes_say_of_themselves_is_in_the_tables(campaign):
    rows = {row["system"]: row for row in read_table(campaign, "runs")}
    assert float(rows["node"]["loop_delay_mean_ms"]) >= 0
    assert not rows["tomcat"]["loop_delay_mean_ms"]
    for row in rows.values():
        assert 0 <= float(row["gc_pct"]) < 100


def test_nothing_is_left_running_and_no_upload_is_left(campaign):
    assert not (campaign / "stored").exists()
    assert not (campaign / "scratch").exists()
    assert processes_that_name(campaign) == []
