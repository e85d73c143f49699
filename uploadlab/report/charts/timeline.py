"""One run on one clock: latency, requests, CPU, waits, switches and network trouble, second by second."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import altair as alt

from uploadlab.report import drawing
from uploadlab.report.drawing import Chart, Choice, Dataset, Spec
from uploadlab.report.facts import extent
from uploadlab.report.results import Results, Row
from uploadlab.report.sentences import captions
from uploadlab.report.sentences.method import limited_shares
from uploadlab.report.setup import setup
from uploadlab.tables.table_file import Value, number
from uploadlab.words.language import Language

MAX_ROWS = 12_000
"""More seconds than this in a campaign are joined, so that the page stays small."""
MAX_HEAT_ROWS = 100_000

_SUMS = ("requests", "errors", "warmup_requests", "retransmits", "listen_overflows")
_BY_REQUEST = ("mean_ms", "p50_ms")
_LARGEST = ("p99_ms", "dirty_mb")
_RATES = (
    "cpu_pct", "wait_pct", "steal_pct", "switches_per_s", "server_switches_per_s", "server_wait_ms_per_s",
    "server_cpu_pct", "injector_cpu_pct", "psi_cpu_pct", "psi_io_pct", "gc_ms", "loop_delay_mean_ms", "disk_busy_pct",
    "depth_mean", "in_flight_mean",
)  # fmt: skip
READINGS = (
    "mean_ms", "p99_ms", "requests", "cpu_pct", "wait_pct", "switches_per_s", "server_wait_ms_per_s", "retransmits",
    "listen_overflows", "depth_mean", "in_flight_mean",
)  # fmt: skip
SERIES = (*_SUMS, *_BY_REQUEST, *_LARGEST, *_RATES)


@dataclass(frozen=True, kw_only=True)
class Panel:
    """A panel: the label of its title and the columns it draws, the first solid, the second dashed."""

    label: str
    columns: tuple[str, ...]
    height: int = 74


PANELS = (
    Panel(label="axis_depth_mean", columns=("depth_mean",)),  # of a study's metric, which says what it is called
    Panel(label="axis_in_flight_mean", columns=("in_flight_mean",)),
    Panel(label="panel_requests", columns=("requests",)),
    Panel(label="panel_cpu", columns=("cpu_pct", "injector_cpu_pct")),
    Panel(label="panel_wait", columns=("wait_pct", "steal_pct")),
    Panel(label="panel_switches", columns=("switches_per_s",)),
    Panel(label="panel_disk", columns=("disk_busy_pct",)),
    Panel(label="panel_queue", columns=("server_wait_ms_per_s",)),
    Panel(label="panel_runtime", columns=("gc_ms", "loop_delay_mean_ms")),
    Panel(label="panel_trouble", columns=("retransmits", "listen_overflows")),
)


def width_s(results: Results) -> int:
    """Return how many seconds a point of the timeline stands for."""
    return max(1, math.ceil(len(results.table("timeline").rows) / MAX_ROWS))


def data(results: Results) -> Dataset:
    """Return the seconds of every run, joined where there are more than MAX_ROWS.

    Counts become counts per second, means are weighted by requests, of p99 and dirty pages the largest stays.
    """
    width = width_s(results)
    groups: dict[tuple[str, int], list[Row]] = {}
    for run, second, row in _seconds(results):
        groups.setdefault((run, math.floor(second / width) * width), []).append(row)
    rows: list[dict[str, Value]] = [
        {"run": run, "second": second, **_joined(group, width)} for (run, second), group in groups.items()
    ]
    columns = {"run": "string", "second": "number"} | dict.fromkeys(SERIES, "number")
    return Dataset(name="timeline", columns=columns, rows=rows)


def _seconds(results: Results) -> Iterator[tuple[str, float, Row]]:
    """Yield each second of the runs' timelines: its run, its number and its row."""
    known = {run.key for run in results.runs}
    for row in results.table("timeline").rows:
        second, run = number(row["second"]), f"{row['cell']}/{row['repeat']}"
        if second is not None and run in known:
            yield run, second, row


def _joined(rows: Sequence[Row], width: int) -> dict[str, float | None]:
    if len(rows) == 1 and width == 1:
        return {name: number(rows[0].get(name)) for name in SERIES}
    weights = [number(row.get("requests")) or 0.0 for row in rows]
    joined: dict[str, float | None] = {}
    for name in SERIES:
        values = [number(row.get(name)) for row in rows]
        known = [value for value in values if value is not None]
        if not known:
            joined[name] = None
        elif name in _LARGEST:
            joined[name] = max(known)
        elif name in _BY_REQUEST:
            pairs = [(value, weight) for value, weight in zip(values, weights, strict=True) if value is not None]
            total = math.fsum(weight for _, weight in pairs)
            joined[name] = math.fsum(value * weight for value, weight in pairs) / total if total else None
        else:
            joined[name] = math.fsum(known) / len(known)
    return joined


