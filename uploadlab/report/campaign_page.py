"""The page of a campaign, made of its summary."""

from collections.abc import Iterator, Sequence

from monitoring.pages import charts
from monitoring.pages.charts import BYTES, PERCENTILES, Axis
from monitoring.pages.document import Block, Cell, Chart, Column, Datum, Page, Section, Table, Text, table_of
from uploadlab.report.answer_table import MEANS, AnswerTable, Measure
from uploadlab.report.numbers import MISSING, counted, number, ratio
from uploadlab.report.sentence import claims_counted
from uploadlab.report.summary import Grid, Summary, with_each_command_once
from uploadlab.requirements import HOLDS
from uploadlab.results.windows import AS_GIVEN
from uploadlab.tables.answer import Comparison, Estimate, at_load

TWO = 2
WIDE = 20
"""An axis is logarithmic where its largest value is so many times its smallest."""
RATIOS = (0.1, 0.25, 0.5, 0.8, 1, 1.25, 2, 4, 10)
"""Where an axis of ratios has ticks."""
MOST_DRAWN = 8
"""Of more systems than this the charts show the first."""


def campaign_page(summary: Summary) -> Page:
    """Return the page: the answer, its table and chart, the warnings, and all else folded."""
    table = AnswerTable(summary)
    of = summary.campaign
    runs = f"{of.runs}, {of.repeats} for each cell"
    over = [of.title, of.profile, of.started, runs, of.machine.get("processor", "")]
    drawn = [chart for measure in table.measures if (chart := value_chart(table, measure))]
    lead = _leading(table, drawn)
    return Page(
        title=f"{of.title}: {of.profile}, {of.started}",
        over=" · ".join(filter(None, over)),
        lead=summary.answer,
        sections=[
            Section(title="", blocks=[answer(table), *lead]),
            *_requirements(table),
            *_warnings(summary),
            *_conformance(summary),
            *_folded("More charts", [chart for chart in [*drawn, *_curves(table)] if chart not in lead]),
            *_folded("All cells", [_cells(table)]),
            *_folded("All comparisons", [_comparisons(table)] if len(table.systems) <= TWO else []),
            *_folded(f"Published claims: {claims_counted(summary.claims)}", _claims(summary)),
            *(section for grid in summary.grids for section in _folded(grid.title, [_grid(grid)])),
            *_folded("Invalid runs", [left_out_table(summary)]),
            *_folded("Machine, versions and settings", [machine_table(summary)]),
            Section(title="How to read this", folded=True, blocks=[Text(text=text) for text in _method(summary)]),
        ],
        series=[system.name for system in summary.systems],
    )


def _folded(title: str, blocks: Sequence[Block]) -> Iterator[Section]:
    """Yield a folded section of what there is; none where a table has no row."""
    shown = [block for block in blocks if not isinstance(block, Table) or block.rows]
    if shown:
        yield Section(title=title, blocks=shown, folded=True)


def answer(table: AnswerTable) -> Table:
    """Return the table of the first screen: a row a scenario, or with many systems a row a system in it."""
    return _answer_of_two(table) if len(table.systems) <= TWO else _answer_of_many(table)


def _answer_of_two(table: AnswerTable) -> Table:
    systems = table.systems
    columns: list[str | Column] = [_row_title(table)]
    for measure in table.measures:
        columns += [Column(title=system.name, group=measure.title) for system in systems]
        if _compared(table, measure):
            columns.append(Column(title=f"{systems[1].name} of {systems[0].name}", group=measure.title))
    rows = []
    for row in table.rows:
        fields: list[str | Cell] = [row]
        for measure in table.measures:
            found = table.comparisons(row, measure)
            better = found[0].winner if found else ""
            fields += [_value(table.value(row, measure, one.id), strong=one.id == better) for one in systems]
            if _compared(table, measure):
                fields.append(_verdict(table, found))
        rows.append(fields)
    together = any(one.decided and one.load not in (None, AS_GIVEN) for one in table.summary.comparisons)
    hold = "The ratios shown hold together." if together else "Each ratio holds by itself, not all together."
    note = f"Bold: better by the 95% interval. {hold}"
    note += f" {MEANS}" if table.means_apart else ""
    return table_of(columns, rows, note=note, wide=True)


