"""Say where a campaign is: one live line on a terminal, plain lines elsewhere."""

import sys
import textwrap
import time
from collections.abc import Callable, Sequence
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.text import Text

from uploadlab.campaigns.live import LivePage
from uploadlab.campaigns.schedule import Comparison, Standing
from uploadlab.planning.plan import PlannedRun
from uploadlab.report.numbers import between, counted
from uploadlab.runs.gates import all_gates
from uploadlab.tables.answer import at_load

PLAIN_EVERY_S = 5.0
WIDTH = 80


class Progress:
    """The progress of a campaign, on standard error."""

    def __init__(
        self, total: int, expected_s: float, watcher: LivePage | None = None, counted: str = "requests"
    ) -> None:
        """`total` runs are planned, each reckoned to take `expected_s`; `counted` is what a run counts."""
        self._counted = counted
        self._watcher = watcher
        self._console = Console(file=sys.stderr, highlight=False, soft_wrap=True)
        self._live = Live(console=self._console, refresh_per_second=4, transient=True)
        self._total = total
        self._expected_s = expected_s
        self._done = 0
        self._began = time.monotonic()
        self._spent_s = 0.0
        self._place, self._cell = "", ""
        self._phase = ""
        self._said_at = 0.0
        self._whole_s = 0.0
        self._time_left: Callable[[], float] | None = None

    def count_time(self, whole_s: float, left_s: Callable[[], float]) -> None:
        """Count the campaign's time instead of its runs, of which there may be more than are planned."""
        self._whole_s, self._time_left = whole_s, left_s

    def __enter__(self) -> "Progress":
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def runs_started(self, runs: Sequence[PlannedRun]) -> None:
        """Name the run that begins, or the first of those that take turns."""
        self._began = time.monotonic()
        self._phase = ""
        first, others = runs[0], len(runs) - 1
        self._place = f"run {self._done + 1}{self._of()}"
        self._cell = f"{first.cell}/{first.repeat}" + (f" and {others} in turns" if others else "")
        self._show(self._fitted(f"starting, {self._left()} left"), always=True)

    def live(self, figures: dict[str, Any]) -> None:
        """Show what the load generator says of the running load."""
        errors = f"{counted(figures['errors'], 'error')}  " if figures["errors"] else ""
        left = self._left().replace("at most ", "≤ ")
        self._show(
            self._fitted(
                f"{figures['phase']}  {figures['requests']:,}  {figures['per_s']:,.0f}/s  {errors}{left} left"
            ),
            always=figures["phase"] != self._phase,
        )
        self._phase = figures["phase"]
        if self._watcher:
            self._watcher.show_load(figures["requests"], figures["errors"], figures["per_s"])

    def run_ended(self, record: dict[str, Any]) -> None:
        """Print the run's outcome on a line that stays."""
        place, cell = f"run {self._done + 1}{self._of()}", f"{record['cell']}/{record['repeat']}"
        self._done += 1
        self._spent_s, self._began = self._spent_s + time.monotonic() - self._began, time.monotonic()
        line = f"{place}  {cell}  {_outcome(record, self._counted)}"
        self._say(line)
        self._tell(line)

    def looked(self, standings: list[Standing]) -> None:
        """Say what is decided so far and what the time that is left is spent on."""
        lines = [standing_line(one) for one in standings]
        spent_on = _in_a_line(standings, self._left()) if any(one.goes_on for one in standings) else ""
        if self._watcher:
            self._watcher.show_standings([*([spent_on, ""] if spent_on else []), *lines])
        if spent_on:
            self._say(spent_on)
        elif self._done:  # at the end; the answers themselves are the report's
            for line in lines:
                self._say(line)

    def _fitted(self, rest: str) -> str:
        """Return a line of at most 80 columns: of the cell's name as much as there is room for."""
        room = WIDTH - len(self._place) - len(rest) - 4
        cell = self._cell if len(self._cell) <= room else f"…{self._cell[len(self._cell) - max(0, room - 1) :]}"
        return f"{self._place}  {cell}  {rest}"

    def _say(self, line: str) -> None:
        """Print a line that stays, on further ones where it is too long."""
        for part in textwrap.wrap(line, WIDTH, subsequent_indent="  ", break_on_hyphens=False, break_long_words=False):
            self._console.print(Text(part))

    def _of(self) -> str:
        if self._time_left is None:
            self._total = max(self._total, self._done + 1)  # runs are added because others were invalid
            return f" of {self._total}"
        return f" of {self._total}+" if self._done < self._total else ""

    def _share(self) -> float:
        if self._time_left is None:
            return self._done / max(1, self._total)
        return min(1.0, max(0.0, 1 - self._time_left() / self._whole_s))

    def _left(self) -> str:
        each = self._spent_s / self._done if self._done else self._expected_s
        planned_s = max(0.0, each * (self._total - self._done) - (time.monotonic() - self._began))
        if self._time_left is None or self._time_left() < planned_s:  # the planned blocks are made in any case
            return _duration(planned_s)
        return f"at most {_duration(max(0.0, self._time_left()))}"

    def _tell(self, line: str) -> None:
        if self._watcher:
            self._watcher.show(line, self._share())

    def _show(self, line: str, *, always: bool = False) -> None:
        self._tell(line)
        if self._console.is_terminal:
            self._live.update(Text(line))
        elif always or time.monotonic() - self._said_at >= PLAIN_EVERY_S:
            self._said_at = time.monotonic()
            self._console.print(Text(line))


