"""The comparison with JGroups' own tests: what is alike on both sides, and an end before its time."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from groups_conducting import GROUPS
from waiting import is_running, running, wait_for, wait_until_none

sys.path.insert(0, str(GROUPS / "bench"))
from against_jgroups import HEAP_MB, from_first_to_last, options_of_java, while_all_send

pytestmark = pytest.mark.usefixtures("quick_to_start")
BENCH = GROUPS / "bench" / "against_jgroups.py"
RECORDS_FILE = b"RECORDS_FILE="


def test_members_and_their_records_in_memory_end_with_a_comparison_that_is_told_to_end():
    with running([sys.executable, BENCH, "--transports", "tcp", "--pairs", "1"]) as bench:
        children = Path(f"/proc/{bench.pid}/task/{bench.pid}/children")
        started = wait_for(lambda: [int(pid) for pid in children.read_text().split()], beside=bench)
        folder = wait_for(lambda: _folder_of_records(started[0]), beside=bench)
        assert Path("/dev/shm") in folder.parents, "as those of a campaign"
        bench.send_signal(signal.SIGTERM)
        assert bench.wait(60) == 128 + signal.SIGTERM
        wait_until_none(lambda: [pid for pid in started if is_running(pid)])
        assert not folder.exists()


def _folder_of_records(pid: int) -> Path | None:
    """Return where a process keeps its records; None before it has become a member."""
    settings = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    files = [one.removeprefix(RECORDS_FILE).decode() for one in settings if one.startswith(RECORDS_FILE)]
    return Path(files[0]).parent if files else None


@pytest.mark.parametrize("jvm", ["plain", "paper"])
def test_jgroups_own_tests_get_the_options_of_java_that_our_members_get(tmp_path: Path, jvm: str):
    java = tmp_path / "java"
    java.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    java.chmod(0o755)
    env = {
        "PATH": f"{tmp_path}:{os.environ['PATH']}",
        "JVM": jvm,
        "HEAP_MB": HEAP_MB,
        "RUN_DIR": str(tmp_path),
        "INDEX": "0",
    }
    command = [GROUPS / "bin/member", "jgroups", "current"]
    told = subprocess.run(command, env=env, check=True, capture_output=True, text=True).stdout.splitlines()
    assert told[: told.index("-cp")] == options_of_java(tmp_path, jvm, 0)
    assert ("-XX:-TieredCompilation" in told) == (jvm == "paper")


def test_a_rate_counts_while_all_send_or_from_the_first_message_to_the_last():
    # Of two members the second begins a second later and ends two seconds later, and gets its messages half as fast.
    times = [{"first_sent_ns": 0, "last_sent_ns": 4}, {"first_sent_ns": 1, "last_sent_ns": 6}]
    ends = [{"first_received_ns": 0, "last_received_ns": 5}, {"first_received_ns": 0, "last_received_ns": 10}]
    rounds = [
        {name: int(s * 1e9) for name, s in {**sent, **got}.items()} | {"received": 20}
        for sent, got in zip(times, ends, strict=True)
    ]
    received_ns = [np.arange(20) * 250_000_000, np.arange(20) * 500_000_000]
    assert while_all_send(rounds, received_ns) == (12 + 6) / 2 / 3
    assert from_first_to_last(rounds) == (20 / 5 + 20 / 10) / 2
