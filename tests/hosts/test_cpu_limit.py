"""The server's share of its core: what the kernel really gives, and that no control group is left behind."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from control_groups import needs_groups
from waiting import least_of, wait_for

from uploadlab.hosts import cpu_limit
from uploadlab.hosts.cpu_limit import CpuLimit
from uploadlab.hosts.processes import Processes, pinned

BUSY = [sys.executable, "-c", "while True: pass"]


def _cpu_share_pct(pid: int, seconds: float) -> float:
    """Return the CPU that a process gets, in per cent of a core, over some time."""

    def used_ns() -> int:
        return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0])

    before, began = used_ns(), time.monotonic_ns()
    time.sleep(seconds)
    return 100 * (used_ns() - before) / (time.monotonic_ns() - began)


def _busy(processes: Processes, name: str, group: Path | None = None) -> "subprocess.Popen[bytes]":
    """Start a process that never rests, on the first of our cores."""
    command = pinned(BUSY, [min(os.sched_getaffinity(0))], group=group)
    return processes.start(name, command, env=dict(os.environ), cwd=Path("/"), output=subprocess.DEVNULL)


@needs_groups
def test_a_busy_process_gets_its_share_and_no_more(processes):
    group = CpuLimit(processes.control_group, 10, 1)
    process = _busy(processes, "busy", group.members)
    group.put_on()
    # Of a busy machine it may get less, for two of its periods a little more.
    assert 0.2 < least_of(lambda _: _cpu_share_pct(process.pid, 1), 11) < 11
    processes.close()
    assert not group.members.exists()


@pytest.mark.slow
@needs_groups
def test_the_limit_holds_for_its_group_only_and_while_it_is_on(processes):
    group = CpuLimit(processes.control_group, 5, 1)  # less than a core shared with several others gives
    limited, free = _busy(processes, "limited", group.members), _busy(processes, "free")
    group.put_on()
    wait_for(lambda: _cpu_share_pct(free.pid, 1) > 1.5 * _cpu_share_pct(limited.pid, 1))
    processes.stop(free)
    held = _cpu_share_pct(limited.pid, 1)
    group.lift()
    wait_for(lambda: _cpu_share_pct(limited.pid, 1) > 1.5 * held)
    lifted = _cpu_share_pct(limited.pid, 1)
    group.put_on()
    wait_for(lambda: lifted > 1.5 * _cpu_share_pct(limited.pid, 1))


def test_without_a_controller_the_reason_is_one_sentence(monkeypatch, tmp_path):
    mounts = tmp_path / "mounts"
    mounts.write_text("proc /proc proc rw 0 0\n")
    monkeypatch.setattr(cpu_limit, "MOUNTS", mounts)
    assert "controller 'cpu'" in str(cpu_limit.why_not())


def test_version_2_is_used_where_it_hands_on_the_controller(monkeypatch, tmp_path):
    """The files of cgroup version 2 in a plain folder: this shows what is written where, not that the kernel obeys."""
    (tmp_path / "lab").mkdir()
    (tmp_path / "lab" / "cgroup.subtree_control").write_text("cpu memory\n")
    (tmp_path / "mounts").write_text(f"cgroup2 {tmp_path} cgroup2 rw 0 0\n")
    (tmp_path / "membership").write_text("0::/lab\n")
    monkeypatch.setattr(cpu_limit, "MOUNTS", tmp_path / "mounts")
    monkeypatch.setattr(cpu_limit, "MEMBERSHIP", tmp_path / "membership")
    group = CpuLimit(lambda folder: (folder.mkdir(), folder)[1], 25, 1)
    folder = group.members.parent
    assert folder.parent == tmp_path / "lab"
    assert (folder / "cpu.max").read_text() == f"max {cpu_limit.PERIOD_US}"
    group.put_on()
    assert (folder / "cpu.max").read_text() == "1825 7300"
