"""What ``--require`` demands of a campaign, and whether its intervals show that it holds.

    METRIC OPERATOR NUMBER [at SIZE] [at LOAD] [of SYSTEM]

A name with spaces stands in quotes: `of "Upload file"`.

``p99_ms < 50``, ``capacity > 1000 at 97KB``, ``server_cpu_us_per_request <= 400 at 80% of node``. A metric is one of
those of a cell; an operator one of < <= > >=; a size is that of the files (bytes, kB or KB, MB; as printed, so within
5 %); a load ``saturated`` or a share of the capacity. Where no load is named, the one at which a metric is decided is
meant; where no size or no system is, each of them.
"""

import argparse
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from uploadlab import junit
from uploadlab.errors import LabError
from uploadlab.records import SATURATED
from uploadlab.results.windows import AS_GIVEN, HALF_PCT
from uploadlab.tables.answer import Cell, Estimate, Load

Verdict = Literal["pass", "fail", "undecided"]
HOLDS: dict[Verdict, str] = {"pass": "holds", "fail": "does not hold", "undecided": "can't be told"}
SHORT_NAMES = {"capacity": "capacity_per_s", "cpu_us": "server_cpu_us_per_request", "memory_mb": "memory_peak_mb"}
SIZE_TOLERANCE = 0.05
JUNIT: dict[Verdict, junit.Kind] = {"pass": "", "fail": "failure", "undecided": "skipped"}
"""What a verdict is in JUnit XML."""
_UNITS = {"B": 1, "KB": 1000, "MB": 1_000_000, "GB": 1_000_000_000}
_QUOTED = r'"[^"]+"'
_WORD = re.compile(rf"{_QUOTED}|\S+")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NUMBER = re.compile(r"[0-9]+(\.[0-9]+)?")
_SIZE = re.compile(r"([0-9]+(?:\.[0-9]+)?)(B|kB|KB|MB|GB)")
_PLACE = re.compile(rf"{_SIZE.pattern}|[0-9]+%|{SATURATED}")
_OPERATOR = re.compile(r"<=|>=|<|>")


@dataclass(frozen=True, kw_only=True)
class Requirement:
    """One demand, as it was written and as it is understood."""

    text: str
    metric: str
    operator: str
    bound: float
    size_bytes: float | None = None
    load: Load = None
    system: str | None = None

    def met_by(self, value: Estimate | None) -> Verdict:
        """Return whether the interval of a value is within the bound, beyond it, or neither."""
        if value is None or value.lo is None or value.hi is None:
            return "undecided"
        wants_less = self.operator.startswith("<")
        ends = (value.hi, value.lo) if wants_less else (-value.lo, -value.hi)
        worst, best = ends
        bound = self.bound if wants_less else -self.bound
        or_equal = self.operator.endswith("=")
        if worst < bound or (or_equal and worst == bound):
            return "pass"
        return "fail" if best > bound or (not or_equal and best == bound) else "undecided"


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What became of a requirement in one cell."""

    text: str
    metric: str
    cell: Cell
    value: Estimate | None
    verdict: Verdict
    sentence: str


@dataclass(kw_only=True)
class _Reader:
    """Reads a requirement word by word, and names the place of what it can't take."""

    text: str
    words: list[re.Match[str]] = field(default_factory=list)
    place: int = 0

    def next(self, pattern: re.Pattern[str], wanted: str) -> str:
        """Return the next word, which must match."""
        if self.place == len(self.words):
            raise self.error(len(self.text), wanted, "its end")
        word = self.words[self.place]
        if not pattern.fullmatch(word[0]):
            raise self.error(word.start(), wanted, f"'{word[0]}'")
        self.place += 1
        return word[0]

    def error(self, position: int, wanted: str, found: str) -> LabError:
        return LabError(
            f"--require '{self.text}', position {position + 1}: expected {wanted}, found {found}. "
            "An example: 'p99_ms < 50 at 97KB'."
        )


