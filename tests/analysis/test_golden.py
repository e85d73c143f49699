"""The tables of a campaign of uploads stay what they were: columns, rows and figures, whatever the analysis learns."""

import math
from pathlib import Path

import campaigns
import pytest
import recomputation

from uploadlab.analysis.analysis_files import write_analysis

GOLDEN = Path(__file__).parents[1] / "golden"
TABLES = ("runs", "cells", "comparisons", "claims", "tables/table2", "tables/table4")


def _same(ours: str, golden: str) -> bool:
    """Equal as text, or as numbers but for what another processor's rounding may do to the last of six digits."""
    try:
        return ours == golden or math.isclose(float(ours), float(golden), rel_tol=2e-5)
    except ValueError:
        return False


@pytest.fixture(scope="module")
def analysed(tmp_path_factory) -> Path:
    made = campaigns.write_campaign(tmp_path_factory.mktemp("golden") / "c", samples=(1, 5), repeats=3, requests=300)
    write_analysis(made.folder)
    return made.folder / "analysis"


@pytest.mark.parametrize("table", TABLES)
def test_a_table_of_uploads_is_what_it_was(analysed, table):
    ours, golden = (recomputation.read_csv(folder / f"{table}.csv") for folder in (analysed, GOLDEN))
    assert [list(row) for row in ours] == [list(row) for row in golden]
    different = [
        (name, row[name], then[name])
        for row, then in zip(ours, golden, strict=True)
        for name in row
        if not _same(row[name], then[name])
    ]
    assert not different
