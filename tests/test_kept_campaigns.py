"""Small real campaigns of each study's profiles, kept as raw files: tables, summary and page, as a user makes them.

A campaign is `campaigns/<profile>.tar.xz` beside the study's tests: made by `./lab --study … run --profile …` with
short runs and the gates on a noisy machine open, less the logs.
"""

import contextlib
import io
import json
import tarfile
from itertools import product
from pathlib import Path

import pytest
from finished import read_table

from uploadlab.analysis.__main__ import main
from uploadlab.paths import REPOSITORY

KEPT = sorted(REPOSITORY.glob("studies/*/tests/campaigns/*.tar.xz"))
STUDIES = sorted(path.parent.name for path in REPOSITORY.glob("studies/*/study.toml"))
PROFILES = ("quick", "published", "corrected")

pytestmark = [pytest.mark.slow]


def test_each_study_has_one_of_its_default_profile_and_of_the_two_that_repeat_the_paper():
    named = {(path.parents[2].name, path.name.partition(".")[0]) for path in KEPT}
    assert named == set(product(STUDIES, PROFILES))


@pytest.fixture(scope="module", params=KEPT, ids=lambda path: f"{path.parents[2].name}-{path.name.partition('.')[0]}")
def campaign(request, tmp_path_factory) -> Path:
    """Give a kept campaign with its report, made as by `./lab report`, which becomes this program."""
    folder = tmp_path_factory.mktemp("kept")
    with tarfile.open(request.param) as archive:
        archive.extractall(folder, filter="data")
    (campaign,) = folder.iterdir()
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        code = main(["report", str(campaign)])
    every_valid = {row["valid"] for row in read_table(campaign, "runs")} == {"true"}
    said = printed.getvalue()
    assert code == (0 if every_valid else 1)
    assert "{'" not in said, said
    assert said.strip().splitlines()[-1] == str(campaign / "report" / "index.html")
    return campaign


def test_every_planned_cell_is_in_the_tables_and_there_is_a_page(campaign):
    planned = {run["cell"] for run in json.loads((campaign / "campaign.json").read_text())["runs"]}
    runs = read_table(campaign, "runs")
    within = {(row.get("operation"), row.get("load")) for row in runs}
    assert len(read_table(campaign, "cells")) == len(planned) * len(within)
    assert any(row["valid"] == "true" for row in runs)
    assert (campaign / "report" / "index.html").stat().st_size > 10_000


def test_a_pair_is_compared_in_each_scenario_by_what_says_something_there(campaign):
    declared = json.loads((campaign / "campaign.json").read_text())["study"].get("metrics", {})
    where = {of["column"]: of.get("where", {}) for of in declared.values()}
    for row in read_table(campaign, "comparisons"):
        allowed = where.get(row["metric"], {})
        assert all(row[factor] in map(str, levels) for factor, levels in allowed.items()), (
            row["scenario"],
            row["metric"],
        )


def test_the_summary_has_a_value_only_where_its_metric_says_something(campaign):
    declared = json.loads((campaign / "campaign.json").read_text())["study"].get("metrics", {})
    where = {name: of.get("where", {}) for key, of in declared.items() for name in (key, of["column"])}
    for cell in json.loads((campaign / "analysis" / "summary.json").read_text())["cells"]:
        for metric in cell["values"]:
            asked = {name: levels for name, levels in where.get(metric, {}).items() if name in cell["factors"]}
            assert all(str(cell["factors"][name]) in map(str, levels) for name, levels in asked.items()), (cell, metric)


def test_no_time_is_told_of_an_operation_that_is_one_event(campaign):
    operation = json.loads((campaign / "campaign.json").read_text())["study"].get("operation", {})
    has_times = "at" not in operation
    assert {bool(row[name]) for row in read_table(campaign, "runs") for name in ("mean_ms", "p99_ms")} == {has_times}


def test_times_from_the_schedule_are_those_of_the_operations_to_the_last_digit(campaign):
    if "from" not in json.loads((campaign / "campaign.json").read_text())["study"]["operation"]:
        pytest.skip("requests have times of their own beside those from the schedule")
    for row in read_table(campaign, "runs"):
        if row["scheduled_p99_ms"]:
            assert row["scheduled_p99_ms"] == row["p99_ms"]
            assert row["scheduled_mean_ms"] == row["mean_ms"]
