"""The recording's tables as CSV files, one a section."""

import csv
import math
from datetime import UTC, datetime
from pathlib import Path

from monitoring.nmon_recording import NmonRecording, Table
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
    columns = [*table.columns.values()]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["snapshot", "time", *table.columns, *table.texts])
        for row, (snapshot, time_ns) in enumerate(zip(table.snapshots.tolist(), table.time_ns.tolist(), strict=True)):
            moment = datetime.fromtimestamp(time_ns // 1_000_000_000, UTC).strftime("%Y-%m-%dT%H:%M:%S")
            numbers = [_cell(float(values[row])) for values in columns]
            writer.writerow([snapshot, moment + zone, *numbers, *(texts[row] for texts in table.texts.values())])
    return path


def _cell(value: float) -> str:
    if math.isnan(value):
        return ""
    return str(int(value)) if value.is_integer() else repr(value)
