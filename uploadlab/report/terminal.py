"""The answer as the terminal prints it: at most 80 columns, no number and no name cut."""

import shlex
import textwrap
from collections.abc import Callable, Iterator, Sequence

from uploadlab.report.answer_table import MEANS, AnswerTable, Measure
from uploadlab.report.numbers import MISSING, number, ratio
from uploadlab.report.sentence import claims_counted
from uploadlab.report.summary import Rank, Summary, with_each_command_once
from uploadlab.requirements import HOLDS
from uploadlab.tables.answer import Comparison, Estimate, at_load

WIDTH = 80
FEW_SYSTEMS = 2
MOST_LEFT_OUT = 3
MOST_BESIDE = 3
Rows = Sequence[Sequence[str]]


def lines(summary: Summary) -> Iterator[str]:
    """Yield the answer, its table, and the warnings with their commands."""
    table, of = AnswerTable(summary), summary.campaign
    lost = f", {of.invalid_runs} invalid" if of.invalid_runs else ""
    yield from _wrapped(f"{of.title}, {of.profile}: {of.runs}{lost}")
    if of.shares_of:
        yield from _wrapped(f"Shares are of what {table.name(of.shares_of)} can do: the same for all.")
    yield ""
    yield from _wrapped(summary.answer)
    decided = [measure for measure in table.measures if measure.metric.decided] or table.measures
    if len(table.systems) > FEW_SYSTEMS:
        yield from _tables(decided, lambda measures: _ranked(table, measures), names=2)
        if any(rank.held is False for rank in summary.ranks):
            yield "  * did not hold the rate in most of its runs"
    else:
        others = [measure for measure in table.measures if measure not in decided]
        yield from _tables(decided, lambda measures: _compared(table, measures[0]), most=1)
        yield from _tables(others, lambda measures: _values(table, measures), most=MOST_BESIDE)
        if table.means_apart:
            yield ""
            yield from _wrapped(MEANS)
    if summary.claims:
        yield ""
        yield from _wrapped(f"Published claims: {claims_counted(summary.claims)}; the report has each.")
    yield from _requirements(table)
    yield from _warnings(summary)


def _tables(
    measures: Sequence[Measure], rows_of: Callable[[Sequence[Measure]], Rows], names: int = 1, most: int | None = None
) -> Iterator[str]:
    """Yield tables of measures, as many a table as leave the names beside them."""
    while measures:
        fits = (many for many in range(len(measures[:most]), 1, -1) if _over(rows_of(measures[:many])) <= 0)
        many = next(fits, 1)
        first, measures = measures[:many], measures[many:]
        yield ""
        yield from _wrapped("; ".join(measure.title for measure in first))
        yield from _columns(rows_of(first), names)


def _compared(table: AnswerTable, measure: Measure) -> Rows:
    """Return the values of one or two systems, the ratio of these, and the better one."""
    systems = table.systems
    heading = ["", *(system.name for system in systems)]
    if len(systems) == FEW_SYSTEMS:
        heading += [f"{systems[1].name} of {systems[0].name}", "better"]
    rows = [heading]
    for row in table.rows:
        values = [table.value(row, measure, system.id) for system in systems]
        if any(values):
            rows.append([row, *map(_value, values), *_verdict(table, table.comparisons(row, measure))][: len(heading)])
    return rows


def _verdict(table: AnswerTable, found: Sequence[Comparison]) -> list[str]:
    if not found:
        return ["", ""]
    of = found[0].turned()
    return [ratio(of.ratio, of.lo, of.hi), table.name(of.winner) if of.winner else of.verdict]


def _values(table: AnswerTable, measures: Sequence[Measure]) -> Rows:
    """Return the values of each system by each measure, which are not decided."""
    systems = table.systems
    heading = ["", *(system.name for _ in measures for system in systems)]
    values = [[table.value(row, measure, one.id) for measure in measures for one in systems] for row in table.rows]
    return [heading, *([row, *map(_value, of_row)] for row, of_row in zip(table.rows, values, strict=True))]


