"""Read the sampler's `*.samples.csv`."""

import math
import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from monitoring.errors import RecordingError, read_bytes
from monitoring.sample_columns import COLUMNS, COUNTERS

_TIME = re.compile(r"\d{1,19}", re.ASCII)
_NUMBER = re.compile(r"\d{1,30}", re.ASCII)
_MAX_TIME_NS = 2**63 - 1


class SampleDamageKind(StrEnum):
    """The kinds of damage a samples file can have and still be read."""

    CUT_END = "cut-end"
    UNDECODABLE = "undecodable"
    MISSING_COLUMN = "missing-column"
    WRONG_LENGTH = "wrong-length"
    NO_TIME = "no-time"
    TIME_STEPS_BACK = "time-steps-back"
    NOT_A_NUMBER = "not-a-number"
    COUNTER_STEPS_BACK = "counter-steps-back"


@dataclass(frozen=True, kw_only=True)
class SampleDamage:
    """One thing that was wrong, what was done about it, and where (`line` is 1-based)."""

    line: int
    kind: SampleDamageKind
    sentence: str


class Samples(dict[str, NDArray[Any]]):
    """A samples file's columns by name, each (n,), and what was wrong with the file.

    `time_ns` is int64, every other column float64 with nan for an empty cell. Every column of the contract is present
    (all nan when the file lacks it); unknown ones come with them.
    """

    def __init__(self, columns: dict[str, NDArray[Any]], damages: tuple[SampleDamage, ...]) -> None:
        super().__init__(columns)
        self.damages = damages


def read_samples(path: Path) -> Samples:
    """Read a samples file.

    Rows that are cut off, have a wrong number of cells or no time are left out; cells that are no number are nan; both
    are listed in `damages`, as are steps back of the time or of a counter (which are kept as they are). Raises
    RecordingError with file and line when the file cannot be read or has no header or no row.
    """
    lines = read_bytes(path).decode("utf-8", errors="replace").split("\n")
    names = lines[0].removesuffix("\r").split(",")
    if "time_ns" not in names:
        raise RecordingError(path, 1, f"is no samples file (expected a header with time_ns; got {lines[0][:40]!r})")
    if len(set(names)) != len(names):
        raise RecordingError(path, 1, "names a column twice, so it is not certain which one counts")
    damages: list[SampleDamage] = []

    def report(line: int, kind: SampleDamageKind, sentence: str) -> None:
        damages.append(SampleDamage(line=line, kind=kind, sentence=sentence))

    if lines[-1]:
        report(len(lines), SampleDamageKind.CUT_END, "has no line end: it may be cut off, left out")
    for name in COLUMNS:
        if name not in names:
            report(1, SampleDamageKind.MISSING_COLUMN, f"column {name} is missing; all its values are")
    time_place = names.index("time_ns")
    times: list[int] = []
    kept_lines: list[int] = []
    rows: list[list[float]] = []
    for number, line in enumerate(lines[1:-1], 2):
        cells = line.removesuffix("\r").split(",")
        if len(cells) != len(names):
            sentence = f"has {len(cells)} cells for {len(names)} columns, left out"
            report(number, SampleDamageKind.WRONG_LENGTH, sentence)
            continue
        time_cell = cells[time_place]
        if not (_TIME.fullmatch(time_cell) and int(time_cell) <= _MAX_TIME_NS):
            report(number, SampleDamageKind.NO_TIME, f"has no time (time_ns is {time_cell[:20]!r}), left out")
            continue
        values = []
        for name, cell in zip(names, cells, strict=True):
            if not cell:
                values.append(math.nan)
            elif _NUMBER.fullmatch(cell):
                values.append(float(cell))
            else:
                kind = SampleDamageKind.UNDECODABLE if "\ufffd" in cell else SampleDamageKind.NOT_A_NUMBER
                report(number, kind, f"{name} is {cell[:20]!r}, not a whole number; taken as missing")
                values.append(math.nan)
        times.append(int(time_cell))
        kept_lines.append(number)
        rows.append(values)
    if not rows:
        raise RecordingError(path, len(lines), "has no complete row")
    table = np.array(rows, dtype=np.float64)
    columns: dict[str, NDArray[Any]] = {name: table[:, place] for place, name in enumerate(names)}
    for name in COLUMNS:
        columns.setdefault(name, np.full(len(rows), np.nan))
    columns["time_ns"] = np.array(times, dtype=np.int64)
    for i in np.flatnonzero(np.diff(columns["time_ns"]) < 0):
        report(kept_lines[i + 1], SampleDamageKind.TIME_STEPS_BACK, "is earlier than the row before: the clock was set")
    for name in COUNTERS:
        present = np.flatnonzero(~np.isnan(columns[name]))
        for i in np.flatnonzero(np.diff(columns[name][present]) < 0):
            sentence = f"{name} is smaller than before, which a counter cannot be"
            report(kept_lines[present[i + 1]], SampleDamageKind.COUNTER_STEPS_BACK, sentence)
    return Samples(columns, tuple(sorted(damages, key=lambda damage: damage.line)))
