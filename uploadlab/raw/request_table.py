"""The rows of a request file in a DuckDB table, each figure held to what it must be.

A row is one request (JMeter calls it a sample). A figure that is not what its column promises ends the reading with
file, line and column: nothing is rounded, guessed or taken for 0.
"""

import csv
import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import duckdb

from uploadlab.errors import LabError
from uploadlab.raw.database import only_row
from uploadlab.raw.request_format import RequestFormat, is_date
from uploadlab.raw.request_text import literal_path

LONGEST_LINE_BYTES = 1 << 24
"""Two of them at a time are read by one core: DuckDB's default of 32 would leave the others without work."""
LONGEST_MS = 10**11
"""Three years; sums of 90 million such times still fit."""
LATEST_MS = 10**13
MOST_BYTES = 10**15
TRANSACTION = "Number of samples in transaction"
"""How the response message of a Transaction Controller's row begins."""
_FIRST_NUMBER = "coalesce(TRY_CAST(regexp_extract(\"responseMessage\", '[0-9]+') AS BIGINT), 1)"
_TIMES = {"timeStamp": LATEST_MS, "elapsed": LONGEST_MS, "Latency": LONGEST_MS, "Connect": LONGEST_MS}
_LIMITS = {
    **_TIMES, "start_us": 1000 * LATEST_MS, "elapsed_us": 1000 * LONGEST_MS, "latency_us": 1000 * LONGEST_MS,
    "connect_us": 1000 * LONGEST_MS, "bytes": MOST_BYTES, "sentBytes": MOST_BYTES, "SampleCount": MOST_BYTES,
}  # fmt: skip
_FINER = {"timeStamp": "start_us", "elapsed": "elapsed_us", "Latency": "latency_us", "Connect": "connect_us"}
"""A generator with a finer clock writes microseconds beside JMeter's columns; they count where they are."""
_MUST_BE_THERE = ("timeStamp", "elapsed", "success")


def load_requests(
    database: duckdb.DuckDBPyConnection,
    path: Path,
    layout: RequestFormat,
    *,
    name: Path,
    also: Sequence[str] = (),
    repeated_headers: bool = False,
    temporary: bool = False,
) -> None:
    """Make the table ``request`` of a CSV file's rows.

    Its columns: ``start_us`` (epoch) and ``elapsed_us``, ``idle_us``, ``label``, ``thread``, ``failed``,
    ``transaction``, ``transaction_samples`` (how many it says it holds), ``latency_us``, ``connect_us``,
    ``sent_bytes``, ``received_bytes``, ``sample_count``; NULL where the file has no such column, and ``bad``, true in
    none. The text columns named in `also` are kept as they are.

    Parameters
    ----------
    path, layout
        Plain text in UTF-8, and what `detect_format` found in it.
    name
        What the file is called in sentences.
    also
        Text columns to keep, under their own names.
    repeated_headers
        Leave out header lines between rows, as two files put together have them.
    temporary
        Make a table that ends with the connection.

    Raises
    ------
    LabError
        Naming file, line and column of the first row that cannot be read.
    """
    there = set(layout.columns)
    transaction = f"starts_with(\"responseMessage\", '{TRANSACTION}')" if "responseMessage" in there else "false"
    text = {
        "label": '"label"' if "label" in there else "NULL::VARCHAR",
        "thread": '"threadName"' if "threadName" in there else "NULL::VARCHAR",
        "failed": "lower(\"success\") = 'false'" if "success" in there else "NULL::BOOLEAN",
        "transaction": f"coalesce({transaction}, false)",
    }
    values = {
        "start_us": _microseconds("timeStamp", layout),
        "elapsed_us": _microseconds("elapsed", layout),
        "latency_us": _microseconds("Latency", layout),
        "connect_us": _microseconds("Connect", layout),
        "sent_bytes": _whole("sentBytes", there),
        "received_bytes": _whole("bytes", there),
        "sample_count": _whole("SampleCount", there),
        "idle_us": f"1000 * {_whole('IdleTime', there)}",
        "transaction_samples": f"CASE WHEN {transaction} THEN {_FIRST_NUMBER} END"
        if "responseMessage" in there
        else "NULL::BIGINT",
        **{column: _quoted(column) if column in there else "NULL::VARCHAR" for column in also},
    }
    bad = " OR ".join(f"NOT ({condition})" for condition in _conditions(layout))
    rows = "coalesce(\"elapsed\", '') <> 'elapsed'" if repeated_headers else "true"
    query = f"""
        CREATE {"TEMP" if temporary else ""} TABLE request AS
        SELECT {", ".join(f"{value} AS {_quoted(column)}" for column, value in {**text, **values}.items())},
          coalesce({bad}, true) AS bad
        FROM read_csv($path, auto_detect=false, columns=$columns, header=$header, delim=$delimiter, quote='"',
          escape='"', max_line_size={LONGEST_LINE_BYTES}, buffer_size={2 * LONGEST_LINE_BYTES})
        WHERE {rows}
    """
    with literal_path(path) as literal:
        try:
            database.execute(
                query,
                {
                    "path": literal,
                    "columns": dict.fromkeys(layout.columns, "VARCHAR"),
                    "header": layout.header,
                    "delimiter": layout.delimiter,
                },
            )
        except duckdb.Error as error:
            problem = str(error).splitlines()[0].replace(literal, str(name))
            fault = first_fault(path, layout, said=name, repeated_headers=repeated_headers)
            raise LabError(fault or f"{name} cannot be read as CSV: {problem}") from None
    bad_row = only_row(database, "SELECT min(rowid) FROM request WHERE bad")[0]
    if bad_row is not None:
        fault = first_fault(path, layout, said=name, repeated_headers=repeated_headers)
        raise LabError(fault or f"{name}, record {bad_row + 1}: a figure is not what its column promises.")


