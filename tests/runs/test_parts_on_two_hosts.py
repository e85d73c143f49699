"""Campaigns of conducted parts that run on two hosts over SSH: one clock, nothing lost, nothing left."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import two_hosts
from campaigns_of_parts import ECHO, kinds, lab, memory_of, start
from finished import gates_of, runs_of
from two_hosts import TwoHosts
from waiting import PATIENCE_S, read_process, wait_for

pytestmark = two_hosts.NEEDED
MANY = ["--profile", "smoke", "--systems", "plain", "--load", "messages=200000"]


@contextmanager
def _running(hosts: TwoHosts, out: Path) -> Iterator["subprocess.Popen[str]"]:
    """Run a campaign; the block begins when its parts run on their hosts."""
    with start(ECHO, "--rig", str(hosts.rig()), "--out", str(out), *MANY) as lab:
        wait_for(lambda: all(any("part.py" in line for line in hosts.processes(role)) for role in two_hosts.ROLES))
        yield lab


def _seen_within_its_round_trip(folder: Path, run: dict[str, Any]) -> int:
    """Return how many messages the responder saw between their being sent and answered, to within the clocks' error."""
    query = """
        SELECT count(*) FROM read_parquet(?) s JOIN read_parquet(?) r USING (seq) JOIN read_parquet(?) a USING (seq)
        WHERE s.kind = 'sent' AND r.kind = 'received' AND a.kind = 'answered'
        AND r.time_ns BETWEEN s.time_ns - ? AND a.time_ns + ?
    """
    ours, theirs = f"{folder}/requester-0.records.parquet", f"{folder}/responder-0.records.parquet"
    error_ns = sum(one[when]["uncertainty_ns"] for one in run["clock"].values() for when in ("before", "after"))
    return duckdb.connect().execute(query, [ours, theirs, ours, error_ns, error_ns]).fetchall()[0][0]


def test_each_part_runs_on_the_host_of_its_place_and_all_records_are_on_one_clock(hosts, tmp_path):
    out = tmp_path / "out"
    said = lab(ECHO, "--rig", str(hosts.rig()), "--profile", "smoke", "--out", str(out))
    found = runs_of(out)
    assert len(found) == 2, said
    for folder, run in found:
        assert run["status"] == "complete", run["reason"]
        assert [(part["role"], part["host"]) for part in run["parts"]] == [
            ("responder", "10.213.0.1"), ("requester", "10.213.0.2")
        ]  # fmt: skip
        assert [run["processes"][role]["place"] for role in ("responder", "requester")] == ["server", "injector"]
        assert kinds(folder, "requester-0") == {"sent": 200, "answered": 200}
        assert kinds(folder, "responder-0") == {"received": 200}
        assert _seen_within_its_round_trip(folder, run) == 200
        # Both hosts are this one, so that the lab's clock is theirs: what was recorded lies within what the lab saw.
        start_ns, end_ns = run["clock_span_ns"]
        assert run["phases"]["load_start_ns"] <= start_ns < end_ns <= run["phases"]["load_end_ns"]
        assert gates_of(run)["clock"]["passed"]
        raw = {"server.nmon", "injector.nmon", "responder.samples.csv", "requester.samples.csv", "responder-0.log"}
        assert raw <= set(run["files"])
        assert set(run["exit_codes"].values()) == {0}
    hosts.wait_until_idle()


def test_kill_9_of_the_lab_leaves_no_part_and_no_records_on_either_host(hosts, tmp_path):
    with _running(hosts, tmp_path / "out") as running:
        running.send_signal(signal.SIGKILL)
    hosts.wait_until_idle()
    wait_for(lambda: not memory_of(running).exists())


def test_a_part_that_is_killed_on_its_host_fails_the_run_and_is_named(hosts, tmp_path):
    with _running(hosts, tmp_path / "out") as running:
        for pid in two_hosts.run_command("ip", "netns", "pids", hosts.spaces["server"]).split():
            if "part.py" in read_process(pid, "cmdline"):
                os.kill(int(pid), signal.SIGKILL)
        assert any("FAILED" in line for line in running.stderr)
        running.send_signal(signal.SIGINT)  # the report of a failed run is not looked at
        running.communicate(timeout=PATIENCE_S)
    [run] = [run for folder, run in runs_of(tmp_path / "out") if folder.name == "01"]
    assert run["status"] == "failed"
    assert "responder-0 was ended by SIGKILL" in run["reason"]
    hosts.wait_until_idle()
