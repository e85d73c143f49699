"""What `./lab jtl` writes: the tables as CSV and Parquet, the page, and the summary on the terminal."""

import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path

from monitoring.pages import render
from uploadlab.errors import LabError
from uploadlab.jtl.analysis import JtlAnalysis, tables
from uploadlab.jtl.page import GENERATOR, about, changed, comparison_rows, page_of, strongest, summary_rows, when
from uploadlab.requirements import Outcome
from uploadlab.table_file import write_table
from uploadlab.tables.parquet_file import column_types, write_parquet

WHOLE = ("n", "blocks", "requests_before", "requests_after", "gap_s", "longest_gap_s", "width_s")
FRACTIONS = frozenset((
    "min_ms", "max_ms", "p50_ms", "p90_ms", "p95_ms", "p99_ms", "p999_ms", "p9999_ms",
))  # fmt: skip
TEXT = ("file", "label", "kind", "before", "after", "no_interval", "y", "indicator", "bytes")
TERMINAL_LABELS = 20
LABEL_WIDTH = 24
WIDTH = 100


def check_folder(folder: Path) -> None:
    """Raise LabError when a folder holds anything but an earlier page: nobody's files are written over."""
    if why := render.why_refused(folder, GENERATOR):
        raise LabError(f"{why}.")


def write(analysis: JtlAnalysis, outcomes: Sequence[Outcome], folder: Path) -> Path:
    """Write tables and page, with what became of requirements, into a folder; return the page's path."""
    # The page first: by it a later call knows the folder for its own.
    listed = tables(analysis)
    page = render.write(page_of(analysis, outcomes), folder / render.PAGE)
    for name in ("comparison", "server", "correlations"):
        if name not in listed:
            for kind in ("csv", "parquet"):
                (folder / f"{name}.{kind}").unlink(missing_ok=True)
    for name, (columns, rows) in listed.items():
        table = folder / f"{name}.csv"
        write_table(table, columns, rows)
        types = column_types(columns, WHOLE, TEXT)
        write_parquet(table, {column: "DOUBLE" if column in FRACTIONS else types[column] for column in columns})
    return page


def terminal_lines(analysis: JtlAnalysis) -> Iterator[str]:
    """Yield what a person reads in the terminal, tables in at most 100 columns."""
    for one in analysis.files:
        path = str(one.path).encode("utf-8", "replace").decode()
        yield path
        yield from _wrapped(f"  {about(one)}")
        if said := when(one):
            yield f"  {said}"
        yield from _columns(summary_rows(one, TERMINAL_LABELS + 1))
        if (more := len(one.summary) - TERMINAL_LABELS - 1) > 0:
            yield f"  {more:,} more labels: summary.csv"
        yield ""
    if analysis.comparison:
        yield from _wrapped(changed(analysis.comparison[0]))
        yield from _columns(comparison_rows(analysis, TERMINAL_LABELS + 1))
        yield ""
    for sentence in strongest(analysis):
        yield from _wrapped(sentence)
    for one in analysis.files:
        for note in one.notes:
            yield from _wrapped(f"{one.name}: {note}")


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, subsequent_indent="  ", break_long_words=False)


def _columns(table: Sequence[Sequence[str]]) -> Iterator[str]:
    rows = [[_shortened(row[0]), *row[1:]] for row in table]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for first, *rest in rows:
        fields = [first.ljust(widths[0]), *(text.rjust(width) for text, width in zip(rest, widths[1:], strict=True))]
        yield f"  {'  '.join(fields)}".rstrip()


def _shortened(text: str) -> str:
    return text if len(text) <= LABEL_WIDTH else f"{text[: LABEL_WIDTH - 1]}…"
