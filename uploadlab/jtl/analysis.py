"""Everything that is computed of some result files, one file at a time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from uploadlab.jtl import comparison, figures, required, server
from uploadlab.jtl.figures import RECEIVED, SENT, Row, Rows
from uploadlab.jtl.result_file import ReadingOptions, ResultFile, opened
from uploadlab.tables.answer import Cell


@dataclass(frozen=True, kw_only=True)
class FileFacts:
    """What is said of one file."""

    name: str
    path: Path
    begin_us: int | None
    """First start, epoch; None without times."""
    end_us: int | None
    dated: bool
    notes: tuple[str, ...]
    summary: Rows
    """All requests first, then the labels."""


@dataclass(frozen=True, kw_only=True)
class JtlAnalysis:
    """The figures of some files; of two files `comparison` sets the second beside the first."""

    files: tuple[FileFacts, ...]
    figures: Mapping[str, Rows]
    """The rows of each table of `figures.COLUMNS`, of all files."""
    size_shares: Mapping[tuple[str, str], float | None]
    """By file and `sent` or `received`: how much of the variance the bytes explain, %."""
    comparison: Rows
    cells: Sequence[Cell]
    """What requirements are held against."""
    server: Rows
    correlations: Rows


def analyse(
    paths: Sequence[Path],
    options: ReadingOptions,
    recording: Path | None,
    utc_offset_s: int | None,
    *,
    with_cells: bool = False,
) -> JtlAnalysis:
    """Read and analyse result files, and a recording of the server beside them.

    Raises LabError where one of them cannot be read or the recording does not belong to them.
    """
    nmon = server.read_recording(recording) if recording else None
    facts, blocks = [], []
    size_shares: dict[tuple[str, str], float | None] = {}
    rows: dict[str, list[Row]] = {table: [] for table in figures.COLUMNS}
    cells: list[Cell] = []
    at_server: list[server.Joined] = []
    offsets_s: dict[bool, int] = {}  # the recording has one clock: what the first file settles holds for the others
    for path, name in zip(paths, _names(paths), strict=True):
        with opened(path, name, options) as file:
            joined = server.join(file, nmon, offsets_s.get(file.dated, utc_offset_s)) if nmon else None
            if joined:
                offsets_s[file.dated] = joined.offset_s
                at_server.append(joined)
            summary = figures.summary_rows(file)
            for table, found in _figures(file, summary, joined).items():
                rows[table] += found
            size_shares |= {(name, which): figures.size_share_pct(file, which) for which in (SENT, RECEIVED)}
            blocks.append(comparison.blocks(file) if len(paths) == 2 else {})
            cells += required.cells(file, summary) if with_cells else ()
            facts.append(_facts(file, summary, joined))
    compared: Rows = []
    if len(facts) == 2:
        compared = comparison.comparison_rows(facts[0].summary, facts[1].summary, *blocks)
    return JtlAnalysis(
        files=tuple(facts),
        figures=rows,
        size_shares=size_shares,
        comparison=compared,
        cells=cells,
        server=[row for one in at_server for row in one.rows],
        correlations=[row for one in at_server for row in one.correlations],
    )


def _figures(file: ResultFile, summary: list[Row], joined: server.Joined | None) -> dict[str, list[Row]]:
    timeline = figures.timeline_rows(file)
    if joined:
        timeline = [{**row, **joined.spread.get(int(str(row["second"])), {})} for row in timeline]
    return {
        "summary": summary,
        "percentiles": list(figures.percentile_rows(file, summary)),
        "timeline": timeline,
        "latency_heat": figures.latency_heat_rows(file),
        "size_heat": figures.size_heat_rows(file),
    }


def _facts(file: ResultFile, summary: Rows, joined: server.Joined | None) -> FileFacts:
    notes = [*file.notes, *(joined.notes if joined else ())]
    seconds = figures.seconds_spanned(file)
    if seconds is not None and seconds > figures.LONGEST_TIMELINE_S:
        days = seconds // 86_400
        notes.append(f"The requests span {days:,} days: nothing is drawn over time. Is a timeStamp wrong?")
    ends = file.one("SELECT min(start_us), max(start_us + elapsed_us) FROM counted")
    return FileFacts(
        name=file.name,
        path=file.path,
        begin_us=ends[0],
        end_us=ends[1],
        dated=file.dated,
        notes=tuple(notes),
        summary=summary,
    )


def _names(paths: Sequence[Path]) -> list[str]:
    """Return a name for each file: its own, with its folder where several are called the same.

    A name that is not UTF-8 is one on disk only; tables and page get a question mark for what cannot be written.
    """
    short = [path.name for path in paths]
    names: list[str] = []
    for path in paths:
        name = path.name if short.count(path.name) == 1 else f"{path.absolute().parent.name}/{path.name}"
        unique, count = name, 1
        while unique in names:
            count += 1
            unique = f"{name} ({count})"
        names.append(unique)
    return [name.encode("utf-8", "replace").decode() for name in names]


def tables(analysis: JtlAnalysis) -> Mapping[str, tuple[Sequence[str], Rows]]:
    """Return the tables that are written, by name: columns and rows."""
    listed = {name: (columns, analysis.figures[name]) for name, columns in figures.COLUMNS.items()}
    if analysis.comparison:
        listed["comparison"] = (comparison.COMPARISON_COLUMNS, analysis.comparison)
    if analysis.server:
        listed["server"] = (server.SERVER_COLUMNS, analysis.server)
        listed["correlations"] = (server.CORRELATION_COLUMNS, analysis.correlations)
    return listed
