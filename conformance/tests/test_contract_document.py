"""The table of decisions and the cases say the same: no row without a case, no case without a row."""

from __future__ import annotations

import re
from pathlib import Path

from conformance import suite
from conformance.cases import BLACK_BOX
from conformance.page import PAGE
from conformance.profile import PROFILES

DOCUMENT = (Path(__file__).parents[2] / "docs/upload-contract.md").read_text()
ROW = re.compile(r"^\| ([A-Z]\d+) \|", re.MULTILINE)


def test_every_row_has_a_case_and_every_case_a_row():
    rows = ROW.findall(DOCUMENT)
    tested = {trial.id.split(".")[0] for trial in suite.trials(BLACK_BOX) if trial.group != "clients"}
    assert sorted(rows) == sorted(set(rows))
    assert tested == set(rows)


def test_the_cases_are_enough_in_number_and_their_names_are_unique():
    trials = suite.trials(BLACK_BOX)
    assert len(BLACK_BOX) >= 120
    assert len({trial.id for trial in trials}) == len(trials)
    assert len({(trial.group, trial.name) for trial in trials}) == len(trials)


def test_every_error_code_of_the_cases_is_in_the_document_with_its_status():
    documented = set(re.findall(r"^\| (\d{3}) \| `(\w+)` \|", DOCUMENT, re.MULTILINE))
    for case in BLACK_BOX:
        for outcome in case.build(PROFILES[case.profile].limits).expected:
            for answer in outcome.answers:
                assert answer.code is None or (str(answer.status), answer.code) in documented


def test_the_documented_size_of_the_page_is_its_size():
    assert f"{len(PAGE):,} bytes" in DOCUMENT
