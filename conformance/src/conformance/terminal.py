"""Results for people: a line for each case that needs a look, a table at the end."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from conformance.fuzz import FuzzReport
from conformance.soak import SoakReport
from conformance.suite import FAILED, NOT_RUN, PASSED, Result, groups
from conformance.trial import Trial

MARKS = {PASSED: "[green]ok[/]", FAILED: "[red]FAILED[/]", NOT_RUN: "[yellow]not run[/]"}


QUIET_S = 5.0


class Terminal:
    """Prints results as they come, now and then how far the suite is, and a summary."""

    def __init__(self, console: Console, cases: int, *, verbose: bool = False) -> None:
        """With `verbose` also cases that passed get a line."""
        self._console = console
        self._verbose = verbose
        self._cases = cases
        self._counts: Counter[str] = Counter()
        self._stopped: set[str] = set()
        self._said_s = time.monotonic()

    def result(self, result: Result) -> None:
        """Print one result; of the cases of a group that was stopped only the first."""
        self._counts[result.verdict] += 1
        if result.stopped:
            if result.group not in self._stopped:
                self._say(f"[yellow]group {result.group}: no more cases[/]: {escape(result.reasons[0])}")
            self._stopped.add(result.group)
        elif result.verdict != PASSED or self._verbose:
            self._say(f"{MARKS[result.verdict]} {result.id:7} {escape(result.name)}")
            for reason in result.reasons:
                self._say(f"        {escape(reason)}")
        if time.monotonic() - self._said_s > QUIET_S:
            done = self._counts.total()
            self._say(f"{done} of {self._cases} cases, {self._counts[FAILED]} failed; now in the group {result.group}")

    def _say(self, line: str) -> None:
        self._console.print(line, highlight=False, soft_wrap=True)
        self._said_s = time.monotonic()

    def summary(self, name: str, results: Sequence[Result]) -> None:
        """Print how many cases of each group passed, failed and were not run."""
        table = Table(title=f"Upload contract: {name}", title_justify="left")
        table.add_column("group")
        for heading in (PASSED, FAILED, NOT_RUN, "seconds"):
            table.add_column(heading, justify="right")
        for group, counts in groups(results):
            seconds = sum(result.elapsed_s for result in results if result.group == group)
            failed = f"[red]{counts[FAILED]}[/]" if counts[FAILED] else "0"
            table.add_row(group, str(counts[PASSED]), failed, str(counts[NOT_RUN]), f"{seconds:.1f}")
        table.add_section()
        totals = [sum(result.verdict == verdict for result in results) for verdict in (PASSED, FAILED, NOT_RUN)]
        seconds = sum(result.elapsed_s for result in results)
        table.add_row("all", *map(str, totals), f"{seconds:.1f}")
        self._console.print(table)


def print_list(console: Console, selected: Sequence[Trial]) -> None:
    """Print what would be run."""
    table = Table()
    for heading in ("group", "id", "case"):
        table.add_column(heading, overflow="fold")
    for trial in selected:
        table.add_row(trial.group, trial.id, escape(trial.name))
    console.print(table)
    console.print(f"{len(selected)} cases")


def print_fuzz(console: Console, name: str, seed: int, report: FuzzReport) -> None:
    """Print what a fuzzing run found."""
    _print_counts(console, f"{report.requests:,} fuzzed requests to {name}", "answer", report.answers)
    for fault in report.faults:
        where = f" (see it again: fuzz --seed {seed} --only {fault.index})" if fault.index is not None else ""
        console.print(f"[red]FAULT[/] {escape(fault.what)}{where}", highlight=False)
    console.print(
        f"{report.requests:,} requests in {report.seconds:.1f} s, seed {seed}: {len(report.faults)} faults; "
        f"{report.judged:,} judged by the grammar, {report.stored:,} files stored",
        highlight=False,
    )
    if report.descriptors is not None:
        console.print(f"descriptors: {report.descriptors[0]} before, {report.descriptors[1]} after", highlight=False)


def print_soak(console: Console, name: str, report: SoakReport) -> None:
    """Print what a soak found."""
    _print_counts(console, f"Sent to {name}", "upload", report.sent)
    _print_counts(console, "Answers", "answer", report.answers)
    table = Table(title="Growth after the warm-up", title_justify="left")
    for heading in ("figure", "slope per minute", "growth", "bound", ""):
        table.add_column(heading, justify="left" if heading in ("figure", "") else "right")
    for growth in report.growths:
        table.add_row(
            growth.name,
            f"{growth.slope_per_min:+.2f} {growth.unit}",
            f"{growth.growth:+.1f}",
            f"{growth.bound:.0f}",
            "flat" if growth.flat else "[red]grows[/]",
        )
    if report.growths:
        console.print(table)
    else:
        console.print("[yellow]growth was not measured[/]: it needs --system and at least ten seconds")
    for fault in report.faults:
        console.print(f"[red]FAULT[/] {escape(fault)}", highlight=False)
    console.print(
        f"{report.sent.total():,} uploads in {report.seconds:.0f} s: {report.files_answered:,} files answered "
        f"with 200, {report.files_stored:,} stored, {len(report.faults)} faults",
        highlight=False,
    )


def _print_counts(console: Console, title: str, heading: str, counts: Counter[str]) -> None:
    table = Table(title=title, title_justify="left")
    table.add_column(heading)
    table.add_column("count", justify="right")
    for what, count in counts.most_common():
        table.add_row(escape(what), f"{count:,}")
    console.print(table)
