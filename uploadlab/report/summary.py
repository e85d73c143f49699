"""``analysis/summary.json``: what a campaign found, in one file. The page and the terminal are made of it alone."""

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import Struct

from monitoring.whole_file import replacing
from uploadlab.requirements import Verdict
from uploadlab.tables.answer import Cell, Comparison, Estimate, Load, at_load

SCHEMA = "summary-1.schema.json"
VERSION = 1


class System(Struct, frozen=True, omit_defaults=True):
    """What is compared."""

    id: str
    name: str
    description: str = ""
    floor: bool = False
    """Whether it is a line to compare with, that wins and loses nothing."""
    versions: Mapping[str, str] = {}
    """Of its runtime, first, and its libraries."""
    facts: Mapping[str, str | int] = {}
    """What its own commands say of it: the lines of its code, for one."""


class Metric(Struct, frozen=True, omit_defaults=True):
    """A value by which systems are compared, or that is shown beside those."""

    id: str
    """The column of ``runs.csv`` and ``cells.csv``."""
    name: str
    unit: str = ""
    lower_is_better: bool = True
    decided: bool = False
    """Whether it is among those that the campaign decides together, with a family-wise error of 5%."""
    shown: bool = True
    """Whether it stands in the answer's table; all others stand among the details."""
    of_whole_run: bool = False
    """Whether it is of a run as a whole, whatever loads it had."""

    def title(self, load: Load = None) -> str:
        """Return its name with its unit, and with the load where that is a share of the capacity."""
        said = isinstance(load, int) and not self.of_whole_run
        name = f"{self.name} {at_load(load)}" if said else self.name
        return f"{name}, {self.unit}" if self.unit else name


class Rank(Struct, frozen=True, omit_defaults=True):
    """Where one of several systems stands by one metric: all places of a scenario and metric hold together at 95%."""

    scenario: str
    row: str
    load: Load
    metric: str
    system: str
    best: int
    """The best place that it may have; 1 where no system is surely better."""
    worst: int
    held: bool | None = None
    """Of open arrivals: whether it held the rate in most of its runs; those that did not share the last places."""

    @property
    def text(self) -> str:
        """The place, or the places: 1, 2–3."""
        return str(self.best) if self.best == self.worst else f"{self.best}–{self.worst}"


class Claim(Struct, frozen=True, omit_defaults=True):
    """A published statement and what became of it, on our runs and on the paper's own numbers."""

    id: str
    text: str
    verdict: str
    """``holds``, ``fails``, ``undecided`` or ``not measured``."""
    why: str
    """The numbers that decide it."""
    place: str = ""
    """Where the paper makes it."""
    figure: float | None = None
    lo: float | None = None
    hi: float | None = None
    n: int = 0
    at_scale: bool = False
    """Whether it was measured as largely as the paper did."""
    stack: str = "current"
    paper_verdict: str = ""
    paper_why: str = ""


class Warning(Struct, frozen=True, omit_defaults=True):
    """What would mislead who reads only the answer, and the command that resolves it."""

    text: str
    command: str = ""


class Requirement(Struct, frozen=True, omit_defaults=True):
    """What became of a demand (``--require``) in one cell."""

    text: str
    """As it was written."""
    metric: str
    system: str
    row: str
    load: Load
    value: Estimate | None
    """Null where it is unknown."""
    verdict: Verdict


class LeftOut(Struct, frozen=True):
    """An invalid run and why it does not count."""

    run: str
    reason: str


class Grid(Struct, frozen=True, omit_defaults=True):
    """A table of details: of a paper beside ours, of why-indicators, of gates."""

    id: str
    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str | float | None]]
    note: str = ""


class Curve(Struct, frozen=True):
    """Points of one cell: its percentiles, or its seconds."""

    kind: Literal["percentiles", "seconds"]
    scenario: str
    """In words: ``23 KB, half load``."""
    system: str
    x: Sequence[float]
    y: Sequence[float]


class Campaign(Struct, frozen=True, omit_defaults=True):
    """What was run."""

    name: str
    study: str
    title: str
    profile: str
    started: str
    operation: str
    operations: str
    planned_runs: int
    valid_runs: int
    invalid_runs: int
    """Those that count nowhere."""
    least_repeats: int
    """The fewest valid runs of a cell."""
    most_repeats: int
    equal_margin_pct: float
    command: str
    machine: Mapping[str, str]
    """Machine, rig and versions, by name."""
    shares_of: str = ""
    """The system whose capacity the shares are of; empty: in each scenario the slowest."""
    after_saturation: bool = False
    """Whether the shares were measured in a process that had been saturated before."""
    partly_valid_runs: int = 0
    """Those that count at some of their loads only."""
    turn_ms: int = 0
    """How long a turn was where the servers of a block were alive together; 0: they ran one after the other."""
    emulated: bool = False
    judged_against: str = ""
    """Of a judgement: the system that a change is judged against, and that was measured twice."""

    @property
    def repeats(self) -> str:
        """How many valid runs a cell has: 6, 5–6."""
        least, most = self.least_repeats, self.most_repeats
        return f"{most}" if least == most else f"{least}–{most}"

    @property
    def runs(self) -> str:
        """How many runs count: 57 of 60 runs valid, 1 more at some loads."""
        all_runs = self.valid_runs + self.partly_valid_runs + self.invalid_runs
        partly = f", {self.partly_valid_runs} more at some loads" if self.partly_valid_runs else ""
        return f"{self.valid_runs} of {all_runs} runs valid{partly}"


class Summary(Struct, frozen=True, kw_only=True):
    """All of it."""

    schema: str = SCHEMA
    version: int = VERSION
    campaign: Campaign
    answer: str
    systems: Sequence[System]
    metrics: Sequence[Metric]
    cells: Sequence[Cell]
    comparisons: Sequence[Comparison]
    ranks: Sequence[Rank] = ()
    """Of three systems and more."""
    requirements: Sequence[Requirement] = ()
    warnings: Sequence[Warning] = ()
    claims: Sequence[Claim] = ()
    left_out: Sequence[LeftOut] = ()
    conformance: Mapping[str, str] | None = None
    """By system what `./lab conformance` had found, or the command that tells; null where a study has no such test."""
    grids: Sequence[Grid] = ()
    curves: Sequence[Curve] = ()


def with_each_command_once(warnings: Sequence[Warning]) -> list[Warning]:
    """Return warnings for people to read: of those in a row with the same command the last has it."""
    return [
        Warning(text=one.text) if after is not None and after.command == one.command else one
        for one, after in zip_longest(warnings, warnings[1:])
    ]


def write(summary: Summary, path: Path) -> None:
    """Write the file; it appears whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as new:
        new.write_bytes(msgspec.json.format(msgspec.json.encode(summary), indent=1) + b"\n")


def schema() -> dict[str, Any]:
    """Return the JSON schema of the file, as it is published."""
    of_structs, components = msgspec.json.schema_components([Summary], ref_template="#/$defs/{name}")
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": SCHEMA}
    return {**head, **of_structs[0], "$defs": components}
