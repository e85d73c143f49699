"""Context switches per second against the coefficient of variation, a point a cell."""

import math
from collections.abc import Mapping

import altair as alt

from uploadlab.report import drawing, facts
from uploadlab.report.drawing import Chart, Dataset
from uploadlab.report.results import Results
from uploadlab.report.sentences import answer, captions
from uploadlab.results.campaign import checked_by
from uploadlab.statistics.correlations import Correlation, correlate_series
from uploadlab.tables.table_file import Value
from uploadlab.words.language import Language

HEIGHT_PX = 290
WIDTHS_PX = (260, 400, 560)
"""Labels overlap at none of these widths of the frame, between which the windows of readers lie."""
LABEL_HEIGHT_PX, CHARACTER_PX = 13, 7
PLACES_PX = (("left", 8, -6), ("left", 8, 15), ("right", -8, -6), ("right", -8, 15), ("left", 8, -20), ("left", 8, 29))
"""Where a label can stand beside its point, the first where nothing is in its way: its side, and how far to move it."""


def data(results: Results) -> Dataset:
    """Return switches per second and CV of each cell that has both."""
    rows: list[dict[str, Value]] = []
    for cell in results.cells:
        switches, cv = cell.value("pswitch_per_s"), cell.value("cv")
        if switches is None or cv is None or not cell.valid_runs:
            continue
        origin: dict[str, Value] = {"scenario": cell.scenario, "system": cell.system, "n": len(cell.valid_runs)}
        row = {**origin, "pswitch_per_s": switches, "cv": cv}
        if (without := facts.without_clock(cell)) is not None:
            row["cv_without_clock"] = without
        rows.append(row)
    columns = {"scenario": "string", "system": "string", "pswitch_per_s": "number", "cv": "number", "n": "number"}
    if any("cv_without_clock" in row for row in rows):
        columns["cv_without_clock"] = "number"
    return Dataset(name="switches", columns=columns, rows=rows)


def chart(results: Results, data: Dataset, words: Language) -> Chart | None:
    """Return the chart, or None where no cell has both figures."""
    if not data.rows:
        return None
    hue, form = drawing.system_marks(results)
    x_scale, _ = drawing.plot_range(drawing.numbers(data.rows, "pswitch_per_s"), [])
    y_scale, _ = drawing.plot_range(drawing.numbers(data.rows, "cv"), [])
    scenarios = results.scenarios.values()
    short = {one.key: words.scenario_short(one) for one in scenarios}
    places = _places(data, short, x_scale, y_scale)
    base = (
        alt.Chart()
        .transform_calculate(
            system_name=drawing.system_name(results),
            scenario_name=drawing.lookup({one.key: words.scenario(one) for one in scenarios}, "datum.scenario"),
            label=drawing.lookup(short, "datum.scenario"),
            place=drawing.lookup(places, "datum.scenario + ' ' + datum.system"),
        )
        .encode(
            x=alt.X(
                "pswitch_per_s:Q",
                title=words["axis_switches"],
                scale=x_scale,
                axis=drawing.value_axis(x_scale),
            ),
            y=alt.Y("cv:Q", title=words["axis_cv"], scale=y_scale, axis=drawing.value_axis(y_scale)),
        )
    )
    points = base.mark_point(filled=True, size=95, opacity=1).encode(
        color=hue,
        shape=form,
        tooltip=[
            alt.Tooltip("system_name:N", title=words["tip_system"]),
            alt.Tooltip("scenario_name:N", title=words["tip_scenario"]),
            alt.Tooltip("pswitch_per_s:Q", title=words["axis_switches"], format=",.4~g"),
            alt.Tooltip("cv:Q", title=words["axis_cv"], format=",.4~g"),
            alt.Tooltip("n:Q", title=words["tip_n"]),
            *(
                [alt.Tooltip("cv_without_clock:Q", title=words.column("cv_without_clock"), format=",.4~g")]
                if "cv_without_clock" in data.columns
                else []
            ),
        ],
    )
    labels = (
        base.transform_filter("isValid(datum.place)")
        .mark_text(
            align=alt.expr("datum.place[0]"),
            baseline="alphabetic",
            dx=alt.expr("datum.place[1]"),
            dy=alt.expr("datum.place[2]"),
        )
        .encode(text=alt.Text("label:N"))
    )
    note = words.say("note_switches", cells=words.count(len(data.rows), "cell"))
    return Chart(
        id="switches",
        spec=drawing.layered([points, labels], data, width="container", height=HEIGHT_PX),
        datasets=(data.name,),
        title=words["chart_switches"],
        sentence=captions.switches(words, results, correlations(results)),
        note=f"{note} {answer.clock(words, results)}".rstrip(),
    )


def correlations(results: Results) -> Mapping[str, Correlation]:
    """Correlate the points of each system, and the differences of two; what only checks the answer is not pooled."""
    series: dict[str, dict[str, tuple[float | None, float | None]]] = {key: {} for key in results.systems}
    for cell in results.cells:
        if cell.valid_runs and not checked_by(results.campaign, results.scenarios[cell.scenario].factors):
            series[cell.system][cell.scenario] = (cell.value("pswitch_per_s"), cell.value("cv"))
    return correlate_series(series)


def _places(data: Dataset, labels: Mapping[str, str], x: alt.Scale, y: alt.Scale) -> dict[str, tuple[str, int, int]]:
    """Return of each point's label the first of PLACES_PX at which it covers no other; none where each does."""
    places: dict[str, tuple[str, int, int]] = {}
    taken: list[list[tuple[float, float, float]]] = []
    for row in data.rows:
        switches, cv = drawing.numbers([row], "pswitch_per_s", "cv")
        length_px = float(CHARACTER_PX) * len(labels[str(row["scenario"])])
        points = [(_share(switches, x) * width, (1 - _share(cv, y)) * HEIGHT_PX) for width in WIDTHS_PX]
        for side, right, down in PLACES_PX:
            left = right if side == "left" else right - length_px
            boxes = [(at_x + left, at_y + down, length_px) for at_x, at_y in points]
            if not any(_overlap(*pair) for others in taken for pair in zip(boxes, others, strict=True)):
                taken.append(boxes)
                places[f"{row['scenario']} {row['system']}"] = (side, right, down)
                break
    return places


def _share(value: float, scale: alt.Scale) -> float:
    """Return where a value lies on a scale, from 0 to 1."""
    told = scale.to_dict()
    low, high = (float(end) for end in told["domain"])
    if told["type"] == "log":
        low, high, value = math.log(low), math.log(high), math.log(value)
    return (value - low) / (high - low)


def _overlap(one: tuple[float, float, float], other: tuple[float, float, float]) -> bool:
    """Return whether two labels cover each other; each is where it begins, its line, and its length."""
    apart = one[0] >= other[0] + other[2] or other[0] >= one[0] + one[2]
    return not apart and abs(one[1] - other[1]) < LABEL_HEIGHT_PX
