"""What `./lab jtl` writes: the tables as CSV and Parquet, the page, and the summary on the terminal."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from monitoring.drawing_library import drawing_library
from uploadlab.errors import InputError
from uploadlab.jtl import pictures, sentences
from uploadlab.jtl.analysis import JtlAnalysis, tables
from uploadlab.jtl.words import ENGLISH_JTL, LANGUAGES
from uploadlab.report.drawing import Dataset
from uploadlab.report.page import environment, payload
from uploadlab.tables.parquet_file import column_types, write_parquet
from uploadlab.tables.table_file import write_table
from uploadlab.words.language import Language

PAGE = "index.html"
MARK = '<meta name="generator" content="Upload Lab jtl">'
WHOLE = ("n", "blocks", "requests_before", "requests_after", "gap_s", "longest_gap_s", "width_s")
FRACTIONS = frozenset((
    "min_ms", "max_ms", "p50_ms", "p90_ms", "p95_ms", "p99_ms", "p999_ms", "p9999_ms",
))  # fmt: skip
TEXT = ("file", "label", "kind", "before", "after", "no_interval", "y", "indicator", "bytes")
TERMINAL_LABELS = 20
LABEL_WIDTH = 40


def check_folder(folder: Path) -> None:
    """Raise InputError when a folder holds anything but an earlier page: nobody's files are written over."""
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file; the page needs a folder: choose another with --out.")
    page = folder / PAGE
    if folder.is_dir() and any(folder.iterdir()):
        known = page.is_file() and MARK in page.read_text(encoding="utf-8", errors="replace")[:2000]
        if not known:
            raise InputError(f"{folder} holds files that are not an earlier page's: choose another folder with --out.")


def write(analysis: JtlAnalysis, folder: Path) -> Path:
    """Write tables and page into a folder; return the page's path."""
    folder.mkdir(parents=True, exist_ok=True)
    # The page first: by it a later call knows the folder for its own.
    listed = tables(analysis)
    data = pictures.datasets(analysis.figures)
    page = _page(analysis, data, list(listed))
    (folder / PAGE).write_text(page, encoding="utf-8")
    (folder / "data").mkdir(exist_ok=True)
    for dataset in data.values():
        (folder / "data" / f"{dataset.name}.csv").write_text(dataset.csv, encoding="utf-8")
    for name in ("comparison", "server", "correlations"):
        if name not in listed:
            for kind in ("csv", "parquet"):
                (folder / f"{name}.{kind}").unlink(missing_ok=True)
    for name, (columns, rows) in listed.items():
        table = folder / f"{name}.csv"
        write_table(table, columns, rows)
        types = column_types(columns, WHOLE, TEXT)
        write_parquet(table, {column: "DOUBLE" if column in FRACTIONS else types[column] for column in columns})
    return folder / PAGE


def _page(analysis: JtlAnalysis, data: Mapping[str, Dataset], table_names: Sequence[str]) -> str:
    templates = environment()
    templates.filters["plain"] = str
    languages = {words: pictures.charts(analysis.figures, data, words) for words in LANGUAGES}
    used = {name for charts in languages.values() for chart in charts for name in chart.datasets}
    return templates.get_template("jtl.html.j2").render(
        mark=MARK,
        articles=[
            {
                "w": words,
                "code": words.code,
                "over": " · ".join(one.name for one in analysis.files),
                "headline": sentences.headline(words, analysis),
                "lead": sentences.lead(words, analysis),
                "notes": sentences.notes(words, analysis),
                "comparison": sentences.comparison_grid(words, analysis),
                "charts": charts,
                "charts_drawn": False,
                "strongest": sentences.strongest(words, analysis),
                "correlations": sentences.correlation_grid(words, analysis),
                "summaries": sentences.summaries(words, analysis),
            }
            for words, charts in languages.items()
        ],
        tables=table_names,
        payload=payload(languages, [dataset for dataset in data.values() if dataset.name in used]),
        library=drawing_library(),
    )


def terminal_lines(analysis: JtlAnalysis, words: Language = ENGLISH_JTL) -> Iterator[str]:
    """Yield what a person reads in the terminal."""
    for one, labels in zip(analysis.files, sentences.summaries(words, analysis), strict=True):
        path = str(one.path).encode("utf-8", "replace").decode()
        yield f"{path}: {sentences.about(words, one)}"
        if said := sentences.when(words, one):
            yield f"  {said}"
        heading, *others = labels.headings
        yield from _columns([heading.lower(), *others], labels)
        if len(one.summary) > TERMINAL_LABELS + 1:
            more = words.figures.count(len(one.summary) - TERMINAL_LABELS - 1)
            yield f"  {words.say('more_labels', count=more)}"
        yield ""
    grid = sentences.comparison_grid(words, analysis)
    if grid:
        yield sentences.headline(words, analysis)
        yield from sentences.lead(words, analysis)[len(analysis.files) :]
        yield from _columns(grid.headings, grid)
        yield ""
    yield from sentences.strongest(words, analysis)
    yield from sentences.notes(words, analysis)


def _columns(headings: Sequence[str], grid: sentences.Grid) -> Iterator[str]:
    rows = [[text for text, _ in row] for row in grid.rows[: TERMINAL_LABELS + 1]]
    table = [list(headings), *([_shortened(row[0]), *row[1:]] for row in rows)]
    widths = [max(len(row[place]) for row in table) for place in range(len(headings))]
    for first, *rest in table:
        fields = [first.ljust(widths[0]), *(text.rjust(width) for text, width in zip(rest, widths[1:], strict=True))]
        yield f"  {'  '.join(fields)}".rstrip()


def _shortened(text: str) -> str:
    return text if len(text) <= LABEL_WIDTH else f"{text[: LABEL_WIDTH - 1]}…"
