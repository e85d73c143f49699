"""Where the mean response time is spent: in the load generator, in opening connections, at the server."""

from uploadlab.report.charts import shares
from uploadlab.report.drawing import Chart, Dataset
from uploadlab.report.facts import extent
from uploadlab.report.results import Cell, Results
from uploadlab.report.sentences import captions
from uploadlab.tables.table_file import Value
from uploadlab.words.language import Language

OF_GENERATOR = "client_mean_ms"
PARTS = {
    OF_GENERATOR: "#b9c0c9",
    "connect_mean_ms": "#c9a227",
    "wire_receive_ms": "#4f9d98",
    "wire_answer_ms": "#2f5d8c",
}
"""Each part and its colour."""


def data(results: Results) -> Dataset:
    """Return the parts of each cell's mean response time, a row a part; cells without captured packets have none."""
    rows: list[dict[str, Value]] = []
    for cell in results.cells:
        parts = {part: cell.value(part) for part in PARTS} if cell.valid_runs else {}
        known = {part: max(0.0, value) for part, value in parts.items() if value is not None}
        total = sum(known.values())
        if len(known) < len(PARTS) or not total:
            continue
        rows += shares.rows(cell, {part: 100 * value / total for part, value in known.items()})
    return Dataset(name="wire", columns=shares.COLUMNS, rows=rows)


def chart(results: Results, data: Dataset, words: Language) -> Chart | None:
    """Return the chart, or None where no packets were captured."""
    if not data.rows:
        return None
    sentence = captions.wire(words, _of_generator(results, data))
    return shares.chart(results, data, words, colours=PARTS, title=words["axis_mean_share"], sentence=sentence)


def _of_generator(results: Results, data: Dataset) -> dict[str, tuple[tuple[float, float], tuple[float, float] | None]]:
    """Return the generator's share of the mean and of the variance, lowest and highest of the cells of each system.

    Under each load generator for itself, where there are several: the name says which.
    """
    of_mean = {(row["scenario"], row["system"]): row["share_pct"] for row in data.rows if row["part"] == OF_GENERATOR}
    checks = results.campaign.get("check_factors") or []
    cells: dict[str, list[Cell]] = {}
    for cell in results.cells:
        if (cell.scenario, cell.system) in of_mean:
            scenario, name = results.scenarios[cell.scenario], results.systems[cell.system].name
            levels = [scenario.label(factor) for factor in checks if factor in scenario.varying]
            cells.setdefault(f"{name} ({', '.join(levels)})" if levels else name, []).append(cell)
    found = {}
    for name, of_name in cells.items():
        shares_pct = extent(float(of_mean[cell.scenario, cell.system] or 0) for cell in of_name)
        # A covariance of nothing is now and then a little below 0.
        variances_pct = [cell.value("client_variance_pct") for cell in of_name]
        of_variance = extent(None if share is None else max(0.0, share) for share in variances_pct)
        if shares_pct:
            found[name] = (shares_pct, of_variance)
    return found
