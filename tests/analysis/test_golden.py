"""No value of the tables of a known campaign changes unnoticed.

Write the goldens anew, and look at what changed: ``python tests/analysis/test_golden.py``.
"""

import csv
import math
import shutil
import sys
import tempfile
from pathlib import Path

import campaigns
import pytest
from finished import read_rows

from uploadlab.analysis.analysis_files import write_analysis

GOLDEN = Path(__file__).parents[1] / "golden"
TABLES = ("runs", "cells", "comparisons", "claims", "tables/table2", "tables/table4")
TEXTS = ("sentence", "text", "why", "reason", "place")
"""What is said is not what was found: these columns begin so and are not kept."""


def write_known_campaign(folder: Path) -> Path:
    campaigns.write_campaign(
        folder,
        samples=(1, 3, 5, 7, 8, 10),
        also_on={"ssd": (5, 10)},
        repeats=4,
        requests=1200,
        invalid=[("s05-local-tomcat", "01")],
        failed=[("s07-local-node", "03")],
    )
    write_analysis(folder)
    return folder / "analysis"


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_known_campaign(tmp_path_factory.mktemp("known") / "campaign")


@pytest.mark.parametrize("name", TABLES)
def test_every_value_of_a_table_is_the_one_that_was_kept(name: str, tables: Path) -> None:
    kept, found = read_rows(GOLDEN / f"{name}.csv"), read_rows(tables / f"{name}.csv")
    assert len(found) == len(kept)
    for was, now in zip(kept, found, strict=True):
        assert {name: (now.get(name), value) for name, value in was.items() if not same(now.get(name, ""), value)} == {}


def same(now: str, was: str) -> bool:
    """Equal as text, or as numbers but for what another processor's rounding may do to the last of six digits."""
    try:
        return now == was or math.isclose(float(now), float(was), rel_tol=2e-5)
    except ValueError:
        return False


def keep(tables: Path) -> None:
    for name in TABLES:
        rows = read_rows(tables / f"{name}.csv")
        columns = [
            column
            for column in rows[0]
            if not column.removeprefix("paper_").startswith(TEXTS) and any(row[column] for row in rows)
        ]
        with (GOLDEN / f"{name}.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, columns, extrasaction="ignore", lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    made = Path(tempfile.mkdtemp())
    keep(write_known_campaign(made / "campaign"))
    shutil.rmtree(made)
