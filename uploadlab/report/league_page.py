"""The page of a league: many servers in one table to sort, and what they cost against how long they take."""

from collections.abc import Iterator

from monitoring.pages import charts
from monitoring.pages.charts import Axis
from monitoring.pages.document import Block, Cell, Chart, Column, Datum, Page, Section, Table, Text, table_of
from uploadlab.records import SATURATED
from uploadlab.report.answer_table import AnswerTable, Measure
from uploadlab.report.campaign_page import left_out_table, machine_table
from uploadlab.report.numbers import MISSING, number
from uploadlab.report.summary import Rank, Summary, System
from uploadlab.tables.answer import Estimate, Load

SIZE = "File size"
TIMES, COST = "p99_ms", "server_cpu_us_per_request"
AT_SATURATION = ("capacity_per_s", "memory_peak_mb", "memory_per_upload_kb")
AT_RATES = (TIMES, COST)
MOST_NAMED = 4
NOT_TOLD = (
    "One core, one machine, loopback: no network delays or loses packets, no client is slow, no proxy and no TLS "
    "stands before the server, and a server that would use more cores gets one. The files are small, of one mean size "
    "each, and no server waits for a disk.",
    "Each server is the code of its framework's guide: who tunes it, or writes another, measures another server. "
    "A rank says what surely differs here, not how much it matters: read the values beside it.",
)


def league_page(summary: Summary) -> Page:
    """Return the page; it needs ranks, hence three systems."""
    table, of = AnswerTable(summary), summary.campaign
    over = [of.started, f"{len(table.systems)} servers, {of.repeats} runs of each", of.machine.get("processor", "")]
    shown: list[Block] = [_standings(table), *_charts(table)]
    measured: list[Block] = [*(Text(text=text) for text in _method(table)), machine_table(summary)]
    return Page(
        title=f"League of upload servers, {of.started}",
        over=" · ".join(filter(None, over)),
        lead=_lead(table),
        sections=[
            Section(title="", blocks=shown),
            Section(title="What this does not tell", blocks=[Text(text=text) for text in NOT_TOLD]),
            Section(title="The servers", blocks=[_servers(table)], folded=True),
            *(
                [Section(title="Invalid runs", blocks=[left_out_table(summary)], folded=True)]
                if summary.left_out
                else []
            ),
            Section(title="How it was measured", blocks=measured, folded=True),
        ],
        series=[system.name for system in table.systems],
    )


def _lead(table: AnswerTable) -> str:
    """Say which servers no other is surely better than, at every size, by capacity and at the lowest rate."""
    clauses = []
    for measure in _measures(table)[:3]:
        places = [{rank.system: rank.best for rank in table.ranks(row, measure)} for row in table.rows]
        best = [table.name(system) for system in places[0] if all(place.get(system) == 1 for place in places)]
        named = ", ".join(best[:MOST_NAMED]) + (f" and {more} more" if (more := len(best) - MOST_NAMED) > 0 else "")
        at = f" {_group(measure)}" if isinstance(measure.load, int) else ""
        clauses.append(f"{measure.metric.name}{at}: {named or 'no server at every size'}")
    return f"Surely beaten by none: {'; '.join(clauses)}."


def _measures(table: AnswerTable) -> list[Measure]:
    """Return what stands in the table: capacity, then times and cost at each rate, then memory."""
    known = {metric.id: metric for metric in table.summary.metrics}
    saturated: list[tuple[str, Load]] = [(name, SATURATED) for name in AT_SATURATION]
    at_rates: list[tuple[str, Load]] = [(name, load) for load in _rates(table) for name in AT_RATES]
    return [Measure(known[name], load) for name, load in [*saturated[:1], *at_rates, *saturated[1:]] if name in known]


def _rates(table: AnswerTable) -> list[int]:
    return [load for load in table.loads if isinstance(load, int)]


def _standings(table: AnswerTable) -> Table:
    measures = _measures(table)
    columns: list[str | Column] = ["Server", SIZE]
    for measure in measures:
        columns += [Column(title=title, group=_group(measure)) for title in (measure.metric.title(), "rank")]
    conformance = table.summary.conformance or {}
    columns += [Column(title="Conformance: must")] if conformance else []
    rows = []
    for row in table.rows:
        ranks = [{rank.system: rank for rank in table.ranks(row, measure)} for measure in measures]
        for system in sorted(table.systems, key=lambda one: _standing(ranks[0].get(one.id))):
            fields: list[str | Cell] = [system.name, row]
            for measure, rank in zip(measures, ranks, strict=True):
                fields += _fields(table.value(row, measure, system.id), rank.get(system.id))
            fields += [_musts(conformance.get(system.id, MISSING))] if conformance else []
            rows.append(fields)
    note = (
        "Ranks hold together with 95% probability in each column and size; bold: no server is surely better. "
        "A server that did not hold a rate in most of its runs shares the last places there; “–”: none of its runs is "
        "valid there, for the reasons below. Click a title to sort."
    )
    return table_of(columns, rows, note=note, wide=True, sortable=True, choose=SIZE)


