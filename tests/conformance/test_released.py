"""What is written of released versions and of the league's servers is what was kept of their results."""

import runpy
import tomllib
from pathlib import Path

import pytest

from uploadlab.conformance.cases import all_cases
from uploadlab.conformance.endpoint import Endpoint

HERE = Path(__file__).parent
TABLES = runpy.run_path(str(HERE / "tables.py"))


@pytest.mark.parametrize("page", TABLES["TABLES"])
def test_a_page_has_the_tables_of_the_kept_results(page):
    text = (TABLES["PAGES"] / page).read_text(encoding="utf-8")
    assert text == TABLES["renewed"](page), "renew it with: .venv/bin/python tests/conformance/tables.py"


def test_every_case_that_sees_an_advisory_is_one_of_the_suite():
    known = {case.id for case in all_cases(Endpoint(name="", host="127.0.0.1", port=80, path="/"))}
    told = tomllib.loads((HERE / "released/advisories.toml").read_text(encoding="utf-8"))
    assert {case for one in told["seen"] for case in one["cases"]} <= known


def test_milestones_come_before_what_they_lead_to():
    names = ["a 2.0.0-M4", "a 2.0.0", "a 1.10", "a 1.9", "a 2.0.0-M10"]
    assert sorted(names, key=TABLES["order"]) == ["a 1.9", "a 1.10", "a 2.0.0-M4", "a 2.0.0-M10", "a 2.0.0"]
