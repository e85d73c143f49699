"""A panel as a chart of the page."""

import math
from itertools import pairwise

import numpy as np

from monitoring.nmon_report.panels import Panel, Style
from monitoring.pages import charts
from monitoring.pages.charts import Axis
from monitoring.pages.document import Chart, Datum

_TIME = Axis(field="time", title="", time=True)
Row = dict[str, Datum]


def chart(panel: Panel, name: str) -> Chart:
    """Return the chart of a panel, called by a name of its own on the page."""
    title = f"{panel.title}, {panel.unit}" if panel.unit else panel.title
    joined = f"Each point is the mean of {panel.joined} snapshots." if panel.joined > 1 else ""
    note = " ".join(filter(None, [panel.note, joined]))
    if panel.style is Style.CORES:
        cores = Axis(field="core", title="core", zero=True)
        return charts.heat(name, title, _cells(panel), _TIME, cores, count="busy", full=panel.full_scale, note=note)
    top = panel.full_scale or (None if any(np.nanmax(values) > 0 for values in panel.series.values()) else 1.0)
    y = Axis(field="value", title=panel.unit, zero=True, top=top)
    order = list(panel.series)
    if panel.style is Style.STACK:
        return charts.areas(name, title, _stacked(panel), _TIME, y, series="series", order=order, note=note)
    few = len(panel.time_ms) <= 60
    return charts.lines(name, title, _rows(panel), _TIME, y, series="series", order=order, points=few, note=note)


def _rows(panel: Panel) -> list[Row]:
    """Return a row a point; an empty value stands in each gap, so that nothing is drawn over it."""
    rows: list[Row] = []
    times, segments = panel.time_ms.tolist(), panel.segment.tolist()
    for name, values in panel.series.items():
        before = segments[0]
        for time, segment, value in zip(times, segments, values.tolist(), strict=True):
            if segment != before:
                rows.append({"time": time - 1, "series": name, "value": None})
            rows.append({"time": time, "series": name, "value": _rounded(value)})
            before = segment
    return rows


def _stacked(panel: Panel) -> list[Row]:
    """Return a row a point and series, which stands on the sum of those before it; none where one is missing."""
    rows: list[Row] = []
    below = np.zeros(len(panel.time_ms))
    times, segments = panel.time_ms.tolist(), panel.segment.tolist()
    for name, values in panel.series.items():
        ends = below + values
        rows += [
            {"time": time, "part": part, "series": name, "value_from": _rounded(low), "value": _rounded(high)}
            for time, part, low, high in zip(times, segments, below.tolist(), ends.tolist(), strict=True)
        ]
        below = ends
    return rows


def _cells(panel: Panel) -> list[Row]:
    """Return a rectangle a core and point, up to the next one, or as long as usual where none follows at once."""
    times, segments = panel.time_ms.tolist(), panel.segment.tolist()
    gaps = sorted(after - before for before, after in pairwise(times))
    usual_ms = gaps[len(gaps) // 2] if gaps else 1000
    ends = [
        after if following == segment and after > time else time + usual_ms
        for time, after, segment, following in zip(times, [*times[1:], 0], segments, [*segments[1:], -1], strict=True)
    ]
    return [
        {"time": time, "time_to": end, "core": core, "core_to": core + 1, "busy": _rounded(value)}
        for core, values in enumerate(panel.series.values())
        for time, end, value in zip(times, ends, values.tolist(), strict=True)
        if not math.isnan(value)
    ]


def _rounded(value: float) -> float | None:
    return None if math.isnan(value) else float(f"{value:.4g}")
