"""The tables of a study, functions of the `tables.py` in its folder: ours, the paper's number beside each, the ratio.

A table is a public function of one argument, what was measured. The first paragraph of its docstring is its title,
the second a note; its name is that of the file below `analysis/tables/`.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean, stdev

from uploadlab.errors import LabError
from uploadlab.metrics.figures import valid_figures
from uploadlab.results.campaign import Campaign
from uploadlab.results.declarations import (
    Declarations,
    belongs,
    declarations,
    meant_levels,
    published_files,
    study_folder,
)
from uploadlab.results.study_code import load_module, stated_functions
from uploadlab.table_file import Row, Value, number, read_table
from uploadlab.tables.comparisons import system_key

Columned = tuple[list[str], list[dict[str, Value]]]
"""The columns of a table, and its rows."""
Levels = Mapping[str, str]
Place = tuple[tuple[str, ...], tuple[str, ...], str]
"""The levels of a row, those of a column, and the value."""


@dataclass(frozen=True, kw_only=True)
class StudyTable:
    """A table as it is written and shown."""

    title: str
    note: str
    columns: Sequence[str]
    rows: Sequence[Row]


@dataclass(frozen=True, kw_only=True)
class Measured:
    """What a table is made of."""

    campaign: Campaign
    runs: Sequence[Row]
    """Rows of ``runs.csv``."""
    replicates: Sequence[Row]
    """What a cell is averaged over: its runs, or the rounds of its one run."""

    @property
    def declared(self) -> Declarations:
        """What the study declares."""
        return declarations(self.campaign.record)

    def printed(self, name: str) -> list[dict[str, str]]:
        """Return the rows of a file of `published/`."""
        files = {path.name: path for path in published_files(self.campaign.record)}
        if name not in files:
            raise LabError(f"{study_folder(self.campaign.record)}/tables.py: there is no published/{name}.")
        return read_table(files[name])


def study_tables(measured: Measured) -> dict[str, StudyTable]:
    """Return the tables of a campaign's study, by name; of a study without `tables.py` none."""
    found = {}
    for one in stated_functions(load_module(study_folder(measured.campaign.record) / "tables.py")):
        columns, rows = one.function(measured)
        found[one.name] = StudyTable(title=one.text, note=one.beside, columns=columns, rows=rows)
    return found


@dataclass(frozen=True, kw_only=True)
class Shape:
    """What a table's rows and columns are levels of, what it holds, and which scenarios it is about."""

    rows: Sequence[str]
    columns: Sequence[str]
    values: Sequence[str]
    where: Mapping[str, Sequence[str]]
    deviation: str
    ratio: Sequence[str]

    def heading(self, of_column: Sequence[str], value: str) -> str:
        """Name a column by its levels, and by its value where there are several."""
        return "_".join([*of_column, *([value] if len(self.values) > 1 or not of_column else [])])


@dataclass(kw_only=True)
class Entries:
    """What stands where."""

    shape: Shape
    ours: dict[Place, Value] = field(default_factory=dict)
    printed: dict[Place, str] = field(default_factory=dict)

    def table(self) -> Columned:
        """Return the columns and the rows: `x`, `x_paper` and `x_ratio` for each column `x`."""
        places = [*self.ours, *self.printed]
        first_seen = list(dict.fromkeys(column for _, column, _ in places))
        of_columns = sorted(
            {(column, value): None for _, column, value in places}, key=lambda of: first_seen.index(of[0])
        )
        headings = {key: self.shape.heading(*key) for key in of_columns}
        rows: list[dict[str, Value]] = []
        for levels in sorted({row for row, _, _ in places}, key=_by_number):
            row: dict[str, Value] = dict(zip(self.shape.rows, levels, strict=True))
            for key, name in headings.items():
                ours, paper = self.ours.get((levels, *key)), self.printed.get((levels, *key))
                printed = number(paper)
                row |= {name: ours, f"{name}_paper": paper if printed is None else printed}
                if isinstance(ours, (int, float)) and printed:
                    row[f"{name}_ratio"] = ours / printed
            rows.append(row)
        beside = [f"{name}{part}" for name in headings.values() for part in ("", "_paper", "_ratio")]
        return [*self.shape.rows, *beside], rows


