"""Where a run has settled, on series whose answer is known because they were made so."""

import itertools

import numpy as np
import pytest

from study_kit import settled

N = 6000


def find_settled(elapsed_ms):
    """Requests a millisecond apart."""
    return settled.find_settled(elapsed_ms, np.arange(len(elapsed_ms)))


def _around(level_ms, n, seed=1):
    """Response times that scatter around a level by a factor of about two."""
    return np.round(np.random.default_rng(seed).lognormal(np.log(level_ms), 0.7, n))


def test_a_run_that_is_steady_from_the_start_is_not_cut():
    for seed in range(10):
        found = find_settled(_around(20, N, seed))
        assert (found.first, found.settled) == (0, True)


def test_a_slow_beginning_is_cut_where_it_ends():
    found = find_settled(np.concatenate([_around(60, 900), _around(20, N - 900)]))
    # 100 points of 60 requests: the level changes at the 15th.
    assert (found.first, found.settled, found.change_points) == (900, True, (900,))
    assert found.sentence.startswith("The first 900 of 6000 requests are warm-up")


def test_stalls_that_come_again_and_again_are_the_server_not_its_warm_up():
    times = _around(5, N)
    times[np.arange(N) % 3000 < 600] += 1000
    found = find_settled(times)
    assert (found.first, found.settled) == (0, True)
    assert len(found.change_points) >= 3


@pytest.mark.parametrize(
    "times",
    [_around(20, N) * np.linspace(1, 4, N), np.concatenate([_around(20, 4500), _around(60, N - 4500)])],
    ids=["slower and slower", "slower at the end"],
)
def test_a_run_that_still_changes_in_its_second_half_never_settled_and_is_not_cut(times):
    found = find_settled(np.round(times))
    assert (found.first, found.settled) == (0, False)


def test_no_other_cut_into_levels_explains_the_points_for_less():
    # Every way to cut 12 points into segments of 3 or more, tried one by one.
    points = np.random.default_rng(3).normal(0, 0.5, 12) + np.repeat([0.0, 40.0, 10.0], 4)
    spread = max(settled.LEAST_SPREAD, np.median(np.abs(np.diff(points))) / (0.6745 * np.sqrt(2)))

    def cost(ends):
        parts = [points[start:end] / spread for start, end in itertools.pairwise((0, *ends, 12))]
        return sum(((part - part.mean()) ** 2).sum() for part in parts) + settled.PENALTY * np.log(12) * len(ends)

    possible = [ends for n in range(4) for ends in itertools.combinations(range(3, 10), n)]
    allowed = [ends for ends in possible if all(b - a >= 3 for a, b in itertools.pairwise((0, *ends, 12)))]
    assert tuple(settled._change_points(points)) == min(allowed, key=cost) == (4, 8)
