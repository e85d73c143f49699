"""Results for people: a line for each case that needs a look, a table at the end."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from conformance.suite import FAILED, NOT_RUN, PASSED, Result, groups
from conformance.trial import Trial

MARKS = {PASSED: "[green]ok[/]", FAILED: "[red]FAILED[/]", NOT_RUN: "[yellow]not run[/]"}


class Terminal:
    """Prints results as they come, and a summary."""

    def __init__(self, console: Console, *, verbose: bool = False) -> None:
        """With `verbose` also cases that passed get a line."""
        self._console = console
        self._verbose = verbose

    def result(self, result: Result) -> None:
        """Print one result."""
        if result.verdict == PASSED and not self._verbose:
            return
        self._console.print(f"{MARKS[result.verdict]} {result.id:7} {escape(result.name)}", highlight=False)
        for reason in result.reasons:
            self._console.print(f"        {escape(reason)}", highlight=False)

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
