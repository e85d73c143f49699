"""Response time and CPU of each system against the offered rate, the knee of each curve and the limit of p99 marked."""

import altair as alt

from uploadlab.report import drawing
from uploadlab.report.drawing import Chart, Choice, Dataset
from uploadlab.report.results import Results, Row, is_true
from uploadlab.report.sentences import load_curves
from uploadlab.tables.table_file import Value, number
from uploadlab.words.language import Language

PANELS = (("p99_ms", "axis_curve_p99", 220), ("mean_ms", "axis_curve_mean", 150), ("cpu_pct", "axis_curve_cpu", 110))
KNEE_PX = 260
PASSED = "p99_limit"
"""What a row shows of which ``rate``, from ``lo`` to ``hi``, is where p99 passes the limit, its ``value``."""


def data(results: Results) -> Dataset:
    """Return the points of every curve, a row for each system, rate and figure, and where p99 passes its limit."""
    rows = [
        {**_row(row, figure, figure, figure, "runs"), "knee": is_true(row.get("knee"))}
        for row in results.table("load_curves").rows
        for figure, _, _ in PANELS
        if row["system"] in results.systems and number(row.get(figure)) is not None
    ]
    rows += [
        _row(row, PASSED, "p99_limit_ms", "rate_per_s", "blocks")
        for row in results.table("load_limits").rows
        if row["system"] in results.systems and row["holds"] == "to"
    ]
    columns = {"curve": "string", "system": "string", "figure": "string", "rate": "number", "value": "number"}
    columns |= {"lo": "number", "hi": "number", "runs": "number", "knee": "boolean"}
    return Dataset(name="load_curves", columns=columns, rows=rows)


def _row(row: Row, figure: str, value: str, interval_of: str, runs: str) -> dict[str, Value]:
    """Return what a row of a table shows of a figure, with the interval of one of its columns."""
    return {
        "curve": row["curve"],
        "system": row["system"],
        "figure": figure,
        "rate": number(row["rate_per_s"]),
        "value": number(row[value]),
        "lo": number(row.get(f"{interval_of}_lo")),
        "hi": number(row.get(f"{interval_of}_hi")),
        "runs": number(row[runs]),
    }


def chart(results: Results, data: Dataset, words: Language) -> Chart | None:
    """Return the chart, with a chooser where there are several curves; None where the campaign has none."""
    curves = list(dict.fromkeys(str(row["curve"]) for row in data.rows))
    if not curves:
        return None
    known = {row["figure"] for row in data.rows}
    shown = [panel for panel in PANELS if panel[0] in known]
    panels = [_panel(results, data, words, *panel, first=position == 0) for position, panel in enumerate(shown)]
    picture = (
        alt.vconcat(*panels, spacing=34)
        .add_params(alt.param(name="chosen", value=curves[0]))
        .resolve_scale(x="shared", color="shared", shape="shared")
    )
    choices = [
        Choice(
            value=name,
            label=load_curves.label(words, results, name),
            sentence=load_curves.sentence(words, results, name),
        )
        for name in curves
    ]
    return Chart(
        id="load_curves",
        spec=drawing.finished(picture),
        datasets=(data.name,),
        title=words["chart_load_curves"],
        note=words["load_curves_note"],
        sentence=choices[0].sentence if len(choices) == 1 else "",
        choices=tuple(choices) if len(choices) > 1 else (),
        chosen=curves[0],
        chosen_by="curve",
        chooser=words["choose_curve"],
    )


def _panel(
    results: Results, data: Dataset, words: Language, figure: str, title: str, height: int, *, first: bool
) -> alt.LayerChart | alt.FacetChart:
    rows = [row for row in data.rows if row["figure"] == figure]
    limits = drawing.numbers([row for row in data.rows if row["figure"] == PASSED and figure == "p99_ms"], "value")
    scale, _ = drawing.plot_range([*limits, *drawing.numbers(rows, "value")], drawing.numbers(rows, "hi"))
    hue, form = drawing.system_marks(results, legend=first)
    chosen = (
        alt.Chart(drawing.source(data))
        .transform_filter("datum.curve === chosen || !chosen")
        .transform_calculate(system_name=drawing.system_name(results))
    )
    base = chosen.transform_filter(f"datum.figure === '{figure}'")
    rates = alt.Scale(zero=True, padding=14)
    x = alt.X("rate:Q", title=words["axis_curve_rate"], scale=rates, axis=drawing.value_axis(rates, grid=False))
    y = alt.Y("value:Q", title=words[title], scale=scale, axis=drawing.value_axis(scale, extent_px=44))
    marks = base.encode(
        x=x,
        y=y,
        color=hue,
        shape=form,
        tooltip=[
            alt.Tooltip("system_name:N", title=words["tip_system"]),
            alt.Tooltip("rate:Q", title=words["axis_curve_rate"], format=",.0f"),
            alt.Tooltip("value:Q", title=words[title], format=",.3~g"),
            alt.Tooltip("runs:Q", title=words["tip_runs"]),
        ],
    )
    layers = [
        base.mark_rule(strokeWidth=1.5, opacity=0.6, clip=True).encode(
            x=x, y=alt.Y("lo:Q", title=words[title], scale=scale), y2=alt.Y2("hi:Q"), color=hue
        ),
        base.mark_line(strokeWidth=1.5, clip=True).encode(x=x, y=y, color=hue),
        marks.mark_point(size=55, filled=True, opacity=1),
        marks.transform_filter("datum.knee").mark_point(size=KNEE_PX, filled=False, strokeWidth=2),
    ]
    limit = (results.campaign.get("profile") or {}).get("settings", {}).get("p99_limit_ms")
    if figure == "p99_ms" and isinstance(limit, (int, float)):
        layers.append(
            alt.Chart(alt.InlineData([{"limit": limit}]))
            .mark_rule(strokeDash=[5, 4], color="#57606c", clip=True)
            .encode(y=alt.Y("limit:Q", scale=scale, title=words[title]))
        )
        passed = chosen.transform_filter(f"datum.figure === '{PASSED}'").encode(y=y, color=hue)
        layers += [
            passed.mark_rule(strokeWidth=4, opacity=0.5, clip=True).encode(
                x=alt.X("lo:Q", scale=rates), x2=alt.X2("hi:Q")
            ),
            passed.mark_tick(orient="vertical", thickness=3, size=18, clip=True).encode(x=x),
        ]
    return alt.layer(*layers).properties(width=440, height=height)