def beside_paper(
    measured: Measured,
    values: Sequence[str],
    *,
    rows: Sequence[str],
    columns: Sequence[str] = (),
    where: Mapping[str, object] | None = None,
    published: str = "",
    deviation: str = "",
    ratio: Sequence[str] = (),
) -> Columned:
    """Return metrics, or a fact that systems declare, by levels of factors, each beside the number of a published file.

    ``deviation`` is what the file calls the standard deviation of the first value between the runs, or between rounds.
    With ``ratio``, two systems, the table holds the first one's value over the second one's, on the same stack.
    """
    named = [*values, *([deviation] if deviation else [])]
    shape = Shape(rows=rows, columns=columns, values=named, where=meant_levels(where), deviation=deviation, ratio=ratio)
    shape = _told_apart(measured, shape)
    return _entries(measured, shape, measured.printed(published) if published else []).table()


def _told_apart(measured: Measured, shape: Shape) -> Shape:
    """Tell apart by rows what else differs between the runs: nothing is pooled unsaid."""
    campaign = measured.campaign
    facts = {name for system in campaign.record["systems"].values() for name in system.get("facts") or {}}
    if facts.intersection(shape.values):
        return shape
    levels = [_levels(run, campaign.factors) for run in measured.replicates]
    shown = [one for one in levels if belongs(one, shape.where)]
    fixed = (name for name, of in shape.where.items() if len(of) == 1 and name != "system")
    told = {*shape.rows, *shape.columns, *fixed}
    others = [
        name
        for name in ("stack" if shape.ratio else "system", *campaign.factors)
        if name not in told and len({one.get(name) for one in shown}) > 1
    ]
    return replace(shape, rows=[*shape.rows, *others])


def _levels(run: Row, factors: Sequence[str]) -> dict[str, str]:
    stack = str(run.get("stack") or "current")
    levels = {name: "" if (level := run.get(name)) is None else str(level) for name in factors}
    return {"system": system_key(run), "stack": stack, **levels}


def _entries(measured: Measured, shape: Shape, printed: Sequence[Levels]) -> Entries:
    entries, declared = Entries(shape=shape), measured.declared
    for value in shape.values:
        of = shape.values[0] if value == shape.deviation else value
        for levels, ours in _ours(declared.metric(of).column, value, shape, measured):
            place = tuple(tuple(levels.get(name, "") for name in names) for names in (shape.rows, shape.columns))
            entries.ours[place[0], place[1], value] = ours
    known = list(dict.fromkeys(row for row, _, _ in entries.ours))
    for one in printed:
        if not belongs(one, shape.where):
            continue
        column = tuple(one.get(name, "") for name in shape.columns)
        own = tuple(one.get(name, "") for name in shape.rows)
        # A number printed of a system stands beside each of its stacks.
        rows = [
            row
            for row in known
            if all(theirs in ("", ours, ours.partition("@")[0]) for theirs, ours in zip(own, row, strict=True))
        ]
        for value in shape.values:
            text = one.get("ratio" if shape.ratio else value) or one.get(declared.metric(value).column) or ""
            entries.printed |= {(row, column, value): text for row in rows or [own] if text}
    return entries


def _ours(column: str, value: str, shape: Shape, measured: Measured) -> Iterator[tuple[Levels, Value]]:
    """Yield each figure of ours with its levels: a fact that a system declares, else the mean over the valid runs.

    The table's deviation is that of a sample: what has but one figure has none.
    """
    for system, record in measured.campaign.record["systems"].items():
        if value in (facts := record.get("facts") or {}):
            yield {"system": system}, facts[value]
    found: dict[tuple[str, ...], dict[str, list[Row]]] = {}
    names = [*shape.rows, *shape.columns]
    for run in measured.replicates:
        levels = _levels(run, measured.campaign.factors)
        if belongs(levels, shape.where):
            of_systems = found.setdefault(tuple(levels.get(name, "") for name in names), {})
            of_systems.setdefault(levels["system"].partition("@")[0] if shape.ratio else "", []).append(run)
    for place, of_systems in found.items():
        values = [valid_figures(of_systems.get(system, []), column) for system in shape.ratio or [""]]
        if all(len(of) > (value == shape.deviation) for of in values):
            figures = [(stdev if value == shape.deviation else fmean)(of) for of in values]
            yield dict(zip(names, place, strict=True)), figures[0] / figures[1] if shape.ratio else figures[0]


def _by_number(levels: Sequence[str]) -> list[tuple[float, str]]:
    return [(math.inf if (value := number(level)) is None else value, level) for level in levels]
