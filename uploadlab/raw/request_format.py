"""What a JMeter request file looks like: delimiter, header or not, the columns in file order, how times are written."""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from uploadlab.errors import LabError

DELIMITERS = (",", "\t", ";", "|")
OPENING_BYTES = 1 << 16
TRIED_RECORDS = 1000
EPOCH_MS = re.compile(r"[1-9][0-9]{11,12}")
"""Epoch milliseconds from 1973 to 2286."""
COUNTS = frozenset((
    "bytes", "sentBytes", "grpThreads", "allThreads", "Latency", "Connect", "IdleTime", "SampleCount", "ErrorCount",
))  # fmt: skip
DATE_FORMATS = (
    "%Y/%m/%d %H:%M:%S.%f", "%Y/%m/%d %H:%M:%S", "%Y-%m-%d %H:%M:%S.%f", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S.%f",
    "%Y-%m-%dT%H:%M:%S", "%m/%d/%y %H:%M:%S",
)  # fmt: skip
"""The patterns that JMeter tries when it reads a file, and ISO 8601; any other has to be given."""
# A pattern letter of Java's SimpleDateFormat, and what strptime calls it.
_JAVA_LETTERS = {
    "yyyy": "%Y", "yy": "%y", "MMM": "%b", "MM": "%m", "dd": "%d", "HH": "%H", "hh": "%I", "mm": "%M", "ss": "%S",
    "SSS": "%f", "a": "%p",
}  # fmt: skip
_LAYOUT_5 = (
    "timeStamp", "elapsed", "label", "responseCode", "responseMessage", "threadName", "dataType", "success",
    "failureMessage", "bytes", "sentBytes", "grpThreads", "allThreads", "URL", "Latency", "IdleTime", "Connect",
)  # fmt: skip
# What JMeter 3.1, 3.0 and 2 did not write yet of it, when they were not told otherwise; 2.x wrote no header line.
_NOT_YET = (
    (), ("URL",), ("URL", "sentBytes", "Connect"), ("URL", "sentBytes", "Connect", "failureMessage", "IdleTime"),
)  # fmt: skip
LAYOUTS = {len(_LAYOUT_5) - len(lacks): tuple(name for name in _LAYOUT_5 if name not in lacks) for lacks in _NOT_YET}
"""JMeter's own columns, by their number."""


@dataclass(frozen=True, kw_only=True)
class RequestFormat:
    """How one request file is written."""

    delimiter: str
    header: bool
    columns: tuple[str, ...]
    date_format: str | None = None
    """How ``timeStamp`` is written, as strptime takes it; None: epoch milliseconds."""


def detect_format(
    path: Path, *, name: Path, columns: Sequence[str] = (), date_format: str | None = None
) -> RequestFormat:
    """Find delimiter, header and columns of a JMeter CSV.

    Parameters
    ----------
    path
        Plain text in UTF-8.
    name
        What the file is called in sentences.
    columns
        The columns of a file without a header line; by default JMeter's own layouts are tried.
    date_format
        How ``timeStamp`` is written (strptime); by default epoch milliseconds and DATE_FORMATS are tried.

    Raises
    ------
    LabError
        When the file is empty, XML, or its layout is not certain.
    """
    opening = _read_opening(path, name)
    if opening.lstrip("\ufeff").lstrip().startswith("<"):
        raise LabError(
            f"{name}, line 1: this is JMeter's XML format; expected CSV (jmeter.save.saveservice.output_format=csv)."
        )
    for delimiter in _delimiters(opening):
        record = _first_records(opening, delimiter, 1)[0]
        if "elapsed" in record and ("timeStamp" in record or "label" in record):
            if columns:
                raise LabError(f"{name}, line 1: the file has a header line; its columns need not be given.")
            return _with_header(name, opening, delimiter, record, date_format)
    for delimiter in DELIMITERS:
        records = _first_records(opening, delimiter, TRIED_RECORDS)
        layout = tuple(columns) or LAYOUTS.get(len(records[0]))
        if layout is None or len(records[0]) != len(layout):
            continue
        stamps = [record[layout.index("timeStamp")] for record in records] if "timeStamp" in layout else []
        written = _date_format(stamps, date_format)
        if written is not None and (columns or all(_fits(record, layout) for record in records)):
            return RequestFormat(delimiter=delimiter, header=False, columns=layout, date_format=written or None)
    raise LabError(_no_layout(name, opening, columns))


