"""A declared figure: a metric of each system, or along a factor, beside another metric and the paper's."""

from collections.abc import Iterator, Mapping, Sequence

import altair as alt

from uploadlab.report import drawing, facts
from uploadlab.report.drawing import Chart, Choice, Dataset
from uploadlab.report.figures import Figure
from uploadlab.report.results import Cell, Results, Scenario, natural
from uploadlab.report.sentences import captions
from uploadlab.tables.table_file import Value, number
from uploadlab.words.language import Language
from uploadlab.words.wording import capital

COLUMNS = {"kind": "string", "panel": "string", "level": "string", "system": "string", "metric": "string"}
FIGURES = {"repeat": "string", "value": "number", "lo": "number", "hi": "number", "n": "number"}
PAPER_SHAPE = "M-.8,-.8L.8,.8M.8,-.8L-.8,.8"
ONLY = "all"


def data(results: Results, figure: Figure) -> Dataset:
    """Return the cells' figures (`kind` cell), their valid runs' (valid), and what the paper printed (paper)."""
    rows = list(_ratios(results, figure) if figure.ratio_of else _measured(results, figure))
    panels = list(dict.fromkeys(row["panel"] for row in rows))
    for metric in figure.metrics:
        for system, printed, value in figure.paper(results, metric):
            level = printed.get(figure.x, "")
            of_paper: dict[str, Value] = {"kind": "paper", "level": level, "metric": metric, "value": value}
            rows += [{**of_paper, "panel": name, "system": key} for name in panels for key in results.keys_of(system)]
    return Dataset(name=figure.id, columns={**COLUMNS, **FIGURES}, rows=rows)


def _origin(results: Results, figure: Figure, cell: Cell) -> dict[str, Value]:
    scenario = results.scenarios[cell.scenario]
    level = scenario.factors.get(figure.x, "")
    return {"panel": panel(figure, scenario), "level": level, "system": cell.system}


def _measured(results: Results, figure: Figure) -> Iterator[dict[str, Value]]:
    """Yield each cell's figures, and those of its valid runs."""
    for cell in figure.cells(results):
        origin = _origin(results, figure, cell)
        for metric in figure.metrics:
            known = [(run, value) for run in cell.valid_runs if (value := run.value(metric)) is not None]
            if known and (value := cell.value(metric)) is not None:
                low, high = cell.interval(metric) or (None, None)
                of_cell: dict[str, Value] = {"value": value, "lo": low, "hi": high, "n": len(known)}
                yield {**origin, "kind": "cell", "metric": metric, **of_cell}
                for run, figure_of_run in known:
                    yield {**origin, "kind": "valid", "metric": metric, "repeat": run.repeat, "value": figure_of_run}


def _ratios(results: Results, figure: Figure) -> Iterator[dict[str, Value]]:
    """Yield the ratio of one system's figure to that of each other in its scenario."""
    for cell, ratio in facts.ratios(results, figure.cells(results), figure.y, figure.ratio_of):
        of_cell: dict[str, Value] = {"value": ratio.ratio, "lo": ratio.low, "hi": ratio.high, "n": ratio.n_b}
        yield {**_origin(results, figure, cell), "kind": "cell", "metric": figure.y, **of_cell}


def panel(figure: Figure, scenario: Scenario) -> str:
    """Return what tells a scenario of a figure from those that are drawn elsewhere: its levels of the other factors."""
    others = (name for name in scenario.varying if name != figure.x and len(figure.where.get(name, ())) != 1)
    return " ".join(scenario.factors.get(name, "") for name in others) or ONLY


