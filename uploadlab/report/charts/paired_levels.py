"""The same at one level of a factor and at another: a metric of each system, level beside level."""

import textwrap

import altair as alt

from uploadlab.report import drawing
from uploadlab.report.drawing import LABEL_PX, Chart, Dataset
from uploadlab.report.figures import Figure
from uploadlab.report.results import Results, Scenario
from uploadlab.report.sentences import captions
from uploadlab.tables.table_file import Value
from uploadlab.words.language import Language

LABEL_CHARACTERS = 14
LABEL_ROOM = 1.6
"""The names of two levels need so many times the room of a number."""


def scenarios(results: Results, factor: str) -> list[Scenario]:
    """Return the scenarios that differ from another in the factor alone, beside each other."""
    groups: dict[tuple[tuple[str, str], ...], list[Scenario]] = {}
    for scenario in results.scenarios.values():
        others = tuple((name, level) for name, level in scenario.factors.items() if name != factor)
        if factor in scenario.factors:
            groups.setdefault(others, []).append(scenario)
    return [scenario for group in groups.values() if len(group) > 1 for scenario in group]


def data(results: Results, figure: Figure) -> Dataset:
    """Return the cells' means with their intervals (`kind` cell) and the valid runs' (`kind` valid)."""
    rows: list[dict[str, Value]] = []
    compared = {scenario.key: scenario for scenario in scenarios(results, figure.x)}
    for cell in results.cells:
        scenario, value = compared.get(cell.scenario), cell.value(figure.y)
        if scenario is None or value is None or not cell.valid_runs:
            continue
        others = " ".join(level for name, level in scenario.factors.items() if name != figure.x)
        origin = {"scenario": cell.scenario, "group": others, figure.x: scenario.label(figure.x), "system": cell.system}
        low, high = cell.interval(figure.y) or (None, None)
        rows.append({**origin, "kind": "cell", figure.y: value, "lo": low, "hi": high, "n": len(cell.valid_runs)})
        rows += [
            {**origin, "kind": "valid", "repeat": run.repeat, figure.y: run.value(figure.y)} for run in cell.valid_runs
        ]
    columns = {"kind": "string", "scenario": "string", "group": "string", figure.x: "string", "system": "string"}
    columns |= {"repeat": "string", figure.y: "number", "lo": "number", "hi": "number", "n": "number"}
    return Dataset(name=figure.id, columns=columns, rows=rows)


def chart(results: Results, figure: Figure, data: Dataset, words: Language) -> Chart | None:
    """Return the chart, or None where nothing was measured at two levels."""
    if len({row[figure.x] for row in data.rows}) < 2:
        return None
    shown = [
        scenario
        for scenario in scenarios(results, figure.x)
        if any(row["scenario"] == scenario.key for row in data.rows)
    ]
    bounds = drawing.numbers(data.rows, "lo", "hi")
    scale, log = drawing.plot_range(drawing.numbers(data.rows, figure.y), bounds)
    y = alt.Y(f"{figure.y}:Q", title=words[f"axis_{figure.y}"], scale=scale, axis=drawing.value_axis(scale))
    hue, form = drawing.system_marks(results)
    tips = [
        alt.Tooltip("system_name:N", title=words["tip_system"]),
        alt.Tooltip("scenario_name:N", title=words["tip_scenario"]),
        alt.Tooltip(f"{figure.y}:Q", title=words[f"axis_{figure.y}"], format=",.4~g"),
    ]
    base = (
        alt.Chart()
        .transform_calculate(
            system_name=drawing.system_name(results),
            scenario_name=drawing.lookup({one.key: words.scenario(one) for one in shown}, "datum.scenario"),
        )
        .encode(
            x=_axis(shown, figure.x, words),
            xOffset=alt.XOffset("system:N", scale=alt.Scale(domain=list(results.systems))),
        )
    )
    cells = base.transform_filter("datum.kind === 'cell'")
    layers = [
        cells.mark_line(strokeWidth=1, strokeDash=[3, 3], opacity=0.8).encode(
            y=y, color=hue, detail=alt.Detail("group:N")
        ),
        drawing.interval_rules(cells, scale).encode(color=hue),
        base.transform_filter("datum.kind === 'valid'")
        .mark_point(filled=True, size=18, opacity=0.75, clip=True)
        .encode(y=y, color=hue, shape=form, tooltip=[*tips, alt.Tooltip("repeat:N", title=words["tip_run"])]),
        cells.mark_point(filled=True, size=95, opacity=1, clip=True).encode(
            y=y, color=hue, shape=form, tooltip=[*tips, *drawing.interval_tips(words)]
        ),
    ]
    return Chart(
        id=figure.id,
        spec=drawing.layered(layers, data, width="container", height=290),
        datasets=(data.name,),
        title=words.captioned(figure.id, figure.declared),
        sentence=captions.paired_levels(words, results, shown, figure.y),
        note=captions.paired_levels_note(words, results, log=log, intervals=bool(bounds)),
    )


def _axis(shown: list[Scenario], factor: str, words: Language) -> alt.X:
    """Return the axis of the scenarios: the other factors, below them the level's name."""
    long, short = {}, {}
    for one in shown:
        others = " ".join(level for name, level in one.factors.items() if name in one.varying and name != factor)
        head = [others] if others else []
        long[one.key] = [*head, *textwrap.wrap(one.label(factor), LABEL_CHARACTERS)]
        short[one.key] = [*head, one.factors[factor]]
    room = LABEL_ROOM * LABEL_PX * len(shown)
    return alt.X(
        "scenario:N",
        title=", ".join(words.column(name) for name in (*_others(shown, factor), factor)),
        sort=list(long),
        scale=alt.Scale(domain=list(long)),
        axis=alt.Axis(
            labelAngle=0,
            labelExpr=f"width > {room} ? {drawing.lookup(long, 'datum.value')} : "
            f"{drawing.lookup(short, 'datum.value')}",
            labelOverlap=False,
            tickSize=0,
        ),
    )


def _others(shown: list[Scenario], factor: str) -> list[str]:
    return [name for name in shown[0].factors if name in shown[0].varying and name != factor]
