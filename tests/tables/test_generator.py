"""The load generator's own share: runs of a server that does nothing, joined to the cells of the same load."""

import shutil

import pytest
from campaigns import edited, write_campaign
from finished import read_table

from uploadlab.analysis.analysis_files import write_analysis


def _with_baseline(folder, made):
    """Write a campaign on two disks, and move the runs of a third system to the baseline's: of the cells said made."""
    write_campaign(
        folder,
        samples=(1, 5),
        systems=("node", "tomcat", "null"),
        disk="ssd",
        also_on={"hdd": (1, 5)},
        repeats=1,
        requests=200,
    )
    planned = ("s01-ssd-null", "s05-ssd-null")
    with edited(folder / "campaign.json") as campaign:
        del campaign["systems"]["null"]
        of_null = [run for run in campaign["runs"] if run["system"] == "null"]
        campaign["runs"] = [run for run in campaign["runs"] if run["system"] != "null"]
        campaign["baseline"] = {"name": "Null", "runs": [run for run in of_null if run["cell"] in planned]}
    (folder / "baseline").mkdir()
    for run in of_null:
        source = folder / "runs" / run["cell"]
        source.rename(folder / "baseline" / run["cell"]) if run["cell"] in made else shutil.rmtree(source)
    write_analysis(folder)
    return read_table(folder, "cells")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A campaign whose baseline was made for both samples."""
    folder = tmp_path_factory.mktemp("generator") / "c"
    _with_baseline(folder, made=("s01-ssd-null", "s05-ssd-null"))
    return folder


def test_a_cell_has_the_figures_of_the_baseline_under_its_load_on_every_disk(folder):
    cells = read_table(folder, "cells")
    generator = {row["cell"]: row for row in read_table(folder, "generator")}
    assert set(generator) == {"s01-ssd-null", "s05-ssd-null"}
    assert len(cells) == 8
    for cell in cells:
        expected = generator[f"s{int(cell['sample']):02}-ssd-null"]
        assert cell["generator_runs"] == "1"
        assert cell["generator_mean_ms"] == expected["mean_ms"]
        assert cell["generator_cv"] == expected["cv"]