def standing_line(standing: Standing) -> str:
    """Return a scenario's line: its blocks, how many of its comparisons are decided, which are open and why."""
    known, still = standing.comparisons, standing.open
    blocks = "block " if standing.blocks == 1 else "blocks"
    looked = _has_looked(standing)
    none = "no look yet" if standing.goes_on else "no look before the end"
    decided = f"{len(known) - len(still)} of {len(known)} decided" if looked else none
    line = f"{standing.name:<20} {standing.blocks:>2} {blocks}  {decided if known else 'not compared'}"
    if still and looked:
        line += f"; open: {_intervals(still)}"
    return line + (f" ({standing.why_not})" if standing.why_not else "")


def _has_looked(standing: Standing) -> bool:
    """Return whether enough blocks were made to decide by."""
    return any(one.verdict != "open" or one.lo is not None for one in standing.comparisons)


def _in_a_line(standings: list[Standing], left: str) -> str:
    known = [one for standing in standings for one in standing.comparisons]
    decided = sum(one.verdict != "open" for one in known)
    going_on = [one for one in standings if one.goes_on]
    blocks = sorted({one.blocks for one in standings if one.comparisons})
    said = f"{blocks[0]} to {blocks[-1]}" if len(blocks) > 1 else f"{blocks[0]}"
    if not any(_has_looked(one) for one in standings):
        names = ", ".join(one.name for one in going_on)
        return f"After {said} blocks it is too early to decide; {left} more for {names}"
    named = ", ".join(f"{one.name} ({_wanted(one)})" for one in going_on)
    return f"After {said} blocks {decided} of {len(known)} comparisons are decided; {left} more for {named}"


def _wanted(standing: Standing) -> str:
    """Say what a scenario gets more blocks for."""
    what = _questions(standing.open) or "too few valid blocks"
    return f"{what}; after the others, as {standing.set_back}" if standing.set_back else what


def _questions(comparisons: list[Comparison]) -> str:
    """Name what is open, each once."""
    return ", ".join(dict.fromkeys(one.question or one.name or one.metric for one in comparisons))


def _intervals(comparisons: list[Comparison]) -> str:
    """Name what is open, with the ratios that are still possible."""
    return ", ".join(
        _questions([one]) + ("" if one.lo is None or one.hi is None else f" {between(one.lo, one.hi)}")
        for one in comparisons
    )


def _duration(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds >= 90 else f"{seconds:.0f} s"


def _outcome(record: dict[str, Any], unit: str) -> str:
    if record["status"] != "complete":
        return f"FAILED: {record['reason']}"
    counts = record["counts"]
    every = (record.get("load") or {}).get("stamp_every", 1)
    recorded = f" recorded, one in {every}" if every > 1 else ""
    figures = f"{counts['requests']:,} {unit}{recorded}, {counts['errors']:,} errors"
    if record["valid"]:
        return f"valid  {figures}"
    why = " ".join(gate["sentence"] for gate in all_gates(record) if not gate["passed"])
    return f"{_invalid_at(record)}  {figures}. {why}"


def _invalid_at(record: dict[str, Any]) -> str:
    """Say that a run is invalid, and at which loads where others of it count."""
    windows = record.get("windows") or []
    lost = [at_load(one["load"]) for one in windows if not all(gate["passed"] for gate in one["gates"])]
    partly = len(lost) < len(windows) and all(gate["passed"] for gate in record["gates"])
    return f"INVALID {', '.join(lost)}" if partly else "INVALID"
