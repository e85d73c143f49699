"""Switches, waits and CPU of real processes whose work is known."""

import os
import subprocess
import sys
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from waiting import wait_for

from monitoring.role_counters import RoleCounters
from monitoring.taskstats import EndedThreads

ROUNDS = 20_000
MEMORY_BYTES = 50_000_000


@pytest.fixture(params=[True, False], ids=["taskstats", "thread-by-thread"])
def watch(request):
    """Watch processes in both ways there are, with every reading complete."""
    if request.param and os.geteuid() != 0:
        pytest.skip("the kernel answers taskstats to root only")

    with ExitStack() as opened:
        yield lambda *pids: opened.enter_context(closing(RoleCounters(pids, use_taskstats=request.param)))


def read_complete(counters: RoleCounters) -> dict[str, int]:
    """Read until the threads are in it (where they are read one by one, not every reading holds them)."""
    return next(cells for cells in iter(counters.read, None) if "role_voluntary_switches" in cells)


def test_a_ping_pong_over_pipes_has_two_switches_a_round_trip(watch, start_worker):
    worker = start_worker(core=0)
    counters = watch(worker.pid)
    before = counters.read()
    worker.do("pingpong", ROUNDS)  # between the worker and a child it starts
    counters.find_children()
    after = read_complete(counters)
    switches = sum(after[name] - before[name] for name in ("role_voluntary_switches", "role_involuntary_switches"))
    assert switches == pytest.approx(2 * ROUNDS, rel=0.05)
    assert after["role_threads"] == 2


def test_switches_agree_with_what_the_process_itself_is_told(watch, start_worker):
    worker = start_worker()
    worker.do("hold_threads", 20)
    counters = watch(worker.pid)
    before = counters.read()
    truth = worker.do("pingpong", 2000)
    after = read_complete(counters)
    # The child is not looked for here, and the worker's own answer costs a switch or two.
    assert after["role_voluntary_switches"] - before["role_voluntary_switches"] == pytest.approx(
        truth["voluntary"], rel=0.01
    )
    assert after["role_threads"] == 21


def test_cpu_time_is_what_the_process_has_used(watch, start_worker):
    worker = start_worker()
    counters = watch(worker.pid)
    earlier = worker.do("burn", 0)
    before = counters.read()["role_cpu_ns"]
    truth = worker.do("burn", 0.3)
    used_ns = counters.read()["role_cpu_ns"] - before
    later = worker.do("burn", 0)
    # What the process uses between its answers is told by no answer, and on a busy host it is many milliseconds.
    assert truth["cpu_ns"] <= used_ns <= later["cpu_at_start_ns"] - earlier["cpu_at_end_ns"]


def test_a_busy_process_waits_whenever_another_has_its_core(watch, start_worker):
    watched, other = start_worker(core=0), start_worker(core=0)
    counters = watch(watched.pid)
    before, stolen_before_ns = counters.read(), _stolen_ns(core=0)
    other.begin("burn", 0.5)
    truth = watched.do("burn", 0.5)
    after, stolen_ns = read_complete(counters), _stolen_ns(core=0) - stolen_before_ns
    other.answer()
    waited = after["role_wait_ns"] - before["role_wait_ns"]
    # What the hypervisor takes from a process that runs is neither its CPU time nor its waiting.
    not_running = truth["wall_ns"] - truth["cpu_ns"]
    assert 0.95 * (not_running - stolen_ns) <= waited <= 1.05 * not_running
    assert waited > 0.5 * truth["cpu_ns"]


def _stolen_ns(core: int) -> int:
    """Return what the hypervisor has taken from a core."""
    cells = next(line.split() for line in Path("/proc/stat").read_text().splitlines() if line.startswith(f"cpu{core} "))
    return int(cells[8]) * 1_000_000_000 // os.sysconf("SC_CLK_TCK")


def test_threads_that_have_ended_stay_counted(start_worker):
    if os.geteuid() != 0:
        pytest.skip("without root, what short threads did between two readings is not seen")
    worker = start_worker()
    with closing(RoleCounters([worker.pid])) as counters:
        before = counters.read()
        truth = worker.do("sleeps_in_threads", 20, 50)
        after = counters.read()
    assert truth["voluntary"] >= 0.98 * 20 * 50
    assert after["role_voluntary_switches"] - before["role_voluntary_switches"] == pytest.approx(
        truth["voluntary"], rel=0.01
    )


def test_totals_never_step_back_when_processes_end(watch, start_worker):
    first, second = start_worker(), start_worker()
    first.do("burn", 0.1)
    counters = watch(first.pid, second.pid)
    before = counters.read()
    first.__exit__(None, None, None)
    wait_for(lambda: counters.read()["role_threads"] == 1)
    after = read_complete(counters)
    assert after["role_rss_bytes"] < before["role_rss_bytes"]
    for name in ("role_cpu_ns", "role_wait_ns", "role_voluntary_switches", "role_involuntary_switches"):
        assert after[name] >= before[name], name
    assert after["role_cpu_ns"] >= 100_000_000


def test_without_root_a_process_of_ones_own_is_watched_all_the_same():
    program = """
import os, subprocess, sys, time
if os.geteuid() == 0:
    os.setgroups([])
    os.setresuid(65534, 65534, 65534)
from monitoring.role_counters import RoleCounters
child = subprocess.Popen(["sleep", "600"])
counters = RoleCounters([child.pid])
for _ in range(600):  # until it has gone to sleep, which is a voluntary switch
    cells = counters.read()
    if cells["role_voluntary_switches"]:
        break
    time.sleep(0.1)
counters.close()
child.kill()
child.wait()
print(cells["role_threads"], cells["role_voluntary_switches"] > 0, cells["role_rss_bytes"] > 0)
"""
    done = subprocess.run(
        [sys.executable, "-c", f"import monitoring.sampler\n{program}"], capture_output=True, text=True
    )
    assert done.stdout.split() == ["1", "True", "True"], done.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="the kernel tells root only")
def test_ended_threads_are_told_by_the_kernel_with_all_their_switches(start_worker):
    worker = start_worker()
    with closing(EndedThreads()) as ended:
        truth = worker.do("sleeps_in_threads", 20, 50)
        # A joined thread still has its last steps in the kernel before it; and a sleep whose end comes while another
        # process has the core is no voluntary switch.
        wait_for(lambda: ended.switches(worker.pid)[0] >= 0.98 * 20 * 50)
        assert ended.switches(worker.pid)[0] <= truth["voluntary"]


def test_memory_that_a_process_shares_with_its_child_counts_once_in_the_pss(watch, start_worker):
    worker = start_worker()
    counters = watch(worker.pid)
    before = counters.read()["role_pss_bytes"]
    worker.do("hold_memory", MEMORY_BYTES)
    worker.do("pingpong", 1)  # starts a child, which stays
    counters.find_children()
    cells: dict[str, int] = {}
    wait_for(lambda: "role_pss_bytes" in (cells.update(counters.read()) or cells))
    assert cells["role_threads"] == 2
    assert cells["role_pss_bytes"] - before == pytest.approx(MEMORY_BYTES, rel=0.05)
    assert cells["role_rss_bytes"] > 2 * MEMORY_BYTES
