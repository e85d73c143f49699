"""A figure by scenario and system: mean response time, coefficient of variation, CPU time per operation."""

from collections.abc import Mapping

import altair as alt

from uploadlab.report import drawing, facts
from uploadlab.report.drawing import INVALID_SHAPE, Chart, Dataset
from uploadlab.report.facts import CPU_COST, SPEED, STEADINESS
from uploadlab.report.results import Cell, Results, Run
from uploadlab.report.sentences import captions
from uploadlab.tables.table_file import Value
from uploadlab.words.language import Language

NAMES: Mapping[str, str] = {SPEED: "mean", STEADINESS: "cv", CPU_COST: "cpu"}
"""The chart's id, where it is not the metric itself."""
PLOT_PX, SLOT_PX = 480, 26
"""The usual width of the plot, and the most room that the symbols of one kind in a scenario take."""


def data(results: Results, metric: str) -> Dataset:
    """Return the cells' figures (`kind` cell) and the runs' (`kind` valid or invalid) of a metric of runs.csv."""
    rows: list[dict[str, Value]] = []
    row: dict[str, Value]
    for cell in results.cells:
        value, interval = cell.value(metric), cell.interval(metric)
        origin = {"scenario": cell.scenario, "system": cell.system}
        if value is not None and cell.valid_runs:
            low, high = interval or (None, None)
            n = len(cell.valid_runs)
            row = {**origin, "kind": "cell", "value": value, "lo": low, "hi": high, "n": n}
            rows.append(row | _clock(cell, metric))
        for run in cell.runs:
            if (figure := run.value(metric)) is not None:
                kind = "valid" if run.valid else "invalid"
                requests = run.value("requests")
                row = {**origin, "kind": kind, "repeat": run.repeat, "value": figure, "requests": requests}
                rows.append(row | _clock(run, metric))
    columns = {"kind": "string", "scenario": "string", "system": "string", "repeat": "string", "value": "number"}
    columns |= {"lo": "number", "hi": "number", "n": "number", "requests": "number"}
    if any("without_clock" in row for row in rows):
        columns["without_clock"] = "number"
    return Dataset(name=NAMES.get(metric, metric), columns=columns, rows=rows)


def _clock(one: Cell | Run, metric: str) -> dict[str, Value]:
    without = facts.without_clock(one) if metric == STEADINESS else None
    return {} if without is None else {"without_clock": without}


def chart(results: Results, data: Dataset, metric: str, words: Language) -> Chart | None:
    """Return the chart of a metric, or None where no run has it."""
    if not data.rows:
        return None
    counted = [row for row in data.rows if row["kind"] != "invalid"] or list(data.rows)
    invalid = sum(1 for row in data.rows if row["kind"] == "invalid")
    bounds = drawing.numbers(counted, "lo", "hi")
    clocked = "without_clock" in data.columns
    scale, log = drawing.plot_range(drawing.numbers(counted, "value", "without_clock"), bounds)
    scenarios = list(results.scenarios.values())
    slots = [slot for key in results.systems for slot in (key, f"{key} runs")]
    x = drawing.scenario_axis(results, words, scenarios)
    # Few scenarios leave much room: empty places on both sides keep runs close to the symbol of their cell.
    spare = max(0, int(PLOT_PX / len(scenarios) / SLOT_PX - len(slots)) // 2)
    places = [*(f"left {at}" for at in range(spare)), *slots, *(f"right {at}" for at in range(spare))]
    offset = alt.XOffset("slot:N", scale=alt.Scale(domain=places, paddingOuter=0.6))
    y = alt.Y("value:Q", title=words[f"axis_{metric}"], scale=scale, axis=drawing.value_axis(scale))
    hue, form = drawing.system_marks(results)
    tips = [
        alt.Tooltip("system_name:N", title=words["tip_system"]),
        alt.Tooltip("scenario_name:N", title=words["tip_scenario"]),
        alt.Tooltip("value:Q", title=words[f"axis_{metric}"], format=",.4~g"),
    ]
    cell_tips = [*tips, *drawing.interval_tips(words)]
    run_tips = [
        *tips,
        alt.Tooltip("repeat:N", title=words["tip_run"]),
        alt.Tooltip("requests:Q", title=words["tip_requests"], format=","),
    ]
    if clocked:
        beside = alt.Tooltip("without_clock:Q", title=words.column("cv_without_clock"), format=",.4~g")
        cell_tips.append(beside)
        run_tips.append(beside)
    show_invalid = all(row["kind"] == "invalid" for row in data.rows)
    base = (
        alt.Chart()
        .transform_calculate(
            slot="datum.kind === 'cell' ? datum.system : datum.system + ' runs'",
            system_name=drawing.system_name(results),
            scenario_name=drawing.lookup({one.key: words.scenario(one) for one in scenarios}, "datum.scenario"),
        )
        .encode(x=x, xOffset=offset)
    )
    only_cells = base.transform_filter("datum.kind === 'cell'")
    layers = [
        drawing.interval_rules(only_cells, scale).encode(color=hue),
        base.transform_filter("datum.kind === 'valid'")
        .mark_point(filled=True, size=18, opacity=0.75, clip=True)
        .encode(y=y, color=hue, shape=form, tooltip=run_tips),
        base.transform_filter("show && datum.kind === 'invalid'")
        .mark_point(shape=INVALID_SHAPE, size=60, filled=False, strokeWidth=1.8, clip=True)
        .encode(y=y, color=hue, tooltip=run_tips),
        only_cells.mark_point(filled=True, size=95, opacity=1, clip=True).encode(
            y=y, color=hue, shape=form, tooltip=cell_tips
        ),
    ]
    if clocked:
        without_clock = only_cells.transform_filter("isValid(datum.without_clock)")
        at = alt.Y("without_clock:Q", scale=scale)
        layers += [
            without_clock.mark_rule(clip=True, strokeDash=[2, 2]).encode(y=at, y2=alt.Y2("value:Q"), color=hue),
            without_clock.mark_point(filled=False, size=95, strokeWidth=2, opacity=1, clip=True).encode(
                y=at, color=hue, shape=form, tooltip=cell_tips
            ),
        ]
    picture = drawing.layered(
        layers, data, params=[drawing.parameter("show", show_invalid)], width="container", height=290
    )
    found = [one for key in results.systems if (one := facts.profile(results, key, metric))]
    return Chart(
        id=data.name,
        spec=picture,
        datasets=(data.name,),
        title=words[f"chart_{metric}"],
        sentence=captions.by_scenario(words, results, metric, found, facts.widest_gap(results, metric)),
        switches=(("show", words["show_invalid"], show_invalid),) if invalid else (),
        note=captions.by_scenario_note(
            words,
            facts.doubts(results),
            log=log,
            invalid=invalid,
            intervals=bool(bounds),
            clocked=clocked,
        ),
    )
