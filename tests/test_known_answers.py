"""The lab held to a server that knows the truth: its laws of response times, its context switches, its CPU time."""

import http.client
import json
import math
import os
import re
import statistics
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from finished import make_campaign, read_table
from waiting import read_process, wait_for

from monitoring.samples_reader import read_samples
from uploadlab.hosts.local_collectors import Sampling
from uploadlab.hosts.local_host import LocalHost
from uploadlab.hosts.processes import Processes
from uploadlab.paths import REPOSITORY
from uploadlab.planning.system import choose
from uploadlab.runs.server import start_server

from .reference import measured_truth

pytestmark = [pytest.mark.slow, pytest.mark.long, pytest.mark.alone]

LAWS = ("constant", "lognormal", "bimodal", "stalls")
CLOCK_MS = 1.0  # JMeter's times are whole milliseconds
SWITCHES = 6000  # to be counted: at 1500 a second 4 s, on a busy machine more


@pytest.fixture(scope="module")
def campaign(tmp_path_factory) -> Path:
    """Return a finished campaign of the reference server, a run a law."""
    folder = tmp_path_factory.mktemp("laws") / "campaign"
    settings = [f"law={','.join(LAWS)}", "mean_ms=150", "cv=0.6", "stall_every_ms=3000", "stall_ms=600"]
    options = ["--profile", "smoke", "--systems", "reference", "--disks", "tmpfs", "--repeats", "1"]
    options += ["--generator", "jmeter", "--baseline-repeats", "0", "--capture"]
    # Few users: those who all wait for the same constant time come back at once and queue in the load generator.
    options += ["--load", "threads=4", "--load", "loops=80", "--load", "ramp_up_s=1", "--load", "warmup_loops=30"]
    options += ["--load", "think_time_ms=0"]
    for setting in settings:
        options += ["--set", f"reference.{setting}"]
    return make_campaign(folder, *options)


def _valid_run(campaign: Path, law: str) -> tuple[dict[str, str], list[float]]:
    """Return the figures of the law's run and its truth; skips where the machine was too noisy for a valid one."""
    rows = [row for row in read_table(campaign, "runs") if f"law={law}" in row["stack"]]
    row = next((row for row in rows if row["valid"] == "true"), rows[-1])
    truth = measured_truth(campaign / "runs" / row["cell"] / row["repeat"])
    assert abs(len(truth) - int(row["requests"])) <= 2
    if row["valid"] != "true":
        pytest.skip(f"no run was valid on this machine now: {row['reason']}")
    return row, truth


@pytest.mark.parametrize("law", LAWS)
def test_mean_deviation_and_p99_are_within_2_percent_of_what_the_server_wrote_down(campaign, law):
    row, truth = _valid_run(campaign, law)
    mean, sd = statistics.fmean(truth), statistics.stdev(truth)
    p99 = truth[math.ceil(0.99 * len(truth)) - 1]
    # A constant has no spread of its own: what is measured of it is the load generator's, some ms in one of a hundred.
    spread_ms = 0.02 * mean if law == "constant" else CLOCK_MS
    assert float(row["mean_ms"]) == pytest.approx(mean, rel=0.02, abs=CLOCK_MS)
    assert float(row["sd_ms"]) == pytest.approx(sd, rel=0.02, abs=spread_ms)
    assert float(row["cv"]) == pytest.approx(sd / mean, rel=0.02, abs=spread_ms / mean)
    # It is the fourth longest of 320: what the load generator waited for its core is in it. A constant has nothing else
    # there: on a restless machine it was 5.5 % longer in a run that the gates let pass, so more is allowed upwards.
    most = 1.10 if law == "constant" else 1.05
    assert 0.95 * p99 <= float(row["p99_ms"]) <= most * p99


@pytest.mark.parametrize("law", LAWS)
def test_what_the_packets_say_of_the_server_is_within_2_percent_of_what_it_wrote_down(campaign, law):
    row, truth = _valid_run(campaign, law)
    # Connections that could be several users' are left out: the more, the later the load generator gets its core.
    joined_pct = float(row["wire_joined_pct"])
    assert joined_pct > 50
    if joined_pct < 95:
        pytest.skip(
            f"beside other work only {joined_pct} % of the requests could be told apart, and those are a choice"
        )
    assert float(row["wire_mean_ms"]) == pytest.approx(statistics.fmean(truth), rel=0.02)
    assert float(row["wire_sd_ms"]) == pytest.approx(statistics.stdev(truth), rel=0.02, abs=CLOCK_MS)
    parts = sum(float(row[f"{part}_mean_ms"]) for part in ("wire", "client", "connect"))
    # The mean is of all requests, its parts are of those that could be told apart.
    assert parts == pytest.approx(float(row["mean_ms"]), rel=0.02 + 2 * (100 - joined_pct) / 100)


@pytest.fixture
def started(tmp_path):
    """Yield a function that starts the reference server with some settings and returns it, sampled every 100 ms."""
    processes = Processes(tmp_path / "state")
    host = LocalHost(processes)

    def start(**settings: str):
        core = min(os.sched_getaffinity(0))
        server = start_server(
            host,
            choose(REPOSITORY / "studies" / "kit" / "reference-server", "current", settings),
            cores=[core],
            upload_dir=tmp_path,
            run_dir=tmp_path,
            limits={},
            log=tmp_path / "server.log",
        )
        host.start_sampler(
            "sampler",
            tmp_path / "server.samples.csv",
            Sampling(
                role="server",
                pids=[server.process.pid],
                role_cores=[core],
                device_of=tmp_path,
                cores=[],
                interval_ms=100,
            ),
        )
        host.wait_recording("sampler")
        return server

    yield start, host, tmp_path / "server.samples.csv"
    host.close()
    processes.close()


