"""How busy cores are, and the time of a fixed piece of work: on which core, and whose time it is."""

import os
import threading

from monitoring.noise import host_noise, work_ms


def test_a_core_that_is_kept_busy_is_seen_to_be(start_worker):
    core = max(os.sched_getaffinity(0))
    start_worker(core).begin("burn", 60)
    seen = host_noise([core], seconds=0.5)
    assert seen["busy_pct"][str(core)] > 90
    assert seen["load_1m"] >= 0


def test_what_the_kernel_counts_is_read_as_it_says(tmp_path, monkeypatch):
    # Of 100 ticks 60 idle and 10 waiting for a disk: 30 busy. Guest time, 50, is in the user time already.
    first = "cpu  0 0 0 0 0 0 0 0 0 0\ncpu0 0 0 0 0 0 0 0 0 0 0\ncpu1 5 5 5 5 5 5 5 5 5 5\n"
    then = "cpu  0 0 0 0 0 0 0 0 0 0\ncpu0 20 0 5 60 10 1 4 0 50 0\ncpu1 5 5 5 105 5 5 5 5 5 5\n"
    stat = tmp_path / "stat"
    stat.write_text(first)
    monkeypatch.setattr("monitoring.noise.STAT", stat)
    monkeypatch.setattr("monitoring.noise.time.sleep", lambda _: stat.write_text(then))
    assert host_noise([0, 1])["busy_pct"] == {"0": 30.0, "1": 0.0}


def test_time_that_others_use_on_the_core_is_not_counted(start_worker):
    core = max(os.sched_getaffinity(0))
    alone_ms = work_ms([core])[core]
    for _ in range(3):
        start_worker(core).begin("burn", 60)
    # By the clock it would take four times as long; what else the machine does may slow some down.
    assert min(work_ms([core])[core] for _ in range(3)) < 2.5 * alone_ms


def test_the_work_is_done_on_those_cores_and_the_caller_stays_where_it_was(monkeypatch):
    cores = sorted(os.sched_getaffinity(0))
    moved = {}
    set_affinity = os.sched_setaffinity

    def watched(pid, chosen):
        set_affinity(pid, chosen)
        moved[threading.get_ident()] = os.sched_getaffinity(0)

    monkeypatch.setattr(os, "sched_setaffinity", watched)
    found = work_ms(cores)
    assert list(found) == cores
    assert all(value > 0 for value in found.values())
    assert {core for chosen in moved.values() for core in chosen} == set(cores)
    assert threading.get_ident() not in moved
