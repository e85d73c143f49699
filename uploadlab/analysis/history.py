"""``./lab history DIR...``: a row a campaign and cell, where it changed, and files that Apache Otava reads."""

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from scipy import stats

from monitoring.pages import charts
from monitoring.pages.charts import Axis
from monitoring.pages.document import Chart, Column, Datum, Page, Section, Text, table_of
from monitoring.pages.render import write
from uploadlab.analysis.analysis_files import write_analysis
from uploadlab.errors import LabError
from uploadlab.report.numbers import MISSING, number
from uploadlab.results.declarations import SHOWN_METRICS, Metric, declarations
from uploadlab.table_file import Value, write_table
from uploadlab.tables.answer import Estimate

ERROR, LEAST_CHANGE, LEAST_EACH_SIDE = 0.01, 0.05, 3
"""Of a false change anywhere in a series; as a share; campaigns."""


@dataclass(frozen=True, kw_only=True)
class Point:
    """One cell of one campaign."""

    started: datetime
    campaign: str
    cell: str
    scenario: str
    """In words."""
    system: str
    values: dict[str, Estimate]


@dataclass(frozen=True, kw_only=True)
class Change:
    """From this campaign on a metric of a cell is another."""

    cell: str
    metric: str
    campaign: str
    before: float
    after: float


def history_command(folders: Sequence[Path], out: Path) -> int:
    """Write the tables and the page, print the changes and the page's path; return 0."""
    points: list[Point] = []
    metrics: dict[str, Metric] = {}
    for folder in folders:
        found, known = _read(folder)
        points += found
        metrics |= known
    points.sort(key=lambda point: point.started)
    shown = [name for name in SHOWN_METRICS if any(name in point.values for point in points)]
    if not shown:
        raise LabError(f"{folders[0]}: no campaign given measured any of {', '.join(SHOWN_METRICS)}.")
    changes = list(_changes(points, shown))
    _write_tables(out, points, changes, {name: metrics[name] for name in shown})
    for change in changes:
        print(_sentence(change))
    print(write(_page(points, changes, {name: metrics[name] for name in shown}), out / "index.html"))
    return 0


def _read(folder: Path) -> tuple[list[Point], dict[str, Metric]]:
    analysis = write_analysis(folder)
    declared = declarations(analysis.campaign.record)
    started = datetime.fromtimestamp(int(analysis.campaign.record.get("started_ns") or 0) / 1e9, UTC)
    points = [
        Point(
            started=started,
            campaign=folder.resolve().name,
            cell=f"{cell.scenario}-{cell.system}",
            scenario=cell.name,
            system=analysis.campaign.system_name(cell.system),
            values=dict(cell.values),
        )
        for cell in analysis.answer.cells
    ]
    return points, {name: declared.metric(name) for point in points for name in point.values}


def _changes(points: Sequence[Point], metrics: Sequence[str]) -> Iterator[Change]:
    for cell, of_cell in _by_cell(points).items():
        for metric in metrics:
            series = [(point.campaign, point.values[metric].value) for point in of_cell if metric in point.values]
            values = [value for _, value in series]
            if not values or min(values) <= 0:
                continue
            edges = [0, *change_points(values), len(values)]
            for before, at, after in zip(edges, edges[1:], edges[2:], strict=False):
                means = [float(np.mean(values[first:last])) for first, last in ((before, at), (at, after))]
                yield Change(cell=cell, metric=metric, campaign=series[at][0], before=means[0], after=means[1])


def change_points(values: Sequence[float]) -> list[int]:
    """Return where a series begins to be another: binary segmentation by Welch's t on the logs.

    A split must be significant among all the splits that there could be, change the mean by 5 %, and leave three values
    on each side.
    """
    logs = np.log(values)
    return sorted(_splits(logs, 0, len(logs), ERROR / max(1, len(logs))))


def _splits(logs: np.ndarray, first: int, last: int, error: float) -> Iterator[int]:
    best, at = 1.0, None
    for place in range(first + LEAST_EACH_SIDE, last - LEAST_EACH_SIDE + 1):
        before, after = logs[first:place], logs[place:last]
        if math.expm1(abs(float(after.mean() - before.mean()))) < LEAST_CHANGE:
            continue
        same = float(before.std() + after.std()) == 0.0
        p = 0.0 if same else float(stats.ttest_ind(before, after, equal_var=False).pvalue)
        if p < best:
            best, at = p, place
    if at is not None and best < error:
        yield at
        yield from _splits(logs, first, at, error)
        yield from _splits(logs, at, last, error)


