"""Pictures of a fit, drawn by Altair."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import altair as alt
import numpy as np

from workload_gen.fitting.fit import SizesFit
from workload_gen.fitting.size_counts import SizeCounts
from workload_gen.fitting.svg import rendered
from workload_gen.models.distribution import ContinuousDistribution, Floats
from workload_gen.models.lognormal_pareto import LognormalPareto

YOURS = "your files"
_NAMES = {
    "lognormal-pareto": "lognormal body, Pareto tail",
    "lognormal": "lognormal",
    "exponential": "exponential",
    "normal": "normal (the paper's 'lognormal')",
    "pareto": "Pareto",
}
_COLOURS = {
    YOURS: "#222222",
    "lognormal-pareto": "#d55e00",
    "lognormal": "#0072b2",
    "exponential": "#009e73",
    "normal": "#cc79a7",
    "pareto": "#e69f00",
}
"""Okabe and Ito's colours, told apart by the colour-blind."""

_WIDTH, _HEIGHT = 460, 280
_FONT_SIZE = 13
_MOST_POINTS = 160
_BINS = 60
Rows = list[dict[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Picture:
    """A picture, its file name without ending, and what to see in it."""

    name: str
    title: str
    caption: str
    svg: str


def pictures(fit: SizesFit) -> list[Picture]:
    """The body, the tail and the quantiles of a fit, and the paper's Figures 1 and 2 for these sizes."""
    models = {c.model.kind: c.model for c in fit.candidates}
    ours = {kind: models[kind] for kind in ("lognormal-pareto", "lognormal") if kind in models}
    papers = {kind: models[kind] for kind in ("lognormal", "exponential", "normal", "pareto")}
    drawn = [
        (
            "body",
            "Body: how many files of each size",
            "Bars are your files, lines the fitted models, per factor of ten in size.",
            _body(fit, ours),
        ),
        (
            "tail",
            "Tail: share of files larger than a size",
            "Both axes logarithmic: a Pareto tail is a straight line, a lognormal bends down.",
            _tail(fit.data, ours, fit),
        ),
        (
            "quantiles",
            "Quantiles: your files against the chosen model",
            "On the dashed line the model gives the same sizes; above it your files are larger.",
            _quantiles(fit),
        ),
        (
            "paper-figure-1",
            "The paper's Figure 1 for your files: the body",
            "Share of files up to each size, with the single distributions the paper compares.",
            _cumulative(fit.data, papers),
        ),
        (
            "paper-figure-2",
            "The paper's Figure 2 for your files: the tail",
            "Share of files larger than each size, both axes logarithmic, with the same distributions.",
            _tail(fit.data, papers, None),
        ),
    ]
    svgs = rendered([_styled(chart) for *_, chart in drawn], alt.SCHEMA_VERSION.lstrip("v").rpartition(".")[0])
    return [
        Picture(name=name, title=title, caption=caption, svg=svg)
        for (name, title, caption, _), svg in zip(drawn, svgs, strict=True)
    ]


def _body(fit: SizesFit, models: Mapping[str, ContinuousDistribution]) -> alt.LayerChart:
    data = fit.data
    title = "share of files per factor of ten"
    edges = np.linspace(np.log10(data.values[0]) - 0.01, np.log10(data.values[-1]) + 0.01, _BINS + 1)
    heights, _ = np.histogram(np.log10(data.values), bins=edges, weights=data.counts)
    shares = heights / data.total / np.diff(edges)
    bars: Rows = [
        {"x": 10.0**low, "to": 10.0**high, "y": share}
        for low, high, share in zip(edges[:-1].tolist(), edges[1:].tolist(), shares.tolist(), strict=True)
    ]
    x = np.logspace(edges[0], edges[-1], _MOST_POINTS)
    lines = [row for kind, model in models.items() for row in _rows(x, model.density(x) * x * np.log(10), kind)]
    histogram = (
        alt.Chart(_data(bars))
        .mark_rect(color="#c4c4c4", stroke="white", strokeWidth=0.3)
        .encode(x=_sizes(), x2="to:Q", y=alt.Y("y:Q", title=title), y2=alt.datum(0))
    )
    return alt.LayerChart(layer=[histogram, _lines(lines, title, models), *_cut_rule(fit)])


def _tail(data: SizeCounts, models: Mapping[str, ContinuousDistribution], fit: SizesFit | None) -> alt.LayerChart:
    title = "share of files larger"
    above = 1 - np.cumsum(data.counts) / data.total
    places = _spread(data)
    places = places[above[places] > 0]
    x = np.geomspace(data.values[0], data.values[-1], _MOST_POINTS)
    lowest = 0.5 / data.total
    lines: Rows = []
    for kind, model in models.items():
        survival = model.survival(x)
        lines += _rows(x[survival > lowest], survival[survival > lowest], kind)
    scale = alt.Scale(type="log", domain=[lowest, 1.0], nice=False)
    points = (
        alt.Chart(_data(_rows(data.values[places], above[places], YOURS)))
        .mark_point(size=14, filled=True, opacity=0.8)
        .encode(x=_sizes(), y=alt.Y("y:Q", title=title, scale=scale), color=_colour((YOURS, *models)))
    )
    rules = () if fit is None else _cut_rule(fit)
    return alt.LayerChart(layer=[points, _lines(lines, title, (YOURS, *models), scale), *rules])


def _cumulative(data: SizeCounts, models: Mapping[str, ContinuousDistribution]) -> alt.LayerChart:
    title = "share of files up to this size"
    places = _spread(data)
    rows = _rows(data.values[places], (np.cumsum(data.counts) / data.total)[places], YOURS)
    x = np.geomspace(data.values[0], data.values[-1], _MOST_POINTS)
    lines = [row for kind, model in models.items() for row in _rows(x, model.cdf(x), kind)]
    yours = (
        alt.Chart(_data(rows))
        .mark_line(strokeWidth=2.5, interpolate="step-after")
        .encode(x=_sizes(), y=alt.Y("y:Q", title=title), color=_colour((YOURS, *models)))
    )
    return alt.LayerChart(layer=[yours, _lines(lines, title, (YOURS, *models))])


def _quantiles(fit: SizesFit) -> alt.LayerChart:
    p = np.unique(np.concatenate((np.linspace(0.005, 0.995, 100), 1 - np.geomspace(0.5 / fit.data.total, 0.01, 60))))
    shares = np.cumsum(fit.data.counts) / fit.data.total
    yours = fit.data.values[np.minimum(np.searchsorted(shares, p), fit.data.values.size - 1)]
    model = np.maximum(fit.model.quantile(p), 1.0)
    points: Rows = [{"x": m, "y": v} for m, v in zip(model.tolist(), yours.tolist(), strict=True)]
    ends = [float(min(model.min(), yours.min())), float(max(model.max(), yours.max()))]
    diagonal = alt.Chart(_data([{"x": e, "y": e} for e in ends])).mark_line(color="#888888", strokeDash=[4, 4])
    title = f"size by the model: {_NAMES[fit.chosen.model.kind]} (bytes)"
    x = alt.X("x:Q", scale=alt.Scale(type="log"), title=title, axis=_byte_axis())
    y = alt.Y("y:Q", scale=alt.Scale(type="log"), title="size of your files (bytes)", axis=_byte_axis())
    dots = alt.Chart(_data(points)).mark_point(size=16, filled=True, color=_COLOURS[fit.chosen.model.kind])
    return alt.LayerChart(layer=[diagonal.encode(x=x, y=y), dots.encode(x=x, y=y)])


def _cut_rule(fit: SizesFit) -> tuple[alt.Chart, ...]:
    """Where the tail of the spliced model begins."""
    rows: Rows = [
        {"x": c.model.cut, "label": "tail from here"} for c in fit.candidates if isinstance(c.model, LognormalPareto)
    ]
    rule = alt.Chart(_data(rows)).mark_rule(color="#666666", strokeDash=[3, 3]).encode(x=_sizes())
    text = alt.Chart(_data(rows)).mark_text(align="left", dx=4, baseline="top", color="#444444", fontSize=_FONT_SIZE)
    return rule, text.encode(x=_sizes(), y=alt.value(2), text="label:N")


def _lines(rows: Rows, title: str, kinds: Iterable[str], scale: alt.Scale | None = None) -> alt.Chart:
    y = alt.Y("y:Q", title=title) if scale is None else alt.Y("y:Q", title=title, scale=scale)
    lines: alt.Chart = alt.Chart(_data(rows)).mark_line(strokeWidth=2)
    return lines.encode(x=_sizes(), y=y, color=_colour(kinds))


def _rows(x: Floats, y: Floats, kind: str) -> Rows:
    name = _NAMES.get(kind, kind)
    return [{"x": a, "y": b, "what": name} for a, b in zip(x.tolist(), y.tolist(), strict=True)]


def _spread(data: SizeCounts) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Places of different sizes to draw, evenly spread over the body and over the logarithm of the tail's ranks."""
    ranks = np.concatenate(
        (np.linspace(0, data.total - 1, _MOST_POINTS), data.total - np.geomspace(1, data.total, _MOST_POINTS))
    )
    return np.unique(np.searchsorted(np.cumsum(data.counts), np.clip(ranks, 0, data.total - 1), side="right"))


def _sizes() -> alt.X:
    return alt.X("x:Q", scale=alt.Scale(type="log", nice=False), title="size (bytes)", axis=_byte_axis())


def _byte_axis() -> alt.Axis:
    return alt.Axis(format="~s", tickCount=8, labelOverlap=True)


def _colour(kinds: Iterable[str]) -> alt.Color:
    shown = [kind for kind in _COLOURS if kind in set(kinds)]
    scale = alt.Scale(domain=[_NAMES.get(k, k) for k in shown], range=[_COLOURS[k] for k in shown])
    legend = alt.Legend(orient="bottom", columns=2, labelLimit=300, symbolType="stroke", symbolStrokeWidth=3)
    return alt.Color("what:N", title=None, scale=scale, legend=legend)


def _data(rows: Iterable[Mapping[str, Any]]) -> alt.InlineData:
    return alt.InlineData(values=[dict(row) for row in rows])


def _styled(chart: alt.LayerChart) -> dict[str, Any]:
    """The chart's specification in the size and style of all of them."""
    specification: dict[str, Any] = (
        chart.properties(width=_WIDTH, height=_HEIGHT)
        .configure_axis(gridOpacity=0.4, labelFontSize=_FONT_SIZE, titleFontSize=_FONT_SIZE, titleFontWeight="normal")
        .configure_legend(labelFontSize=_FONT_SIZE)
        .configure_view(stroke=None)
        .to_dict()
    )
    return specification
