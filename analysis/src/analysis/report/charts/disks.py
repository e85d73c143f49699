"""The same upload on one disk and on another: mean response time of each server, disk beside disk."""

import textwrap

import altair as alt

from analysis.report.drawing import (
    LABEL_PX,
    Chart,
    Dataset,
    finished,
    lookup,
    plot_range,
    source,
    system_legend,
    system_scale,
    value_axis,
)
from analysis.report.facts import SPEED
from analysis.report.results import Results, Scenario
from analysis.report.words import captions
from analysis.report.words.language import Language
from analysis.table_file import Value

LABEL_CHARACTERS = 14
LABEL_ROOM = 1.6
"""The names of two disks need so many times the room of a sample's number."""


def scenarios(results: Results) -> list[Scenario]:
    """Return the scenarios that differ from another in the disk alone, those of one sample beside each other."""
    groups: dict[tuple[tuple[str, str], ...], list[Scenario]] = {}
    for scenario in results.scenarios.values():
        others = tuple((name, level) for name, level in scenario.factors.items() if name != "disk")
        if "disk" in scenario.factors:
            groups.setdefault(others, []).append(scenario)
    return [scenario for group in groups.values() if len(group) > 1 for scenario in group]


def data(results: Results) -> Dataset:
    """Return the cells' means with their intervals (`kind` cell) and the valid runs' (`kind` valid)."""
    rows: list[dict[str, Value]] = []
    compared = {scenario.key: scenario for scenario in scenarios(results)}
    for cell in results.cells:
        scenario, value = compared.get(cell.scenario), cell.value(SPEED)
        if scenario is None or value is None or not cell.valid_runs:
            continue
        others = " ".join(level for name, level in scenario.factors.items() if name != "disk")
        origin = {"scenario": cell.scenario, "group": others, "disk": scenario.label("disk"), "system": cell.system}
        low, high = cell.interval(SPEED) or (None, None)
        rows.append({**origin, "kind": "cell", "mean_ms": value, "lo": low, "hi": high, "n": len(cell.valid_runs)})
        rows += [
            {**origin, "kind": "valid", "repeat": run.repeat, "mean_ms": run.value(SPEED)} for run in cell.valid_runs
        ]
    columns = {"kind": "string", "scenario": "string", "group": "string", "disk": "string", "system": "string"}
    columns |= {"repeat": "string", "mean_ms": "number", "lo": "number", "hi": "number", "n": "number"}
    return Dataset(name="disks", columns=columns, rows=rows)


def chart(results: Results, data: Dataset, words: Language) -> Chart | None:
    """Return the chart, or None where no sample was measured on two disks."""
    if len({row["disk"] for row in data.rows}) < 2:
        return None
    shown = [scenario for scenario in scenarios(results) if any(row["scenario"] == scenario.key for row in data.rows)]
    figures = [value for row in data.rows if isinstance(value := row["mean_ms"], float)]
    bounds = [value for row in data.rows for name in ("lo", "hi") if isinstance(value := row.get(name), float)]
    scale, log = plot_range(figures, bounds)
    colours, shapes = system_scale(results)
    legend = system_legend(results)
    y = alt.Y("mean_ms:Q", title=words["axis_mean_ms"], scale=scale, axis=value_axis(scale))
    hue = alt.Color("system:N", scale=colours, legend=legend)
    form = alt.Shape("system:N", scale=shapes, legend=legend)
    tips = [
        alt.Tooltip("system_name:N", title=words["tip_system"]),
        alt.Tooltip("scenario_name:N", title=words["tip_scenario"]),
        alt.Tooltip("mean_ms:Q", title=words["axis_mean_ms"], format=",.4~g"),
    ]
    intervals = [
        alt.Tooltip("lo:Q", title=words["tip_interval_lo"], format=",.4~g"),
        alt.Tooltip("hi:Q", title=words["tip_interval_hi"], format=",.4~g"),
        alt.Tooltip("n:Q", title=words["tip_n"]),
    ]
    base = (
        alt.Chart()
        .transform_calculate(
            system_name=lookup({key: system.name for key, system in results.systems.items()}, "datum.system"),
            scenario_name=lookup({one.key: words.scenario(one) for one in shown}, "datum.scenario"),
        )
        .encode(x=_axis(shown, words), xOffset=alt.XOffset("system:N", scale=alt.Scale(domain=list(results.systems))))
    )
    cells = base.transform_filter("datum.kind === 'cell'")
    picture = alt.layer(
        cells.mark_line(strokeWidth=1, strokeDash=[3, 3], opacity=0.8).encode(y=y, color=hue, detail="group:N"),
        cells.transform_filter("isValid(datum.lo) && isValid(datum.hi)")
        .mark_rule(clip=True, strokeWidth=2)
        .encode(y=alt.Y("lo:Q", scale=scale), y2="hi:Q", color=hue),
        base.transform_filter("datum.kind === 'valid'")
        .mark_point(filled=True, size=18, opacity=0.75, clip=True)
        .encode(y=y, color=hue, shape=form, tooltip=[*tips, alt.Tooltip("repeat:N", title=words["tip_run"])]),
        cells.mark_point(filled=True, size=95, opacity=1, clip=True).encode(
            y=y, color=hue, shape=form, tooltip=[*tips, *intervals]
        ),
        data=source(data),
    ).properties(width="container", height=290)
    return Chart(
        id="disks",
        spec=finished(picture),
        datasets=(data.name,),
        title=words["chart_disks"],
        sentence=captions.disks(words, results, shown),
        note=captions.disks_note(words, results, log=log, intervals=bool(bounds)),
    )


def _axis(shown: list[Scenario], words: Language) -> alt.X:
    """Return the axis of the scenarios: the sample, below it the disk's name, or its level where it is tight."""
    long, short = {}, {}
    for one in shown:
        others = " ".join(level for name, level in one.factors.items() if name in one.varying and name != "disk")
        head = [others] if others else []
        long[one.key] = [*head, *textwrap.wrap(one.label("disk"), LABEL_CHARACTERS)]
        short[one.key] = [*head, one.factors["disk"]]
    room = LABEL_ROOM * LABEL_PX * len(shown)
    return alt.X(
        "scenario:N",
        title=", ".join(words.column(name) for name in (*_others(shown), "disk")),
        sort=list(long),
        scale=alt.Scale(domain=list(long)),
        axis=alt.Axis(
            labelAngle=0,
            labelExpr=f"width > {room} ? {lookup(long, 'datum.value')} : {lookup(short, 'datum.value')}",
            labelOverlap=False,
            tickSize=0,
        ),
    )


def _others(shown: list[Scenario]) -> list[str]:
    return [name for name in shown[0].factors if name in shown[0].varying and name != "disk"]
