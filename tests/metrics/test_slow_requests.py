"""What the slowest requests met: requests and recorders written by hand, the answers computed by head."""

from types import SimpleNamespace

import numpy as np
import pytest

from uploadlab.metrics.slow_requests import Met, mean_of, met_by_slow_and_all, slowest
from uploadlab.raw.recordings import Samples
from uploadlab.raw.request_file import TimedRequests
from uploadlab.raw.runtime import LoopDelay, Runtime, Work

T0_MS = 1_800_000_000_000
S = 1_000_000_000
NO_LOAD = {f"cpu_{kind}_ticks": np.zeros(2) for kind in ("user", "system", "softirq", "iowait", "steal")}


def _requests(late_ms: float = 0.0) -> TimedRequests:
    """Give 100 requests, one each 100 ms; each takes 10 ms, the one after 5 s takes a second, none overlaps another."""
    due = np.array([T0_MS + 100.0 * n + (1000 if n > 50 else 0) for n in range(100)])
    elapsed = np.where(np.arange(100) == 50, 1000.0, 10.0)
    return TimedRequests(
        start_ms=due + late_ms,
        elapsed_ms=elapsed,
        due_ms=due,
        connect_ms=np.zeros(100),
        thread=np.zeros(100, dtype=np.int64),
    )


def _met(requests: TimedRequests, **recorded: object) -> tuple[Met, Met]:
    recordings = {"server": None, "runtime": None, "joined": None} | recorded
    return met_by_slow_and_all(requests, SimpleNamespace(**recordings))


def test_the_slowest_of_a_hundred_is_one_and_its_time_is_counted_from_when_it_was_due():
    slow, every = _met(_requests(late_ms=5))
    assert slow.elapsed_ms == pytest.approx(1005)
    assert every.elapsed_ms == pytest.approx((99 * 15 + 1005) / 100)
    assert slow.unsent_ms == every.unsent_ms == pytest.approx(5)
    assert slow.run_queue is slow.collection_pct is slow.loop_delay_ms is slow.outside_ms is None


def test_others_in_flight_are_those_that_had_begun_and_not_ended():
    due = T0_MS + np.array([0.0, 1, 2, 50])
    requests = TimedRequests(
        start_ms=due, elapsed_ms=np.array([10.0, 10, 30, 1]), due_ms=due, connect_ms=np.zeros(4), thread=np.arange(4)
    )
    slow, every = _met(requests)
    assert (slow.in_flight, every.in_flight) == (2, (0 + 1 + 2 + 0) / 4)


def test_half_of_the_slow_request_was_a_pause_of_the_jvm():
    pause = Work(
        end_ns=np.array([(T0_MS + 5600) * 1_000_000]), duration_ms=np.array([500.0]), count=np.ones(1)
    )  # from 5.1 s to 5.6 s
    slow, every = _met(_requests(), runtime=Runtime(collections=pause, safepoints=pause, loop_delay=None))
    assert slow.collection_pct == pytest.approx(50)
    assert every.collection_pct == pytest.approx(0.5)


def test_what_node_collected_in_a_second_is_spread_over_it_and_the_loop_is_as_late_as_in_that_second():
    ends = (T0_MS * 1_000_000) + S * np.arange(1, 12)
    worked = np.where(np.arange(11) == 5, 200.0, 0.0)  # 0.2 s of the second from 5 s to 6 s
    late = np.where(np.arange(11) == 5, 40.0, 1.0)
    runtime = Runtime(
        collections=Work(end_ns=ends, duration_ms=worked, count=np.ones(11)),
        safepoints=None,
        loop_delay=LoopDelay(end_ns=ends, mean_ms=late, max_ms=late),
    )
    slow, every = _met(_requests(), runtime=runtime)
    assert slow.collection_pct == pytest.approx(20)
    assert slow.loop_delay_ms == pytest.approx(40)
    assert every.loop_delay_ms < 2


def test_threads_that_wait_for_the_core_and_steal_are_those_of_the_rows_around_the_request():
    at_s = np.array([0.0, 5, 6, 12])
    ticks = {name: np.zeros(4) for name in NO_LOAD} | {
        "cpu_user_ticks": np.array([0.0, 0, 75, 75]),
        "cpu_idle_ticks": np.array([0.0, 500, 500, 1100]),
        "cpu_steal_ticks": np.array([0.0, 0, 25, 25]),
    }
    samples = Samples(
        time_ns=(T0_MS * 1_000_000 + at_s * S).astype(np.int64),
        columns=ticks | {"role_wait_ns": np.array([0.0, 0, 3 * S, 3 * S])},
    )
    slow, every = _met(_requests(), server=samples)
    assert slow.run_queue == pytest.approx(3)
    assert slow.steal_pct == pytest.approx(25)
    assert every.run_queue == pytest.approx(0.03)
    assert every.steal_pct == pytest.approx(0.25)


def test_of_fewer_than_a_hundred_the_slowest_one_is_slow():
    assert slowest(np.array([3.0, 9, 1])).tolist() == [False, True, False]


def test_the_mean_of_several_runs_leaves_out_what_a_run_does_not_tell():
    one, other = (_met(_requests(late_ms=late))[0] for late in (0, 10))
    assert mean_of([one, other]).elapsed_ms == pytest.approx(1005)
    assert mean_of([one, other]).steal_pct is None
