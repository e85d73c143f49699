"""For each group deliberately wrong servers, each wrong in one way, and the rows that must catch them."""

from __future__ import annotations

import pytest

from conformance import conversation, suite
from conformance.cases import BLACK_BOX
from conformance.clients import CLIENTS
from conformance.controlled import CONTROLLED

# group, fault, the rows or cases that are run (few: one that fails waits for what does not come), those that must fail
FAULTS = [
    ("good", "wrong_page", "G1.1 G6.1", "G1.1"),
    ("good", "loses_the_second_file", "G1.1 G1.3 G3.1", "G1.3 G3.1"),
    ("good", "trims_files", "G1.1 G1.8", "G1.8"),
    ("framing", "knows_no_preamble", "F1.2 F3.1 F3.6", "F3.1"),
    ("framing", "ends_at_nearly_the_boundary", "F2.7 F2.9 F2.11", "F2.9"),
    ("broken", "accepts_cut_bodies", "B1.1 B6.1 B6.7 B6.13", "B6.7 B6.13"),
    ("broken", "loses_parts_after_junk", "B6.1 B7.2", "B7.2"),
    ("names", "uses_the_client_name", "N1.4 N1.10 N6.1", "N1.10"),
    ("names", "skips_dots", "N1.1 N1.2 N1.3", "N1.2"),
    ("names", "freezes_on_array_fields", "N8.1 N8.6", "N8.1"),
    ("limits", "limit_is_exclusive", "L1.1 L1.3 L1.5", "L1.3"),
    ("limits", "no_limit_for_chunks", "L3.3 L4.1 L4.3", "L4.3"),
    ("limits", "keeps_the_first_file", "L1.1 L2.1 L5.1", "L2.1"),
    ("limits", "resets_over_the_limit", "L8.1 L10.2", "L10.2"),
    ("failure", "leaves_incomplete_files", "X1.1 X2.3", "X2.3"),
    ("failure", "limits_the_whole_upload", "P2.3 P3.1", "P3.1"),
    ("http", "errors_keep_the_connection", "H4.1 H12.4", "H12.4"),
    ("http", "serves_behind_an_error", "H2.1 H3.3", "H3.3"),
    ("http", "continues_always", "H5.1 H6.1", "H6.1"),
    ("http", "ignores_a_trailing_slash", "H11.1 H12.1 H12.2", "H12.1"),
    ("http", "no_allow", "H8.1 H12.2", "H8.1"),
]
CONTROLLED_FAULTS = [
    ("full_disk_is_500", "X3 X4", "X3"),
    ("keeps_old_incomplete_files", "X7", "X7"),
    ("does_not_start_beside_incomplete_files", "X7", "X7"),
    ("cuts_uploads_at_stop", "X8", "X8"),
    ("keeps_idle_connections_at_stop", "X8", "X8"),
    ("keeps_idle_connections_as_long_as_silent_ones", "P5", "P5"),
]


@pytest.fixture(autouse=True)
def _no_long_wait_for_what_does_not_come(monkeypatch):
    monkeypatch.setattr(conversation, "STORAGE_TIMEOUT_S", 0.5)
    monkeypatch.setattr(conversation, "STORAGE_TIMEOUT_AFTER_ANSWER_S", 0.5)


def that_fail(trials, provider):
    return {result.id for result in suite.run(trials, provider, lambda _: None) if result.verdict == suite.FAILED}


@pytest.mark.parametrize(("group", "fault", "run", "caught"), FAULTS, ids=[fault[1] for fault in FAULTS])
def test_the_group_catches_a_server_with_the_fault_and_only_where_it_is(start_reference, group, fault, run, caught):
    trials = [suite.as_trial(case) for case in BLACK_BOX if case.id in run.split()]
    assert {trial.group for trial in trials} == {group}
    with start_reference(fault) as provider:
        assert that_fail(trials, provider) == set(caught.split())


@pytest.mark.slow
@pytest.mark.parametrize(("fault", "run", "caught"), CONTROLLED_FAULTS, ids=[fault[0] for fault in CONTROLLED_FAULTS])
def test_the_controlled_cases_catch_a_server_with_the_fault(start_reference, fault, run, caught):
    trials = [trial for trial in CONTROLLED if trial.id.split(".")[0] in run.split()]
    with start_reference(fault) as provider:
        assert {case.split(".")[0] for case in that_fail(trials, provider)} == set(caught.split())


def test_an_answer_that_cannot_be_read_fails_its_cases_and_the_suite_goes_on(start_reference):
    trials = [suite.as_trial(case) for case in BLACK_BOX if case.id in ("G1.1", "L6.1")]
    trials += [trial for trial in CONTROLLED if trial.id == "X7.c1"]
    with start_reference("page_without_a_length") as provider:
        results = {result.id: result for result in suite.run(trials, provider, lambda _: None)}
    assert {id for id, result in results.items() if result.verdict == suite.FAILED} == {"G1.1", "X7.c1"}
    assert results["X7.c1"].reasons == ("the answer cannot be read: not a Content-Length: 'x'",)
    assert results["L6.1"].verdict == suite.PASSED


def test_a_server_that_closes_without_an_answer_fails_the_clients_of_python(start_reference):
    trials = [trial for trial in CLIENTS if trial.name.startswith("Python")]
    with start_reference("closes_without_an_answer") as provider:
        results = suite.run(trials, provider, lambda _: None)
    assert [(result.id, result.verdict) for result in results] == [("C2.1", suite.FAILED), ("C3.1", suite.FAILED)]
    assert all(result.reasons[0].startswith("the connection failed: ") for result in results)


def test_every_group_has_a_fault_that_it_catches():
    from conformance.case import GROUPS

    assert {fault[0] for fault in FAULTS} == set(GROUPS)
