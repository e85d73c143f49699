"""Measured values on pages: each stands between two comments, which say what of which kept campaign it is.

A page names a campaign's ``summary.json`` and what follows is of that campaign, until it names another:

    <!-- from docs/results/2026-11-27-quick.json -->
    Tomcat answers 99 of 100 within <!-- value p99_ms, 23 KB, 50, tomcat -->12.3<!-- / --> ms,
    <!-- ratio p99_ms, 23 KB, 50, tomcat/node -->0.42 (0.35–0.50)<!-- / --> of Node.js's time.

    <!-- table -->
    <!-- / -->

``each``, ``each_ranks`` and ``agreement`` set beside each other all campaigns that the page has named so far, numbered
in the order in which it named them.

``python tests/pages/renew.py`` writes what belongs between the comments. A load is a share of the capacity in per cent,
``saturated`` or ``as_given``. A paragraph must not begin with a comment: Markdown would take it for HTML.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec

from uploadlab.report.answer_table import AnswerTable, Measure
from uploadlab.report.numbers import MISSING, number, ratio
from uploadlab.report.sentence import answer
from uploadlab.report.summary import Summary
from uploadlab.tables.answer import Comparison, Load, at_load

REPOSITORY = Path(__file__).parents[2]
FROM = re.compile(r"<!-- from (\S+) -->")
MARK = re.compile(r"<!-- (?P<what>[a-z]\w*)(?: (?P<of>[^>\n]*?))? -->(?P<now>.*?)<!-- / -->", re.DOTALL)
OUT = re.compile(r" --out \S+")
"""Where a campaign was kept is no part of what it measured."""
EACH = re.compile(f"{FROM.pattern}|{MARK.pattern}", re.DOTALL)


class WrongMark(Exception):
    """What a page asks for is not in the campaign that it names."""


def renewed(page: str) -> str:
    """Return the page with the values that the campaigns say now."""
    table: AnswerTable | None = None
    named: dict[str, AnswerTable] = {}

    def filled(found: re.Match[str]) -> str:
        nonlocal table
        if found[1]:
            table = named.setdefault(found[1], campaign(found[1]))
            return found[0]
        if table is None:
            raise WrongMark(f"{found[0].partition('-->')[0]}-->: no campaign is named before it: <!-- from PATH -->")
        return _filled(table, list(named.values()), found)

    return EACH.sub(filled, page)


def without_values(page: str) -> str:
    """Return what is left of a page when everything computed is taken out."""
    return MARK.sub("", page)


def campaign(path: str) -> AnswerTable:
    """Return a kept campaign's answer."""
    try:
        return AnswerTable(msgspec.json.decode((REPOSITORY / path).read_bytes(), type=Summary))
    except (OSError, msgspec.MsgspecError) as error:
        raise WrongMark(f"{path}: {error}") from None


def _filled(table: AnswerTable, named: Sequence[AnswerTable], found: re.Match[str]) -> str:
    what, of = found["what"], found["of"] or ""
    opened = found[0][: found[0].index("-->") + 3]
    try:
        if what in TEXTS:
            return f"{opened}{TEXTS[what](table, *_words(of))}<!-- / -->"
        lines = BESIDE[what](named, *_words(of)) if what in BESIDE else GRIDS[what](table, *_words(of))
        return "\n".join([opened, "", *lines, "", "<!-- / -->"])
    except (KeyError, TypeError, StopIteration):
        raise WrongMark(f"{opened}: {table.summary.campaign.name} has no such value.") from None


def _words(of: str) -> list[str]:
    return [word.strip() for word in of.split(",")] if of else []


def _load(text: str) -> Load:
    return int(text) if text.isdigit() else text


def _measure(table: AnswerTable, metric: str, load: str) -> Measure:
    return Measure(next(one for one in table.summary.metrics if one.id == metric), _load(load))


def _value(table: AnswerTable, metric: str, row: str, load: str, system: str) -> str:
    found = table.value(row, _measure(table, metric, load), system)
    if found is None:
        raise KeyError(system)
    return number(found.value)


def _ratio(table: AnswerTable, metric: str, row: str, load: str, systems: str) -> str:
    a, b = systems.split("/")
    found = table.comparisons(row, _measure(table, metric, load))
    for one in (*found, *(one.turned() for one in found)):
        if (one.system_a, one.system_b) == (a, b) and one.ratio is not None:
            return ratio(one.ratio, one.lo, one.hi)
    raise KeyError(systems)


def _runs(table: AnswerTable) -> str:
    of = table.summary.campaign
    return f"{of.runs}, {of.repeats} of each cell"


def _decided(table: AnswerTable) -> str:
    verdicts = [one.verdict for one in table.summary.comparisons if one.decided]
    return f"{sum(verdict != 'undecided' for verdict in verdicts)} of {len(verdicts)}"


