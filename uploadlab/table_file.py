"""Tables as CSV files: how numbers are printed, how rows are written and read."""

import csv
import math
from collections.abc import Iterable, Mapping, Sequence
from decimal import ROUND_HALF_EVEN, Context, Decimal
from functools import lru_cache
from pathlib import Path

from monitoring.whole_file import replacing
from uploadlab.errors import LabError

SIGNIFICANT_DIGITS = 6
WHOLE_BELOW = 1e15
Value = str | int | float | bool | None
Row = Mapping[str, Value]


def format_value(value: Value) -> str:
    """Return a value as the tables print it: numbers to 6 significant digits without exponent, unknown as nothing."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return format_number(value)
    return str(value)


@lru_cache(maxsize=100_000)
def format_number(value: float, digits: int = SIGNIFICANT_DIGITS) -> str:
    """Return a number rounded to significant digits, without exponent and without trailing zeros; nothing for NaN."""
    if not math.isfinite(value):
        return ""
    if value.is_integer() and abs(value) < WHOLE_BELOW:
        return str(int(value))
    # 15 digits first: what binary fractions add beyond them must not decide whether a 5 is rounded up or down
    text = format(Context(prec=digits, rounding=ROUND_HALF_EVEN).plus(Decimal(f"{value:.15g}")), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def as_number(value: object) -> float | None:
    """Return a number of a table as such, None for anything else."""
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def write_table(path: Path, columns: Sequence[str], rows: Iterable[Row]) -> None:
    """Write rows to a CSV file; the file appears whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as new, new.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([format_value(row.get(column)) for column in columns] for row in rows)


def header_of(path: Path) -> list[str]:
    """Return the column names of a CSV file."""
    with path.open(newline="", encoding="utf-8") as file:
        return next(csv.reader(file), [])


def read_table(path: Path) -> list[dict[str, str]]:
    """Read a CSV file with a header into one dictionary a row.

    Raises LabError when the file is missing, is no CSV file in UTF-8, or a row has another number of fields than the
    header.
    """
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:  # people's programs may write a byte order mark
            reader = csv.reader(file)
            header = next(reader, [])
            rows = []
            for fields in reader:
                if len(fields) != len(header):
                    raise LabError(f"{path}, line {reader.line_num}: {len(fields)} fields; expected {len(header)}.")
                rows.append(dict(zip(header, fields, strict=True)))
            return rows
    except OSError as error:
        raise LabError(f"{path} cannot be read: {error.strerror}.") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise LabError(f"{path}: expected a CSV file in UTF-8: {error}.") from None


def number(text: str | None) -> float | None:
    """Return the finite number in a CSV field, or None where it is empty, absent or not a number."""
    try:
        value = float(text) if text else math.nan
    except ValueError:
        return None
    return value if math.isfinite(value) else None
