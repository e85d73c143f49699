"""A bar a cell, split into shares that sum to 100 %."""

from collections.abc import Mapping

import altair as alt

from uploadlab.report.drawing import Chart, Dataset, finished, lookup, source
from uploadlab.report.results import Cell, Results
from uploadlab.tables.table_file import Value
from uploadlab.words.language import Language

LONGEST_LABEL_PX = 230
COLUMNS = {"scenario": "string", "system": "string", "part": "string", "position": "number", "share_pct": "number"}


def rows(cell: Cell, shares_pct: Mapping[str, float | None]) -> list[dict[str, Value]]:
    """Return a cell's rows of a dataset with COLUMNS, a row a part; parts whose share is not known are left out."""
    return [
        {"scenario": cell.scenario, "system": cell.system, "part": part, "position": position, "share_pct": share}
        for position, (part, share) in enumerate(shares_pct.items())
        if share is not None
    ]


def chart(
    results: Results, data: Dataset, words: Language, *, colours: Mapping[str, str], title: str, sentence: str
) -> Chart:
    """Return the chart of a dataset with COLUMNS; `colours` are those of the parts, `title` is that of the axis."""
    parts = {part: words[f"part_{part}"] for part in colours}
    present = {(row["scenario"], row["system"]) for row in data.rows}
    labels = {
        f"{cell.scenario} {cell.system}": f"{words.scenario_short(results.scenarios[cell.scenario])}"
        f" · {results.systems[cell.system].name}"
        for cell in results.cells
        if (cell.scenario, cell.system) in present
    }
    picture = (
        alt.Chart(source(data))
        .transform_calculate(
            cell="datum.scenario + ' ' + datum.system",
            part_name=lookup(parts, "datum.part"),
            cell_name=lookup(labels, "datum.scenario + ' ' + datum.system"),
        )
        .mark_bar(height={"band": 0.72})
        .encode(
            x=alt.X(
                "share_pct:Q", title=title, scale=alt.Scale(domain=[0, 100]), axis=alt.Axis(grid=True, tickCount=5)
            ),
            y=alt.Y(
                "cell:N",
                title=None,
                sort=list(labels),
                axis=alt.Axis(labelExpr=lookup(labels, "datum.value"), labelLimit=LONGEST_LABEL_PX),
            ),
            color=alt.Color(
                "part:N",
                scale=alt.Scale(domain=list(parts), range=list(colours.values())),
                legend=alt.Legend(labelExpr=lookup(parts, "datum.label"), offset=8, columns=1, labelLimit=240),
            ),
            order=alt.Order("position:Q"),
            tooltip=[
                alt.Tooltip("cell_name:N", title=words["tip_scenario"]),
                alt.Tooltip("part_name:N", title=title),
                alt.Tooltip("share_pct:Q", title="%", format=".3~g"),
            ],
        )
        .properties(width="container", height=22 * len(labels))
    )
    return Chart(
        id=data.name,
        spec=finished(picture),
        datasets=(data.name,),
        title=words[f"chart_{data.name}"],
        sentence=sentence,
        note=words[f"{data.name}_note"],
    )
