"""What all charts share: palette, type, data sets, and the marks of a cell."""

import csv
import io
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import altair as alt

from uploadlab.report.results import Results, Scenario
from uploadlab.tables.table_file import Value, format_value
from uploadlab.words.language import Language
from uploadlab.words.wording import SHORT_MS

Spec = dict[str, Any]

# Each has a contrast of at least 3:1 on the light and on the dark background of the page, and blue and orange stay
# apart in every common colour vision deficiency; shapes repeat what colours say.
COLOURS = ("#3a82d6", "#cf6410", "#148f6b", "#9a63d6", "#8f8214", "#d0508f", "#1390a8", "#a8693f")
SHAPES = ("circle", "square", "triangle-up", "diamond", "triangle-down", "triangle-right", "triangle-left", "wedge")
INVALID_SHAPE = "M-.8,-.8L.8,.8M.8,-.8L-.8,.8"

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Liberation Sans', sans-serif"
INK, INK_SOFT, LINE, GRID = "#1d232b", "#57606c", "#aab2bd", "#e7e9ec"

LOG_TICKS = [digit * 10.0**power for power in range(-2, 8) for digit in (1, 2, 5)]
FINE_LOG_TICKS = [10.0**power for power in range(-5, 8)]
SHORT_LABEL = "datum.value < 0.1 ? format(1000 * datum.value, '~g') + ' µs' : format(datum.value, '~g') + ' ms'"
SI_LABEL = "format(datum.value, abs(datum.value) < 1 ? '~g' : '~s')"

LABEL_PX = 56
"""A scenario with less room than this gets the short label on the axis."""


def colour(index: int) -> str:
    """Return the colour of the system at `index`."""
    return COLOURS[index % len(COLOURS)]


@dataclass(frozen=True, kw_only=True)
class Dataset:
    """A chart's data: written to report/data/NAME.csv, and the same text embedded in the page."""

    name: str
    columns: Mapping[str, str]
    """Each column's kind, as Vega reads it: string, number or boolean."""
    rows: Sequence[Mapping[str, Value]]

    def where(self, column: str, value: str) -> "Dataset":
        """Return the rows whose `column` is `value`; all of them where there is no such column."""
        if column not in self.columns:
            return self
        rows = [row for row in self.rows if row.get(column) == value]
        return Dataset(name=self.name, columns=self.columns, rows=rows)

    @cached_property
    def csv(self) -> str:
        """The data as CSV text; what is not known is empty."""
        file = io.StringIO()
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(self.columns)
        for row in self.rows:
            writer.writerow([_text(row.get(name)) for name in self.columns])
        return file.getvalue()


@lru_cache(maxsize=10_000, typed=True)
def _text(value: Value) -> str:
    """Return `format_value`: bounds of bins and names come many thousand times."""
    return format_value(value)


@dataclass(frozen=True, kw_only=True)
class Choice:
    """One entry of a chart's chooser, with the sentence for what it shows."""

    value: str
    label: str
    sentence: str
    group: str = ""


@dataclass(frozen=True, kw_only=True)
class Chart:
    """A picture in one language: its specification (Vega-Lite, data by name) and what is said about it."""

    id: str
    spec: Spec
    datasets: tuple[str, ...]
    title: str
    note: str
    sentence: str = ""
    findings: tuple[str, ...] = ()
    """Sentences that each stand alone, instead of `sentence`."""
    choices: tuple[Choice, ...] = ()
    chosen: str = ""
    chosen_by: str = ""
    """The column of the data that the chooser chooses by."""
    chooser: str = ""
    switches: tuple[tuple[str, str, bool], ...] = ()
    """Checkboxes: the parameter, its label, and whether it is on at first."""
    readings: tuple[tuple[str, str], ...] = ()
    """What is read out at a chosen moment: columns of the first data set, with their labels."""
    wide: bool = False


def source(dataset: Dataset) -> alt.NamedData:
    """Return the reference to `dataset` that goes into a specification."""
    return alt.NamedData(dataset.name, format=alt.CsvDataFormat(type="csv", parse=dict(dataset.columns)))


def with_data(spec: Spec, datasets: Iterable[Dataset]) -> Spec:
    """Return the specification with its data inside, as needed to draw it outside the page."""
    own = spec.get("datasets", {})
    return {**spec, "datasets": {**own, **{dataset.name: dataset.csv for dataset in datasets}}}


LEGEND_CHARACTER_PX, LEGEND_SYMBOL_PX = 6.5, 38  # of a legend's text, and its symbol with the space around it
LEGEND_LABEL_PX = 400


