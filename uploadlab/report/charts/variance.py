"""Where the variance of a response time comes from: repeats, file size, drift, the rest."""

from uploadlab.report.charts import shares
from uploadlab.report.drawing import Chart, Dataset
from uploadlab.report.results import Results
from uploadlab.report.sentences import captions
from uploadlab.tables.table_file import Value, number
from uploadlab.words.language import Language

PARTS = {"between_repeats_pct": "#5b6775", "size_pct": "#c9a227", "drift_pct": "#4f9d98", "within_pct": "#b9c0c9"}
"""Each part and its colour."""


def data(results: Results) -> Dataset:
    """Return the shares of each cell, a row a part."""
    cells = {cell.key: cell for cell in results.cells}
    rows: list[dict[str, Value]] = []
    for row in results.table("variance").rows:
        cell = cells.get(row["cell"])
        known = {part: number(row.get(part)) for part in PARTS}
        if cell is not None:
            rows += shares.rows(cell, known)
    return Dataset(name="variance", columns=shares.COLUMNS, rows=rows)


def chart(results: Results, data: Dataset, words: Language) -> Chart | None:
    """Return the chart, or None where the variance of no cell could be split."""
    if not data.rows:
        return None
    sentence = captions.variance(words, results, _largest(results.leading, data))
    return shares.chart(results, data, words, colours=PARTS, title=words["axis_share"], sentence=sentence)


def _largest(results: Results, data: Dataset) -> dict[str, tuple[str, float, float]]:
    """Return for each system the part that is largest on average over the scenarios, with its extent."""
    largest = {}
    for key in results.systems:
        found: dict[str, list[float]] = {}
        for row in data.rows:
            of_it = row["system"] == key and row["scenario"] in results.scenarios
            if of_it and isinstance(share := row["share_pct"], float):
                found.setdefault(str(row["part"]), []).append(share)
        if found:
            part = max(found, key=lambda name: sum(found[name]) / len(found[name]))
            largest[key] = (part, min(found[part]), max(found[part]))
    return largest
