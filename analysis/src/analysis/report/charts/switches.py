"""Context switches per second against the coefficient of variation, a point a cell."""

import altair as alt

from analysis.report import facts
from analysis.report.drawing import (
    Chart,
    Dataset,
    finished,
    lookup,
    numbers,
    plot_range,
    source,
    system_marks,
    system_name,
    value_axis,
)
from analysis.report.results import Results
from analysis.report.sentences import answer, captions
from analysis.tables.table_file import Value
from analysis.words.language import Language


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
    hue, form = system_marks(results)
    x_scale, _ = plot_range(numbers(data.rows, "pswitch_per_s"), [])
    y_scale, _ = plot_range(numbers(data.rows, "cv"), [])
    scenarios = results.scenarios.values()
    base = (
        alt.Chart()
        .transform_calculate(
            system_name=system_name(results),
            scenario_name=lookup({one.key: words.scenario(one) for one in scenarios}, "datum.scenario"),
            label=lookup({one.key: words.scenario_short(one) for one in scenarios}, "datum.scenario"),
        )
        .encode(
            x=alt.X(
                "pswitch_per_s:Q",
                title=words["axis_switches"],
                scale=x_scale,
                axis=value_axis(x_scale),
            ),
            y=alt.Y("cv:Q", title=words["axis_cv"], scale=y_scale, axis=value_axis(y_scale)),
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
    labels = base.mark_text(align="left", dx=8, dy=-6).encode(text="label:N")
    note = words.say("note_switches", cells=words.count(len(data.rows), "cell"))
    picture = alt.layer(points, labels, data=source(data)).properties(width="container", height=290)
    return Chart(
        id="switches",
        spec=finished(picture),
        datasets=(data.name,),
        title=words["chart_switches"],
        sentence=captions.switches(words, results, facts.correlations(results, "ours")),
        note=f"{note} {answer.clock(words, results)}".rstrip(),
    )
