"""`--differential A,B`: every case to two endpoints, and where they differ."""

import textwrap
from collections.abc import Sequence

from uploadlab.conformance.case import Case
from uploadlab.conformance.results import SKIPPED
from uploadlab.conformance.runner import Runner
from uploadlab.conformance.terminal import WIDTH, Progress

Seen = dict[str, str]
"""Of each case, what came of it."""


def observe(runner: Runner, chosen: Sequence[Case]) -> Seen:
    """Send the cases that are one conversation, and return what is seen of each."""
    results = runner.run([case for case in chosen if not case.measure], Progress(len(chosen)))
    return {
        result.case.id: f"{result.seen}; {'; '.join(result.unsafe)}" if result.unsafe else result.seen
        for result in results
        if result.verdict != SKIPPED
    }


def print_differences(names: Sequence[str], left: Seen, right: Seen, cases: Sequence[Case]) -> int:
    """Print each case that two endpoints answer differently, and return 1 when there is one."""
    both = [case for case in cases if case.id in left and case.id in right]
    different = [case for case in both if left[case.id] != right[case.id]]
    for case in different:
        print(textwrap.fill(f"{case.id} ({case.grade}): {case.title}", WIDTH, subsequent_indent="  "))
        for name, seen in zip(names, (left, right), strict=True):
            print(textwrap.fill(f"{name}: {seen[case.id]}", WIDTH, initial_indent="    ", subsequent_indent="      "))
    print(f"{len(both)} cases sent to both: {len(different)} differences")
    return 1 if different else 0
