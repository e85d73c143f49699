"""Sets of ranks: known orders, ties, and how often all sets of a campaign hold."""

import math

import numpy as np
import pytest

from uploadlab.statistics.ranks import rank_sets


def test_systems_that_are_far_apart_have_one_rank_each() -> None:
    values = [[30.0, 31.0, 29.0, 30.5], [10.0, 10.2, 9.9, 10.1], [20.0, 20.4, 19.8, 20.2]]
    assert [(one.best, one.worst) for one in rank_sets(values)] == [(3, 3), (1, 1), (2, 2)]
    assert [(one.best, one.worst) for one in rank_sets(values, higher_is_better=True)] == [(1, 1), (3, 3), (2, 2)]


def test_systems_that_cannot_be_told_apart_share_the_best_place() -> None:
    values = [[10.0, 10.9, 9.8], [10.5, 9.9, 10.4], [50.0, 52.0, 49.0]]
    sets = rank_sets(values)
    assert [(one.best, one.worst) for one in sets] == [(1, 2), (1, 2), (3, 3)]
    assert [one.best == 1 for one in sets] == [True, True, False]


def test_what_a_block_shares_does_not_hide_an_order() -> None:
    slow_blocks = np.array([1.0, 3.0, 0.5, 2.0])
    values = [slow_blocks * level * wobble for level, wobble in ((10, 1.0), (11, np.array([1, 1.002, 0.998, 1.001])))]
    assert [(one.best, one.worst) for one in rank_sets([list(row) for row in values])] == [(1, 1), (2, 2)]


@pytest.mark.long
@pytest.mark.parametrize("scatters", [(0.05,) * 8, (0.02, 0.02, 0.05, 0.05, 0.1, 0.1, 0.3, 0.3)])
def test_of_4000_campaigns_with_ties_all_sets_hold_in_95_of_100(scatters: tuple[float, ...]) -> None:
    """Known order with ties, a drifting host, scatters that differ; the bound allows for three standard errors."""
    generator = np.random.default_rng(7)
    levels = np.log([10, 10, 10, 11, 12, 12, 20, 40])
    campaigns, blocks, held = 4000, 5, 0
    for _ in range(campaigns):
        host = generator.normal(0, 0.2, blocks).cumsum()
        values = np.exp(levels[:, None] + host + generator.normal(0, 1, (8, blocks)) * np.array(scatters)[:, None])
        held += all(
            one.best <= 1 + (levels < level).sum() and one.worst >= 8 - (levels > level).sum()
            for one, level in zip(rank_sets(values.tolist()), levels, strict=True)
        )
    assert held / campaigns >= 0.95 - 3 * math.sqrt(0.05 * 0.95 / campaigns)


def test_a_block_that_lacks_a_system_still_tells_of_the_others() -> None:
    slow_blocks = (1.0, 3.0, 0.5, 2.0, 1.5)
    values: list[list[float | None]] = [
        [level * slow * (1 + 0.002 * place) for place, slow in enumerate(slow_blocks)] for level in (10, 11, 30)
    ]
    values[0][1] = values[1][2] = None
    assert [(one.best, one.worst) for one in rank_sets(values)] == [(1, 1), (2, 2), (3, 3)]
    values[2] = [None, None, None, None, 300.0]
    assert [(one.best, one.worst) for one in rank_sets(values)] == [(1, 2), (2, 3), (1, 3)]


def test_who_looks_often_needs_more_to_be_sure() -> None:
    values = [[10.0, 10.3, 10.1], [10.6, 10.8, 10.5]]
    assert [(one.best, one.worst) for one in rank_sets(values)] == [(1, 1), (2, 2)]
    assert [(one.best, one.worst) for one in rank_sets(values, looks=1000)] == [(1, 2), (1, 2)]


@pytest.mark.long
def test_one_server_under_five_names_shares_one_place_in_19_of_20_campaigns() -> None:
    generator = np.random.default_rng(11)
    shared = sum(
        all(one.best == 1 for one in rank_sets(np.exp(generator.normal(0, 0.1, (5, 6))).tolist())) for _ in range(2000)
    )
    assert shared / 2000 >= 0.95 - 3 * math.sqrt(0.05 * 0.95 / 2000)
