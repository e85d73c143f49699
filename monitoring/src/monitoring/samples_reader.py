"""Read the sampler's `*.samples.csv`."""

import re
from math import nan
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from monitoring.errors import RecordingError, read_lines
from monitoring.sample_columns import COLUMNS

_NUMBER = re.compile(r"\d{1,30}", re.ASCII)
_MAX_TIME_NS = 2**63 - 1


def read_samples(path: Path) -> dict[str, NDArray[Any]]:
    """Return a samples file's columns by name: `time_ns` is int64, every other float64, nan for an empty cell.

    Every column of the contract is there, all nan when the file lacks it; unknown ones come with them. Rows that are
    cut off, have a wrong number of cells or no time are left out; cells that are no number are nan. Raises
    RecordingError with file and line when the file cannot be read or has no header or no row.
    """
    lines = read_lines(path)
    names = lines[0].removesuffix("\r").split(",")
    if "time_ns" not in names:
        raise RecordingError(path, 1, f"is no samples file (expected a header with time_ns; got {lines[0][:40]!r})")
    if len(set(names)) != len(names):
        raise RecordingError(path, 1, "names a column twice, so it is not certain which one counts")
    place = names.index("time_ns")
    times: list[int] = []
    rows: list[list[float]] = []
    for line in lines[1:-1]:
        cells = line.removesuffix("\r").split(",")
        if len(cells) == len(names) and (time_ns := _time_of(cells[place])) is not None:
            times.append(time_ns)
            rows.append([float(cell) if _NUMBER.fullmatch(cell) else nan for cell in cells])
    if not rows:
        raise RecordingError(path, len(lines), "has no complete row")
    columns: dict[str, NDArray[Any]] = {name: np.full(len(rows), nan) for name in COLUMNS}
    columns |= zip(names, np.array(rows, dtype=np.float64).T, strict=True)
    columns["time_ns"] = np.array(times, dtype=np.int64)
    return columns


def _time_of(cell: str) -> int | None:
    return int(cell) if _NUMBER.fullmatch(cell) and int(cell) <= _MAX_TIME_NS else None
