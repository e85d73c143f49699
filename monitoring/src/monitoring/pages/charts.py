"""The kinds of chart that there are, as Vega-Lite: lines, dots with intervals, areas, a heat map."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from monitoring.pages.document import Chart, Datums

HEIGHT = 240
BEYOND = 1.5
"""An interval is drawn up to so many times the largest value."""
_UNITS = ((1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "KB"))
BYTES = " : ".join(
    [
        *(f"datum.value >= {step} ? format(datum.value / {step}, '.2~r') + ' {unit}'" for step, unit in _UNITS),
        "format(datum.value, '.2~r') + ' B'",
    ]
)
PERCENTILES = "datum.value == 0 ? '0' : format(100 - 100 * pow(10, -datum.value), '~r') + '%'"
"""Of an axis of -log10(1 - quantile): each step looks at operations ten times rarer."""
Spec = dict[str, Any]


class Axis(Struct, frozen=True):
    """What an axis shows: a column of the rows, its title, how its values are written and spaced."""

    field: str
    title: str
    log: bool = False
    label: str = ""
    """A Vega expression that writes a value of the axis."""
    values: Sequence[float] = ()
    """Where it has ticks; empty where Vega chooses."""
    zero: bool = False
    top: float | None = None
    """Where it ends; None where the values decide."""
    time: bool = False
    """Whether its values are moments: milliseconds of the epoch, shown in UTC."""

    def encoding(self) -> Spec:
        """Return the Vega-Lite encoding of a number or a moment."""
        if self.time:
            moments: Spec = {"title": self.title or None, "tickCount": 6, "labelOverlap": True}
            return {"field": self.field, "type": "temporal", "axis": moments, "scale": {"type": "utc"}}
        axis: Spec = {"title": self.title, "tickCount": 6, "labelFlush": False}
        if self.label:
            axis["labelExpr"] = self.label
        if self.values:
            axis["values"] = list(self.values)
        scale: Spec = {"type": "log" if self.log else "linear", "zero": self.zero and not self.log}
        if not scale["zero"]:
            scale |= {"nice": False, "padding": 12}
        if self.top is not None:
            scale |= {"domainMax": self.top}
        return {"field": self.field, "type": "quantitative", "axis": axis, "scale": scale}


def lines(
    id: str,
    title: str,
    rows: Datums,
    x: Axis,
    y: Axis,
    *,
    series: str,
    order: Sequence[str] = (),
    points: bool = True,
    choose: str = "",
    note: str = "",
) -> Chart:
    """Draw a line a series; where rows have `lo` and `hi`, their intervals; `choose`: one at once."""
    colour = _colour(series, order)
    encoding = {"x": x.encoding(), "y": y.encoding(), "color": colour, "tooltip": _tooltip(series, x, y)}
    layers: list[Spec] = [{"mark": {"type": "line", "point": points, "strokeWidth": 2}, "encoding": encoding}]
    if any(row.get("lo") is not None for row in rows):
        layers = [*_intervals(y, "y", {"x": x.encoding(), "color": colour}), *layers]
        return _chart(id, title, {"layer": layers, "transform": _ends_drawn(y)}, rows, choose, note)
    return _chart(id, title, {"layer": layers}, rows, choose, note)


def dots(id: str, title: str, rows: Datums, x: Axis, category: str, *, series: str, order: Sequence[str] = ()) -> Chart:
    """Draw a row a category, with a dot and its interval for each series."""
    place = {"field": category, "type": "nominal", "sort": None, "title": None, "axis": {"labelLimit": 260}}
    apart = {"field": series, "type": "nominal", "sort": list(order) or None}
    colour = _colour(series, order)
    at = {"y": place, "yOffset": apart, "color": colour}
    dot = {**at, "x": x.encoding(), "tooltip": _tooltip(series, x)}
    layers = [*_intervals(x, "x", at), {"mark": {"type": "point", "filled": True, "size": 50}, "encoding": dot}]
    spec = {**_frame(), "height": {"step": 14}, "layer": layers, "transform": _ends_drawn(x)}
    return Chart(id=id, title=title, spec=spec, rows=rows)


def boxes(
    id: str, title: str, rows: Datums, x: Axis, y: Axis, *, name: str, series: str, choose: str = "", note: str = ""
) -> Chart:
    """Draw a named point a row, in the box of both its intervals: `FIELD_lo` to `FIELD_hi`."""
    colour = _colour(series, ())
    at = {"x": x.encoding(), "y": y.encoding()}
    box = {
        "x": {**at["x"], "field": f"{x.field}_lo"},
        "x2": {"field": f"{x.field}_hi"},
        "y": {**at["y"], "field": f"{y.field}_lo"},
        "y2": {"field": f"{y.field}_hi"},
        "color": colour,
    }
    words = {"type": "text", "align": "left", "dx": 6, "dy": -5, "fontSize": 11}
    point = {**at, "color": colour, "tooltip": _tooltip(name, x, y)}
    layers: list[Spec] = [
        {"mark": {"type": "rect", "opacity": 0.18}, "encoding": box},
        {"mark": {"type": "point", "filled": True}, "encoding": point},
        {"mark": words, "encoding": {**at, "color": colour, "text": {"field": name}}},
    ]
    return _chart(id, title, {"height": 1.6 * HEIGHT, "layer": layers}, rows, choose, note)


def areas(
    id: str, title: str, rows: Datums, x: Axis, y: Axis, *, series: str, order: Sequence[str] = (), note: str = ""
) -> Chart:
    """Draw an area a series and `part`, from `FIELD_from` to `FIELD`: Vega's own stacks would fill gaps in time."""
    encoding = {
        "x": x.encoding(),
        "y": {**y.encoding(), "stack": None},
        "y2": {"field": f"{y.field}_from"},
        "color": _colour(series, order),
        "detail": {"field": "part", "type": "nominal"},
    }
    spec = {"mark": "area", "encoding": encoding, "transform": [{"filter": f"isValid(datum.{y.field})"}]}
    return _chart(id, title, spec, rows, "", note)


