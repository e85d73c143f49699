"""Results for a terminal of 80 columns."""

import sys
import textwrap
import time
from collections.abc import Mapping, Sequence

from uploadlab.conformance.case import GRADES, Case
from uploadlab.conformance.outputs import Outcome
from uploadlab.conformance.results import SHOWN, SKIPPED, Result, counts

WIDTH = 80
MOST_SHOWN = 12


class Progress:
    """Says now and then on standard error how far the run is."""

    def __init__(self, cases: int) -> None:
        self._cases, self._done, self._failed, self._said_s = cases, 0, 0, time.monotonic()

    def __call__(self, result: Result) -> None:
        """Count one result."""
        self._done += 1
        self._failed += result.failed_as is not None
        if time.monotonic() - self._said_s > 5:
            print(f"{self._done} of {self._cases} cases, {self._failed} failed; now {result.case.id}", file=sys.stderr)
            self._said_s = time.monotonic()


def table(run: Outcome) -> str:
    """Return what failed, grade by grade, and the counts of each group."""
    lines = []
    for grade in GRADES:
        failed = [result for result in run.failed if result.failed_as == grade]
        lines += [line for result in failed[:MOST_SHOWN] for line in _failure(result)]
        if len(failed) > MOST_SHOWN:
            lines.append(f"… and {len(failed) - MOST_SHOWN} more of {grade}: --page, --markdown or --json has them all")
    if shown := [result for result in run.results if result.verdict == SHOWN]:
        lines.append(f"Good servers differ (may, not judged): {len(shown)} in --page, --markdown or --json")
    lines += ["", f"{'group':<12}{'must':>12}{'should':>12}{'may':>8}{'skipped':>10}"]
    groups = dict.fromkeys(result.case.group for result in run.results)
    lines += [_group(group, [result for result in run.results if result.case.group == group]) for group in groups]
    if not run.endpoint.store:
        lines.append("Stored bytes were not looked at (no --store).")
    return "\n".join(lines)


def _failure(result: Result) -> list[str]:
    head = f"{result.failed_as} {result.case.id}: {result.case.title} ({result.case.source})"
    seen = f"seen: {result.seen or 'nothing'}"
    lines = textwrap.wrap(head, WIDTH, subsequent_indent="  ")
    for each in (f"expected: {result.expected}", seen, f"why: {result.why}", f"sent: {result.sent[:200]}"):
        lines += textwrap.wrap(each, WIDTH, initial_indent="    ", subsequent_indent="      ")
    return lines


def _group(group: str, results: list[Result]) -> str:
    found = counts(results)
    cells = [
        f"{each['passed']} of {each['passed'] + each['failed']}" if each["passed"] + each["failed"] else ""
        for each in (found["must"], found["should"])
    ]
    skipped = sum(each[SKIPPED] for each in found.values())
    return f"{group:<12}{cells[0]:>12}{cells[1]:>12}{found['may'][SHOWN] or '':>8}{skipped or '':>10}"


def print_differences(
    names: Sequence[str], left: Mapping[str, str], right: Mapping[str, str], cases: Sequence[Case]
) -> int:
    """Print each case that two endpoints answer differently, and return 1 when there is one."""
    both = [case for case in cases if case.id in left and case.id in right]
    different = [case for case in both if left[case.id] != right[case.id]]
    for case in different:
        print(textwrap.fill(f"{case.id} ({case.grade}): {case.title}", WIDTH, subsequent_indent="  "))
        for name, seen in zip(names, (left, right), strict=True):
            print(textwrap.fill(f"{name}: {seen[case.id]}", WIDTH, initial_indent="    ", subsequent_indent="      "))
    print(f"{len(both)} cases sent to both: {len(different)} differences")
    return 1 if different else 0
