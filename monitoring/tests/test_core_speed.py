"""The time of a fixed piece of work: on which core, and whose time it is."""

import os
import threading

import pytest

from monitoring.core_speed import work_ms


@pytest.fixture
def core() -> int:
    return sorted(os.sched_getaffinity(0))[-1]


def test_time_that_others_use_on_the_core_is_not_counted(core, start_worker):
    alone_ms = work_ms([core])[core]
    for _ in range(3):
        start_worker(core).begin("burn", 60)
    assert work_ms([core])[core] < 2.5 * alone_ms  # by the clock it would take four times as long


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
    assert os.sched_getaffinity(0) == set(cores)