def chart(results: Results, figure: Figure, data: Dataset, words: Language) -> Chart | None:
    """Return the chart, with a chooser where scenarios differ in more than it draws; None where nothing is known."""
    cells = [row for row in data.rows if row["kind"] == "cell"]
    if not cells:
        return None
    shown: dict[str, list[Cell]] = {}
    for cell in figure.cells(results):
        shown.setdefault(panel(figure, results.scenarios[cell.scenario]), []).append(cell)
    panels = [name for name in shown if any(row["panel"] == name for row in cells)]
    levels = {name: len({row["level"] for row in cells if row["panel"] == name}) for name in panels}
    chosen = max(panels, key=lambda name: levels[name])
    values, bounds = drawing.numbers(data.rows, "value"), drawing.numbers(cells, "lo", "hi")
    scale, log = drawing.plot_range(values, bounds)
    low, high = min(values, default=1.0), max(values, default=1.0)
    if log and not bounds:
        room = (high / low) ** 0.05
        scale = alt.Scale(type="log", domain=[low / room, high * room], nice=False)
    if len(panels) > 1:  # each has figures of its own size
        scale = alt.Scale(type="log" if log else "linear", nice=True)
    unit = "" if figure.ratio_of else words.phrases.get(f"unit_{figure.y}", "").strip()
    along = "system" if figure.kind == "by_system" else "level"
    axis = dict(results.declared.factors.get(figure.x, {}).get("axis") or {})
    along_levels = [number(str(row["level"])) for row in cells]
    if None in along_levels or (axis.get("scale") == "log" and min(one or 0 for one in along_levels) <= 0):
        axis = {}  # levels that have no place on it stand side by side
    hue, form = drawing.system_marks(results)
    y = alt.Y("value:Q", title=_axis_title(figure, words), scale=scale, axis=drawing.value_axis(scale, unit=unit))
    tips = [
        alt.Tooltip("system_name:N", title=words["tip_system"]),
        alt.Tooltip("metric_name:N", title=" "),
        alt.Tooltip("value:Q", title=unit or " ", format=",.4~g"),
    ]
    if figure.x:
        tips.insert(1, alt.Tooltip("level:N", title=words.column(figure.x)))
    base = (
        alt.Chart()
        .transform_filter("datum.panel === chosen")
        .transform_calculate(
            system_name=drawing.system_name(results),
            metric_name=drawing.lookup({name: words.say(f"measure_{name}") for name in figure.metrics}, "datum.metric"),
            along="toNumber(datum.level)" if axis else f"datum.{along}",
        )
        .encode(x=_x(results, figure, cells, axis, words), color=hue)
    )
    first = base.transform_filter(f"datum.metric === '{figure.y}'")
    of_cells = base.transform_filter("datum.kind === 'cell'")
    layers = [
        drawing.interval_rules(of_cells, scale),
        base.transform_filter("datum.kind === 'valid'")
        .mark_point(filled=True, size=16, opacity=0.6, clip=True)
        .encode(y=y, shape=form, tooltip=[*tips, alt.Tooltip("repeat:N", title=words["tip_run"])]),
        first.transform_filter("datum.kind === 'cell'")
        .mark_point(filled=True, size=80, opacity=1, clip=True)
        .encode(y=y, shape=form, tooltip=[*tips, alt.Tooltip("n:Q", title=words["tip_n"])]),
        base.transform_filter("datum.kind === 'paper'")
        .mark_point(shape=PAPER_SHAPE, size=70, filled=False, strokeWidth=2, clip=True)
        .encode(y=y, tooltip=tips),
    ]
    if figure.kind != "by_system":
        lines = of_cells.mark_line(strokeWidth=1.5, clip=True).encode(y=y, detail=alt.Detail("metric:N"))
        if figure.beside:
            dash = alt.condition(f"datum.metric === '{figure.y}'", alt.value([1, 0]), alt.value([4, 3]))
            lines = lines.encode(strokeDash=dash)
        layers.insert(0, lines)
    if figure.beside:
        layers.append(
            of_cells.transform_filter(f"datum.metric === '{figure.beside}'")
            .mark_point(filled=False, size=80, strokeWidth=2, opacity=1, clip=True)
            .encode(y=y, shape=form, tooltip=tips)
        )
    picture = drawing.layered(layers, data, params=[drawing.parameter("chosen", chosen)], width="container", height=290)
    sentences = {name: _sentence(results, figure, shown[name], words) for name in panels}
    choices = [
        Choice(value=name, label=capital(_named(results, figure, shown[name][0], words)), sentence=sentences[name])
        for name in panels
    ]
    several = len(panels) > 1
    title = words.captioned(figure.id, figure.declared)
    return Chart(
        id=figure.id,
        spec=picture,
        datasets=(data.name,),
        title=title if title != figure.id else words[f"chart_{figure.y}"],
        sentence="" if several else sentences[panels[0]],
        note=captions.levels_note(words, results, figure, intervals=bool(bounds), log=log),
        choices=tuple(choices) if several else (),
        chosen=chosen if several else "",
        chosen_by="panel" if several else "",
        chooser=words["choose_scenario"] if several else "",
    )


def _axis_title(figure: Figure, words: Language) -> str:
    if figure.ratio_of:
        return capital(words.say("axis_ratio", measure=words.say(f"measure_{figure.y}")))
    title = words[f"axis_{figure.y}"]
    if not figure.beside:
        return title
    return words.say("axis_beside", first=title, second=words.say(f"measure_{figure.beside}"))


def _x(
    results: Results, figure: Figure, cells: Sequence[Mapping[str, Value]], axis: Mapping[str, str], words: Language
) -> alt.X:
    if figure.kind == "by_system":
        names = {key: system.name for key, system in results.systems.items()}
        labels = alt.Axis(labelAngle=0, labelExpr=drawing.lookup(names, "datum.value"), tickSize=0)
        return alt.X("along:N", title=None, sort=list(names), axis=labels)
    title = words.column(figure.x)
    levels = sorted({str(row["level"]) for row in cells}, key=natural)
    if not axis:
        return alt.X("along:N", title=title, sort=levels, axis=alt.Axis(labelAngle=0, tickSize=0))
    title = f"{title}, {axis['unit']}" if axis.get("unit") and axis["unit"] not in title else title
    ticks = [value for level in levels if (value := number(level)) is not None]
    values = ticks if len(ticks) <= 12 else alt.Undefined
    domain = [min(ticks, default=0), max(ticks, default=1)]
    log = axis.get("scale") == "log"
    scale = alt.Scale(type="log" if log else "linear", domain=domain, nice=False, zero=False, padding=14)
    return alt.X("along:Q", title=title, scale=scale, axis=alt.Axis(values=values, format=",~d", labelOverlap=True))


def _named(results: Results, figure: Figure, cell: Cell, words: Language) -> str:
    scenario = results.scenarios[cell.scenario]
    others = [name for name in scenario.varying if name != figure.x and len(figure.where.get(name, ())) != 1]
    said = [level for name in others if (level := words.level(name, scenario.factors.get(name, "")))]
    return ", ".join(said) or words.scenario(scenario)


def _sentence(results: Results, figure: Figure, cells: Sequence[Cell], words: Language) -> str:
    """Say what one sees: each system's figure, or between which it lies, and what stands beside it."""
    if figure.ratio_of:
        return captions.ratios(words, results, figure, cells)
    if figure.kind == "by_system":
        return captions.by_system(words, results, figure, cells)
    found = [one for key in results.systems if (one := facts.profile(results, key, figure.y, cells)) and figure.x]
    return captions.by_level(words, results, figure.y, found)