def heat(
    id: str,
    title: str,
    rows: Datums,
    x: Axis,
    y: Axis,
    *,
    count: str,
    full: float | None = None,
    choose: str = "",
    note: str = "",
) -> Chart:
    """Draw a rectangle from `FIELD` to `FIELD_to` on both axes, the darker the more it counts; `full`: the most."""
    scale: Spec = {"type": "log"} if full is None else {"type": "linear", "domain": [0, full]}
    encoding = {
        "x": x.encoding(),
        "x2": {"field": f"{x.field}_to"},
        "y": y.encoding(),
        "y2": {"field": f"{y.field}_to"},
        "color": {"field": count, "type": "quantitative", "scale": scale, "legend": {"title": count}},
    }
    return _chart(id, title, {"mark": {"type": "rect"}, "encoding": encoding}, rows, choose, note)


def _intervals(axis: Axis, channel: str, at: Spec) -> list[Spec]:
    """Draw the intervals along an axis; a triangle where one goes on beyond what is drawn of it."""

    def end(name: str) -> Spec:
        return {channel: {**axis.encoding(), "field": name}, **at}

    shapes = {"x": ("triangle-left", "triangle-right"), "y": ("triangle-down", "triangle-up")}[channel]
    ends = {**end("lo_drawn"), f"{channel}2": {"field": "hi_drawn"}}
    rule = {"mark": {"type": "rule", "opacity": 0.6}, "encoding": ends}
    beyond = [
        {
            "transform": [{"filter": f"isValid(datum.{name}) && datum.{name} != datum.{name}_drawn"}],
            "mark": {"type": "point", "filled": True, "shape": shape, "size": 40},
            "encoding": end(f"{name}_drawn"),
        }
        for name, shape in zip(("lo", "hi"), shapes, strict=True)
    ]
    return [rule, *beyond]


def _ends_drawn(axis: Axis) -> list[Spec]:
    """Let the values decide what an axis spans: an interval is drawn no further than a little beyond all of them."""
    ends = [{"op": op, "field": axis.field, "as": name} for op, name in (("min", "least"), ("max", "most"))]
    least = f"datum.least / {BEYOND}" if axis.log else "min(0, datum.least)"
    return [
        {"joinaggregate": ends},
        {"calculate": f"isValid(datum.lo) ? max(datum.lo, {least}) : null", "as": "lo_drawn"},
        {"calculate": f"isValid(datum.hi) ? min(datum.hi, {BEYOND} * datum.most) : null", "as": "hi_drawn"},
    ]


def _chart(id: str, title: str, spec: Spec, rows: Datums, choose: str, note: str) -> Chart:
    whole = {**_frame(), "height": HEIGHT, **spec}
    if choose:
        levels = list(dict.fromkeys(str(row[choose]) for row in rows))
        bind = {"input": "select", "options": levels, "name": f"{choose.replace('_', ' ')} "}
        whole["params"] = [{"name": "chosen", "value": levels[0] if levels else "", "bind": bind}]
        whole["transform"] = [{"filter": f"toString(datum[{choose!r}]) == chosen"}, *spec.get("transform", [])]
    return Chart(id=id, title=title, spec=whole, rows=rows, note=note)


def _frame() -> Spec:
    return {"width": "container", "autosize": {"type": "pad"}}


def _colour(series: str, order: Sequence[str]) -> Spec:
    scale = {"domain": list(order)} if order else {}
    return {"field": series, "type": "nominal", "scale": scale, "sort": list(order) or None}


def _tooltip(series: str, *axes: Axis) -> list[Mapping[str, Any]]:
    return [{"field": series, "type": "nominal"}, *map(_shown, axes)]


def _shown(axis: Axis) -> Spec:
    if axis.time:
        return {"field": axis.field, "title": "time", "timeUnit": "utcyearmonthdatehoursminutesseconds"}
    return {"field": axis.field, "title": axis.title, "format": ".3~s"}
