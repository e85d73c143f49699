"""A server that does one thing wrong fails the cases of that thing, and no other of their group."""

import pytest

from uploadlab.conformance.cases import all_cases
from uploadlab.conformance.command import selected
from uploadlab.conformance.results import summary
from uploadlab.conformance.runner import Runner

ABORTED_IN_FILE = {
    f"lasting/abort-{where}-{how}"
    for where in ("first-bytes", "file", "last-bytes", "chunk", "second-file")
    for how in ("close", "reset")
}
FAULTS = {
    "takes_both_lengths": ("smuggling/*", "must", {"smuggling/cl-te", "smuggling/te-cl"}),
    "takes_lf_after_chunk_size": ("smuggling/*", "must", {"smuggling/chunk-lf-after-size"}),
    "no_continue": ("http/exp*", "should", {f"http/expect{end}" for end in ("", "-chunked", "-case", "-refused")}),
    "changes_cr_cr_lf": ("good/*", "must", {"good/ends-in-cr-cr-lf", "good/full-of-cr-cr-lf"}),
    "takes_cut_end": ("broken/*", "should", {"broken/cut-final-dashes"}),
    "hangs_without_delimiter": ("broken/*", "must", {"broken/no-delimiter"}),
    "leaves_cut_file": ("broken/*", "must", {"broken/cut-file", "broken/cut-file-chunked"}),
    "ends_at_empty_name": ("broken/*", "must", {"broken/empty-name"}),
    "follows_path": ("names/*", "must", {"names/path-up"}),
    "slow_at_index": ("hostile/*", "must", {"hostile/index", "hostile/index-twice", "hostile/index-and-key"}),
    "keeps_aborted_file": ("lasting/abort-*", "must", ABORTED_IN_FILE),
    "leaks_on_abort": ("lasting/descriptors-*", "must", {"lasting/descriptors-aborts", "lasting/descriptors-closes"}),
    "one_at_a_time": ("lasting/beside-*", "must", {"lasting/beside-heads", "lasting/beside-bodies"}),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_fails_its_cases_and_no_other_of_the_group(faulty, fault):
    pattern, grade, expected = FAULTS[fault]
    runner = Runner(faulty.start(fault), faulty.start)
    results = runner.run(selected(all_cases(runner.endpoint), pattern), lambda _: None)
    assert {result.case.id: result.why for result in results if result.failed_as}.keys() == expected
    assert {result.failed_as for result in results} - {None} == {grade}


@pytest.mark.slow
def test_a_server_without_a_fault_fails_nothing(faulty):
    runner = Runner(faulty.start(""), faulty.start)
    results = runner.run(all_cases(runner.endpoint), lambda _: None)
    assert {result.case.id: result.why for result in results if result.failed_as} == {}
    assert ", 0 skipped" in summary(results)
    assert list(faulty.folder.iterdir()) == []
