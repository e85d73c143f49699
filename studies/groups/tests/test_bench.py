"""The comparison with JGroups' own tests, ended before its time."""

import signal
import sys
from pathlib import Path

import pytest
from waiting import is_running, running, wait_for, wait_until_none

pytestmark = pytest.mark.usefixtures("quick_to_start")
BENCH = Path(__file__).parents[1] / "bench" / "against_jgroups.py"


def test_members_end_with_a_comparison_that_is_told_to_end():
    with running([sys.executable, BENCH, "--transports", "tcp", "--pairs", "1"]) as bench:
        children = Path(f"/proc/{bench.pid}/task/{bench.pid}/children")
        started = wait_for(lambda: [int(pid) for pid in children.read_text().split()], beside=bench)
        bench.send_signal(signal.SIGTERM)
        assert bench.wait(60) == 128 + signal.SIGTERM
        wait_until_none(lambda: [pid for pid in started if is_running(pid)])
