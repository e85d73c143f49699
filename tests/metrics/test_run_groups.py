"""Runs of two kinds in one cell: what the rule finds, by hand and by simulation."""

import numpy as np
import pytest

from uploadlab.metrics.groups import FALSE_ALARMS, group_rows

TWO_KINDS = [190.0, 1544.0, 198.0, 1561.0, 236.0]


def _runs(cell: str, values: list[float], **others: list[float]):
    figures = {"p99_ms": values, **others}
    return [
        {
            "cell": cell,
            "scenario": cell,
            "system": "node",
            "stack": "current",
            "valid": True,
            **{name: of_run[number] for name, of_run in figures.items()},
        }
        for number in range(len(values))
    ]


def test_five_runs_of_which_two_take_eight_times_as_long_are_two_kinds():
    (row,) = group_rows(_runs("one", TWO_KINDS))
    assert (row["metric"], row["n_low"], row["n_high"]) == ("p99_ms", 3, 2)
    assert (row["low_from"], row["low_to"], row["high_from"], row["high_to"]) == (190, 236, 1544, 1561)


def test_what_parts_the_same_runs_is_named_unless_chance_does_it_as_easily():
    # Of eleven runs three are fast: another figure parts them alike once in 165 orders, of three figures once in 55.
    fast, slow = [7.0, 8.0, 10.0], [28.0, 29.0, 30.0, 31.0, 31.5, 34.0, 36.0, 37.0]
    gc, steal = [1.0, 1.2, 1.5, *[10.0 + number for number in range(8)]], [0.1] * 11
    (row,) = group_rows(_runs("one", [*fast, *slow], gc_pct=gc, steal_pct=steal))
    assert (row["goes_with"], row["with_low_from"], row["with_low_to"]) == ("gc_pct", 1.0, 1.5)
    assert (row["with_high_from"], row["with_high_to"]) == (10.0, 17.0)
    (mixed,) = group_rows(_runs("one", [*fast, *slow], gc_pct=[2.0, *gc[1:10], 1.1], steal_pct=steal))
    assert "goes_with" not in mixed
    (few,) = group_rows(_runs("one", TWO_KINDS, gc_pct=[1.0, 9.0, 1.0, 9.0, 1.0]))
    assert "goes_with" not in few, "of five runs two part so once in ten"


def test_of_three_runs_and_of_invalid_ones_nothing_is_said():
    assert not list(group_rows(_runs("one", TWO_KINDS[:3])))
    assert not list(group_rows([{**run, "valid": False} for run in _runs("one", TWO_KINDS)]))


@pytest.mark.parametrize("repeats", [5, 20])
@pytest.mark.parametrize("tail", ["normal", "t"])
def test_campaigns_whose_cells_have_one_kind_of_run_seldom_raise_an_alarm(repeats, tail):
    generator = np.random.default_rng(repeats)
    alarms = 0
    for _ in range(150):
        draw = generator.standard_normal if tail == "normal" else lambda size: generator.standard_t(5, size)
        values = [np.exp(4 + 0.3 * draw(repeats)).tolist() for _ in range(10)]
        alarms += any(
            [*group_rows([run for number, of_cell in enumerate(values) for run in _runs(str(number), of_cell)])]
        )
    assert alarms / 150 <= 2 * FALSE_ALARMS


def test_two_kinds_are_found_in_most_campaigns_of_ten_repeats():
    generator = np.random.default_rng(1)
    found = 0
    for _ in range(100):
        kinds = np.where(np.arange(10) < 6, 100.0, 300.0)
        runs = _runs("one", (kinds * np.exp(generator.normal(0, 0.1, 10))).tolist())
        found += bool([*group_rows(runs)])
    assert found >= 95