def theme() -> Spec:
    """Return the Vega-Lite configuration of all charts, in the colours of the light page."""
    return {
        "background": None,
        "font": FONT,
        "padding": 4,
        "view": {"stroke": None},
        "axis": {
            "labelColor": INK_SOFT,
            "titleColor": INK_SOFT,
            "labelFontSize": 12,
            "titleFontSize": 12,
            "titleFontWeight": "normal",
            "gridColor": GRID,
            "domainColor": LINE,
            "tickColor": LINE,
            "tickSize": 4,
            "labelPadding": 4,
        },
        "axisY": {
            "domain": False,
            "ticks": False,
            "titleAngle": 0,
            "titleAlign": "left",
            "titleAnchor": "start",
            "titleBaseline": "bottom",
            "titleX": 0,
            "titleY": -8,
        },
        "axisX": {"grid": False, "titlePadding": 8},
        "legend": {
            "orient": "top",
            "direction": "horizontal",
            "title": None,
            "labelFontSize": 12,
            "labelColor": INK,
            "symbolOpacity": 1,
            "symbolSize": 90,
            "offset": 22,
            "columnPadding": 18,
        },
        "title": {"color": INK, "fontSize": 12, "fontWeight": "normal", "anchor": "start", "frame": "group"},
        "text": {"color": INK, "fontSize": 12},
        "rule": {"color": LINE},
    }


def finished(chart: alt.TopLevelMixin) -> Spec:
    """Return the specification of `chart` with the shared configuration."""
    spec: Spec = chart.to_dict(validate=False)  # its parts were validated when they were made
    spec["config"] = theme()
    return spec


def stacked(panels: Iterable[Spec], **settings: object) -> Spec:
    """Return the specification of panels one above the other, with the `settings` of a concatenation."""
    return _composed("vconcat", panels, settings)


def layered(layers: Iterable[alt.Chart], data: Dataset | None = None, **settings: object) -> Spec:
    """Return the specification of layers over each other, of one data set where it is given, with its `settings`."""
    of_all = {} if data is None else {"data": source(data).to_dict()}
    return _composed("layer", map(_layer, layers), {**of_all, **settings})


def _layer(chart: alt.Chart) -> Spec:
    spec = finished(chart)
    if chart.data is alt.Undefined:  # for which Altair names an empty data set
        del spec["data"], spec["datasets"]
    return spec


def _composed(how: str, specs: Iterable[Spec], settings: Mapping[str, object]) -> Spec:
    """Return a specification made of others.

    Not by Altair's own `layer` and `vconcat`, which copy all of each part several times: that took longer than
    everything else of a chart.
    """
    parts = list(specs)
    shared = {name: parts[0][name] for name in ("$schema", "config")}
    datasets = {name: rows for spec in parts for name, rows in spec.get("datasets", {}).items()}
    own = [{name: value for name, value in spec.items() if name not in (*shared, "datasets")} for spec in parts]
    return {**shared, **settings, how: own} | ({"datasets": datasets} if datasets else {})


def parameter(name: str, value: object) -> Spec:
    """Return a parameter of a specification, as the page sets it."""
    return {"name": name, "value": value}


def numbers(rows: Iterable[Mapping[str, Value]], *names: str) -> list[float]:
    """Return the figures that rows have in some columns; what is not known is left out."""
    return [value for row in rows for name in names if isinstance(value := row.get(name), float)]


def system_name(results: Results) -> str:
    """Return the expression of a mark's system as readers know it."""
    return lookup({key: system.name for key, system in results.systems.items()}, "datum.system")


def system_marks(results: Results, *, legend: bool = True, stroke: bool = False) -> tuple[alt.Color, alt.Shape]:
    """Return the colour and the shape of each system's marks, and the legend that is one for both."""
    return marks("system", list(results.systems), _legend(results, stroke=stroke) if legend else None)


def marks(column: str, keys: Sequence[str], legend: alt.Legend | None, first: int = 0) -> tuple[alt.Color, alt.Shape]:
    """Return the colour and the shape of each key's marks, those of the key at place 0 being the `first`."""
    places = range(first, first + len(keys))
    colours = alt.Scale(domain=keys, range=[colour(place) for place in places])
    shapes = alt.Scale(domain=keys, range=[SHAPES[place % len(SHAPES)] for place in places])
    return alt.Color(f"{column}:N", scale=colours, legend=legend), alt.Shape(f"{column}:N", scale=shapes, legend=legend)


