"""Shares of engines, dealt out by hand."""

import numpy as np
import pytest

from upload_study.scenario import ResolvedLoad, resolve
from upload_study.shares import arrivals_of, sizes_of, users_of
from upload_study.spec import DriverError, Factors, Load
from workload_gen import Schedule


def _load(*, threads: int = 3, loops: int | None = 2, **other) -> ResolvedLoad:
    load = Load(rows=4, threads=threads, loops=loops, warmup_threads=2, warmup_loops=5, **other)
    return resolve(Factors(sample=5, disk="local"), load, engines=2)


def test_users_are_dealt_in_turn_and_none_is_lost():
    assert [users_of(number, 2, 5) for number in range(2)] == [3, 2]
    assert [users_of(number, 3, 1000) for number in range(3)] == [334, 333, 333]


def test_fewer_users_than_engines_are_refused():
    with pytest.raises(DriverError, match=r"1 users cannot be shared by 2 engines: each needs at least one\."):
        users_of(0, 2, 1)


def test_an_engine_has_the_rows_of_its_users_requests():
    # Requests 0 to 5 are of users 0, 1, 2, 0, 1, 2; users 0 and 2 are the first engine's; the list begins again at 4.
    rows = ["a", "b", "c", "d"]
    assert sizes_of(0, 2, _load(), 6, rows) == ["a", "c", "d", "b"]
    assert sizes_of(1, 2, _load(), 6, rows) == ["b", "a"]


def test_a_load_without_an_end_has_every_row_on_one_engine():
    load = _load(threads=4, loops=None, duration_s=5)
    assert [sizes_of(number, 2, load, 0, list("abcdef")) for number in range(2)] == [list("ace"), list("bdf")]


def test_arrivals_and_their_rows_are_dealt_in_turn():
    load = _load(threads=9, loops=None, arrivals="open", rate_per_s=5, duration_s=1)
    whole = Schedule(start_s=np.arange(5.0), session=np.arange(1, 6))
    assert [arrivals_of(number, 2, whole).start_s.tolist() for number in range(2)] == [[0, 2, 4], [1, 3]]
    assert [sizes_of(number, 2, load, 5, list("abc")) for number in range(2)] == [["a", "c", "b"], ["b", "a"]]


def test_each_engine_has_the_whole_warm_up():
    assert _load().warmup_requests == 2 * 2 * 5
