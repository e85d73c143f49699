"""The charts of a fit: its body, tail and quantiles, and the paper's Figures 1 and 2 for these sizes."""

from collections.abc import Mapping, Sequence

import numpy as np

from monitoring.pages.charts import BYTES, Axis, lines
from monitoring.pages.document import Chart, Datum
from workload_gen.fitting.fit import SizesFit
from workload_gen.fitting.size_counts import SizeCounts
from workload_gen.models.distribution import ContinuousDistribution, Floats
from workload_gen.models.heavy_tailed import LognormalPareto

YOURS = "your files"
_NAMES = {
    YOURS: YOURS,
    "lognormal": "lognormal",
    "lognormal-pareto": "lognormal body, Pareto tail",
    "exponential": "exponential",
    "normal": "normal",
    "pareto": "Pareto",
}
SERIES = tuple(_NAMES.values())
_POINTS = 120
_BINS = 60
_SIZE = Axis(field="size", title="size", log=True, label=BYTES)
_SHARE_LARGER = Axis(field="y", title="share larger", log=True)
Row = dict[str, Datum]
Models = Mapping[str, ContinuousDistribution]


def charts(fit: SizesFit) -> list[Chart]:
    """Return the charts, what decides first."""
    models = {c.model.kind: c.model for c in fit.candidates}
    ours = {kind: models[kind] for kind in ("lognormal-pareto", "lognormal") if kind in models}
    papers = {kind: models[kind] for kind in ("lognormal", "exponential", "normal", "pareto")}
    spliced = models.get("lognormal-pareto")
    begins = f" The tail begins at {spliced.cut:,.0f} bytes." if isinstance(spliced, LognormalPareto) else ""
    return [
        _chart(
            "tail",
            "Share of files larger than a size",
            _tail(fit.data, ours),
            _SHARE_LARGER,
            f"A Pareto tail is a straight line, a lognormal bends down.{begins}",
        ),
        _chart(
            "body",
            "Share of files per factor of ten in size",
            _body(fit.data, ours),
            Axis(field="y", title="share per factor of ten", zero=True),
        ),
        _chart(
            "quantiles",
            f"Sizes of equal rank: your files against the chosen model ({_NAMES[fit.chosen.model.kind]})",
            _quantiles(fit),
            Axis(field="y", title="size of your files", log=True, label=BYTES),
            "Where your files are above the line of the model they are larger.",
        ),
        _chart(
            "paper-figure-1",
            "The paper's Figure 1 for your files: share of files up to a size",
            _cumulative(fit.data, papers),
            Axis(field="y", title="share up to this size", zero=True),
        ),
        _chart(
            "paper-figure-2",
            "The paper's Figure 2 for your files: share of files larger than a size",
            _tail(fit.data, papers),
            _SHARE_LARGER,
        ),
    ]


def _chart(name: str, title: str, rows: Sequence[Row], y: Axis, note: str = "") -> Chart:
    drawn = {row["series"] for row in rows}
    order = [series for series in SERIES if series in drawn]
    return lines(name, title, rows, _SIZE, y, series="series", order=order, points=False, note=note)


def _body(data: SizeCounts, models: Models) -> list[Row]:
    edges = np.linspace(np.log10(data.values[0]) - 0.01, np.log10(data.values[-1]) + 0.01, _BINS + 1)
    heights, _ = np.histogram(np.log10(data.values), bins=edges, weights=data.counts)
    x = 10 ** ((edges[:-1] + edges[1:]) / 2)
    rows = _rows(x, heights / data.total / np.diff(edges), YOURS)
    return rows + [row for kind, model in models.items() for row in _rows(x, model.density(x) * x * np.log(10), kind)]


def _tail(data: SizeCounts, models: Models) -> list[Row]:
    lowest = 0.5 / data.total
    places = _spread(data)
    x = np.geomspace(data.values[0], data.values[-1], _POINTS)
    curves = [(data.values[places], (1 - _at_or_below(data))[places], YOURS)]
    curves += [(x, model.survival(x), kind) for kind, model in models.items()]
    return [row for x, share, kind in curves for row in _rows(x[share > lowest], share[share > lowest], kind)]


def _cumulative(data: SizeCounts, models: Models) -> list[Row]:
    places = _spread(data)
    x = np.geomspace(data.values[0], data.values[-1], _POINTS)
    rows = _rows(data.values[places], _at_or_below(data)[places], YOURS)
    return rows + [row for kind, model in models.items() for row in _rows(x, model.cdf(x), kind)]


def _quantiles(fit: SizesFit) -> list[Row]:
    data, kind = fit.data, fit.chosen.model.kind
    p = np.unique(np.concatenate((np.linspace(0.005, 0.995, 100), 1 - np.geomspace(0.5 / data.total, 0.01, 60))))
    model = np.maximum(fit.model.quantile(p), 1.0)
    yours = data.values[np.minimum(np.searchsorted(_at_or_below(data), p), data.values.size - 1)]
    return _rows(model, yours, YOURS) + _rows(model[[0, -1]], model[[0, -1]], kind)


def _rows(x: Floats, y: Floats, kind: str) -> list[Row]:
    return [{"series": _NAMES[kind], "size": a, "y": b} for a, b in zip(x.tolist(), y.tolist(), strict=True)]


def _at_or_below(data: SizeCounts) -> Floats:
    """For each different size, the share of sizes at or below it."""
    return np.asarray(np.cumsum(data.counts) / data.total)


def _spread(data: SizeCounts) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Places of different sizes to draw, evenly spread over the body and over the logarithm of the tail's ranks."""
    ranks = np.concatenate((np.linspace(0, data.total - 1, _POINTS), data.total - np.geomspace(1, data.total, _POINTS)))
    return np.unique(np.searchsorted(np.cumsum(data.counts), np.clip(ranks, 0, data.total - 1), side="right"))
