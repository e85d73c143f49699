"""The turns of a load whose server shares its core with those of other runs: when this run had the core.

A run's turn ends when all is answered that was sent in it; the next one begins when every other run has had its own.
"""

import csv
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from upload_study.spec import DriverError

FILE = "turns.csv"
NS_PER_US = 1000
Turns = NDArray[np.int64]
"""Begin and end of each turn in epoch ns, shape (n, 2), ascending."""


def read_turns(out: Path, label: str) -> Turns | None:
    """Return the turns of the load with this label; None of a run that was alone.

    Raises DriverError where the file is damaged, or has no turn of the load.
    """
    path = out / FILE
    if not path.exists():
        return None
    with path.open(newline="", encoding="utf-8") as file:
        try:
            found = [
                (int(row["start_us"]), int(row["end_us"])) for row in csv.DictReader(file) if row["label"] == label
            ]
        except (KeyError, TypeError, ValueError) as error:
            raise DriverError(f"{path}: expected the columns label, start_us and end_us in each line.") from error
    if not found:
        raise DriverError(f"{path}: it has no turn of '{label}'.")
    return NS_PER_US * np.array(found, dtype=np.int64)


def starts_within(turns: Turns, settling_s: float) -> list[int]:
    """Return when the turns of the first half begin that have at most `settling_s` of turns before them."""
    before_s = np.concatenate([[0], np.cumsum(turns[:, 1] - turns[:, 0])[:-1]]) / 1e9
    early = (before_s <= settling_s) & (np.arange(len(turns)) <= len(turns) // 2)
    return [int(start) for start in turns[early, 0]]


def active_ns(turns: Turns, start_ns: int) -> int:
    """Return how long the turns from `start_ns` on are together."""
    later = turns[turns[:, 0] >= start_ns]
    return int((later[:, 1] - later[:, 0]).sum())
