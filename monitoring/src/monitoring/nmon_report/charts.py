"""A panel as a Vega-Lite specification; the page brings the data, the colours of its text, and the chosen time."""

from typing import Any

import altair as alt
from altair.utils.schemapi import debug_mode

from monitoring.nmon_report.panels import Panel, Style

# At least 3:1 against a light and a dark page, and apart in every common colour vision deficiency.
COLOURS = ("#3a82d6", "#cf6410", "#148f6b", "#9a63d6", "#8f8214", "#d0508f")
_LINES_HEIGHT_PX = 120
_STACK_HEIGHT_PX = 170
_CORE_HEIGHT_PX = 14
_MOST_CORES_HEIGHT_PX = 320
_VALUE_LABEL = "format(datum.value, abs(datum.value) < 1 ? '~g' : '~s')"
_TIME_LABEL = (
    "utcFormat(datum.value, end - start < 900000 ? '%H:%M:%S' : end - start < 172800000 ? '%H:%M' : '%d %b %H:%M')"
)


def colour(index: int) -> str:
    """Return the colour of the series at `index` of a panel."""
    return COLOURS[index % len(COLOURS)]


@debug_mode(False)  # to hold each part of a chart to its schema takes longer than all else: tests hold the charts to it
def specification(panel: Panel) -> dict[str, Any]:
    """Return the chart of `panel`.

    Its data set `points` has one row per point: `time` (ms), `until`, `segment`, whether it is `lone` in its segment,
    and for each series a column `s0`, `s1`, ...; in a stack `b0`, `t0`, ... are its bottom and its top. Parameters
    `start` and `end` are the shown time, `moment` the marked one (0: none).
    """
    draw = {Style.LINES: _lines, Style.STACK: _stack, Style.CORES: _cores}[panel.style]
    start, end = alt.param(name="start", value=0), alt.param(name="end", value=1)
    chart = (
        alt.layer(*draw(panel), _moment())
        .add_params(start, end, alt.param(name="moment", value=0))
        .properties(width="container", height=_height_px(panel))
    )
    spec: dict[str, Any] = chart.to_dict(validate=False)
    return spec


def _height_px(panel: Panel) -> int:
    if panel.style is Style.CORES:
        return max(40, min(_CORE_HEIGHT_PX * len(panel.series), _MOST_CORES_HEIGHT_PX))
    return _STACK_HEIGHT_PX if panel.style is Style.STACK else _LINES_HEIGHT_PX


def _time() -> alt.X:
    shown = alt.Scale(type="utc", domainRaw={"expr": "[start, end]"}, nice=False)
    axis = alt.Axis(title=None, grid=True, labelOverlap=True, tickCount={"expr": "width / 110"}, labelExpr=_TIME_LABEL)
    return alt.X("time:T", scale=shown, axis=axis)


def _folded(panel: Panel) -> alt.Chart:
    places: list[str | alt.FieldName] = [f"s{place}" for place in range(len(panel.series))]
    data = alt.NamedData("points")
    return alt.Chart(data).transform_fold(places, as_=["series", "value"]).transform_filter("isValid(datum.value)")


def _colours(panel: Panel) -> alt.Color:
    places = [f"s{place}" for place in range(len(panel.series))]
    scale = alt.Scale(domain=places, range=[colour(place) for place in range(len(places))])
    return alt.Color("series:N", scale=scale, legend=None)


def _value(panel: Panel, field: str) -> alt.Y:
    scale = alt.Scale(domain=[0, panel.full_scale], nice=False) if panel.full_scale else alt.Scale(zero=True)
    axis = alt.Axis(title=None, tickCount=4, minExtent=48, maxExtent=48, labelExpr=_VALUE_LABEL)
    return alt.Y(f"{field}:Q", scale=scale, axis=axis, stack=None)


def _lines(panel: Panel) -> list[alt.Chart]:
    """Return the lines, and dots where there are few of them or a single one stands between two gaps."""
    few = len(panel.time_ms) <= 60
    dot = alt.value(18) if few else alt.when("datum.lone").then(alt.value(10)).otherwise(alt.value(0))
    encoding = {"x": _time(), "y": _value(panel, "value"), "color": _colours(panel), "detail": alt.Detail("segment:N")}
    lines = _folded(panel).mark_line(strokeWidth=1.6, clip=True).encode(**encoding)
    dots = _folded(panel).mark_circle(opacity=1, clip=True).encode(**encoding, size=dot)
    return [lines, dots]


def _stack(panel: Panel) -> list[alt.Chart]:
    """Return one area a series, from the sum of those below it: Vega's own stacking would fill the gaps in time."""
    return [
        alt.Chart(alt.NamedData("points"))
        .transform_filter(f"isValid(datum.b{place}) && isValid(datum.t{place})")
        .mark_area(clip=True, opacity=0.85, color=colour(place))
        .encode(x=_time(), y=_value(panel, f"t{place}"), y2=alt.Y2(f"b{place}:Q"), detail=alt.Detail("segment:N"))
        for place in range(len(panel.series))
    ]


def _cores(panel: Panel) -> list[alt.Chart]:
    names = {f"s{place}": name for place, name in enumerate(panel.series)}
    axis = alt.Axis(
        title=None,
        grid=False,
        ticks=False,
        domain=False,
        labelOverlap=True,
        minExtent=48,
        maxExtent=48,
        labelExpr="'core ' + substring(datum.value, 1)",
    )
    tooltip = [
        alt.Tooltip("time:T", title="time", format="%H:%M:%S", formatType="utc"),
        alt.Tooltip("value:Q", title="user and system, %", format=".1f"),
    ]
    cells: alt.Chart = (
        _folded(panel)
        .mark_rect(clip=True, color=colour(0))
        .encode(
            x=_time(),
            x2=alt.X2("until:T"),
            y=alt.Y("series:N", sort=list(names), axis=axis, scale=alt.Scale(domain=list(names), paddingInner=0.08)),
            opacity=alt.Opacity("value:Q", scale=alt.Scale(domain=[0, 100], range=[0.04, 1]), legend=None),
            tooltip=tooltip,
        )
    )
    return [cells]


def _moment() -> alt.Chart:
    """Return the rule at the marked time; outside the frame, so clipped, until there is one."""
    rule: alt.Chart = (
        alt.Chart(alt.InlineData(values=[{}]))
        .mark_rule(strokeWidth=1, clip=True, tooltip=None)
        .encode(
            x=alt.XValue(alt.expr("scale('x', moment)")),  # type: ignore[no-untyped-call]  # Altair has no types for it
            y=alt.YValue(0),  # type: ignore[no-untyped-call]  # Altair has no types for it
            y2=alt.Y2Value("height"),  # type: ignore[no-untyped-call]  # Altair has no types for it
            opacity=alt.OpacityValue(alt.expr("moment > 0 ? 1 : 0")),
        )
    )
    return rule