def _compared(table: AnswerTable, measure: Measure) -> bool:
    decided = any(one.decided for one in table.summary.metrics)
    return (measure.metric.decided or not decided) and any(table.comparisons(row, measure) for row in table.rows)


def _verdict(table: AnswerTable, found: Sequence[Comparison]) -> Cell:
    if not found or found[0].ratio is None:
        return Cell(text=MISSING)
    of = found[0].turned()
    return Cell(text=ratio(of.ratio, of.lo, of.hi), small=table.name(of.winner) if of.winner else of.verdict)


def _answer_of_many(table: AnswerTable) -> Table:
    columns: list[str | Column] = [_row_title(table), "System"]
    for measure in table.measures:
        columns.append(Column(title=measure.title))
        if _compared(table, measure):
            columns.append(Column(title="rank"))
    rows = []
    for row in table.rows:
        ranks = [{rank.system: rank.text for rank in table.ranks(row, measure)} for measure in table.measures]
        order = next((rank for measure, rank in zip(table.measures, ranks, strict=True) if measure.metric.decided), {})
        systems = [*order, *(one.id for one in table.systems if one.id not in order)]
        for place, system in enumerate(systems):
            fields: list[str | Cell] = [row if place == 0 else "", table.name(system)]
            for measure, rank in zip(table.measures, ranks, strict=True):
                place_of = rank.get(system, MISSING)
                fields.append(_value(table.value(row, measure, system), strong=place_of == "1"))
                if _compared(table, measure):
                    fields.append(place_of)
            rows.append(fields)
    note = "Bold: the best, decided. Systems that share places are tied: their order is not decided."
    return table_of(columns, rows, note=note, wide=True)


def _row_title(table: AnswerTable) -> str:
    return "File size" if any(cell.size_bytes is not None for cell in table.summary.cells) else "Scenario"


def _value(found: Estimate | None, *, strong: bool = False) -> Cell:
    return Cell(text=number(found.value), strong=strong) if found else Cell(text=MISSING)


def _leading(table: AnswerTable, drawn: Sequence[Chart]) -> list[Chart]:
    """Return the chart of the first screen: of a change, against load where several were measured, or of p99."""
    if first := change_chart(table) or load_chart(table):
        return [first]
    names = [f"chart-{measure.metric.id}" for measure in table.measures if measure.metric.decided]
    names.sort(key=lambda name: "p99" not in name)
    return [chart for name in names[:1] for chart in drawn if chart.id == name]


def value_chart(table: AnswerTable, measure: Measure) -> Chart | None:
    """Return the chart of one measure: over the size of files where that varies, else a row a scenario."""
    rows: list[dict[str, Datum]] = [
        {
            "row": row,
            "size_bytes": cell.size_bytes,
            "system": table.name(system.id),
            "value": value.value,
            "lo": value.lo,
            "hi": value.hi,
        }
        for row in table.rows
        for system in table.systems[:MOST_DRAWN]
        if (cell := table.cell(row, measure.load, system.id)) and (value := cell.values.get(measure.metric.id))
    ]
    if not rows:
        return None
    order = [system.name for system in table.systems[:MOST_DRAWN]]
    sizes = {cell.size_bytes for cell in table.summary.cells}
    name, title = f"chart-{measure.metric.id}", measure.title
    values = [
        found.value for row in table.rows for one in table.systems if (found := table.value(row, measure, one.id))
    ]
    if len(sizes) == len(table.rows) > 1 and None not in sizes and min(filter(None, sizes)) > 0:
        over = Axis(field="size_bytes", title="file size", log=True, label=BYTES, values=sorted(filter(None, sizes)))
        along = Axis(field="value", title=title, log=min(values) > 0, zero=True)
        return charts.lines(name, title, rows, over, along, series="system", order=order)
    spread = max(values) > WIDE * min(values) > 0
    along = Axis(field="value", title=title, log=spread, zero=not spread)
    return charts.dots(name, title, rows, along, "row", series="system", order=order)


