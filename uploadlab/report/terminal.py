"""The answer as the terminal prints it: at most 80 columns, no number and no name cut."""

import itertools
import re
import shlex
import textwrap
from collections.abc import Iterator, Sequence

from uploadlab.report.answer_table import AnswerTable, Measure, at_load, of_better, winner
from uploadlab.report.numbers import MISSING, number, ratio
from uploadlab.report.summary import HOLDS, Comparison, Rank, Summary, with_each_command_once
from uploadlab.tables.answer import Estimate

WIDTH = 80
FEW_SYSTEMS = 2
MOST_LEFT_OUT = 3
MOST_BESIDE = 3
SHORTEST_NAME = 8


def lines(summary: Summary) -> Iterator[str]:
    """Yield the answer, its table, and the warnings with their commands."""
    table = AnswerTable(summary)
    yield from _wrapped(f"{summary.campaign.title}, {summary.campaign.profile}: {_runs(summary)}")
    if summary.campaign.shares_of:
        yield from _wrapped(f"Shares are of what {table.name(summary.campaign.shares_of)} can do: the same for all.")
    yield ""
    yield from _wrapped(summary.answer)
    decided = [measure for measure in table.measures if measure.metric.decided] or table.measures
    if len(table.systems) > FEW_SYSTEMS:
        yield from _ranked(table, decided)
    else:
        for measure in decided:
            yield ""
            yield from _wrapped(measure.title)
            yield from _columns(_two(table, measure))
        yield from _others(table, [measure for measure in table.measures if measure not in decided])
    yield from _requirements(table)
    yield from _warnings(summary)


def _runs(summary: Summary) -> str:
    of = summary.campaign
    lost = f", {of.invalid_runs} invalid" if of.invalid_runs else ""
    return f"{of.valid_runs} of {of.valid_runs + of.invalid_runs} runs valid{lost}"


def _two(table: AnswerTable, measure: Measure) -> list[list[str]]:
    systems = table.systems
    heading = ["", *(system.name for system in systems)]
    if len(systems) == FEW_SYSTEMS:
        heading += [f"{systems[1].name} of {systems[0].name}", "better"]
    rows = [heading]
    for row in table.rows:
        values = [table.value(row, measure, system.id) for system in systems]
        if any(values):
            fields = [row, *(number(one.value) if one else MISSING for one in values)]
            rows.append([*fields, *(_verdict(table, table.comparisons(row, measure)))][: len(heading)])
    return rows


def _others(table: AnswerTable, measures: Sequence[Measure]) -> Iterator[str]:
    """Yield the values beside those that are decided, as many measures a table as fit."""
    systems = table.systems
    while measures:
        first, measures = measures[:MOST_BESIDE], measures[MOST_BESIDE:]
        heading = ["", *(system.name for _ in first for system in systems)]
        values = [[table.value(row, measure, one.id) for measure in first for one in systems] for row in table.rows]
        rows = [
            [row, *(number(one.value) if one else MISSING for one in of_row)]
            for row, of_row in zip(table.rows, values, strict=True)
        ]
        yield ""
        yield from _wrapped("; ".join(measure.title for measure in first))
        yield from _columns([heading, *rows])


def _verdict(table: AnswerTable, found: Sequence[Comparison]) -> list[str]:
    if not found:
        return ["", ""]
    ends = of_better(found[0])
    better = winner(found[0])
    said = table.name(better) if better else found[0].verdict
    return [ratio(*ends[2:]) if ends else MISSING, said]


def _ranked(table: AnswerTable, measures: Sequence[Measure]) -> Iterator[str]:
    """Yield the systems with their ranks, as many measures a table as leave the names of systems whole."""
    while measures:
        fits = (many for many in range(len(measures), 1, -1) if _over(_widths(_many(table, measures[:many]))) <= 0)
        beside = next(fits, 1)
        first, measures = measures[:beside], measures[beside:]
        yield ""
        yield from _wrapped("; ".join(measure.title for measure in first))
        yield from _columns(_many(table, first), names=2)
    if any(rank.held is False for rank in table.summary.ranks):
        yield "  * did not hold the rate in most of its runs"


def _many(table: AnswerTable, measures: Sequence[Measure]) -> list[list[str]]:
    """Return a row a system in each scenario, the best first by the first measure; unranked in it, last."""
    rows = [["", "system", *(title for measure in measures for title in (measure.metric.name, "rank"))]]
    for row in table.rows:
        ranks = [{rank.system: _place(rank) for rank in table.ranks(row, measure)} for measure in measures]
        ranked = dict.fromkeys(system for rank in ranks for system in rank)
        for place, system in enumerate(ranked):
            fields = [row if place == 0 else "", table.name(system)]
            for measure, rank in zip(measures, ranks, strict=True):
                value = table.value(row, measure, system)
                fields += [number(value.value) if value else MISSING, rank.get(system, MISSING)]
            rows.append(fields)
    return rows


def _place(rank: Rank) -> str:
    return f"{rank.text}*" if rank.held is False else rank.text


def _requirements(table: AnswerTable) -> Iterator[str]:
    if table.summary.requirements:
        yield ""
    for one in table.summary.requirements:
        where = ", ".join(filter(None, [table.name(one.system), one.row, at_load(one.load)]))
        yield from _wrapped(f"{one.text} {HOLDS[one.verdict]}: {where}: {_with_interval(one.value)}", "= ")


def _with_interval(found: Estimate | None) -> str:
    if found is None or found.lo is None or found.hi is None:
        return number(found.value) if found else MISSING
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


def _columns(rows: Sequence[Sequence[str]], names: int = 1) -> Iterator[str]:
    """Lay rows out in columns, the first ones of names; where all are too wide names are folded, nothing is cut."""
    widths = _widths(rows)
    for place in range(names):
        over = _over(widths)
        widths[place] = max(SHORTEST_NAME, widths[place] - over) if over > 0 else widths[place]
    for row in rows:
        folded = [_folded(text, width) for text, width in zip(row[:names], widths, strict=False)]
        values = [text.rjust(width) for text, width in zip(row[names:], widths[names:], strict=True)]
        for line, parts in enumerate(itertools.zip_longest(*folded, fillvalue="")):
            fields = [part.ljust(width) for part, width in zip(parts, widths, strict=False)]
            yield f"  {'  '.join([*fields, *(values if line == 0 else ())])}".rstrip()


def _widths(rows: Sequence[Sequence[str]]) -> list[int]:
    return [max(map(len, column)) for column in zip(*rows, strict=True)]


def _over(widths: Sequence[int]) -> int:
    """Return by how much columns so wide are wider than the terminal."""
    return 2 + sum(widths) + 2 * (len(widths) - 1) - WIDTH


def _folded(text: str, width: int) -> list[str]:
    """Return a name in lines so wide, ended after a comma or a space where there is one; nothing of it is lost."""
    lines = [""]
    for part in re.findall(r"[^, ]*[, ]|[^, ]+", text):
        if lines[-1] and len(lines[-1]) + len(part.rstrip()) > width:
            lines.append("")
        whole = lines[-1] + part
        while len(whole.rstrip()) > width:
            lines[-1] = whole[:width]
            whole = whole[width:]
            lines.append("")
        lines[-1] = whole
    return [line.rstrip() for line in lines]


def _wrapped(text: str, mark: str = "") -> list[str]:
    indent = " " * len(mark)
    return textwrap.wrap(text, WIDTH, initial_indent=mark, subsequent_indent=indent, break_on_hyphens=False)
