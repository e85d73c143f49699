"""The paper's tables that a study declares by their rows, columns and value: ours, the printed number, the ratio."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from uploadlab.errors import InputError
from uploadlab.metrics.figures import valid_figures
from uploadlab.results.campaign import Campaign
from uploadlab.results.declarations import Declarations, belongs, declarations, meant_levels, published_files
from uploadlab.table_file import Value, number, read_table
from uploadlab.tables.comparisons import system_key

Row = Mapping[str, Value]
Levels = Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Shape:
    """What a table's rows and columns are levels of, what it holds, and which scenarios it is about."""

    rows: Sequence[str]
    columns: Sequence[str]
    values: Sequence[str]
    where: Mapping[str, Sequence[str]]
    deviation: str = ""
    """One of the values: the standard deviation of the first between the runs, or between rounds."""
    ratio: Sequence[str] = ()
    """Two systems: the table holds the first one's value over the second one's, on the same stack."""

    def heading(self, of_column: Sequence[str], value: str) -> str:
        """Name a column by its levels, and by its value where there are several."""
        return "_".join([*of_column, *([value] if len(self.values) > 1 or not of_column else [])])


@dataclass(kw_only=True)
class Entries:
    """What stands where: by the levels of the row, those of the column, and the value."""

    shape: Shape
    ours: dict[tuple[tuple[str, ...], tuple[str, ...], str], Value] = field(default_factory=dict)
    printed: dict[tuple[tuple[str, ...], tuple[str, ...], str], str] = field(default_factory=dict)

    def table(self) -> tuple[list[str], list[dict[str, Value]]]:
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


def declared_tables(
    campaign: Campaign, runs: Sequence[Row]
) -> Iterator[tuple[str, tuple[list[str], list[dict[str, Value]]]]]:
    """Yield the name, columns and rows of each table that a study declares by `rows` and `value`.

    Raises InputError for a table that lacks one of them, or whose published numbers are not there.
    """
    declared = declarations(campaign.record)
    files = {path.name: path for path in published_files(campaign.folder, declared.study)}
    for key, table in declared.tables.items():
        if table.get("kind"):
            continue  # made by what knows that kind
        printed = str(table.get("published") or "")
        if printed and Path(printed).name not in files:
            raise InputError(f"Study {declared.study}: [tables.{key}] published: there is no published/{printed}.")
        rows = read_table(files[Path(printed).name]) if printed else []
        shape = _shape(declared, key, table, campaign, runs)
        yield key, _entries(declared, shape, campaign, runs, rows).table()


def _shape(
    declared: Declarations, key: str, table: Mapping[str, Any], campaign: Campaign, runs: Sequence[Row]
) -> Shape:
    rows, columns, value = table.get("rows"), table.get("columns") or [], table.get("value") or table.get("values")
    if not isinstance(rows, list) or not isinstance(columns, list) or not isinstance(value, (str, list)):
        raise InputError(f"Study {declared.study}: [tables.{key}] needs rows, a list of factors, and value, a metric.")
    one_system = {"system": table["system"]} if "system" in table else {}
    where = meant_levels({**(table.get("where") or {}), **one_system})
    values = [value] if isinstance(value, str) else [str(one) for one in value]
    deviation = str(table.get("deviation") or "")
    values += [deviation] if deviation else []
    ratio = table.get("ratio") or []
    shape = Shape(rows=rows, columns=columns, values=values, where=where, deviation=deviation, ratio=ratio)
    shown = [levels for run in runs if belongs(levels := _levels(run, campaign.factors), where)]
    facts = {name for system in campaign.record["systems"].values() for name in (system.get("facts") or {})}
    if facts.intersection(values):
        return shape
    # What else differs between the runs is told apart too: nothing is pooled unsaid.
    told = {*rows, *columns, *(name for name, levels in where.items() if len(levels) == 1 and name != "system")}
    others = [
        name
        for name in ("stack" if ratio else "system", *campaign.factors)
        if name not in told and len({one.get(name) for one in shown}) > 1
    ]
    return replace(shape, rows=[*rows, *others])


def _levels(run: Row, factors: Sequence[str]) -> dict[str, str]:
    stack = str(run.get("stack") or "current")
    levels = {name: "" if (level := run.get(name)) is None else str(level) for name in factors}
    return {"system": system_key(run), "stack": stack, **levels}


def _entries(
    declared: Declarations, shape: Shape, campaign: Campaign, runs: Sequence[Row], printed: Sequence[Levels]
) -> Entries:
    entries = Entries(shape=shape)
    for value in shape.values:
        of = shape.values[0] if value == shape.deviation else value
        for levels, ours in _ours(declared.metric(of).column, value, shape, campaign, runs):
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


def _ours(
    column: str, value: str, shape: Shape, campaign: Campaign, runs: Sequence[Row]
) -> Iterator[tuple[Levels, Value]]:
    """Yield each figure of ours with its levels: a fact that a system declares, else the mean over the valid runs.

    The table's deviation is that of a sample: what has but one figure has none.
    """
    for system, record in campaign.record["systems"].items():
        if value in (facts := record.get("facts") or {}):
            yield {"system": system}, facts[value]
    found: dict[tuple[str, ...], dict[str, list[Row]]] = {}
    names = [*shape.rows, *shape.columns]
    for run in runs:
        levels = _levels(run, campaign.factors)
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
