"""The recording's tables as CSV files, one a section."""

import csv
import math
from pathlib import Path
from typing import Any

import numpy as np

from monitoring.nmon_recording import FloatArray, NmonRecording, Table
from monitoring.nmon_report.summary import format_offset


def write_tables(recording: NmonRecording, folder: Path, utc_offset_s: int | None) -> list[Path]:
    """Write `SECTION.csv` for each section into `folder`, and what was wrong with the file into `damages.csv`.

    `time` is the host's clock, with its offset from UTC where that is known; what is missing is an empty cell.
    """
    folder.mkdir(parents=True, exist_ok=True)
    zone = "" if utc_offset_s is None else format_offset(utc_offset_s)
    paths = [_write_table(table, folder / f"{section}.csv", zone) for section, table in recording.tables.items()]
    with (folder / "damages.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["line", "kind", "section", "sentence"])
        writer.writerows([damage.line, damage.kind, damage.section, damage.sentence] for damage in recording.damages)
    return [*paths, folder / "damages.csv"]


def _write_table(table: Table, path: Path, zone: str) -> Path:
    moments = np.datetime_as_string(table.time_ns.astype("datetime64[ns]"), unit="s")
    columns: list[list[Any]] = [table.snapshots.tolist(), [f"{moment}{zone}" for moment in moments.tolist()]]
    columns += [_cells(values) for values in table.columns.values()]
    columns += table.texts.values()
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["snapshot", "time", *table.columns, *table.texts])
        writer.writerows(zip(*columns, strict=True))
    return path


def _cells(values: FloatArray) -> list[str]:
    """Return numbers as text, each different one written once: nmon rounds, so they come again and again."""
    different, places = np.unique(values, return_inverse=True)
    texts = np.array([_cell(value) for value in different.tolist()], dtype=object)
    cells: list[str] = texts[places].tolist()
    return cells


def _cell(value: float) -> str:
    if math.isnan(value):
        return ""
    return str(int(value)) if value.is_integer() else repr(value)
