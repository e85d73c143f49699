"""Records as the harness keeps them in a run's folder: those that parts left there, or rows that a test makes up."""

from pathlib import Path
from typing import Any

import numpy as np

from monitoring.records import KINDS, ROW, write_parquet


def keep_recorded(folder: Path) -> None:
    """Write what parts have recorded in a folder as Parquet."""
    for path in folder.glob("*.records"):
        write_parquet(path, path.with_name(f"{path.name}.parquet"), ahead_ns=0)


def keep(folder: Path, part: str, *rows: np.ndarray) -> None:
    """Write rows as Parquet, as a part's."""
    np.save(folder / "rows.npy", np.concatenate(rows))
    write_parquet(folder / "rows.npy", folder / f"{part}.records.parquet", ahead_ns=0)
    (folder / "rows.npy").unlink()


def made_up(kind: str, **columns: Any) -> np.ndarray:
    """Return rows of a kind, as many as there are values of `seq`; a column that is not given is 0."""
    rows = np.zeros(len(columns["seq"]), dtype=ROW)
    rows["kind"] = KINDS.index(kind)
    for name, values in columns.items():
        rows[name] = values
    return rows
