"""The figures that a study declares: which metric, along which factor, beside what the paper printed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from uploadlab.errors import InputError
from uploadlab.report.results import Cell, Results, Row
from uploadlab.results.declarations import belongs, meant_levels
from uploadlab.tables.table_file import number

KINDS = ("by_system", "by_level", "over_levels", "paired_levels")


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A declared figure; `y` and `beside` are columns of runs.csv, `where` the levels that it shows of each factor."""

    id: str
    kind: str
    y: str
    beside: str
    x: str
    where: Mapping[str, Sequence[str]]
    printed: Sequence[Row]
    """What the paper printed of it: a row for each system and level, figures named by metric."""
    declared: Mapping[str, Any]
    ratio_of: str = ""
    """The system whose `y` is drawn over that of each other; empty: each system's own `y` is."""

    @property
    def metrics(self) -> tuple[str, ...]:
        """The columns that it draws."""
        return tuple(column for column in (self.y, self.beside) if column)

    def cells(self, results: Results) -> list[Cell]:
        """Return the cells that it shows and that have a valid run."""
        return [
            one
            for one in results.cells
            if one.valid_runs and belongs({**results.scenarios[one.scenario].factors, "system": one.system}, self.where)
        ]

    def paper(self, results: Results, column: str) -> Iterator[tuple[str, Row, float]]:
        """Yield the system, the row and the number of each figure that the paper printed of a column."""
        metric = results.declared.metric(column)
        for row in self.printed:
            value = number(row.get(metric.key) or row.get(metric.printed) or row.get(column))
            if value is not None and belongs(row, self.where):
                yield row.get("system", ""), row, value


def figures(results: Results) -> list[Figure]:
    """Return the study's figures in their order.

    Raises InputError for a kind that there is not, or a figure that does not say what it shows.
    """
    return [_figure(results, key, table) for key, table in results.declared.figures.items()]


def _figure(results: Results, key: str, table: Mapping[str, Any]) -> Figure:
    place, kind = f"Study {results.declared.study}: [figures.{key}]", table.get("kind")
    if kind not in KINDS:
        raise InputError(f"{place} kind is {kind!r}; expected one of {', '.join(KINDS)}.")
    if not isinstance(table.get("y"), str):
        raise InputError(f"{place} has no y; expected a metric.")
    if kind != "by_system" and not isinstance(table.get("x"), str):
        raise InputError(f"{place} has no x; expected a factor, along which it is drawn.")
    ratio_of = str(table.get("ratio_of") or "")
    if ratio_of and (table.get("beside") or table.get("published")):
        raise InputError(f"{place} has ratio_of; a ratio has nothing beside it and no printed numbers.")
    return Figure(
        id=key,
        kind="by_level" if kind == "by_system" and table.get("x") else kind,
        y=_column(results, table["y"], printed=bool(table.get("published"))),
        beside=results.declared.metric(table["beside"]).column if table.get("beside") else "",
        x=str(table.get("x") or ""),
        where=meant_levels(table.get("where")),
        printed=results.printed(str(table.get("published") or "")),
        declared=table,
        ratio_of=ratio_of,
    )


def _column(results: Results, name: str, *, printed: bool) -> str:
    """Return the column of a metric; beside printed numbers that of the paper's own clock where it was measured."""
    metric = results.declared.metric(name)
    measured = printed and any(run.value(metric.printed) is not None for run in results.valid_runs)
    return metric.printed if measured else metric.column


def of_question(results: Results, metric: str) -> Figure | None:
    """Return the figure of a question along the factor that has an axis; None where that does not vary."""
    varying = {name for scenario in results.scenarios.values() for name in scenario.varying}
    axis = next((name for name, one in results.declared.factors.items() if one.get("axis") and name in varying), "")
    if not axis:
        return None
    return Figure(id=metric, kind="by_level", y=metric, beside="", x=axis, where={}, printed=(), declared={})