def change_chart(table: AnswerTable) -> Chart | None:
    """Return the chart of a judgement: each metric's ratio of the change to what it is judged against."""
    base = table.summary.campaign.judged_against
    changes = [
        (measure.title, row, one.turned())
        for measure in table.measures
        for row in table.rows
        for one in table.comparisons(row, measure)
        if base and one.ratio
    ]
    rows: list[dict[str, Datum]] = [
        {
            "metric": title if len(table.rows) == 1 else f"{title}: {row}",
            "system": table.name(of.system_a),
            "value": of.ratio,
            "lo": of.lo,
            "hi": of.hi,
        }
        for title, row, of in changes
    ]
    if not rows:
        return None
    title = f"{rows[0]['system']} of {table.name(base)}"
    along = Axis(field="value", title=f"{title} (1: no difference)", log=True, values=RATIOS)
    return charts.dots("chart-change", title, rows, along, "metric", series="system", order=[str(rows[0]["system"])])


def load_chart(table: AnswerTable) -> Chart | None:
    """Return the chart of p99 against the share of capacity; None where fewer than two shares were measured."""
    drawn = [system.id for system in table.systems[:MOST_DRAWN]]
    rows: list[dict[str, Datum]] = [
        {
            "scenario": cell.row,
            "load_pct": cell.load,
            "system": table.name(cell.system),
            "value": value.value,
            "lo": value.lo,
            "hi": value.hi,
        }
        for cell in table.summary.cells
        if cell.system in drawn and isinstance(cell.load, int) and (value := cell.values.get("p99_ms"))
    ]
    if len({row["load_pct"] for row in rows}) < TWO:
        return None
    shares = [load for load in table.loads if isinstance(load, int)]
    x = Axis(field="load_pct", title="share of capacity, %", values=shares)
    y = Axis(field="value", title="p99, ms", log=True)
    order = [system.name for system in table.systems[:MOST_DRAWN]]
    title = "99 of 100 are answered within, by load"
    return charts.lines("chart-load", title, rows, x, y, series="system", order=order, choose="scenario")


def _curves(table: AnswerTable) -> Iterator[Chart]:
    order = [system.name for system in table.systems[:MOST_DRAWN]]
    for kind, title, x, y in (
        (
            "percentiles",
            "Percentiles of the response time",
            Axis(field="x", title="percentile", label=PERCENTILES, values=[0, 1, 2, 3, 4], zero=True),
            Axis(field="y", title="ms", log=True),
        ),
        (
            "seconds",
            "Mean response time, second by second",
            Axis(field="x", title="s", zero=True),
            Axis(field="y", title="ms", log=True),
        ),
    ):
        rows: list[dict[str, Datum]] = [
            {"scenario": curve.scenario, "system": table.name(curve.system), "x": at, "y": value}
            for curve in table.summary.curves
            if curve.kind == kind
            for at, value in zip(curve.x, curve.y, strict=True)
        ]
        if rows:
            yield charts.lines(
                f"chart-{kind}", title, rows, x, y, series="system", order=order, points=False, choose="scenario"
            )


def _requirements(table: AnswerTable) -> list[Section]:
    rows: list[list[str | Cell]] = [
        [
            one.text,
            table.name(one.system),
            ", ".join(filter(None, [one.row, at_load(one.load)])),
            _with_interval(one.value),
            Cell(text=HOLDS[one.verdict], strong=one.verdict == "fail"),
        ]
        for one in table.summary.requirements
    ]
    columns = ("required", "system", "where", Column(title="value"), "")
    return [Section(title="Requirements", blocks=[table_of(columns, rows, wide=True)])] if rows else []


def _warnings(summary: Summary) -> list[Section]:
    said = [Text(text=one.text, command=one.command) for one in with_each_command_once(summary.warnings)]
    return [Section(title="Before you rely on it", blocks=said)] if said else []


def _conformance(summary: Summary) -> list[Section]:
    known = summary.conformance or {}
    said = [Text(text=f"{one.name}: {known[one.id]}.") for one in summary.systems if one.id in known]
    return [Section(title="With broken and hostile requests", blocks=said)] if said else []


