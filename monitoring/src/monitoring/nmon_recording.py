"""What an nmon file holds: typed tables by section, the time of each snapshot, and the damage that was found."""

import os
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from monitoring.errors import RecordingError

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


class DamageKind(StrEnum):
    """The kinds of damage a recording can have and still be read."""

    FRAGMENT = "fragment"
    UNDECODABLE = "undecodable"
    CUT_END = "cut-end"
    RECORDER_ERROR = "recorder-error"
    BAD_TIMESTAMP = "bad-timestamp"
    DUPLICATE_SNAPSHOT = "duplicate-snapshot"
    MISSING_SNAPSHOT = "missing-snapshot"
    EMPTY_SNAPSHOT = "empty-snapshot"
    TIME_STEPS_BACK = "time-steps-back"
    GAP = "gap"
    NO_TIMESTAMP = "no-timestamp"
    NO_HEADER = "no-header"
    HEADER_CHANGED = "header-changed"
    HEADER_MISMATCH = "header-mismatch"
    EMPTY_NAMES = "empty-names"
    DUPLICATE_NAME = "duplicate-name"
    DUPLICATE_ROW = "duplicate-row"
    WRONG_LENGTH = "wrong-length"
    NOT_A_NUMBER = "not-a-number"
    IMPOSSIBLE_VALUE = "impossible-value"
    ABOVE_100 = "above-100"
    MISSING_ROW = "missing-row"


@dataclass(frozen=True, kw_only=True)
class Damage:
    """One thing that was wrong, what was done about it, and where (`line` is 1-based)."""

    line: int
    kind: DamageKind
    section: str
    sentence: str


@dataclass(frozen=True, kw_only=True)
class Table:
    """One section: a row per snapshot (in TOP: per snapshot and process), in the order of the snapshots.

    `snapshots` (n,) are the T numbers, `time_ns` (n,) their times (epoch ns, UTC), `columns` the numbers, each (n,)
    with nan for what is absent, `texts` the text columns (only TOP has some), `lines` (n,) the lines of the file.
    """

    section: str
    title: str
    snapshots: IntArray
    time_ns: IntArray
    lines: IntArray
    columns: dict[str, FloatArray]
    texts: dict[str, list[str]]

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.snapshots)

    def __getitem__(self, column: str) -> FloatArray:
        """Return one column of numbers (KeyError when the section has none of that name)."""
        return self.columns[column]

    def since_snapshot(self, first: int) -> "Table":
        """Return the rows from snapshot number `first` on."""
        return self._rows(self.snapshots >= first)

    def _rows(self, keep: NDArray[np.bool_]) -> "Table":
        return replace(
            self,
            snapshots=self.snapshots[keep],
            time_ns=self.time_ns[keep],
            lines=self.lines[keep],
            columns={name: values[keep] for name, values in self.columns.items()},
            texts={
                name: [text for text, kept in zip(texts, keep, strict=True) if kept]
                for name, texts in self.texts.items()
            },
        )


@dataclass(frozen=True, kw_only=True)
class NmonRecording:
    """A whole nmon file.

    `about` are the AAA lines (`about["version"]`; keys of more words are joined, `about["x86,ModelName"]`).
    `snapshots` and `time_ns` (n,) are the T numbers that have a time, and those times. What is no table,
    system texts (BBB*) and command lines (UARG, which may hold secrets), is not kept.
    """

    path: Path
    about: dict[str, str]
    system: str
    snapshots: IntArray
    time_ns: IntArray
    tables: dict[str, Table]
    damages: tuple[Damage, ...]
    inferred_utc_offset_s: int | None
    """How far the recorded clock was ahead of UTC, where the file tells (some Linux 16x files do).

    It held when the host booted, or later by `uptime`; None where a time zone that fits has changed it since.
    """
    first_line: int = 1
    number: int = 1
    """Which of the recordings in the file this is."""
    of: int = 1
    """How many there are in the file: somebody may have put several into one."""

    @property
    def file_name(self) -> str:
        """The file's name as text: a name may be any bytes."""
        return os.fsencode(self.path.name).decode(errors="replace")

    @property
    def name(self) -> str:
        """The file's name, and which of its recordings this is."""
        return self.file_name if self.of == 1 else f"{self.file_name} ({self.number} of {self.of})"

    @property
    def interval_s(self) -> float | None:
        """The interval nmon was asked for."""
        try:
            return float(self.about["interval"])
        except (KeyError, ValueError):
            return None

    @property
    def first_switch_rate_is_placeholder(self) -> bool:
        """Whether PROC's `pswitch` and `fork` of snapshot 1 are a meaningless 0.0: true on Linux, not on AIX.

        Whoever takes a mean leaves it out: `recording.table("PROC").since_snapshot(2)`.
        """
        return self.system != "AIX"

    def table(self, section: str) -> Table:
        """Return a section's table; raises RecordingError when the recording has no row of it."""
        try:
            return self.tables[section]
        except KeyError:
            raise RecordingError(self.path, 0, f"has no section {section}") from None

    def cores(self) -> dict[int, Table]:
        """Return the CPUnnn tables by core number, counted from 0 as the kernel does (nmon's CPU001 is core 0)."""
        return {
            int(section[3:]) - 1: table
            for section, table in self.tables.items()
            if section.startswith("CPU") and section[3:].isdecimal()
        }

    def wide_table(self, section: str) -> Table:
        """Return a section together with its continuations: beyond 150 disks DISKBUSY goes on in DISKBUSY1, and so on.

        Only snapshots that every part has are kept. Raises RecordingError when the section is absent.
        """
        first = self.table(section)
        parts = [first]
        while f"{section}{len(parts)}" in self.tables:
            parts.append(self.tables[f"{section}{len(parts)}"])
        common = first.snapshots
        for part in parts[1:]:
            common = np.intersect1d(common, part.snapshots)
        columns: dict[str, FloatArray] = {}
        for part in parts:
            columns |= part._rows(np.isin(part.snapshots, common)).columns
        return replace(first._rows(np.isin(first.snapshots, common)), columns=columns, texts={})


def aligned(reference: "Table | NmonRecording", table: Table, values: FloatArray) -> FloatArray:
    """Return values of a table with one element for each snapshot of another, or of a recording; nan for none."""
    given = dict(zip(table.snapshots.tolist(), values.tolist(), strict=True))
    return np.array([given.get(number, np.nan) for number in reference.snapshots.tolist()], dtype=np.float64)