def _musts(conformance: str) -> str:
    """Return how many musts a server keeps; all of the line stands with the servers."""
    return conformance.partition(",")[0].removeprefix("must ")


def _standing(rank: Rank | None) -> tuple[int, int]:
    return (rank.best, rank.worst) if rank else (10**6, 10**6)


def _group(measure: Measure) -> str:
    return f"at {measure.load}%" if isinstance(measure.load, int) else "saturated"


def _fields(value: Estimate | None, rank: Rank | None) -> list[str | Cell]:
    if value is None:
        return [MISSING, MISSING]
    small = "not held" if rank and rank.held is False else ""
    place = Cell(text=rank.text, strong=rank.best == 1) if rank else MISSING
    return [Cell(text=number(value.value), small=small), place]


def _charts(table: AnswerTable) -> Iterator[Chart]:
    """Yield the chart of cost against time at the lowest rate, which most servers hold."""
    known = {metric.id: metric for metric in table.summary.metrics}
    if not _rates(table) or not known.keys() >= {TIMES, COST}:
        return
    rate = _rates(table)[0]
    times, cost = (Measure(known[name], rate) for name in (TIMES, COST))
    rows: list[dict[str, Datum]] = []
    for row in table.rows:
        held = {rank.system for rank in table.ranks(row, times) if rank.held is not False}
        for system in table.systems:
            x, y = table.value(row, cost, system.id), table.value(row, times, system.id)
            if x and y and system.id in held:
                found = {SIZE: row, "server": system.name, "runtime": _runtime(system)}
                rows.append({**found, **_ends("cost", x), **_ends("p99", y)})
    if rows:
        yield charts.boxes(
            "chart-league",
            f"How long and how dear: p99 against CPU per upload, at {rate}% of what {_reference(table)} can do",
            rows,
            Axis(field="cost", title="CPU per upload, µs", log=True),
            Axis(field="p99", title="p99, ms", log=True),
            name="server",
            series="runtime",
            choose=SIZE,
            note="Boxes are the 95% intervals of both. Servers that did not hold the rate are not drawn.",
        )


def _ends(name: str, of: Estimate) -> dict[str, Datum]:
    """Return a value and its interval; on a logarithmic axis an interval can't reach 0."""
    lo, hi = of.lo or of.value, of.hi or of.value
    return {name: of.value, f"{name}_lo": max(lo, of.value / 10), f"{name}_hi": min(hi, 10 * of.value)}


def _runtime(system: System) -> str:
    """Return what a server runs on: what its versions name first."""
    return next(iter(system.versions), "")


def _reference(table: AnswerTable) -> str:
    return table.name(table.summary.campaign.shares_of) if table.summary.campaign.shares_of else "the slowest"


def _servers(table: AnswerTable) -> Table:
    columns = ("Server", "What it is", "Versions", "Conformance", Column(title="Lines of code"))
    conformance = table.summary.conformance or {}
    rows = [
        [
            system.name,
            system.description,
            ", ".join(f"{name} {version}" for name, version in system.versions.items()),
            conformance.get(system.id, MISSING),
            str(system.facts.get("lines", MISSING)),
        ]
        for system in table.systems
    ]
    return table_of(columns, rows, wide=True, sortable=True)


def _method(table: AnswerTable) -> Iterator[str]:
    yield (
        "Each block measures every server once, in random order, with one process each: users in a closed loop, then "
        f"open arrivals at two rates that are the same for all, shares of what {_reference(table)} can do. The bytes "
        "stored are compared before and after each run."
    )
    for load in _rates(table):
        found = {
            row: cell.values["rate_per_s"].value
            for row in table.rows
            for system in table.systems
            if (cell := table.cell(row, load, system.id)) and "rate_per_s" in cell.values
        }
        yield f"{load}%: " + ", ".join(f"{number(rate)}/s at {row}" for row, rate in found.items()) + "."
    yield (
        "Ranks: simultaneous 95% confidence sets from all pairwise comparisons (Games-Howell bounds on logs within "
        "blocks; Al Mohamad, van Zwet, Solari and Goeman 2021)."
    )
