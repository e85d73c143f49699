"""Read the sampler's `*.samples.csv`."""

import re
from dataclasses import dataclass
from math import nan
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from monitoring.errors import RecordingError, read_lines
from monitoring.sample_columns import COLUMNS, COUNTERS

_NUMBER = re.compile(r"\d{1,30}", re.ASCII)
_MAX_TIME_NS = 2**63 - 1


@dataclass(frozen=True)
class Damage:
    """One thing that was wrong, what was done about it, and where (`line` is 1-based)."""

    line: int
    sentence: str


class Samples(dict[str, NDArray[Any]]):
    """A samples file's columns by name, each (n,), and what was wrong with the file.

    `time_ns` is int64, every other column float64 with nan for an empty cell. Every column of the contract is present
    (all nan when the file lacks it); unknown ones come with them.
    """

    def __init__(self, columns: dict[str, NDArray[Any]], damages: tuple[Damage, ...]) -> None:
        super().__init__(columns)
        self.damages = damages


def read_samples(path: Path) -> Samples:
    """Read a samples file.

    Rows that are cut off, have a wrong number of cells or no time are left out; cells that are no number are nan; both
    are listed in `damages`, as are steps back of the time or of a counter (which are kept as they are). Raises
    RecordingError with file and line when the file cannot be read or has no header or no row.
    """
    lines = read_lines(path)
    names = lines[0].removesuffix("\r").split(",")
    if "time_ns" not in names:
        raise RecordingError(path, 1, f"is no samples file (expected a header with time_ns; got {lines[0][:40]!r})")
    if len(set(names)) != len(names):
        raise RecordingError(path, 1, "names a column twice, so it is not certain which one counts")
    missing = [name for name in COLUMNS if name not in names]
    damages = [Damage(1, f"column {name} is missing; all its values are") for name in missing]
    if lines[-1]:
        damages.append(Damage(len(lines), "has no line end: it may be cut off, left out"))
    kept: list[int] = []
    times: list[int] = []
    rows: list[list[float]] = []
    for number, line in enumerate(lines[1:-1], 2):
        cells = line.removesuffix("\r").split(",")
        if len(cells) != len(names):
            damages.append(Damage(number, f"has {len(cells)} cells for {len(names)} columns, left out"))
            continue
        row = dict(zip(names, cells, strict=True))
        wrong = {name: cell for name, cell in row.items() if cell and not _NUMBER.fullmatch(cell)}
        time = row["time_ns"]
        if not time or "time_ns" in wrong or int(time) > _MAX_TIME_NS:
            damages.append(Damage(number, f"has no time (time_ns is {time[:20]!r}), left out"))
            continue
        damages += [
            Damage(number, f"{name} is {cell[:20]!r}, not a whole number; taken as missing")
            for name, cell in wrong.items()
        ]
        kept.append(number)
        times.append(int(time))
        rows.append([float(cell) if cell and name not in wrong else nan for name, cell in row.items()])
    if not rows:
        raise RecordingError(path, len(lines), "has no complete row")
    columns: dict[str, NDArray[Any]] = dict(zip(names, np.array(rows, dtype=np.float64).T, strict=True))
    columns |= {name: np.full(len(rows), nan) for name in missing}
    columns["time_ns"] = np.array(times, dtype=np.int64)
    damages += [
        Damage(kept[row], "is earlier than the row before: the clock was set") for row in _falls(columns["time_ns"])
    ]
    for name in COUNTERS:
        sentence = f"{name} is smaller than before, which a counter cannot be"
        damages += [Damage(kept[row], sentence) for row in _falls(columns[name])]
    return Samples(columns, tuple(sorted(damages, key=lambda damage: damage.line)))


def _falls(values: NDArray[Any]) -> list[int]:
    """Return the places of the values that are smaller than the one before that is known."""
    known = np.flatnonzero(~np.isnan(values))
    places: list[int] = known[1:][np.diff(values[known]) < 0].tolist()
    return places