def java_date_format(pattern: str) -> str:
    """Return a pattern of Java's SimpleDateFormat, as jmeter.save.saveservice.timestamp_format has it, for strptime.

    Raises LabError when it has a letter that is not read.
    """
    result, place = "", 0
    while place < len(pattern):
        letter = pattern[place]
        if letter == "'":
            end = pattern.find("'", place + 1)
            result += pattern[place + 1 : end].replace("%", "%%")
            place = (end if end > 0 else len(pattern)) + 1
            continue
        run = re.match(r"(.)\1*", pattern[place:], re.DOTALL)
        assert run is not None  # there is a letter
        if letter.isalpha():
            if run[0] not in _JAVA_LETTERS:
                raise LabError(f"The time format {pattern}: {run[0]} is unknown; known: {', '.join(_JAVA_LETTERS)}.")
            result += _JAVA_LETTERS[run[0]]
        else:
            result += run[0].replace("%", "%%")
        place += len(run[0])
    return result


def _delimiters(opening: str) -> list[str]:
    """Return what may part the columns: first what follows the first word, which is how JMeter itself finds it."""
    first = re.search(r"[^\w\ufeff\"]", opening.partition("\n")[0])
    return [*([first[0]] if first and first[0] not in "\r" else []), *DELIMITERS]


def _no_layout(said: Path, opening: str, columns: Sequence[str]) -> str:
    found = max(len(_first_records(opening, delimiter, 1)[0]) for delimiter in DELIMITERS)
    if columns:
        return f"{said}, line 1: {found} columns; {len(columns)} were given."
    return (
        f"{said}, line 1: no header line with the columns timeStamp and elapsed, and not the columns JMeter writes "
        f"when it writes no header ({found} found). Say which they are with --columns timeStamp,elapsed,label,... or "
        "add a header line."
    )


def _read_opening(path: Path, said: Path) -> str:
    with path.open("rb") as file:
        opening = file.read(OPENING_BYTES)
        whole = not file.read(1)
    if not opening.strip():
        raise LabError(f"{said} is empty; expected a header line and one line a request.")
    # What is cut by the end of the opening is no record.
    end = len(opening) if whole else opening.rfind(b"\n") + 1 or len(opening)
    return opening[:end].decode("utf-8-sig", errors="replace")


def _first_records(opening: str, delimiter: str, wanted: int) -> list[list[str]]:
    records = []
    for record in csv.reader(io.StringIO(opening, newline=""), delimiter=delimiter):
        if record:
            records.append(record)
        if len(records) == wanted:
            return records
    # The last may go on beyond the opening.
    return records[:-1] if len(records) > 2 and len(opening) > OPENING_BYTES // 2 else records or [[]]


def _with_header(said: Path, opening: str, delimiter: str, record: list[str], date_format: str | None) -> RequestFormat:
    doubled = sorted({name for name in record if record.count(name) > 1})
    if doubled:
        raise LabError(f"{said}, line 1: the column {doubled[0]} appears twice in the header.")
    written: str | None = ""
    if "timeStamp" in record:
        place = record.index("timeStamp")
        rows = _first_records(opening, delimiter, 2)[1:]
        written = _date_format([row[place] for row in rows if len(row) > place], date_format)
    return RequestFormat(delimiter=delimiter, header=True, columns=tuple(record), date_format=written or None)


def _date_format(stamps: Iterable[str], given: str | None) -> str | None:
    """Return how times are written, empty for epoch milliseconds, None where no format is known."""
    if given:
        return given
    listed = list(stamps)
    if all(re.fullmatch(r"-?[0-9.]*|timeStamp", stamp) for stamp in listed):
        return ""
    return next((one for one in DATE_FORMATS if all(is_date(stamp, one) for stamp in listed)), None)


def is_date(text: str, date_format: str) -> bool:
    """Return whether a text is a date of a format, as strptime takes it."""
    try:
        datetime.strptime(text, date_format)
    except ValueError:
        return False
    return True


def _fits(record: list[str], layout: tuple[str, ...]) -> bool:
    """Return whether a record can be one of a layout: what is no number where one belongs speaks against it."""
    if len(record) != len(layout):
        return False
    named = dict(zip(layout, record, strict=True))
    if not all(_is_count(named[name]) for name in layout if name in COUNTS or name == "elapsed"):
        return False
    elapsed = int(named["elapsed"])
    return (
        named["success"].lower() in ("true", "false")
        and (not named["timeStamp"].isdigit() or EPOCH_MS.fullmatch(named["timeStamp"]) is not None)
        and not any(named.get(name, "").isdigit() for name in ("failureMessage", "URL"))
        and int(named["grpThreads"]) <= int(named["allThreads"])
        # The clock's whole milliseconds: a part can look one longer than the whole.
        and all(int(named.get(name, 0)) <= elapsed + 1 for name in ("Latency", "Connect"))
    )


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 16