def _legend(results: Results, *, stroke: bool) -> alt.Legend:
    """Return the legend of the campaign's systems, in as many columns as their whole names have room."""
    names = {key: system.name for key, system in results.systems.items()}
    column_px = LEGEND_CHARACTER_PX * max((len(name) for name in names.values()), default=0) + LEGEND_SYMBOL_PX
    columns = alt.ExprRef(f"max(1, min({len(names)}, floor(width / {column_px})))")
    return alt.Legend(
        labelExpr=lookup(names, "datum.label"),
        labelLimit=LEGEND_LABEL_PX,
        columns=columns,
        symbolType="stroke" if stroke else alt.Undefined,
        symbolStrokeWidth=3 if stroke else alt.Undefined,
    )


def interval_rules(cells: alt.Chart, scale: alt.Scale) -> alt.Chart:
    """Return the upright lines of the 95 % intervals that cells have."""
    known = cells.transform_filter("isValid(datum.lo) && isValid(datum.hi)").mark_rule(clip=True, strokeWidth=2)
    lines: alt.Chart = known.encode(y=alt.Y("lo:Q", scale=scale), y2=alt.Y2("hi:Q"))
    return lines


def interval_tips(words: Language) -> list[alt.Tooltip]:
    """Return what is told of a cell's interval where the reader points at it."""
    ends = [alt.Tooltip(f"{end}:Q", title=words[f"tip_interval_{end}"], format=",.4~g") for end in ("lo", "hi")]
    return [*ends, alt.Tooltip("n:Q", title=words["tip_n"])]


def lookup(names: Mapping[str, object], key: str) -> str:
    """Return the Vega expression that looks `key` up in `names`."""
    return f"({json.dumps(names)})[{key}]"


def scenario_axis(results: Results, words: Language, scenarios: Sequence[Scenario]) -> alt.X:
    """Return the horizontal axis of the scenarios: the level, and below it its mean size where there is room."""
    short = {one.key: words.scenario_short(one) for one in scenarios}
    long = {
        one.key: [short[one.key], words.figures.size(one.size_bytes)] if one.size_bytes else [short[one.key]]
        for one in scenarios
    }
    expression = f"width > {LABEL_PX * len(scenarios)} ? {lookup(long, 'datum.value')} : {lookup(short, 'datum.value')}"
    return alt.X(
        "scenario:N",
        title=words.scenario_axis(results),
        sort=[one.key for one in scenarios],
        scale=alt.Scale(domain=[one.key for one in scenarios]),
        axis=alt.Axis(labelAngle=0, labelExpr=expression, labelOverlap=False, tickSize=0),
    )


def value_axis(
    scale: alt.Scale, *, grid: bool = True, ticks: int = 5, extent_px: int | None = None, unit: str = ""
) -> alt.Axis:
    """Return the axis of a figure: 1, 2, 5, 10 ... on a logarithmic scale, large figures as 10k.

    `extent_px` fixes the room of its labels, so that panels above each other start at the same place. Where an axis of
    milliseconds reaches below 0.1 ms, its labels say their units.
    """
    told = scale.to_dict()
    log = told.get("type") == "log"
    ends = told.get("domain")
    low, high = (ends[0], ends[-1]) if isinstance(ends, list) else (1.0, 1.0)
    short = unit == "ms" and (low if log else high) < SHORT_MS
    extent = alt.Undefined if extent_px is None else extent_px
    return alt.Axis(
        labelExpr=SHORT_LABEL if short else SI_LABEL,
        labelOverlap=True,
        grid=grid,
        values=(LOG_TICKS if low >= LOG_TICKS[0] else FINE_LOG_TICKS) if log else alt.Undefined,
        tickCount=alt.Undefined if log else ticks,
        minExtent=extent,
        maxExtent=extent,
    )


def plot_range(values: Iterable[float | None], bounds: Iterable[float | None]) -> tuple[alt.Scale, bool]:
    """Return the vertical scale for `values`: logarithmic where they span more than a factor of eight.

    Intervals (`bounds`) widen it by at most a factor of two, so that a very wide one does not flatten the picture; what
    is cut off is cut at the frame.
    """
    known = [value for value in values if value is not None and math.isfinite(value)]
    edges = [value for value in bounds if value is not None and math.isfinite(value)]
    top = max(known, default=1.0)
    positive = [value for value in known if value > 0]
    low = min(positive, default=1.0)
    high_edge = min(max([top, *edges]), 2 * top) if top > 0 else 1.0
    if len(positive) == len(known) and known and top / low > 8:
        low_edge = max(min([low, *(edge for edge in edges if edge > 0)]), low / 2)
        return alt.Scale(type="log", domain=[low_edge * 0.9, high_edge * 1.1], nice=False, clamp=False), True
    return alt.Scale(type="linear", domain=[0, (high_edge or 1.0) * 1.05], nice=True), False
