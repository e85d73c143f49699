"""Say where a campaign is: one live line on a terminal, plain lines elsewhere."""

import sys
import time
from collections.abc import Callable
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.text import Text

from harness.plan import PlannedRun

PLAIN_EVERY_S = 5.0

Watcher = Callable[[str, int, int], None]


class Progress:
    """The progress of a campaign, on standard error."""

    def __init__(self, total: int, expected_s: float, watcher: Watcher | None = None) -> None:
        """`watcher` is told each line, and how many runs of how many are made."""
        self._watcher = watcher
        self._console = Console(file=sys.stderr, highlight=False, soft_wrap=True)
        self._live = Live(console=self._console, refresh_per_second=4, transient=True)
        self._total = total
        self._expected_s = expected_s
        self._done = 0
        self._began = time.monotonic()
        self._spent_s = 0.0
        self._head = ""
        self._phase = ""
        self._said_at = 0.0

    def __enter__(self) -> "Progress":
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def grow(self, runs: int) -> None:
        """Count runs that were added because others were invalid."""
        self._total += runs

    def run_started(self, run: PlannedRun) -> None:
        """Name the run that begins."""
        self._began = time.monotonic()
        self._phase = ""
        self._head = f"run {self._done + 1} of {self._total}  {run.cell}  repeat {run.repeat}"
        self._show(f"{self._head}  starting, {self._left()} left", always=True)

    def live(self, figures: dict[str, Any]) -> None:
        """Show what the load generator says of the running load."""
        self._show(
            f"{self._head}  {figures['phase']}  {figures['requests']:,} requests  "
            f"{figures['per_s']:,.0f}/s  {figures['errors']:,} errors  {self._left()} left",
            always=figures["phase"] != self._phase,
        )
        self._phase = figures["phase"]

    def run_ended(self, record: dict[str, Any]) -> None:
        """Print the run's outcome on a line that stays."""
        self._done += 1
        self._spent_s += time.monotonic() - self._began
        line = f"{self._head}  {_outcome(record)}"
        self._console.print(Text(line))
        self._tell(line)

    def _left(self) -> str:
        each = self._spent_s / self._done if self._done else self._expected_s
        seconds = max(0.0, each * (self._total - self._done) - (time.monotonic() - self._began))
        return f"{seconds / 60:.0f} min" if seconds >= 90 else f"{seconds:.0f} s"

    def _tell(self, line: str) -> None:
        if self._watcher:
            self._watcher(line, self._done, self._total)

    def _show(self, line: str, *, always: bool = False) -> None:
        self._tell(line)
        if self._console.is_terminal:
            self._live.update(Text(line))
        elif always or time.monotonic() - self._said_at >= PLAIN_EVERY_S:
            self._said_at = time.monotonic()
            self._console.print(Text(line))


def _outcome(record: dict[str, Any]) -> str:
    if record["status"] != "complete":
        return f"FAILED: {record['reason']}"
    counts = record["counts"]
    figures = f"{counts['requests']:,} requests, {counts['errors']:,} errors"
    if record["valid"]:
        return f"valid  {figures}"
    return f"INVALID  {figures}. " + " ".join(gate["sentence"] for gate in record["gates"] if not gate["passed"])
