"""A server that does one thing wrong fails the cases of that thing, and no other of their group."""

import pytest

from uploadlab.conformance import measures, runner
from uploadlab.conformance.cases import all_cases
from uploadlab.conformance.command import selected
from uploadlab.conformance.endpoint import Endpoint
from uploadlab.conformance.results import FAILED, summary

NOWHERE = Endpoint(name="", host="127.0.0.1", port=80, path="/")
ABORTED_IN_FILE = {
    f"lasting/abort-{where}-{how}"
    for where in ("first-bytes", "file", "last-bytes", "chunk", "second-file")
    for how in ("close", "reset")
}
LASTING = {case.id for case in all_cases(NOWHERE) if case.group == "lasting"}
REFUSED = {"lasting/descriptors-broken", "lasting/descriptors-empty-names"}
TOO_LARGE = {f"http/limit-{which}" for which in ("over", "over-chunked", "far")}
# fmt: off
FAULTS = {
    "takes_both_lengths": ("smuggling/*", "must", {"smuggling/cl-te", "smuggling/te-cl"}),
    "takes_lf_after_chunk_size": ("smuggling/*", "must", {"smuggling/chunk-lf-after-size"}),
    "no_continue": ("http/exp*", "should", {f"http/expect{end}" for end in ("", "-chunked", "-case", "-refused")}),
    "takes_too_large": ("http/limit-at|http/limit-over*|http/limit-far", "must", TOO_LARGE),
    "answers_400_for_too_large": ("http/*", "should", {"http/limit-413"}),
    "takes_any_length": ("http/*", "should", {"http/limit-announced"}),
    "changes_cr_cr_lf": ("good/*", "must", {"good/ends-in-cr-cr-lf", "good/full-of-cr-cr-lf"}),
    "takes_cut_end": ("broken/*", "should", {"broken/cut-final-dashes"}),
    "hangs_without_delimiter": ("broken/*", "must", {"broken/no-delimiter"}),
    "leaves_cut_file": ("broken/*", "must", {"broken/cut-file", "broken/cut-file-chunked"}),
    "ends_at_empty_name": ("broken/*", "must", {"broken/empty-name"}),
    "follows_path": ("names/*", "must", {"names/path-up"}),
    "slow_at_index": ("hostile/*", "must", {"hostile/index", "hostile/index-twice", "hostile/index-and-key"}),
    "keeps_aborted_file": ("lasting/abort-*", "must", ABORTED_IN_FILE),
    "keeps_what_came": ("lasting/abort-*", "must", {id for id in LASTING if "/abort-" in id}),
    "leaks_on_abort": ("lasting/descriptors-*", "must", {"lasting/descriptors-aborts", "lasting/descriptors-closes"}),
    "leaks_on_refusal": ("lasting/descriptors-*", "must", REFUSED),
    "leaks_on_success": ("lasting/descriptors-*", "must", {"lasting/descriptors-good"}),
    "grows": ("lasting/memory-*", "must", {id for id in LASTING if "/memory-" in id}),
    "cuts_later_uploads": ("lasting/together", "must", {"lasting/together"}),
    "one_at_a_time": ("lasting/beside-*", "must", {"lasting/beside-heads", "lasting/beside-bodies"}),
    "waits_for_ever": ("lasting/stalled-*", "should", {id for id in LASTING if "/stalled-" in id}),
    "accepts_small_files_unstored": ("process/disk-*", "must", {"process/disk-gone"}),
    "accepts_what_it_cannot_store": ("process/*", "must", {"process/disk-full", "process/disk-gone"}),
    "ends_at_full_disk": ("process/*", "must", {"process/disk-full"}),
    "answers_400_without_folder": ("process/*", "should", {"process/disk-gone"}),
    "ignores_the_signal": ("process/*", "must", {"process/stop", "process/stop-upload"}),
    "stores_what_is_cut_by_the_end": ("process/*", "should", {"process/stop-upload"}),
}
# fmt: on
WRONG_IN_ALL = ("accepts_everything", "refuses_everything", "says_nonsense")


@pytest.mark.slow
@pytest.mark.parametrize(
    "fault",
    [pytest.param(name, marks=pytest.mark.xdist_group(f"faults {at % 2}")) for at, name in enumerate(FAULTS)],
)
def test_a_fault_fails_its_cases_and_no_other_of_the_group(faulty, fault, monkeypatch):
    monkeypatch.setattr(measures, "STALL_S", 8.0)  # twice what a good one waits for
    pattern, grade, expected = FAULTS[fault]
    one = faulty.with_fault(fault)
    results = one.run(selected(all_cases(one.endpoint), pattern), lambda _: None)
    assert {result.case.id: result.why for result in results if result.failed_as}.keys() == expected
    assert {result.failed_as for result in results} - {None} == {grade}


def test_every_case_that_looks_at_more_than_one_conversation_has_its_fault():
    caught = set().union(*(expected for _, _, expected in FAULTS.values()))
    assert {case.id for case in all_cases(NOWHERE) if case.measure} <= caught


@pytest.mark.slow
def test_every_other_check_is_failed_by_a_server_that_says_the_same_to_everything(faulty, monkeypatch):
    monkeypatch.setattr(runner, "STORED_S", 0.02)
    monkeypatch.setattr(runner, "CLOSE_S", 0.1)
    failed, checked = set(), set()
    for fault in WRONG_IN_ALL:
        one = faulty.with_fault(fault)
        cases = [case for case in all_cases(one.endpoint) if not case.measure and case.grade != "may"]
        for result in one.run(cases, lambda _: None):
            checked |= {(result.case.id, grade) for grade, _ in result.checks}
            failed |= {(result.case.id, grade) for grade, verdict in result.checks if verdict == FAILED}
    assert checked - failed == set()


@pytest.mark.slow
def test_a_server_without_a_fault_fails_nothing(faulty):
    one = faulty.with_fault("")
    results = one.run(all_cases(one.endpoint), lambda _: None)
    assert {result.case.id: result.why for result in results if result.failed_as} == {}
    assert ", 0 skipped" in summary(results)
    assert faulty.stored == []
