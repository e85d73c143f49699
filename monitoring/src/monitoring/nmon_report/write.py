"""Write the report of some recordings: CSV tables and one page."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from monitoring.errors import MonitoringError
from monitoring.nmon_recording import NmonRecording
from monitoring.nmon_report.charts import chart
from monitoring.nmon_report.panels import make_panels
from monitoring.nmon_report.summary import describe_machine, describe_time, figures, format_figure, group_damages
from monitoring.nmon_report.tables import write_tables
from monitoring.pages import render
from monitoring.pages.document import Block, Cell, Column, Page, Section, Table, Text

PAGE = "index.html"
GENERATOR = "monitoring nmon"
_MARK = f'<meta name="generator" content="{GENERATOR}">'


def write_report(recordings: Sequence[NmonRecording], folder: Path, utc_offset_s: int | None = None) -> Path:
    """Write the tables of each recording into a folder of its own below `folder`, and the page; return the page's path.

    `utc_offset_s` says how far the recorded clocks were ahead of UTC (None: as each file tells, if it does). The
    recordings must have been read without an offset. Raises MonitoringError when `folder` holds anything but an
    earlier report.
    """
    _check_folder(folder)
    sections: list[Section] = []
    for number, (name, recording) in enumerate(zip(_names(recordings), recordings, strict=True)):
        offset_s = recording.inferred_utc_offset_s if utc_offset_s is None else utc_offset_s
        write_tables(recording, folder / name, offset_s)
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
    return render.write(page, folder / PAGE)


def _check_folder(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise MonitoringError(f"{folder} is a file; the report needs a folder")
    page = folder / PAGE
    if folder.is_dir() and any(folder.iterdir()) and not (page.is_file() and _MARK in page.read_text("utf-8")):
        raise MonitoringError(
            f"{folder} holds files that are not an earlier report's; choose another folder with --out"
        )


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


def _figures(recording: NmonRecording) -> Block:
    rows = [
        [f"{one.name} {one.device}".strip(), format_figure(one.mean), format_figure(one.largest), one.unit]
        for one in figures(recording)
    ]
    return _table(["", "mean", "largest", "unit"], rows)


def _damages(recording: NmonRecording) -> Iterator[Section]:
    if not recording.damages:
        return
    places = "1 damaged place" if len(recording.damages) == 1 else f"{len(recording.damages)} damaged places"
    rows = [
        [section, str(count), str(first.line), kind, first.sentence]
        for kind, section, count, first in group_damages(recording.damages)
    ]
    table = _table(["section", "times", "first line", "kind", "first"], rows)
    yield Section(title=f"{places} found in {recording.name} and worked around", blocks=[table], folded=True)


def _table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    numbers = {"mean", "largest", "times", "first line"}
    columns = [Column(title=title, number=title in numbers) for title in titles]
    return Table(columns=columns, rows=[[Cell(text=text) for text in row] for row in rows], wide=True)