def _ranked(table: AnswerTable, measures: Sequence[Measure]) -> Rows:
    """Return a row a system in each scenario, the best first by the first measure; unranked in it, last."""
    rows = [["", "system", *(title for measure in measures for title in (measure.metric.name, "rank"))]]
    for row in table.rows:
        ranks = [{rank.system: _place(rank) for rank in table.ranks(row, measure)} for measure in measures]
        ranked = dict.fromkeys(system for rank in ranks for system in rank)
        for place, system in enumerate(ranked):
            fields = [row if place == 0 else "", table.name(system)]
            for measure, rank in zip(measures, ranks, strict=True):
                fields += [_value(table.value(row, measure, system)), rank.get(system, MISSING)]
            rows.append(fields)
    return rows


def _place(rank: Rank) -> str:
    return f"{rank.text}*" if rank.held is False else rank.text


def _value(found: Estimate | None) -> str:
    return number(found.value) if found else MISSING


def _requirements(table: AnswerTable) -> Iterator[str]:
    if table.summary.requirements:
        yield ""
    for one in table.summary.requirements:
        where = ", ".join(filter(None, [table.name(one.system), one.row, at_load(one.load)]))
        yield from _wrapped(f"{one.text} {HOLDS[one.verdict]}: {where}: {_with_interval(one.value)}", "= ")


def _with_interval(found: Estimate | None) -> str:
    if found is None or found.lo is None or found.hi is None:
        return _value(found)
    return f"{number(found.value)} ({number(found.lo)}–{number(found.hi)})"


def _warnings(summary: Summary) -> Iterator[str]:
    if summary.warnings or summary.left_out:
        yield ""
    for warning in with_each_command_once(summary.warnings):
        yield from _wrapped(warning.text, "! ")
        if warning.command:
            yield from _command(warning.command)
    for one in summary.left_out[:MOST_LEFT_OUT]:
        yield from _wrapped(f"{one.run} is invalid: {one.reason}", "- ")
    if (more := len(summary.left_out) - MOST_LEFT_OUT) > 0:
        yield f"- and {more} more invalid; the report names them."


def _command(text: str) -> Iterator[str]:
    """Yield a command in lines that a shell takes for one."""
    line = " "
    for part in map(shlex.quote, shlex.split(text)):
        if line.strip() and len(f"{line} {part} \\") > WIDTH:
            yield f"{line} \\"
            line = "   "
        line = f"{line} {part}"
    yield line


def _columns(rows: Rows, names: int) -> Iterator[str]:
    """Lay rows out in columns, the first ones of names; where these have no room beside the values they stand above."""
    above = [""] * len(rows)
    if names > 1 and _over(rows) > 0:
        above, rows, names = [row[0] for row in rows], [row[1:] for row in rows], 1
    widths = _widths(rows)
    room = sum(widths[:names]) + 2 * (names - 1) - max(0, _over(rows))
    for first, row in zip(above, rows, strict=True):
        yield from _wrapped(first, "  ")
        name = "  ".join(map(str.ljust, row[:names], widths))
        if len(name.rstrip()) > room:
            yield from _wrapped(name, "  ")
            name = ""
        yield "  ".join(["", name.rstrip().ljust(room), *map(str.rjust, row[names:], widths[names:])]).rstrip()


def _widths(rows: Rows) -> list[int]:
    return [max(map(len, column)) for column in zip(*rows, strict=True)]


def _over(rows: Rows) -> int:
    """Return by how much a table is wider than the terminal."""
    return sum(2 + width for width in _widths(rows)) - WIDTH


def _wrapped(text: str, mark: str = "") -> list[str]:
    indent = " " * len(mark)
    return textwrap.wrap(text, WIDTH, initial_indent=mark, subsequent_indent=indent, break_on_hyphens=False)
