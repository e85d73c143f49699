"""The percentile curve of every request, by scenario: HDR style, all repeats faint."""

import altair as alt

from uploadlab.report import drawing
from uploadlab.report.drawing import Chart, Choice, Dataset
from uploadlab.report.results import Results
from uploadlab.report.sentences import captions
from uploadlab.tables.table_file import Value, number
from uploadlab.words.language import Language

QUANTILES = (0.5, 0.99, 0.999)
TICKS = (1, 2, 10, 100, 1000, 10_000, 100_000, 1_000_000)


def data(results: Results) -> Dataset:
    """Return the curves of the valid runs and of each cell together (`repeat` all).

    `tail` is 1/(1 - quantile). The largest request (quantile 1) has no place on that axis and is left out.
    """
    cells = {cell.key: cell for cell in results.cells}
    valid = {(run.cell, run.repeat) for run in results.valid_runs}
    rows: list[dict[str, Value]] = []
    for row in results.table("percentiles").rows:
        cell, quantile, elapsed = cells.get(row["cell"]), number(row["quantile"]), number(row["elapsed_ms"])
        repeat = row["repeat"]
        if cell is None or quantile is None or elapsed is None or quantile >= 1:
            continue
        if repeat == "all" or (cell.key, repeat) in valid:
            origin = {"scenario": cell.scenario, "system": cell.system, "repeat": repeat}
            rows.append({**origin, "quantile": quantile, "tail": 1 / (1 - quantile), "elapsed_ms": elapsed})
    columns = {"scenario": "string", "system": "string", "repeat": "string"}
    columns |= {"quantile": "number", "tail": "number", "elapsed_ms": "number"}
    return Dataset(name="percentiles", columns=columns, rows=rows)


def chart(results: Results, data: Dataset, words: Language) -> Chart | None:
    """Return the chart with a chooser of the scenario, or None where there is no curve."""
    present = {row["scenario"] for row in data.rows}
    scenarios = [one for one in results.scenarios.values() if one.key in present]
    if not scenarios:
        return None
    chosen = scenarios[len(scenarios) // 2].key
    tails = drawing.numbers(data.rows, "tail")
    ticks = [tick for tick in TICKS if tick <= max(tails) * 1.5]
    names = {1: "0 %", 2: "50 %", 10: "90 %", 100: "99 %", 1000: "99.9 %", 10_000: "99.99 %", 100_000: "99.999 %"}
    labels = {str(tick): name.replace(".", words.figures.decimal) for tick, name in names.items()}
    scale = alt.Scale(type="log", nice=False)
    base = (
        alt.Chart()
        .transform_filter("datum.scenario === chosen && isValid(datum.elapsed_ms)")
        .transform_calculate(
            system_name=drawing.system_name(results),
            # JMeter counts whole milliseconds: what it calls 0 is drawn at half a millisecond.
            height="datum.elapsed_ms || 0.5",
            curve="datum.system + datum.repeat",
        )
        .encode(
            x=alt.X(
                "tail:Q",
                title=words["axis_percentile"],
                scale=alt.Scale(type="log", nice=False, domain=[1, max(max(tails), 10)]),
                axis=alt.Axis(
                    values=ticks, labelExpr=drawing.lookup(labels, "toString(datum.value)"), grid=True, labelFlush=True
                ),
            ),
            y=alt.Y("height:Q", title=words["axis_elapsed"], scale=scale, axis=drawing.value_axis(scale)),
            color=drawing.system_marks(results, stroke=True)[0],
            detail=alt.Detail("curve:N"),
        )
    )
    tips = [
        alt.Tooltip("system_name:N", title=words["tip_system"]),
        alt.Tooltip("repeat:N", title=words["tip_run"]),
        alt.Tooltip("quantile:Q", title=words["tip_quantile"], format=".4~%"),
        alt.Tooltip("elapsed_ms:Q", title=words["axis_elapsed"], format=",.4~g"),
    ]
    layers = [
        base.transform_filter("show && datum.repeat !== 'all'").mark_line(strokeWidth=1, opacity=0.4),
        base.transform_filter("datum.repeat === 'all'").mark_line(strokeWidth=2.5),
        base.transform_filter("datum.repeat === 'all'")
        .mark_point(filled=True, size=70, opacity=0)
        .encode(tooltip=tips),
    ]
    shown = [drawing.parameter("chosen", chosen), drawing.parameter("show", True)]
    picture = drawing.layered(layers, data, params=shown, width="container", height=340)
    figures = _figures(results)
    choices = []
    for scenario in scenarios:
        cells = [cell for cell in results.cells if cell.scenario == scenario.key]
        sentence = captions.percentiles(words, results, scenario, [(cell, figures.get(cell.key, {})) for cell in cells])
        choices.append(Choice(value=scenario.key, label=words.scenario_long(scenario), sentence=sentence))
    return Chart(
        id="percentiles",
        spec=picture,
        datasets=(data.name,),
        title=words["chart_percentiles"],
        note=words["percentiles_note"],
        choices=tuple(choices),
        chosen=chosen,
        chosen_by="scenario",
        chooser=words["choose_scenario"],
        switches=(("show", words["show_repeats"], True),),
        wide=True,
    )


def _figures(results: Results) -> dict[str, dict[float, float]]:
    """Return each cell's percentiles of all valid repeats together, as runs.csv and percentiles.csv hold them.

    The curve steps on a fixed grid; the smallest step at or above the wanted share is taken.
    """
    curves: dict[str, list[tuple[float, float]]] = {}
    for row in results.table("percentiles").rows:
        quantile, elapsed = number(row["quantile"]), number(row["elapsed_ms"])
        if row["repeat"] == "all" and quantile is not None and elapsed is not None:
            curves.setdefault(row["cell"], []).append((quantile, elapsed))
    return {
        cell: {
            wanted: min(above)[1]
            for wanted in QUANTILES
            if (above := [point for point in curve if point[0] >= wanted - 1e-9])
        }
        for cell, curve in curves.items()
    }
