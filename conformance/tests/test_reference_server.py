"""The suite passes a correct server: what it demands can be kept."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from conformance import differential, suite
from conformance.cases import BLACK_BOX
from conformance.clients import CLIENTS, programs
from conformance.controlled import CONTROLLED
from conformance.differential import compare
from conformance.wire import Unreadable

from .conftest import all_but, reference
from .test_faults import CONTROLLED_FAULTS

# Without a fault none of these may fail; of the others the two real servers show that they can be kept.
TRIED_WITH_FAULTS = {row for _, run, _ in CONTROLLED_FAULTS for row in run.split()}


@pytest.fixture(scope="module")
def correct():
    """A server without a fault."""
    with reference() as provider:
        yield provider


@pytest.mark.parametrize("group", ["good", "framing", "broken", "names", "limits", "http"])
def test_a_correct_server_passes_every_black_box_case_of_the_group(correct, group):
    selected = [suite.as_trial(case) for case in BLACK_BOX if case.group == group]
    results = suite.run(selected, correct, lambda _: None)
    assert len(results) >= 30
    assert all_but(results, suite.PASSED) == []


@pytest.mark.slow
def test_a_correct_server_passes_the_failure_cases_black_box_and_those_controlled_that_catch_wrong_ones(correct):
    selected = [suite.as_trial(case) for case in BLACK_BOX if case.group == "failure"]
    selected += [trial for trial in CONTROLLED if trial.id.split(".")[0] in TRIED_WITH_FAULTS]
    results = suite.run(selected, correct, lambda _: None)
    not_run = [result for result in results if result.verdict == suite.NOT_RUN]
    assert all("root" in result.reasons[0] or "mounted" in result.reasons[0] for result in not_run)
    assert all_but(results, suite.PASSED, suite.NOT_RUN) == []


def test_a_correct_server_serves_the_clients_that_are_installed_and_a_missing_one_is_named(
    correct, monkeypatch, tmp_path
):
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent))
    monkeypatch.setattr(programs, "PROJECT", tmp_path)
    results = suite.run(CLIENTS, correct, lambda _: None)
    assert [result.name for result in results] == [trial.name for trial in CLIENTS]
    installed = ("Python requests", "Python httpx")
    for result in results:
        assert result.verdict == (suite.PASSED if result.name in installed else suite.NOT_RUN), result.reasons
        assert result.verdict == suite.PASSED or "(" in result.reasons[0]


def test_two_equal_servers_show_no_difference_and_a_wrong_one_shows_its_fault(correct, start_reference):
    cases = [case for case in BLACK_BOX if case.id in ("G1.1", "G1.8", "B6.1", "L6.1", "H8.1")]
    with start_reference() as right, start_reference("trims_files") as wrong:
        same = compare(cases, correct, right, lambda _: None)
        other = compare(cases, correct, wrong, lambda _: None)
    assert same.compared == len(cases)
    assert same.differences == ()
    assert [difference.case.id for difference in other.differences] == ["G1.8"]
    assert other.differences[0].what == ("stored files",)
    assert not other.differences[0].allowed


def test_a_server_that_does_not_answer_in_http_breaks_the_contract_and_the_comparison_goes_on(
    correct, start_reference, monkeypatch
):
    cases = [case for case in BLACK_BOX if case.id in ("G1.1", "G1.8")]

    def garbled(case, provider):
        if provider is right and case.id == "G1.1":
            raise Unreadable("no status line")
        return suite.observe(case, provider)

    monkeypatch.setattr(differential, "observe", garbled)
    with start_reference() as right:
        found = compare(cases, correct, right, lambda _: None)
    assert (found.compared, found.differences) == (2, ())
    assert [one.case.id for one in found.violations] == ["G1.1"]
    assert found.violations[0].reasons == ("the answer cannot be read: no status line",)


def test_a_difference_that_the_contract_leaves_open_is_marked_as_allowed(correct, start_reference):
    cases = [case for case in BLACK_BOX if case.row == "B20"]
    with start_reference("accepts_nameless_parameters") as right:
        outcome = compare(cases, correct, right, lambda _: None)
    assert [difference.allowed for difference in outcome.differences] == [True]
