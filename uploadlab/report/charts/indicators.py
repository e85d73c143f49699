"""Which server-side indicator goes with the coefficient of variation across the scenarios."""

import textwrap

import altair as alt

from uploadlab.report import facts
from uploadlab.report.drawing import Chart, Dataset, layered, lookup, system_marks, system_name
from uploadlab.report.results import Results
from uploadlab.report.sentences import captions
from uploadlab.tables.table_file import Value, number
from uploadlab.words.language import Language

LABEL_CHARACTERS, TITLE_CHARACTERS = 22, 34
"""Lines of this length leave room for the plot on a narrow screen."""


def data(results: Results) -> Dataset:
    """Return the correlation of each indicator with the CV across scenarios, a row a system and indicator."""
    columns = ("pearson", "lo", "hi", "spearman", "partial", "rank", "top_share", "n")
    rows: list[dict[str, Value]] = [
        {"system": row["system"], "indicator": row["indicator"], **{name: number(row.get(name)) for name in columns}}
        for row in results.table("indicators").rows
        if row.get("level") == "cells"
        and row.get("y", "cv") == "cv"
        and row.get("system") in results.systems
        and number(row.get("pearson")) is not None
    ]
    kinds = {"system": "string", "indicator": "string"} | dict.fromkeys(columns, "number")
    return Dataset(name="indicators", columns=kinds, rows=rows)


def chart(results: Results, data: Dataset, words: Language) -> Chart | None:
    """Return the chart, or None where no indicator could be correlated."""
    if not data.rows:
        return None
    best: dict[str, float] = {}
    for row in data.rows:
        name, figure = str(row["indicator"]), row["pearson"]
        if isinstance(figure, float):
            best[name] = max(best.get(name, 0.0), abs(figure))
    order = sorted(best, key=lambda name: -best[name])
    y = alt.Y(
        "indicator:N",
        title=None,
        sort=order,
        axis=alt.Axis(
            labelExpr=lookup(
                {name: textwrap.wrap(words.column(name), LABEL_CHARACTERS) for name in order}, "datum.value"
            ),
            labelBaseline="middle",
        ),
    )
    offset = alt.YOffset("system:N", scale=alt.Scale(domain=list(results.systems), paddingOuter=0.4))
    x_scale = alt.Scale(domain=[-1, 1])
    hue, form = system_marks(results)
    base = (
        alt.Chart()
        .transform_calculate(
            system_name=system_name(results),
        )
        .encode(y=y, yOffset=offset)
    )
    zero = alt.Chart(alt.InlineData(values=[{"zero": 0}])).mark_rule(strokeWidth=1.5).encode(x=alt.X("zero:Q"))
    spans = (
        base.transform_filter("isValid(datum.lo) && isValid(datum.hi)")
        .mark_rule(strokeWidth=2)
        .encode(x=alt.X("lo:Q", scale=x_scale), x2=alt.X2("hi:Q"), color=hue)
    )
    points = base.mark_point(filled=True, size=80, opacity=1).encode(
        x=alt.X(
            "pearson:Q",
            title=textwrap.wrap(words["axis_pearson"], TITLE_CHARACTERS),
            scale=x_scale,
            axis=alt.Axis(grid=True, tickCount=5),
        ),
        color=hue,
        shape=form,
        tooltip=[
            alt.Tooltip("system_name:N", title=words["tip_system"]),
            alt.Tooltip("pearson:Q", title="Pearson", format=".2f"),
            alt.Tooltip("lo:Q", title=words["tip_interval_lo"], format=".2f"),
            alt.Tooltip("hi:Q", title=words["tip_interval_hi"], format=".2f"),
            alt.Tooltip("spearman:Q", title="Spearman", format=".2f"),
            alt.Tooltip("n:Q", title="n"),
        ],
    )
    height = 16 * len(order) * (len(results.systems) + 1)
    return Chart(
        id="indicators",
        spec=layered([zero, spans, points], data, width="container", height=height),
        datasets=(data.name,),
        title=words["chart_indicators"],
        findings=captions.indicators(words, results, facts.first_indicators(results)),
        note=words["indicators_note"],
        wide=True,
    )