def first_fault(path: Path, layout: RequestFormat, *, said: Path, repeated_headers: bool = False) -> str | None:
    """Return the sentence about the first row that cannot be read, or None when Python's reader finds none."""
    usual = csv.field_size_limit(LONGEST_LINE_BYTES)
    try:
        return _first_fault(path, layout, said=said, repeated_headers=repeated_headers)
    finally:
        csv.field_size_limit(usual)  # the whole process has one


def _first_fault(path: Path, layout: RequestFormat, *, said: Path, repeated_headers: bool) -> str | None:
    checks = [(place, column, _check(column, layout)) for place, column in enumerate(layout.columns)]
    with path.open(newline="", encoding="utf-8-sig", errors="replace") as file:
        reader = csv.reader(file, delimiter=layout.delimiter, strict=True)
        before = 0
        try:
            for number, record in enumerate(reader):
                line, before = before + 1, reader.line_num
                if not record or (number == 0 and layout.header):
                    continue
                if repeated_headers and "elapsed" in record and "timeStamp" in record:
                    continue
                if len(record) != len(layout.columns):
                    found = _shorten(layout.delimiter.join(record))
                    return f"{said}, line {line}: expected {len(layout.columns)} columns, found: {found}"
                for place, column, check in checks:
                    if wanted := check(record[place]):
                        return (
                            f"{said}, line {line}, column {column}: expected {wanted}, found: {_shorten(record[place])}"
                        )
        except csv.Error as error:
            return f"{said}, line {before + 1}: a record that is not CSV: {error}."
    return None


def _quoted(column: str) -> str:
    escaped = column.replace('"', '""')
    return f'"{escaped}"'


def _whole(column: str, there: set[str]) -> str:
    return f"TRY_CAST({_quoted(column)} AS BIGINT)" if column in there else "NULL::BIGINT"


def _microseconds(column: str, layout: RequestFormat) -> str:
    there = set(layout.columns)
    coarse = f"1000 * {_whole(column, there)}"
    if column == "timeStamp" and layout.date_format is not None:
        coarse = _date(layout)
    finer = _FINER[column]
    return f"coalesce({_whole(finer, there)}, {coarse})" if finer in there else coarse


def _date(layout: RequestFormat) -> str:
    written = (layout.date_format or "").replace("'", "''")
    return f"""epoch_us(TRY_STRPTIME("timeStamp", '{written}'))"""


def _conditions(layout: RequestFormat) -> list[str]:
    """Return what holds of every good row."""
    conditions = []
    for column in layout.columns:
        if column == "success":
            conditions.append("lower(\"success\") IN ('true', 'false')")
        elif column == "timeStamp" and layout.date_format is not None:
            conditions.append(f"{_date(layout)} IS NOT NULL")
        elif column in _LIMITS:
            value = _whole(column, {column})
            # Back as text it must be the same: DuckDB takes 1.5, 0x10, 1e3 and 007 for numbers.
            good = f"{value} BETWEEN 0 AND {_LIMITS[column]} AND {value}::VARCHAR = {_quoted(column)}"
            empty = "" if column in _MUST_BE_THERE else f"{_quoted(column)} IS NULL OR "
            conditions.append(f"{empty}coalesce({good}, false)")
    return conditions or ["true"]


def _check(column: str, layout: RequestFormat) -> Callable[[str], str | None]:
    """Return what says of a field what was expected instead, or None: the same as `_conditions`."""
    if column == "success":
        return lambda text: None if text.lower() in ("true", "false") else "true or false"
    if column == "timeStamp" and layout.date_format is not None:
        return lambda text: None if is_date(text, layout.date_format or "") else f"a time like {_example(layout)}"
    if column not in _LIMITS:
        return lambda _: None
    limit, may_be_empty = _LIMITS[column], column not in _MUST_BE_THERE
    wanted = f"a whole number from 0 to {limit}"
    if column == "timeStamp":
        wanted = f"a whole number from 0 to {limit} (epoch milliseconds)"

    def check(text: str) -> str | None:
        if not text and may_be_empty:
            return None
        return None if re.fullmatch("0|[1-9][0-9]{0,18}", text, re.ASCII) and int(text) <= limit else wanted

    return check


def _example(layout: RequestFormat) -> str:
    return datetime(2026, 11, 30, 23, 59, 58, tzinfo=UTC).strftime(layout.date_format or "")


def _shorten(text: str) -> str:
    first_line = text.strip().partition("\n")[0]
    return first_line if len(first_line) <= 100 else f"{first_line[:100]}..."