def heat(results: Results) -> Dataset:
    """Return how many requests of each run ended in each second with each response time.

    Seconds are joined, twice as many each time, until no more than MAX_HEAT_ROWS rows are left.
    """
    known = {run.key for run in results.runs}
    bins = []
    for row in results.table("latency_heat").rows:
        run = f"{row['cell']}/{row['repeat']}"
        second, low, high = number(row["second"]), number(row["from_ms"]), number(row["to_ms"])
        if run in known and second is not None and low is not None and high is not None:
            width = int(number(row.get("width_s")) or 1)
            bins.append((run, int(second), width, low if low > 0 else high / 2, high, number(row["requests"]) or 0.0))
    width, last = width_s(results), max((second for _, second, *_ in bins), default=0)
    while True:
        counts: dict[tuple[str, int, int, float, float], float] = {}
        for run, second, own, low, high, requests in bins:
            span = max(width, own)
            key = (run, second // span * span, span, low, high)
            counts[key] = counts.get(key, 0.0) + requests
        if len(counts) <= MAX_HEAT_ROWS or width > last:
            break
        width *= 2
    rows: list[dict[str, Value]] = [
        {"run": run, "second": second, "until": second + span, "from_ms": low, "to_ms": high, "requests": requests}
        for (run, second, span, low, high), requests in counts.items()
    ]
    columns = {"run": "string", "second": "number", "until": "number"}
    columns |= {"from_ms": "number", "to_ms": "number", "requests": "number"}
    return Dataset(name="latency_heat", columns=columns, rows=rows)


def chart(results: Results, data: Dataset, heat: Dataset, words: Language) -> Chart | None:
    """Return the chart with a chooser of the run, or None where there is no timeline."""
    present = {str(row["run"]) for row in data.rows}
    runs = [run for run in results.runs if run.key in present]
    if not runs:
        return None
    chosen = next((run for run in runs if run.valid), runs[0]).key
    width = width_s(results)
    systems = {run.key: drawing.colour(results.systems[run.system].index) for run in runs}
    known = [panel for panel in PANELS if any(row.get(name) is not None for row in data.rows for name in panel.columns)]
    panels = [_latency(data, heat, systems, width, words)]
    panels += [_panel(panel, data, systems, width, words, last=panel == known[-1]) for panel in known]
    picture = drawing.stacked(
        panels,
        spacing=14,
        params=[drawing.parameter("chosen", chosen), drawing.parameter("moment", -1000)],
        resolve={"scale": {"x": "shared", "y": "independent", "color": "independent", "opacity": "independent"}},
    )
    by_run: dict[str, list[Row]] = {}
    for key, _, second in _seconds(results):
        by_run.setdefault(key, []).append(second)
    choices = []
    for run in runs:
        facts, seconds = _facts(by_run[run.key])
        sentence = captions.timeline(words, results, run, facts, seconds)
        if not run.valid:
            sentence = f"{sentence} {run.reason or captions.problem(words, run)}"
        label, group = captions.run_label(words, results, run), results.systems[run.system].name
        choices.append(Choice(value=run.key, label=label, sentence=sentence, group=group))
    return Chart(
        id="timeline",
        spec=picture,
        datasets=(data.name, heat.name),
        title=words["chart_timeline"],
        note=" ".join(
            part for part in (captions.timeline_note(words, width), limited_shares(words, setup(results))) if part
        ),
        choices=tuple(choices),
        chosen=chosen,
        chosen_by="run",
        chooser=words["choose_run"],
        readings=tuple(
            (name, words.column(name)) for name in READINGS if any(row.get(name) is not None for row in data.rows)
        ),
        wide=True,
    )


def _x(words: Language, field: str, *, labels: bool) -> alt.X:
    axis = alt.Axis(grid=True, labels=labels, ticks=labels, domain=labels, tickMinStep=1)
    return alt.X(f"{field}:Q", title=words["axis_second"] if labels else None, axis=axis, scale=alt.Scale(nice=False))


def _latency(data: Dataset, heat: Dataset, hues: Mapping[str, str], width: int, words: Language) -> Spec:
    scale = alt.Scale(type="log", nice=False)
    y_axis = drawing.value_axis(scale, extent_px=44)
    hue = alt.Color("hue:N", scale=None)
    cells = (
        alt.Chart(drawing.source(heat))
        .transform_filter("datum.run === chosen")
        .transform_calculate(hue=drawing.lookup(hues, "datum.run"))
        .mark_rect(clip=True)
        .encode(
            x=_x(words, "second", labels=True),
            x2=alt.X2("until:Q"),
            y=alt.Y("from_ms:Q", title=None, scale=scale, axis=y_axis),
            y2=alt.Y2("to_ms:Q"),
            color=hue,
            opacity=alt.Opacity("requests:Q", scale=alt.Scale(type="log", range=[0.08, 0.85], nice=False), legend=None),
            tooltip=[
                alt.Tooltip("second:Q", title=words["tip_second"]),
                alt.Tooltip("from_ms:Q", title=words["axis_elapsed"], format=",.3~g"),
                alt.Tooltip("requests:Q", title=words["tip_requests"], format=",.4~g"),
            ],
        )
    )
    lines = [
        alt.Chart(drawing.source(data))
        .transform_filter("datum.run === chosen && datum.requests > 0")
        .mark_line(strokeWidth=1.6, color="#1d232b", strokeDash=dash, point=False, clip=True)
        .encode(x=_middle(words), y=alt.Y(f"{name}:Q", title=None, scale=scale, axis=y_axis))
        .transform_calculate(middle=f"datum.second + {width / 2}")
        .properties(name=f"ink_{name}")
        for name, dash in (("p50_ms", [1, 0]), ("p99_ms", [5, 3]))
    ]
    layers = [cells, *lines] if heat.rows else lines
    title = {"text": words["panel_latency"]}
    return drawing.layered([*layers, _moment("latency")], width=900, height=190, title=title)


def _middle(words: Language) -> alt.X:
    axis = alt.Axis(grid=True, tickMinStep=1)
    return alt.X("middle:Q", title=words["axis_second"], axis=axis, scale=alt.Scale(nice=False))


def _panel(panel: Panel, data: Dataset, hues: Mapping[str, str], width: int, words: Language, *, last: bool) -> Spec:
    scale = alt.Scale(zero=True, nice=True)
    y_axis = drawing.value_axis(scale, ticks=3, extent_px=44)
    present = [name for name in panel.columns if any(row.get(name) is not None for row in data.rows)]
    # A step reaches to the next point; one that nothing follows needs a point where it ends.
    until = f"isValid(datum.next) ? [datum.second] : [datum.second, datum.second + {width}]"
    layers = [
        alt.Chart(drawing.source(data))
        .transform_filter("datum.run === chosen")
        .transform_window(next=f"lead({name})", sort=[alt.SortField("second")])
        .transform_calculate(hue=drawing.lookup(hues, "datum.run"), ends=until)
        .transform_flatten(["ends"])
        .mark_line(
            interpolate="step-after",
            strokeWidth=2 if name == panel.columns[0] else 1.5,
            strokeDash=[1, 0] if name == panel.columns[0] else [4, 3],
            opacity=1 if name == panel.columns[0] else 0.8,
        )
        .encode(
            x=_x(words, "ends", labels=last),
            y=alt.Y(f"{name}:Q", title=None, axis=y_axis, scale=scale),
            color=alt.Color("hue:N", scale=None),
        )
        for name in present
    ]
    title = {"text": words[panel.label]}
    return drawing.layered([*layers, _moment(panel.label)], width=900, height=panel.height, title=title)


def _moment(panel: str) -> alt.Chart:
    """Return the line that marks the moment the reader chose; far left of the frame until one is chosen."""
    line: alt.Chart = (
        alt.Chart(alt.InlineData(values=[{}]))
        .mark_rule(strokeWidth=1.5, color="#57606c", clip=True)
        .encode(
            x=alt.XValue(alt.expr("scale('x', moment)")),  # type: ignore[no-untyped-call]  # Altair has no types for it
            opacity=alt.OpacityValue(alt.expr("moment > -1000 ? 1 : 0")),
        )
        .properties(name=f"ink_moment_{panel}")
    )
    return line


def _facts(rows: Sequence[Row]) -> tuple[dict[str, tuple[float, float]], int]:
    """Return the extent of each series within the load, sums for counts of trouble, and the seconds of load.

    Of a run's seconds as they are, not of the points that they are joined to.
    """
    loaded = [row for row in rows if (number(row.get("requests")) or 0) > 0]
    full = loaded[:-1] or loaded
    extents = {name: extent(number(row.get(name)) for row in full) for name in ("mean_ms", "cpu_pct", "switches_per_s")}
    facts = {name: found for name, found in extents.items() if found}
    for name in ("retransmits", "listen_overflows", "errors"):
        values = [value for row in loaded if (value := number(row.get(name))) is not None]
        if values:
            facts[name] = (0.0, math.fsum(values))
    return facts, len(loaded)
