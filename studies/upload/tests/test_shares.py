"""Shares of engines, dealt out by hand."""

import numpy as np

from upload_study.scenario import ResolvedLoad, resolve
from upload_study.shares import arrivals_of, owners, sizes_of, users_of
from upload_study.spec import Factors, Load
from workload_gen import Schedule


def _load(*, threads: int = 3, loops: int | None = 2, **other) -> ResolvedLoad:
    load = Load(rows=4, threads=threads, loops=loops, warmup_threads=2, warmup_loops=5, **other)
    return resolve(Factors(sample=5, disk="local"), load, engines=2)


def test_users_are_dealt_in_turn_and_none_is_lost():
    assert [users_of(number, 2, 5) for number in range(2)] == [3, 2]
    assert [users_of(number, 3, 1000) for number in range(3)] == [334, 333, 333]


def test_open_arrivals_go_with_their_rows_each_to_one_engine():
    owner = np.array([0, 1, 1, 0, 0])
    whole = Schedule(start_s=np.arange(5.0), session=np.arange(1, 6))
    assert [arrivals_of(number, owner, whole).start_s.tolist() for number in range(2)] == [[0, 3, 4], [1, 2]]
    assert [sizes_of(number, owner, list("abc")) for number in range(2)] == [["a", "a", "b"], ["b", "c"]]


def test_open_arrivals_are_dealt_by_lot_the_same_on_every_host():
    load = _load(threads=9, loops=None, arrivals="open", rate_per_s=5, duration_s=1)
    owner = owners(load, 3, 30_000, seed=7)
    assert (owner == owners(load, 3, 30_000, seed=7)).all()
    # Of each 10,000 with a deviation of 82; two neighbours are of one engine as often.
    assert np.abs(np.bincount(owner) - 10_000).max() < 5 * 82
    assert abs((owner[1:] == owner[:-1]).sum() - 10_000) < 5 * 82
