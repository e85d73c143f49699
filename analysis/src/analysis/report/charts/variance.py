"""Where the variance of a response time comes from: repeats, file size, drift, the rest."""

import altair as alt

from analysis.report.drawing import Chart, Dataset, finished, lookup, source
from analysis.report.results import Results, number
from analysis.report.words import captions
from analysis.report.words.language import Language
from analysis.table_file import Value

PARTS = ("between_repeats_pct", "size_pct", "drift_pct", "within_pct")
PART_COLOURS = ("#5b6775", "#c9a227", "#4f9d98", "#b9c0c9")


def data(results: Results) -> Dataset:
    """Return the shares of each cell, a row a part."""
    cells = {cell.key: cell for cell in results.cells}
    rows: list[dict[str, Value]] = []
    for row in results.table("variance").rows:
        cell = cells.get(row["cell"])
        shares = {part: number(row.get(part)) for part in PARTS}
        if cell is None or all(share is None for share in shares.values()):
            continue
        origin = {"scenario": cell.scenario, "system": cell.system}
        rows += [
            {**origin, "part": part, "position": position, "share_pct": shares[part]}
            for position, part in enumerate(PARTS)
            if shares[part] is not None
        ]
    columns = {"scenario": "string", "system": "string", "part": "string", "position": "number", "share_pct": "number"}
    return Dataset(name="variance", columns=columns, rows=rows)


def chart(results: Results, data: Dataset, words: Language) -> Chart | None:
    """Return the chart, or None where the variance of no cell could be split."""
    if not data.rows:
        return None
    present = {(row["scenario"], row["system"]) for row in data.rows}
    labels = {
        f"{cell.scenario} {cell.system}": f"{words.scenario_short(results.scenarios[cell.scenario])}"
        f" · {results.systems[cell.system].name}"
        for cell in results.cells
        if (cell.scenario, cell.system) in present
    }
    names = {part: words[f"part_{part}"] for part in PARTS}
    picture = (
        alt.Chart(source(data))
        .transform_calculate(
            cell="datum.scenario + ' ' + datum.system",
            part_name=lookup(names, "datum.part"),
            cell_name=lookup(labels, "datum.scenario + ' ' + datum.system"),
        )
        .mark_bar(height={"band": 0.72})
        .encode(
            x=alt.X(
                "share_pct:Q",
                title=words["axis_share"],
                scale=alt.Scale(domain=[0, 100]),
                axis=alt.Axis(grid=True, tickCount=5),
            ),
            y=alt.Y(
                "cell:N",
                title=None,
                sort=list(labels),
                axis=alt.Axis(labelExpr=lookup(labels, "datum.value"), labelLimit=150),
            ),
            color=alt.Color(
                "part:N",
                scale=alt.Scale(domain=list(PARTS), range=list(PART_COLOURS)),
                legend=alt.Legend(labelExpr=lookup(names, "datum.label"), offset=8, columns=2),
            ),
            order="position:Q",
            tooltip=[
                alt.Tooltip("cell_name:N", title=words["tip_scenario"]),
                alt.Tooltip("part_name:N", title=words["axis_share"]),
                alt.Tooltip("share_pct:Q", title="%", format=".3~g"),
            ],
        )
        .properties(width="container", height=22 * len(labels))
    )
    return Chart(
        id="variance",
        spec=finished(picture),
        datasets=(data.name,),
        title=words["chart_variance"],
        sentence=captions.variance(words, results, _largest(results, data)),
        note=words["variance_note"],
    )


def _largest(results: Results, data: Dataset) -> dict[str, tuple[str, float, float]]:
    """Return for each system the part that is largest on average, with its extent over the scenarios."""
    largest = {}
    for key in results.systems:
        shares: dict[str, list[float]] = {}
        for row in data.rows:
            if row["system"] == key and isinstance(share := row["share_pct"], float):
                shares.setdefault(str(row["part"]), []).append(share)
        if shares:
            part = max(shares, key=lambda name: sum(shares[name]) / len(shares[name]))
            largest[key] = (part, min(shares[part]), max(shares[part]))
    return largest
