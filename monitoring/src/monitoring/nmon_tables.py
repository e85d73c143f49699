"""Rows of text to a table of numbers, with everything doubtful reported and nothing invented."""

import math
import re
from collections import Counter

import numpy as np

from monitoring.nmon_lines import Header, Row, SortedLines
from monitoring.nmon_recording import DamageKind, FloatArray, Table

_PLAIN = re.compile(r"[0-9.,-]*")
_NUMBER = re.compile(r"-?\d+(\.\d+)?", re.ASCII)
_ABSENT = frozenset({"", "-nan", "nan", "NaN", "-NaN", "NaNQ"})
_TEXT_COLUMNS = frozenset({"Command", "WLMclass"})
_MOST_PERCENT = 100.5  # nmon rounds to one decimal
_MOST_PERCENT_SUM = 102.0  # of five such roundings
_CPU_SHARES = ("User%", "Sys%", "Wait%", "Idle%", "Steal%")


class _Section:
    """The rows of one section on their way to a table."""

    def __init__(self, found: SortedLines, section: str) -> None:
        self.found = found
        self.section = section
        self.rows = found.rows[section]
        self.header = found.headers.get(section)

    def report(self, line: int, kind: DamageKind, sentence: str) -> None:
        self.found.report(line, kind, self.section, sentence)


def make_table(found: SortedLines, section: str, *, is_linux: bool) -> Table | None:
    """Make the table of `section` from its rows; None when no row is left.

    Rows without a timestamp, second rows of a snapshot and rows of a wrong length are left out; cells that are no
    number or cannot be true are nan. Each is reported in `found`.
    """
    work = _Section(found, section)
    rows = _first_of_each(work, _stamped(work))
    if not rows:
        return None
    split = [(row, _cells(row.values)) for row in rows]
    lengths = Counter(len(cells) for _, cells in split)
    names = _column_names(work, lengths)
    kept: list[Row] = []
    texts: dict[str, list[str]] = {name: [] for name in names if section == "TOP" and name in _TEXT_COLUMNS}
    text_places = [(names.index(name), name) for name in texts]
    numbers: list[list[float]] = []
    length = _row_length(work, len(names), lengths)
    for row, cells in split:
        sound = len(cells) == length
        if sound and length > len(names):
            sound = not cells.pop()
        if not sound:
            sentence = (
                f"{section} row of T{row.snapshot:04d} has {len(cells)} values for {len(names)} columns, left out"
            )
            work.report(row.line, DamageKind.WRONG_LENGTH, sentence)
            continue
        for place, name in text_places:
            texts[name].append(cells[place])
            cells[place] = ""
        kept.append(row)
        numbers.append(_numbers(work, row, cells, names))
    if not kept:
        return None
    values = np.array(numbers, dtype=np.float64).reshape(len(kept), len(names))
    _clear_impossible(work, kept, names, values, is_linux=is_linux)
    return Table(
        section=section,
        title=work.header.title if work.header else "",
        snapshots=np.array([row.snapshot for row in kept], dtype=np.int64),
        time_ns=np.array([found.stamps[row.snapshot][1] for row in kept], dtype=np.int64) * 1_000_000_000,
        lines=np.array([row.line for row in kept], dtype=np.int64),
        columns={name: values[:, place] for place, name in enumerate(names) if name not in texts},
        texts=texts,
    )


def _stamped(work: _Section) -> list[Row]:
    stamped = []
    for row in work.rows:
        if row.snapshot in work.found.stamps:
            stamped.append(row)
        else:
            sentence = f"{work.section} row of T{row.snapshot:04d}, which has no timestamp, left out"
            work.report(row.line, DamageKind.NO_TIMESTAMP, sentence)
    return sorted(stamped, key=lambda row: row.snapshot)


def _first_of_each(work: _Section, rows: list[Row]) -> list[Row]:
    first: dict[object, Row] = {}
    for row in rows:
        key = (row.snapshot, row.values.partition(",")[0]) if work.section == "TOP" else row.snapshot
        if key in first:
            sentence = (
                f"{work.section} row of T{row.snapshot:04d} stands on line {first[key].line} already; that one counts"
            )
            work.report(row.line, DamageKind.DUPLICATE_ROW, sentence)
        else:
            first[key] = row
    return list(first.values())


def _cells(values: str) -> list[str]:
    return values.split(",") if values else []