def _cells(table: AnswerTable) -> Table:
    metrics = table.summary.metrics
    columns: list[str | Column] = ["scenario", "system", Column(title="runs")]
    columns += (Column(title=one.title()) for one in metrics)
    of = _with_interval if len(table.systems) <= MOST_DRAWN else _value
    cells = sorted(table.summary.cells, key=lambda cell: (table.rows.index(cell.row), table.loads.index(cell.load)))
    rows: list[list[str | Cell]] = [
        [
            cell.name,
            table.name(cell.system),
            f"{cell.valid_runs}/{cell.runs}",
            *(of(cell.values.get(metric.id)) for metric in metrics),
        ]
        for cell in cells
    ]
    intervals = "their 95% intervals are in analysis/cells.csv" if of is _value else "with 95% intervals"
    return table_of(columns, rows, wide=True, note=f"Means of the valid runs; {intervals}.")


def _with_interval(found: Estimate | None) -> Cell:
    if not found:
        return Cell(text=MISSING)
    ends = [number(end) for end in (found.lo, found.hi) if end is not None]
    return Cell(text=number(found.value), small="–".join(ends))


def _comparisons(table: AnswerTable) -> Table:
    names = {metric.id: metric.name for metric in table.summary.metrics}
    rows = []
    for one in table.summary.comparisons:
        of = one.turned()
        said = f"{table.name(of.system_a)} {ratio(of.ratio, of.lo, of.hi)} of {table.name(of.system_b)}"
        more = f"undecided; {counted(one.more_repeats, 'more repeat')} may do" if one.more_repeats else one.verdict
        verdict = f"{table.name(one.winner)} better" if one.winner else more
        rows.append([one.name, names.get(one.metric, one.metric), said if of.ratio else MISSING, verdict])
    return table_of(("scenario", "value", "ratio", "verdict"), rows, wide=True)


def _claims(summary: Summary) -> list[Block]:
    titles = ("claim", "in the paper", "here", "numbers", "at its scale", "on the paper's numbers")
    stacks = list(dict.fromkeys(claim.stack for claim in summary.claims))
    return [
        table_of(
            titles,
            (
                (one.text, one.place, one.verdict, one.why, "yes" if one.at_scale else "no", one.paper_verdict)
                for one in summary.claims
                if one.stack == stack
            ),
            title=stack if len(stacks) > 1 else "",
        )
        for stack in stacks
    ]


def _grid(grid: Grid) -> Table:
    numbers = [all(not isinstance(row[at], str) for row in grid.rows) for at in range(len(grid.columns))]
    columns = [Column(title=title, number=of) for title, of in zip(grid.columns, numbers, strict=True)]
    rows = ((field if isinstance(field, str) else number(field) for field in row) for row in grid.rows)
    return table_of(columns, rows, note=grid.note, wide=True)


def left_out_table(summary: Summary) -> Table:
    """Return the runs that do not count, each with its reason."""
    return table_of(("run", "reason"), ((one.run, one.reason) for one in summary.left_out))


def machine_table(summary: Summary) -> Table:
    """Return what was run, and on what."""
    facts = {"command": summary.campaign.command, **summary.campaign.machine}
    return table_of(("what", "value"), (fact for fact in facts.items() if fact[1]))


def _method(summary: Summary) -> list[str]:
    margin, reference = f"{summary.campaign.equal_margin_pct:g}%", summary.campaign.shares_of
    return [
        f"Shares are of what {AnswerTable(summary).name(reference)} can do: the same for all." if reference else "",
        "A share of the capacity follows saturation in the same process, whose runtime has then compiled more: in a "
        "process of its own (--apart) CPU may be higher, and the order another."
        if summary.campaign.after_saturation
        else "",
        "A value is the mean over the valid runs; its interval resamples runs, not requests.",
        f"The servers of a block were alive together and took turns of {turn_ms} ms on the core. What nmon recorded is "
        "of all of them, so it is not shown. Each turn begins with an empty queue."
        if (turn_ms := summary.campaign.turn_ms)
        else "Systems run next to each other, in random order.",
        "They are compared by their ratio within blocks.",
        f"Equal means that the whole interval lies within {margin}; undecided, that it allows more than one verdict.",
        "Sizes are decimal: 1 KB is 1000 bytes." if any(cell.size_bytes for cell in summary.cells) else "",
    ]
