"""Where the mean response time is spent: in the load generator, in opening connections, at the server."""

from analysis.report.charts import shares
from analysis.report.drawing import Chart, Dataset, finished
from analysis.report.facts import extent
from analysis.report.results import Results
from analysis.report.sentences import captions
from analysis.tables.table_file import Value
from analysis.words.language import Language

PARTS = ("client_mean_ms", "connect_mean_ms", "wire_receive_ms", "wire_answer_ms")
PART_COLOURS = ("#b9c0c9", "#c9a227", "#4f9d98", "#2f5d8c")


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
    names = {part: words[f"part_{part}"] for part in PARTS}
    picture = shares.bars(results, data, words, parts=names, colours=PART_COLOURS, title=words["axis_mean_share"])
    return Chart(
        id="wire",
        spec=finished(picture),
        datasets=(data.name,),
        title=words["chart_wire"],
        sentence=captions.wire(words, results, _of_generator(results, data)),
        note=words["wire_note"],
    )


def _of_generator(results: Results, data: Dataset) -> dict[str, tuple[tuple[float, float], tuple[float, float] | None]]:
    """Return for each system the generator's share of the mean and of the variance: lowest and highest of its cells."""
    found = {}
    for key in results.systems:
        of_mean = extent(
            float(row["share_pct"] or 0) for row in data.rows if row["system"] == key and row["part"] == PARTS[0]
        )
        cells = [cell for cell in results.cells if cell.system == key and cell.valid_runs]
        # A covariance of nothing is now and then a little below 0.
        shares_pct = [cell.value("client_variance_pct") for cell in cells]
        of_variance = extent(None if share is None else max(0.0, share) for share in shares_pct)
        if of_mean:
            found[key] = (of_mean, of_variance)
    return found