def add_to(parser: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    """Declare the options of a command that answers requirements."""
    parser.add_argument(
        "--require",
        action="append",
        default=[],
        metavar="EXPR",
        help="what must hold by the interval, as 'p99_ms < 50' or 'capacity > 1000 at 97KB'; may be given several "
        "times. Exit code 1 if it does not, 3 if it can't be told",
    )
    parser.add_argument("--junit", type=Path, metavar="FILE", help="write what is required as JUnit XML as well")


def parse(text: str) -> Requirement:
    """Return what a requirement demands; LabError names the position of what is not understood."""
    reader = _Reader(text=text, words=list(re.finditer(rf"{_OPERATOR.pattern}|{_QUOTED}|[^\s<>]+", text)))
    metric = reader.next(_NAME, "the name of a metric")
    operator = reader.next(_OPERATOR, "one of < <= > >=")
    bound = float(reader.next(_NUMBER, "a number"))
    size: float | None = None
    load: Load = None
    system: str | None = None
    while reader.place < len(reader.words):
        clause = reader.next(re.compile("at|of"), "at SIZE, at LOAD or of SYSTEM")
        if clause == "of":
            system = reader.next(_WORD, "the key of a system").strip('"')
            continue
        where = reader.next(_PLACE, f"a size as 97KB, a share as 50%, or {SATURATED}")
        if match := _SIZE.fullmatch(where):
            size = float(match[1]) * _UNITS[match[2].upper()]
            if not size:
                raise reader.error(reader.words[reader.place - 1].start(), "a size above 0", f"'{where}'")
        else:
            load = SATURATED if where == SATURATED else int(where.removesuffix("%"))
    name = SHORT_NAMES.get(metric, metric)
    return Requirement(
        text=text, metric=name, operator=operator, bound=bound, size_bytes=size, load=load, system=system
    )


def judge(requirements: Sequence[Requirement], cells: Sequence[Cell]) -> tuple[Outcome, ...]:
    """Return what became of each requirement in each cell that it means.

    Raises LabError where it names a metric, a size, a load or a system that there is none of.
    """
    return tuple(outcome for requirement in requirements for outcome in _outcomes(requirement, cells))


def _outcomes(requirement: Requirement, cells: Sequence[Cell]) -> Iterator[Outcome]:
    for cell in _cells_meant(requirement, cells):
        value = cell.values.get(requirement.metric)
        verdict = requirement.met_by(value)
        yield Outcome(
            text=requirement.text,
            metric=requirement.metric,
            cell=cell,
            value=value,
            verdict=verdict,
            sentence=_sentence(requirement, cell, value, verdict),
        )


def _cells_meant(requirement: Requirement, cells: Sequence[Cell]) -> list[Cell]:
    known = sorted({name for cell in cells for name in cell.values})
    if requirement.metric not in known:
        raise _unknown(requirement, f"metric {requirement.metric}", known)
    found = _at_load(requirement, cells)
    if requirement.system is not None:
        systems = sorted({cell.system for cell in cells})
        if requirement.system not in systems:
            raise _unknown(requirement, f"system {requirement.system}", systems)
        found = [cell for cell in found if cell.system == requirement.system]
    if requirement.size_bytes is not None:
        wanted = requirement.size_bytes
        of_size = [cell for cell in found if cell.size_bytes and abs(cell.size_bytes / wanted - 1) <= SIZE_TOLERANCE]
        if not of_size:
            sizes = sorted({cell.size_bytes for cell in cells if cell.size_bytes})
            raise _unknown(requirement, f"size of {wanted:g} bytes", [f"{size} bytes" for size in sizes])
        found = of_size
    return found


def _at_load(requirement: Requirement, cells: Sequence[Cell]) -> list[Cell]:
    loads = {cell.load for cell in cells if requirement.metric in cell.values}
    load = requirement.load
    if load is None:
        shares = [one for one in loads if isinstance(one, int)]
        half = min(shares, key=lambda share: (abs(share - HALF_PCT), share), default=None)
        load = half if half is not None else next((one for one in (SATURATED, AS_GIVEN) if one in loads), None)
    if load not in loads:
        raise _unknown(requirement, f"load {load}", [str(one) for one in sorted(loads, key=str)])
    return [cell for cell in cells if cell.load == load]


def _unknown(requirement: Requirement, what: str, known: Sequence[str]) -> LabError:
    return LabError(f"--require '{requirement.text}': there is no {what}; expected {', '.join(known)}.")


def _sentence(requirement: Requirement, cell: Cell, value: Estimate | None, verdict: Verdict) -> str:
    seen = "it is unknown"
    if value is not None:
        seen = f"{requirement.metric} is {value.value:.4g}"
        seen += "" if value.lo is None or value.hi is None else f" ({value.lo:.4g}–{value.hi:.4g})"
    return f"{requirement.text} {HOLDS[verdict]} in {cell.scenario} for {cell.system}: {seen}."


def exit_code(outcomes: Sequence[Outcome]) -> int:
    """Return 1 where a requirement failed, else 3 where one can't be told, else 0."""
    verdicts = {outcome.verdict for outcome in outcomes}
    return 1 if "fail" in verdicts else 3 if "undecided" in verdicts else 0


def junit_xml(outcomes: Sequence[Outcome]) -> str:
    """Return the outcomes as JUnit XML: a test a cell, failed where not met, skipped where it can't be told."""
    cases = [
        junit.Case(
            group=f"{one.cell.scenario}-{one.cell.system}",
            name=one.text,
            kind=JUNIT[one.verdict],
            told=one.sentence,
        )
        for one in outcomes
    ]
    return junit.junit_xml("requirements", cases)