def test_programmed_context_switches_are_counted_within_5_percent(started):
    """Of what the kernel says of the threads: on a busy machine a thread wakes less often than it was told to."""
    start, host, samples = started
    server = start(switches_per_s="1500")  # a Java machine makes some 25 a second of its own
    before, before_ns = _voluntary_switches(server.process.pid), time.time_ns()
    wait_for(lambda: _voluntary_switches(server.process.pid) >= before + SWITCHES)
    after, after_ns = _voluntary_switches(server.process.pid), time.time_ns()
    _wait_until_sampled(samples, after_ns)
    host.stop_collector("sampler")
    rows = read_samples(samples)
    counted = np.diff(np.interp([before_ns, after_ns], rows["time_ns"], rows["role_voluntary_switches"]))[0]
    assert counted == pytest.approx(after - before, rel=0.05)


def _wait_until_sampled(samples: Path, time_ns: int) -> None:
    """Wait for a row that is younger than a time; a busy machine may keep the sampler waiting."""
    wait_for(lambda: int(samples.read_text().rpartition("\n")[0].rpartition("\n")[2].partition(",")[0]) >= time_ns)


def _voluntary_switches(pid: int) -> int:
    """Of all threads, as the kernel counts them."""
    tasks = [f"{pid}/task/{task.name}" for task in Path(f"/proc/{pid}/task").iterdir()]
    found = [re.search(r"\bvoluntary_ctxt_switches:\s*(\d+)", read_process(task, "status")) for task in tasks]
    return sum(int(switches[1]) for switches in found if switches)  # none of a thread that has ended meanwhile


def test_programmed_cpu_time_is_seen_within_5_percent(started):
    start, host, samples = started
    server = start(cpu_us="60000")
    connection = http.client.HTTPConnection(server.host, server.port)
    sent_ns = []
    for _ in range(90):
        connection.request("POST", "/getimages", body=b"x" * 1000)
        assert connection.getresponse().read()
        sent_ns.append(time.time_ns())
    connection.close()
    _wait_until_sampled(samples, sent_ns[-1])
    host.stop_collector("sampler")
    rows = read_samples(samples)
    # The first 40 also paid for the compiler.
    used_ns = np.diff(np.interp([sent_ns[39], sent_ns[89]], rows["time_ns"], rows["role_cpu_ns"]))[0]
    assert used_ns / 50 / 1000 == pytest.approx(60_000, rel=0.05)


HELD_KB, USERS, LAW_MS = 2000, 40, 150


@pytest.fixture(scope="module")
def windows(tmp_path_factory) -> dict[str, dict[str, Any]]:
    """Return the rows of a run that measured both loads, on a server of a constant time and 2 MB for each upload.

    `window_s` is added to each: how long its load was measured.
    """
    options = [
        "--systems",
        "reference",
        "--samples",
        "3",
        "--repeats",
        "1",
        "--disks",
        "tmpfs",
        "--idle-cores",
        "sleep",
    ]
    options += ["--users", str(USERS), "--load", "warmup_loops=5"]
    for setting in ("law=constant", f"mean_ms={LAW_MS}", f"hold_kb={HELD_KB}"):
        options += ["--set", f"reference.{setting}"]
    campaign = make_campaign(tmp_path_factory.mktemp("windows") / "campaign", *options)
    rows = read_table(campaign, "runs")
    if any(row["valid"] != "true" for row in rows):
        pytest.skip(f"no run was valid on this machine now: {rows[0]['reason']}")
    (kept,) = (campaign / "runs").glob("*/*/run.json")
    measured = json.loads(kept.read_text())["windows"]
    seconds = {str(window["load"]): (window["end_ns"] - window["start_ns"]) / 1e9 for window in measured}
    return {row["load"]: row | {"window_s": seconds[row["load"]]} for row in rows}


SHORTEST_S = 2
"""Of a window, where CPU per upload does not settle on a busy machine."""


def _round_per_s(window_s: float) -> float:
    """Return what one round more makes of a rate: all users are answered at once, and a window cuts rounds anywhere."""
    return USERS / window_s


def test_capacity_and_memory_per_upload_are_those_of_the_law(windows):
    saturated = windows["saturated"]
    cut_per_s = _round_per_s(saturated["window_s"])
    assert float(saturated["capacity_per_s"]) == pytest.approx(USERS / LAW_MS * 1000, rel=0.02, abs=cut_per_s)
    # The PSS is read seldom, and taken to be the same share of the RSS in between.
    assert float(saturated["memory_per_upload_kb"]) == pytest.approx(HELD_KB, rel=0.12)


def test_the_median_at_half_load_is_within_2_percent_of_the_law_and_no_percentile_below_it(windows):
    half = windows["50"]
    cut_per_s = _round_per_s(SHORTEST_S) / 2  # half of a capacity that was measured before the run
    assert float(half["rate_per_s"]) == pytest.approx(USERS / LAW_MS * 1000 / 2, rel=0.02, abs=cut_per_s)
    assert float(half["scheduled_p50_ms"]) == pytest.approx(LAW_MS, rel=0.02)
    assert float(half["scheduled_p99_ms"]) >= 0.98 * LAW_MS
