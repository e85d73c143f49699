"""Rows of text to a table of numbers, with everything doubtful reported and nothing invented."""

import math
import re
from collections import Counter

import numpy as np

from monitoring.nmon_lines import Header, Row, SortedLines
from monitoring.nmon_recording import DamageKind, FloatArray, Table

_PLAIN = b"0123456789.,- "
_NUMBER = re.compile(r"-?(\d+(\.\d*)?|\.\d+)", re.ASCII)
_ABSENT = frozenset({"", "-nan", "nan", "NaN", "-NaN", "NaNQ"})
_TEXT_COLUMNS = frozenset({"Command", "WLMclass"})
_BLOCK_ROWS = 500  # read at once, and one by one only where a cell of them is no number
_MOST_PERCENT = 100.5  # nmon rounds to one decimal
_MOST_PERCENT_SUM = 102.0  # of five such roundings
_MOST = 2.0**53  # no rate and no size: a counter of 64 bits that stepped back
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
    lengths = Counter(_length(row.values) for row in rows)
    names = _column_names(work, lengths)
    rows = _of_sound_length(work, rows, names, lengths)
    if not rows:
        return None
    text_columns = [name for name in names if section == "TOP" and name in _TEXT_COLUMNS]
    rows, texts = _without_texts(rows, names, text_columns)
    values = _numbers(work, rows, names)
    _clear_impossible(work, rows, names, values, is_linux=is_linux)
    return Table(
        section=section,
        title=work.header.title if work.header else "",
        snapshots=np.array([row.snapshot for row in rows], dtype=np.int64),
        time_ns=np.array([found.stamps[row.snapshot][1] for row in rows], dtype=np.int64) * 1_000_000_000,
        lines=np.array([row.line for row in rows], dtype=np.int64),
        columns={name: values[:, place] for place, name in enumerate(names) if name not in texts},
        texts=texts,
    )


def _stamped(work: _Section) -> list[Row]:
    """Return the rows that have a timestamp, in the order of their snapshots."""
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
            sentence = f"{work.section} row of T{row.snapshot:04d} is already on line {first[key].line}, which counts"
            work.report(row.line, DamageKind.DUPLICATE_ROW, sentence)
        else:
            first[key] = row
    return list(first.values())


def _length(values: str) -> int:
    return values.count(",") + 1 if values else 0


def _column_names(work: _Section, lengths: Counter[int]) -> list[str]:
    """Choose one name for each value of a row; falls back to `column_1` and on where the header cannot be matched."""
    commonest = lengths.most_common(1)[0][0]
    if work.header is None:
        sentence = f"{work.section} has no line that names its columns; they are numbered"
        work.report(work.rows[0].line, DamageKind.NO_HEADER, sentence)
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


def _of_sound_length(work: _Section, rows: list[Row], names: list[str], lengths: Counter[int]) -> list[Row]:
    """Return the rows that have a value for each name: some nmon versions end each row of NET with one comma more."""
    comma_in_header = work.header is not None and work.header.names[-1:] == [""]
    comma_more = (lengths[len(names) + 1], comma_in_header) > (lengths[len(names)], False)
    length = len(names) + comma_more
    sound = []
    for row in rows:
        if _length(row.values) == length and (not comma_more or row.values.endswith(",")):
            sound.append(row._replace(values=row.values[:-1]) if comma_more else row)
        else:
            told = f"{work.section} row of T{row.snapshot:04d} has {_length(row.values)} values"
            work.report(row.line, DamageKind.WRONG_LENGTH, f"{told} for {len(names)} columns, left out")
    return sound


def _without_texts(
    rows: list[Row], names: list[str], text_columns: list[str]
) -> tuple[list[Row], dict[str, list[str]]]:
    """Return the rows with empty cells for their texts, and the texts by column."""
    if not text_columns:
        return rows, {}
    cells = [dict(zip(names, row.values.split(","), strict=True)) for row in rows]
    texts = {name: [of_row[name] for of_row in cells] for name in text_columns}
    empty = dict.fromkeys(text_columns, "")
    return [
        row._replace(values=",".join((of_row | empty).values())) for row, of_row in zip(rows, cells, strict=True)
    ], texts


def _numbers(work: _Section, rows: list[Row], names: list[str]) -> FloatArray:
    """Return the numbers (rows, names), nan for what is none."""
    if not names:
        return np.empty((len(rows), 0))
    blocks = []
    for first in range(0, len(rows), _BLOCK_ROWS):
        some = rows[first : first + _BLOCK_ROWS]
        block = _plain_numbers([row.values for row in some])
        if block is None or block.size != len(some) * len(names):
            block = np.array([_row_of_numbers(work, row, names) for row in some], dtype=np.float64)
        blocks.append(block.reshape(len(some), len(names)))
    return np.concatenate(blocks)


def _plain_numbers(texts: list[str]) -> FloatArray | None:
    """Return all numbers of some rows one after the other; None when one is not a plain number or absent."""
    joined = f",{','.join(texts)},"
    if joined.encode().translate(None, _PLAIN):
        return None
    joined = joined.replace(",,", ",nan,").replace(",,", ",nan,")[1:-1]
    try:
        return np.fromstring(joined, sep=",")
    except ValueError:
        return None


def _row_of_numbers(work: _Section, row: Row, names: list[str]) -> list[float]:
    return [_number(work, row, cell.strip(" "), name) for cell, name in zip(row.values.split(","), names, strict=True)]


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
    impossible = (values < 0) | (values >= _MOST)
    _report_cells(work, rows, names, values, impossible, "which is impossible; taken as missing")
    values[impossible] = np.nan
    if work.section.startswith("DISKBUSY"):  # nmon writes 101.00 for a disk that was busy for longer than the interval
        above = values > _MOST_PERCENT
        _report_cells(work, rows, names, values, above, "above 100 %; taken as 100 %", DamageKind.ABOVE_100)
        values[above] = 100.0
    if work.section.startswith("CPU") and names[: len(_CPU_SHARES) - 1] == list(_CPU_SHARES[:-1]):
        _clear_impossible_cpu(work, rows, names, values, is_linux=is_linux)


def _report_cells(
    work: _Section,
    rows: list[Row],
    names: list[str],
    values: FloatArray,
    where: np.ndarray[tuple[int, ...], np.dtype[np.bool_]],
    verdict: str,
    kind: DamageKind = DamageKind.IMPOSSIBLE_VALUE,
) -> None:
    for i, j in np.argwhere(where).tolist():
        cell = f"{work.section} {names[j]} of T{rows[i].snapshot:04d}"
        work.report(rows[i].line, kind, f"{cell} is {values[i, j]:g}, {verdict}")


def _clear_impossible_cpu(
    work: _Section, rows: list[Row], names: list[str], values: FloatArray, *, is_linux: bool
) -> None:
    places = [names.index(name) for name in _CPU_SHARES if name in names]
    sums = np.nansum(values[:, places], axis=1)
    wrong = sums > _MOST_PERCENT_SUM
    if is_linux:  # what nmon prints when a counter stepped back
        wrong |= (sums == 0) & ~np.isnan(values[:, places]).any(axis=1)
    for i in np.flatnonzero(wrong).tolist():
        sentence = f"{work.section} shares of T{rows[i].snapshot:04d} add up to {sums[i]:.1f} %; taken as missing"
        work.report(rows[i].line, DamageKind.IMPOSSIBLE_VALUE, sentence)
        values[i, places] = np.nan
