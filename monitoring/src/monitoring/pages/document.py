"""What a page is made of: sections of texts, tables and charts, as plain data."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct

Datum = str | int | float | bool | None
Datums = Sequence[Mapping[str, Datum]]


class Cell(Struct, frozen=True):
    """One field of a table: what it says, what it adds in small print, whether it stands out."""

    text: str
    small: str = ""
    strong: bool = False


class Column(Struct, frozen=True):
    """One column of a table; those that follow each other with the same group share a heading."""

    title: str
    group: str = ""
    number: bool = True


class Table(Struct, frozen=True, tag="table"):
    """Rows of cells below their columns; the first column names its row."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    title: str = ""
    note: str = ""
    wide: bool = False
    """Whether it may be wider than the page; it then scrolls by itself."""
    sortable: bool = False
    """Whether a click on a column's title sorts the rows by it."""
    choose: str = ""
    """The title of a column by which rows are chosen: those with one of its values at once."""

    @property
    def groups(self) -> list[tuple[str, int]]:
        """The headings above the columns' own, each with how many columns it spans; none where there is none."""
        found: list[tuple[str, int]] = []
        for column in self.columns:
            if found and found[-1][0] == column.group:
                found[-1] = (column.group, found[-1][1] + 1)
            else:
                found.append((column.group, 1))
        return found if any(name for name, _ in found) else []


def table_of(
    columns: Iterable[str | Column],
    rows: Iterable[Iterable[str | Cell]],
    *,
    title: str = "",
    note: str = "",
    wide: bool = False,
    sortable: bool = False,
    choose: str = "",
) -> Table:
    """Return a table; what is only a text is a column of texts, or a field without more."""
    return Table(
        columns=[one if isinstance(one, Column) else Column(title=one, number=False) for one in columns],
        rows=[[one if isinstance(one, Cell) else Cell(text=one) for one in row] for row in rows],
        title=title,
        note=note,
        wide=wide,
        sortable=sortable,
        choose=choose,
    )


class Chart(Struct, frozen=True, tag="chart"):
    """A Vega-Lite specification without its data, and the rows that it draws, which the page also offers as CSV."""

    id: str
    title: str
    spec: Mapping[str, Any]
    rows: Datums
    note: str = ""


class Text(Struct, frozen=True, tag="text"):
    """A paragraph; a warning has the command that resolves it."""

    text: str
    command: str = ""


Block = Table | Chart | Text


class Section(Struct, frozen=True):
    """A part of a page; folded ones open on a click."""

    title: str
    blocks: Sequence[Block]
    folded: bool = False


class Page(Struct, frozen=True):
    """A whole page; `lead` is its one sentence."""

    title: str
    over: str
    """What stands above the lead in small print: which campaign or file this is."""
    lead: str
    sections: Sequence[Section]
    series: Sequence[str] = ()
    """What has a colour of its own in the charts, in their order."""
    generator: str = "Upload Lab"