def _column_names(work: _Section, lengths: Counter[int]) -> list[str]:
    """Choose one name for each value of a row; falls back to `column_1` and on where the header cannot be matched."""
    commonest = lengths.most_common(1)[0][0]
    if work.header is None:
        first = work.rows[0]
        work.report(
            first.line, DamageKind.NO_HEADER, f"{work.section} has no line that names its columns; they are numbered"
        )
        return _numbered(commonest)
    names = list(work.header.names)
    while names and not names[-1]:
        names.pop()
    if "" in names:
        line, kinds = work.header.line, DamageKind.EMPTY_NAMES
        named = [name for name in names if name]
        work.report(line, kinds, f"{work.section} has {names.count('')} columns without a name")
        if len(named) in lengths and len(names) not in lengths:
            names = named
        else:
            names = [name or f"column_{place}" for place, name in enumerate(names, 1)]
    if len(names) not in lengths and len(names) + 1 not in lengths:
        sentence = f"{work.section} names {len(names)} columns but its rows have {commonest} values; they are numbered"
        work.report(work.header.line, DamageKind.HEADER_MISMATCH, sentence)
        return _numbered(commonest)
    return _distinct(work, work.header, names)


def _row_length(work: _Section, columns: int, lengths: Counter[int]) -> int:
    """Return how many cells a sound row has: some nmon versions end each row of NET with one comma more."""
    comma_in_header = work.header is not None and work.header.names[-1:] == [""]
    if (lengths[columns + 1], comma_in_header) > (lengths[columns], False):
        return columns + 1
    return columns


def _numbered(count: int) -> list[str]:
    return [f"column_{place}" for place in range(1, count + 1)]


def _distinct(work: _Section, header: Header, names: list[str]) -> list[str]:
    taken: set[str] = set()
    distinct = []
    for name in names:
        other, count = name, 1
        while other in taken:
            count += 1
            other = f"{name}#{count}"
        if other != name:
            sentence = f"{work.section} names two columns {name!r}; the second is called {other!r}"
            work.report(header.line, DamageKind.DUPLICATE_NAME, sentence)
        taken.add(other)
        distinct.append(other)
    return distinct


def _numbers(work: _Section, row: Row, cells: list[str], names: list[str]) -> list[float]:
    if _PLAIN.fullmatch(row.values):
        try:
            return list(map(float, cells))
        except ValueError:
            pass
    return [_number(work, row, cell, name) for cell, name in zip(cells, names, strict=True)]


def _number(work: _Section, row: Row, cell: str, name: str) -> float:
    if cell in _ABSENT:
        return math.nan
    if _NUMBER.fullmatch(cell):
        return float(cell)
    sentence = f"{work.section} {name} of T{row.snapshot:04d} is {cell[:20]!r}, not a number; taken as missing"
    work.report(row.line, DamageKind.NOT_A_NUMBER, sentence)
    return math.nan


def _clear_impossible(work: _Section, rows: list[Row], names: list[str], values: FloatArray, *, is_linux: bool) -> None:
    values[values == -1.0] = np.nan  # nmon's mark for "the system does not tell"
    if work.section == "MEM":
        values[(values == 0) & np.signbit(values)] = np.nan  # -0.0 there means the same
    impossible = (values < 0) | np.isinf(values)
    if work.section.startswith("DISKBUSY"):
        impossible |= values > _MOST_PERCENT
    for i, j in np.argwhere(impossible):
        cell = f"{work.section} {names[j]} of T{rows[i].snapshot:04d}"
        sentence = f"{cell} is {values[i, j]:g}, which cannot be; taken as missing"
        work.report(rows[i].line, DamageKind.IMPOSSIBLE_VALUE, sentence)
    values[impossible] = np.nan
    if work.section.startswith("CPU") and names[: len(_CPU_SHARES) - 1] == list(_CPU_SHARES[:-1]):
        _clear_impossible_cpu(work, rows, names, values, is_linux=is_linux)


def _clear_impossible_cpu(
    work: _Section, rows: list[Row], names: list[str], values: FloatArray, *, is_linux: bool
) -> None:
    places = [names.index(name) for name in _CPU_SHARES if name in names]
    sums = np.nansum(values[:, places], axis=1)
    wrong = sums > _MOST_PERCENT_SUM
    if is_linux:  # what nmon prints when a counter stepped back
        wrong |= (sums == 0) & ~np.isnan(values[:, places]).any(axis=1)
    for i in np.flatnonzero(wrong):
        sentence = f"{work.section} shares of T{rows[i].snapshot:04d} add up to {sums[i]:.1f} %; taken as missing"
        work.report(rows[i].line, DamageKind.IMPOSSIBLE_VALUE, sentence)
        values[i, places] = np.nan
