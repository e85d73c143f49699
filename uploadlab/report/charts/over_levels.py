"""A declared figure of rounds: what each gave, in their order, beside those that a paper's authors published."""

import altair as alt

from uploadlab.claims.published_rounds import PREFIX
from uploadlab.report import drawing
from uploadlab.report.drawing import Chart, Dataset
from uploadlab.report.figures import Figure
from uploadlab.report.results import Results, is_true, natural
from uploadlab.report.sentences import captions
from uploadlab.results.declarations import belongs
from uploadlab.tables.table_file import Value, number
from uploadlab.words.language import Language

COLUMNS = {"kind": "string", "series": "string", "repeat": "string", "level": "number", "value": "number"}
BY_SYSTEM = "system"


def series_of(figure: Figure) -> str:
    """Return the factor whose levels are the lines of a figure; ``system`` where it says none."""
    return str(figure.declared.get("series") or BY_SYSTEM)


def data(results: Results, figure: Figure) -> Dataset:
    """Return the figure of each round of the valid runs (`kind` ours), and of those that were published (paper)."""
    series, rows = series_of(figure), list[dict[str, Value]]()
    cells = {cell.key: cell for cell in figure.cells(results)}
    for row in results.table("rounds").rows:
        cell, value = cells.get(row["cell"]), number(row.get(figure.y))
        if cell and value is not None and is_true(row.get("valid")):
            name = cell.system if series == BY_SYSTEM else row.get(series, "")
            of_round: dict[str, Value] = {"series": name, "repeat": row["repeat"], "level": number(row.get(figure.x))}
            rows.append({"kind": "ours", **of_round, "value": value})
    for printed in figure.printed:
        value = number(printed.get(f"{PREFIX}{figure.y}"))
        keys = results.keys_of(printed.get("system", ""))
        if value is not None and belongs(printed, figure.where) and keys:
            of_paper: dict[str, Value] = {"kind": "paper", "level": number(printed.get(figure.x)), "value": value}
            lines = keys if series == BY_SYSTEM else (printed.get(series, ""),)
            rows += [{**of_paper, "series": line} for line in lines]
    return Dataset(name=figure.id, columns=COLUMNS, rows=rows)


def chart(results: Results, figure: Figure, data: Dataset, words: Language) -> Chart | None:
    """Return the chart; None where no run had rounds."""
    ours = [row for row in data.rows if row["kind"] == "ours"]
    if not ours:
        return None
    names = names_of(results, figure, data, words)
    scale, log = drawing.plot_range(drawing.numbers(data.rows, "value"), [])
    unit = words.phrases.get(f"unit_{figure.y}", "").strip()
    legend = alt.Legend(labelExpr=drawing.lookup(names, "datum.label"))
    # A line that is no system's has no system's colour.
    first = 0 if series_of(figure) == BY_SYSTEM else len(results.systems)
    hue, form = drawing.marks("series", list(names), legend, first)
    levels = drawing.numbers(data.rows, "level")
    base = (
        alt.Chart()
        .transform_calculate(series_name=drawing.lookup(names, "datum.series"))
        .encode(
            x=alt.X(
                "level:Q",
                title=words.column(figure.x),
                scale=alt.Scale(domain=[min(levels), max(levels)], nice=False, zero=False, padding=14),
                axis=alt.Axis(format="d", tickMinStep=1),
            ),
            y=alt.Y("value:Q", title=words[f"axis_{figure.y}"], scale=scale, axis=drawing.value_axis(scale, unit=unit)),
            color=hue,
            tooltip=[
                alt.Tooltip("series_name:N", title=" "),
                alt.Tooltip("level:Q", title=words.column(figure.x)),
                alt.Tooltip("value:Q", title=unit or " ", format=",.4~g"),
            ],
        )
    )
    of_ours, of_paper = (base.transform_filter(f"datum.kind === '{kind}'") for kind in ("ours", "paper"))
    layers = [
        of_paper.mark_line(strokeWidth=1, strokeDash=[2, 3], clip=True),
        of_paper.mark_point(shape="cross", size=22, angle=45, filled=True, opacity=0.8, clip=True),
        of_ours.mark_line(strokeWidth=1.5, clip=True).encode(detail=alt.Detail("repeat:N")),
        of_ours.mark_point(filled=True, size=36, opacity=1, clip=True).encode(shape=form),
    ]
    return Chart(
        id=figure.id,
        spec=drawing.layered(layers, data, width="container", height=290),
        datasets=(data.name,),
        title=words.captioned(figure.id, figure.declared),
        sentence=captions.over_levels(words, figure, data, names),
        note=captions.over_levels_note(words, figure, data, log=log),
    )


def names_of(results: Results, figure: Figure, data: Dataset, words: Language) -> dict[str, str]:
    """Return what each line is called, in the order of the systems, or of the levels."""
    found = {str(row["series"]) for row in data.rows}
    if series_of(figure) == BY_SYSTEM:
        return {key: one.name for key, one in results.systems.items() if key in found}
    return {level: words.level(series_of(figure), level) for level in sorted(found, key=natural)}
