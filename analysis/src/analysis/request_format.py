"""What a JMeter request file looks like: delimiter, header or not, the columns in file order."""

import csv
from dataclasses import dataclass
from pathlib import Path

from analysis.errors import InputError

DELIMITERS = (",", "\t", ";", "|")
OPENING_BYTES = 1 << 16
_COUNTS = frozenset(("timeStamp", "elapsed", "bytes", "sentBytes", "grpThreads", "allThreads", "Latency", "Connect"))
# What JMeter writes without being told otherwise, by number of columns. 2.x wrote no header line.
_LAYOUT_2 = (
    "timeStamp", "elapsed", "label", "responseCode", "responseMessage", "threadName", "dataType", "success", "bytes",
    "grpThreads", "allThreads", "Latency",
)  # fmt: skip
_LAYOUT_3_0 = (
    "timeStamp", "elapsed", "label", "responseCode", "responseMessage", "threadName", "dataType", "success",
    "failureMessage", "bytes", "grpThreads", "allThreads", "Latency", "IdleTime",
)  # fmt: skip
_LAYOUT_3_1 = (
    "timeStamp", "elapsed", "label", "responseCode", "responseMessage", "threadName", "dataType", "success",
    "failureMessage", "bytes", "sentBytes", "grpThreads", "allThreads", "Latency", "IdleTime", "Connect",
)  # fmt: skip
_LAYOUT_5 = (
    "timeStamp", "elapsed", "label", "responseCode", "responseMessage", "threadName", "dataType", "success",
    "failureMessage", "bytes", "sentBytes", "grpThreads", "allThreads", "URL", "Latency", "IdleTime", "Connect",
)  # fmt: skip
LAYOUTS = {len(layout): layout for layout in (_LAYOUT_2, _LAYOUT_3_0, _LAYOUT_3_1, _LAYOUT_5)}


@dataclass(frozen=True, kw_only=True)
class RequestFormat:
    """How one request file is written."""

    delimiter: str
    header: bool
    columns: tuple[str, ...]


def detect_format(path: Path) -> RequestFormat:
    """Find delimiter, header and columns of a JMeter CSV.

    Raises
    ------
    InputError
        When the file is missing, empty, XML, or its layout is not certain.
    """
    opening = _read_opening(path)
    if opening.lstrip("\ufeff").lstrip().startswith("<"):
        raise InputError(
            f"{path}, line 1: this is JMeter's XML format; expected CSV (jmeter.save.saveservice.output_format=csv)."
        )
    records = {delimiter: _first_record(opening, delimiter) for delimiter in DELIMITERS}
    for delimiter, record in records.items():
        if "timeStamp" in record and "elapsed" in record:
            return _with_header(path, delimiter, record)
    for delimiter, record in records.items():
        layout = LAYOUTS.get(len(record))
        if layout is not None and _fits(record, layout):
            return RequestFormat(delimiter=delimiter, header=False, columns=layout)
    raise InputError(
        f"{path}, line 1: no header line with the columns timeStamp and elapsed, "
        "and not the columns JMeter writes when it writes no header."
    )


def _read_opening(path: Path) -> str:
    try:
        with path.open("rb") as file:
            opening = file.read(OPENING_BYTES)
    except FileNotFoundError:
        raise InputError(f"{path} is missing.") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from None
    if not opening.strip():
        raise InputError(f"{path} is empty; expected a header line and one line a request.")
    return opening.decode("utf-8-sig", errors="replace")


def _first_record(opening: str, delimiter: str) -> list[str]:
    return next(csv.reader(opening.splitlines(keepends=True), delimiter=delimiter), [])


def _with_header(path: Path, delimiter: str, record: list[str]) -> RequestFormat:
    doubled = sorted({name for name in record if record.count(name) > 1})
    if doubled:
        raise InputError(f"{path}, line 1: the column {doubled[0]} appears twice in the header.")
    return RequestFormat(delimiter=delimiter, header=True, columns=tuple(record))


def _fits(record: list[str], layout: tuple[str, ...]) -> bool:
    named = dict(zip(layout, record, strict=True))
    counts = all(named[name].isdigit() for name in layout if name in _COUNTS)
    return counts and len(named["timeStamp"]) == 13 and named["success"].lower() in ("true", "false")
