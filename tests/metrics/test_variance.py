import campaigns
import numpy as np
import pytest
from campaigns import Truth
from finished import read_table

from uploadlab.analysis.analysis_files import write_analysis
from uploadlab.metrics.variance import WithinRun, variance_row

CELL = "s05-local-node"


def row_of(tmp_path, truth, repeats=3):
    made = campaigns.write_campaign(
        tmp_path / "c", samples=(5,), systems=("node",), repeats=repeats, requests=12_000, truths={CELL: truth}
    )
    write_analysis(made.folder)
    row = read_table(made.folder, "variance")[0]
    found = {name: float(value) for name, value in row.items() if name != "cell" and value}
    assert sum(found[f"{name}_pct"] for name in ("between_repeats", "size", "drift", "within")) == pytest.approx(
        100, abs=0.01
    )
    return made, found


def test_variance_between_repeats_is_found(tmp_path):
    made, row = row_of(tmp_path, Truth(cv=0.3, between_runs=0.4, drift=0), repeats=5)
    factors = np.array(list(made.run_factors.values()))
    between, within = factors.var(), (0.3 * factors).var() + (0.3 * factors.mean()) ** 2
    assert row["between_repeats_pct"] == pytest.approx(100 * between / (between + within), abs=2)
    assert row["size_pct"] == pytest.approx(0, abs=0.5)
    assert row["drift_pct"] == pytest.approx(0, abs=0.5)
    assert row["cv_within_runs"] < row["cv"]


def test_variance_by_the_size_of_the_file_is_found(tmp_path):
    _, row = row_of(tmp_path, Truth(cv=0.3, between_runs=0, drift=0, size_share=0.5))
    assert row["drift_pct"] == pytest.approx(0, abs=0.5)
    size, rest = (0.5 * 0.58) ** 2, (0.5 * 0.3) ** 2
    assert row["size_pct"] == pytest.approx(100 * size / (size + rest), abs=2)
    assert row["ms_per_mb"] == pytest.approx(0.5 * 100 / 22857 * 1e6, rel=0.05)


@pytest.mark.parametrize("runs", [1, 4, 10])
def test_a_slope_that_is_chance_alone_is_given_in_1_of_20_cells_however_many_runs_they_have(runs):
    generator = np.random.default_rng(1925)
    requests, seconds, cells = 100, 5, 2000
    given = 0
    for _ in range(cells):
        sizes, times = generator.normal(size=(2, runs, requests))
        sizes, times = (each - each.mean(axis=1, keepdims=True) for each in (sizes, times))
        total = (times**2).sum(axis=1)
        r = (sizes * times).sum(axis=1) / np.sqrt((sizes**2).sum(axis=1) * total)
        made = [
            WithinRun(
                requests=requests,
                mean_ms=10,
                total=of,
                size=of * one**2,
                drift=seconds - 1,
                seconds=seconds,
                ms_per_byte=one,
            )
            for of, one in zip(total, r, strict=True)
        ]
        given += variance_row("cell", made)["ms_per_mb"] is not None
    assert given / cells == pytest.approx(0.05, abs=0.015)
