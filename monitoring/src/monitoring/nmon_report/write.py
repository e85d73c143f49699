"""Write the report of some recordings: CSV tables, one a section, and one page."""

import csv
import math
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from monitoring.errors import MonitoringError
from monitoring.nmon_recording import Damage, FloatArray, NmonRecording
from monitoring.nmon_report.charts import chart
from monitoring.nmon_report.panels import make_panels
from monitoring.nmon_report.summary import describe_machine, describe_time, figures, format_figure, format_offset
from monitoring.pages import render
from monitoring.pages.document import Block, Column, Page, Section, Text, table_of

GENERATOR = "monitoring nmon"


def write_report(recordings: Sequence[NmonRecording], folder: Path, utc_offset_s: int | None = None) -> Path:
    """Write the tables of each recording into a folder of its own below `folder`, and the page; return the page's path.

    `utc_offset_s` says how far the recorded clocks were ahead of UTC (None: as each file tells, if it does). The
    recordings must have been read without an offset. Raises MonitoringError when `folder` holds anything but an
    earlier report.
    """
    if why := render.why_refused(folder, GENERATOR):
        raise MonitoringError(why)
    sections: list[Section] = []
    for number, (name, recording) in enumerate(zip(_names(recordings), recordings, strict=True)):
        offset_s = recording.inferred_utc_offset_s if utc_offset_s is None else utc_offset_s
        _write_tables(recording, folder / name, offset_s)
        title = recording.name if len(recordings) > 1 else ""
        about = Text(text=f"{describe_machine(recording)} · {describe_time(recording, offset_s)}")
        drawn = [chart(panel, f"chart-{number}-{panel.key}") for panel in make_panels(recording)]
        sections += [Section(title=title, blocks=[about, _figures(recording), *drawn]), *_damages(recording)]
    names = ", ".join(recording.name for recording in recordings)
    page = Page(
        title=f"nmon: {names}",
        over="nmon · the tables beside this page hold every section of the recording as CSV",
        lead=names,
        sections=sections,
        generator=GENERATOR,
    )
    return render.write(page, folder / render.PAGE)


def _names(recordings: Sequence[NmonRecording]) -> list[str]:
    names: list[str] = []
    for recording in recordings:
        stem = Path(recording.file_name.removesuffix(".gz")).stem
        name, count = stem, 1
        while name in names:
            count += 1
            name = f"{stem}-{count}"
        names.append(name)
    return names


def _write_tables(recording: NmonRecording, folder: Path, utc_offset_s: int | None) -> None:
    """Write `SECTION.csv` for each section into `folder`, and what was wrong with the file into `damages.csv`.

    `time` is the host's clock, with its offset from UTC where that is known; what is missing is an empty cell.
    """
    folder.mkdir(parents=True, exist_ok=True)
    zone = "" if utc_offset_s is None else format_offset(utc_offset_s)
    for section, table in recording.tables.items():
        moments = np.datetime_as_string(table.time_ns.astype("datetime64[ns]"), unit="s")
        columns: list[list[Any]] = [table.snapshots.tolist(), [f"{moment}{zone}" for moment in moments.tolist()]]
        columns += [*map(_cells, table.columns.values()), *table.texts.values()]
        header = ["snapshot", "time", *table.columns, *table.texts]
        _write_csv(folder / f"{section}.csv", header, zip(*columns, strict=True))
    damages = ([damage.line, damage.kind, damage.section, damage.sentence] for damage in recording.damages)
    _write_csv(folder / "damages.csv", ["line", "kind", "section", "sentence"], damages)


def _write_csv(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(rows)


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


def _figures(recording: NmonRecording) -> Block:
    rows = [
        [f"{one.name} {one.device}".strip(), format_figure(one.mean), format_figure(one.largest), one.unit]
        for one in figures(recording)
    ]
    return table_of(["", Column("mean"), Column("largest"), "unit"], rows, wide=True)


def _damages(recording: NmonRecording) -> Iterator[Section]:
    if not recording.damages:
        return
    places = "1 damaged place" if len(recording.damages) == 1 else f"{len(recording.damages)} damaged places"
    groups: dict[tuple[str, str], list[Damage]] = {}
    for damage in recording.damages:
        groups.setdefault((damage.section, damage.kind.value), []).append(damage)
    rows = [
        [section, str(len(group)), str(group[0].line), kind, group[0].sentence]
        for (section, kind), group in groups.items()
    ]
    table = table_of(["section", Column("times"), Column("first line"), "kind", "first"], rows, wide=True)
    yield Section(title=f"{places} found in {recording.name} and worked around", blocks=[table], folded=True)