TEXTS: dict[str, Callable[..., str]] = {
    "value": _value,
    "ratio": _ratio,
    "answer": answer,
    "runs": _runs,
    "decided": _decided,
    "claims_that": lambda table, verdict: str(sum(one.verdict == verdict for one in table.summary.claims)),
    "date": lambda table: table.summary.campaign.started,
    "command": lambda table: f"`{OUT.sub('', table.summary.campaign.command)}`",
    "machine": lambda table, name: table.summary.campaign.machine[name],
}
"""What stands within a sentence."""


def _grid(heading: Sequence[str], rows: Iterator[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(heading)} |"
    yield f"|---|{'---:|' * (len(heading) - 1)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def _better(table: AnswerTable, found: Sequence[Comparison]) -> str:
    """Say who is better, and its value over the other's."""
    if not found:
        return MISSING
    one = found[0]
    if not one.winner or one.ratio is None:
        return one.verdict
    of = one if one.winner == one.system_a else one.turned()
    return f"**{table.name(of.system_a)}** {ratio(of.ratio, of.lo, of.hi)}"


def _table(table: AnswerTable) -> Iterator[str]:
    """Every measure in every row, two systems beside each other."""
    names = [system.name for system in table.systems]

    def rows() -> Iterator[list[str]]:
        for measure in table.measures:
            for place, row in enumerate(table.rows):
                values = [table.value(row, measure, system.id) for system in table.systems]
                what = f"{measure.title}: {row}" if place == 0 else row
                cells = [number(one.value) if one else MISSING for one in values]
                yield [what, *cells, _better(table, table.comparisons(row, measure))]

    yield from _grid(["", *names, "better: its value over the other's"], rows())


def _winners(table: AnswerTable, *of: str) -> Iterator[str]:
    """Who is better in each row by each `METRIC/LOAD`; by what is decided, if none is named."""
    measures = [_measure(table, *one.split("/")) for one in of]
    measures = measures or [measure for measure in table.measures if measure.metric.decided]
    rows = ([row, *(_better(table, table.comparisons(row, measure)) for measure in measures)] for row in table.rows)
    yield from _grid(["mean size", *(measure.title.partition(",")[0] for measure in measures)], rows)


def _by_load(table: AnswerTable, metric: str) -> Iterator[str]:
    """Who is better by one metric, in each row at each load."""
    measures = [Measure(_measure(table, metric, "0").metric, load) for load in table.loads]
    rows = ([row, *(_better(table, table.comparisons(row, measure)) for measure in measures)] for row in table.rows)
    yield from _grid(["mean size", *(at_load(measure.load) for measure in measures)], rows)


def _curve(table: AnswerTable, row: str, *metrics: str) -> Iterator[str]:
    """The values of one row at each load."""
    shown = [_measure(table, metric, "0").metric for metric in metrics]
    heading = [f"{system.name}: {metric.name}, {metric.unit}" for metric in shown for system in table.systems]

    def rows() -> Iterator[list[str]]:
        for load in table.loads:
            values = [table.value(row, Measure(metric, load), one.id) for metric in shown for one in table.systems]
            yield [at_load(load), *(number(one.value) if one else MISSING for one in values)]

    yield from _grid(["", *heading], rows())


def _ranks(table: AnswerTable, metric: str, load: str) -> Iterator[str]:
    """The value of every system in every row, with its rank."""
    measure = _measure(table, metric, load)
    order = [rank.system for rank in table.ranks(table.rows[0], measure)]
    rows = ([table.name(one), *(_ranked(table, row, measure, one) for row in table.rows)] for one in order)
    yield from _grid([measure.title, *table.rows], rows)


def _ranked(table: AnswerTable, row: str, measure: Measure, system: str) -> str:
    ranks = {rank.system: rank.text for rank in table.ranks(row, measure)}
    found = table.value(row, measure, system)
    return f"{number(found.value)} ({ranks[system]})" if found else MISSING


def _pairs(table: AnswerTable, metric: str, load: str) -> Iterator[str]:
    """The ratio of every two systems in every row."""
    measure = _measure(table, metric, load)
    found = {row: {(one.system_a, one.system_b): one for one in table.comparisons(row, measure)} for row in table.rows}
    pairs = list(dict.fromkeys(pair for of in found.values() for pair in of))
    heading = [measure.title, *(f"{table.name(a)} over {table.name(b)}" for a, b in pairs)]

    def cell(one: Comparison | None) -> str:
        return MISSING if one is None or one.ratio is None else f"{ratio(one.ratio, one.lo, one.hi)} {one.verdict}"

    yield from _grid(heading, ([row, *(cell(found[row].get(pair)) for pair in pairs)] for row in table.rows))


def _rows(table: AnswerTable, *measures: str) -> Iterator[str]:
    """Each row by each `METRIC/LOAD`: the systems' values, and who is better."""
    asked = [_measure(table, *one.split("/")) for one in measures]
    rows = ([row, *(_compared(table, row, measure) for measure in asked)] for row in table.rows)
    yield from _grid([_systems(table), *(measure.title for measure in asked)], rows)


def _by_system(table: AnswerTable, row: str, *measures: str) -> Iterator[str]:
    """A line a system: its values in one row by each `METRIC/LOAD`."""
    asked = [_measure(table, *one.split("/")) for one in measures]
    values = {one.name: [table.value(row, measure, one.id) for measure in asked] for one in table.systems}
    rows = ([name, *(number(one.value) if one else MISSING for one in of)] for name, of in values.items())
    yield from _grid([row, *(measure.title for measure in asked)], rows)


def _compared(table: AnswerTable, row: str, measure: Measure) -> str:
    values = [table.value(row, measure, system.id) for system in table.systems]
    both = ", ".join(number(one.value) if one else MISSING for one in values)
    return f"{both}: {_better(table, table.comparisons(row, measure))}"


def _systems(table: AnswerTable) -> str:
    return ", ".join(system.name for system in table.systems)


def _each(named: Sequence[AnswerTable], row: str, *measures: str) -> Iterator[str]:
    """One row by each `METRIC/LOAD` in each campaign that has it."""
    asked = [one.split("/") for one in measures]
    there = [(place, table) for place, table in enumerate(named, 1) if row in table.rows]
    rows = ([f"{place}", *(_compared(table, row, _measure(table, *of)) for of in asked)] for place, table in there)
    yield from _grid([f"{row}: {_systems(named[0])}", *(_measure(named[0], *of).title for of in asked)], rows)


def _each_ranks(named: Sequence[AnswerTable], row: str, *measures: str) -> Iterator[str]:
    """Values and ranks of all systems in one row, by each `METRIC/LOAD` in each campaign; the order is the last's."""
    asked = [one.split("/") for one in measures]
    shown = [(place, table, _measure(table, *of)) for of in asked for place, table in enumerate(named, 1)]
    titles = [f"{measure.title}: 1" if place == 1 else f"{place}" for place, _, measure in shown]
    order = [rank.system for rank in named[-1].ranks(row, shown[0][2])]
    rows = ([named[-1].name(one), *(_ranked(table, row, measure, one) for _, table, measure in shown)] for one in order)
    yield from _grid([row, *titles], rows)


def _agreement(named: Sequence[AnswerTable]) -> Iterator[str]:
    """How many pairs of systems each campaign ranks surely, and how many of them as the campaign before does."""
    pairs = [(place, place + 1) for place in range(1, len(named))]
    heading = ["pairs surely ranked", *(f"in {place}" for place in range(1, len(named) + 1))]
    for before, after in pairs:
        heading += [f"by {before} and {after}, in the same order", "in another order"]

    def rows() -> Iterator[list[str]]:
        for measure in named[-1].measures:
            sure = [_surely_ranked(table, measure) for table in named]
            cells = [len(pairs) for pairs in sure]
            for before, after in pairs:
                first, again = sure[before - 1], sure[after - 1]
                cells += [len(first & again), sum((row, b, a) in again for row, a, b in first)]
            yield [measure.title, *map(str, cells)]

    yield from _grid(heading, rows())


def _surely_ranked(table: AnswerTable, measure: Measure) -> set[tuple[str, str, str]]:
    """Return each row with each two systems of which the first surely has the better rank."""
    ranks = {row: table.ranks(row, measure) for row in table.rows}
    return {(row, a.system, b.system) for row, of in ranks.items() for a in of for b in of if a.worst < b.best}


def _claims(table: AnswerTable) -> Iterator[str]:
    """What became of each published claim."""
    rows = ([one.text, one.stack, f"**{one.verdict}**: {one.why}", one.paper_verdict] for one in table.summary.claims)
    yield "| claim | versions | here | on the paper's own numbers |"
    yield "|---|---|---|---|"
    for row in rows:
        yield f"| {' | '.join(text.replace('|', '/') for text in row)} |"


def _warnings(table: AnswerTable) -> Iterator[str]:
    for one in table.summary.warnings:
        yield f"- {one.text}"


GRIDS: dict[str, Callable[..., Iterator[str]]] = {
    "table": _table,
    "rows": _rows,
    "winners": _winners,
    "by_load": _by_load,
    "by_system": _by_system,
    "curve": _curve,
    "ranks": _ranks,
    "pairs": _pairs,
    "claims": _claims,
    "warnings": _warnings,
}
"""What stands in lines of its own."""

BESIDE: dict[str, Callable[..., Iterator[str]]] = {"each": _each, "each_ranks": _each_ranks, "agreement": _agreement}
"""The same of several campaigns."""