def _by_cell(points: Sequence[Point]) -> dict[str, list[Point]]:
    found: dict[str, list[Point]] = defaultdict(list)
    for point in points:
        found[point.cell].append(point)
    return found


def _sentence(change: Change) -> str:
    share = 100 * (change.after / change.before - 1)
    values = f"{number(change.before)} to {number(change.after)}"
    return f"{change.cell}: {change.metric} went from {values} ({share:+.0f}%) at {change.campaign}"


def _write_tables(out: Path, points: Sequence[Point], changes: Sequence[Change], metrics: dict[str, Metric]) -> None:
    columns = ["time", "campaign", "cell", "system"]
    columns += [f"{name}{end}" for name in metrics for end in ("", "_lo", "_hi")]
    rows = [_row(point, metrics) for point in points]
    write_table(out / "history.csv", columns, rows)
    write_table(
        out / "changes.csv",
        ["cell", "metric", "campaign", "before", "after"],
        [
            {name: getattr(change, name) for name in ("cell", "metric", "campaign", "before", "after")}
            for change in changes
        ],
    )
    tests = ["tests:\n"]
    for cell in _by_cell(points):
        name = re.sub(r"[^\w.-]", "_", cell)
        own = [name for name in metrics if any(row["cell"] == cell and name in row for row in rows)]
        of_cell = [row for row in rows if row["cell"] == cell and all(metric in row for metric in own)]
        if not own or not of_cell:
            continue
        write_table(out / "otava" / f"{name}.csv", ["time", "campaign", *own], of_cell)
        tests += [f"  {name}:\n    type: csv\n    file: {(out / 'otava' / f'{name}.csv').resolve()}\n"]
        tests += ["    time_column: time\n    attributes: [campaign]\n    metrics:\n"]
        tests += [
            f"      {metric}: {{column: {metric}, direction: {-1 if metrics[metric].lower_is_better else 1}}}\n"
            for metric in own
        ]
    (out / "otava.yaml").write_text("".join(tests), encoding="utf-8")


def _row(point: Point, metrics: dict[str, Metric]) -> dict[str, Value]:
    row: dict[str, Value] = {
        "time": point.started.isoformat(timespec="seconds"),
        "campaign": point.campaign,
        "cell": point.cell,
        "system": point.system,
    }
    for name in metrics:
        if found := point.values.get(name):
            row |= {name: found.value, f"{name}_lo": found.lo, f"{name}_hi": found.hi}
    return row


def _page(points: Sequence[Point], changes: Sequence[Change], metrics: dict[str, Metric]) -> Page:
    campaigns = list(dict.fromkeys(point.campaign for point in points))
    systems = list(dict.fromkeys(point.system for point in points))
    rows = [(one.cell, one.metric, one.campaign, number(one.before), number(one.after)) for one in changes]
    changed = table_of(("cell", "value", "from campaign", "before", "after"), rows)
    listed = table_of((Column(title="no."), "campaign"), ((str(n), name) for n, name in enumerate(campaigns, 1)))
    drawn = [_chart(points, campaigns, systems, name, metric) for name, metric in metrics.items()]
    return Page(
        title="History",
        over=f"{len(campaigns)} campaigns, {campaigns[0]} to {campaigns[-1]}",
        lead=f"{len(changes)} changes" if changes else "No change",
        sections=[
            Section(title="", blocks=[changed] if rows else [Text(text=MISSING)]),
            Section(title="Campaign by campaign", blocks=drawn),
            Section(title="Campaigns", blocks=[listed], folded=True),
        ],
        series=systems,
    )


def _chart(
    points: Sequence[Point], campaigns: Sequence[str], systems: Sequence[str], name: str, metric: Metric
) -> Chart:
    rows: list[dict[str, Datum]] = [
        {
            "scenario": point.scenario,
            "system": point.system,
            "campaign": campaigns.index(point.campaign) + 1,
            "value": point.values[name].value,
            "lo": point.values[name].lo,
            "hi": point.values[name].hi,
        }
        for point in points
        if name in point.values
    ]
    title = f"{metric.name}, {metric.unit}".rstrip(", ")
    x = Axis(field="campaign", title="campaign", values=list(range(1, len(campaigns) + 1)))
    y = Axis(field="value", title=title, zero=True)
    return charts.lines(f"chart-{name}", title, rows, x, y, series="system", order=systems, choose="scenario")
