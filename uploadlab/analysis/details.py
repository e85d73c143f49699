"""What stands among the details of a summary: tables, curves, the machine."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from uploadlab.analysis.analysis_files import Analysis
from uploadlab.analysis.slow_requests import slow_requests
from uploadlab.metrics.series import percentile_rows
from uploadlab.records import Gate
from uploadlab.report.numbers import size
from uploadlab.report.summary import Curve, Grid
from uploadlab.results.declarations import metrics_of_profile
from uploadlab.results.windows import asks_at_loads
from uploadlab.statistics.distribution import Distribution
from uploadlab.table_file import Row, Value, as_number

STRONGEST = 3
"""So many indicators are shown for each question."""
Field = str | float | None


def as_published(analysis: Analysis) -> bool:
    """Whether each run has one load, so that a paper's tables and claims may stand beside ours.

    A profile that asks about metrics of its own asks another question than the paper.
    """
    record = analysis.campaign.record
    return not asks_at_loads(record) and not metrics_of_profile(record)


def grids(analysis: Analysis) -> list[Grid]:
    """Return the tables of details that have rows; what goes with the variability is a paper's question."""
    found = [slow_requests(analysis), _gates(analysis)]
    if as_published(analysis):
        found += [_indicators(analysis), *_papers(analysis)]
    if analysis.load_limits:
        columns = list(analysis.load_limits[0])
        rows = [[_field(row.get(column)) for column in columns] for row in analysis.load_limits]
        found.append(
            Grid(id="load_limits", title="The largest load that keeps the limit on p99", columns=columns, rows=rows)
        )
    return [grid for grid in found if grid.rows]


def _gates(analysis: Analysis) -> Grid:
    """Return each gate with how often it failed, and the values of the runs."""
    found: dict[str, list[Gate]] = {}
    records = {run.folder: run.record for run in analysis.campaign.runs}
    for record in records.values():
        for gate in [*record.gates, *(gate for window in record.windows for gate in window.gates)]:
            found.setdefault(gate.name, []).append(gate)
    rows: list[list[Field]] = []
    for name, gates in found.items():
        values = [value for gate in gates if (value := as_number(gate.figure)) is not None]
        failed = sum(not gate.passed for gate in gates)
        ends: list[Field] = [min(values), max(values)] if values else [None, None]
        limit = as_number(gates[0].threshold)
        rows.append([name.replace("_", " "), *ends, limit, gates[0].unit, f"{failed} of {len(gates)}"])
    columns = ["gate", "least", "most", "limit", "unit", "failed"]
    return Grid(id="gates", title="Gates", columns=columns, rows=rows)


def _indicators(analysis: Analysis) -> Grid:
    rows: list[list[Field]] = [
        [
            analysis.campaign.system_name(str(row["system"])),
            f"{row['y']} by {'second' if row['level'] == 'seconds' else 'scenario'}",
            str(row["indicator"]),
            *(as_number(row.get(name)) for name in ("pearson", "lo", "hi", "n")),
        ]
        for row in analysis.indicators
        if isinstance(row.get("rank"), int) and int(str(row["rank"])) <= STRONGEST
    ]
    columns = ["system", "what varies", "indicator", "r", "lo", "hi", "n"]
    note = "The strongest correlations, with 95% intervals. They show what goes together, not what causes it."
    return Grid(id="indicators", title="What goes with the variability", columns=columns, rows=rows, note=note)


def _papers(analysis: Analysis) -> Iterator[Grid]:
    for name, table in analysis.tables.items():
        rows = table.rows
        shown = [column for column in table.columns if any(row.get(column) not in (None, "") for row in rows)]
        ours = [column for column in shown if not column.endswith(("_paper", "_ratio"))]
        if not any(row.get(column) not in (None, "") for row in rows for column in ours[1:]):
            continue
        fields = [[_field(row.get(column)) for column in shown] for row in rows]
        yield Grid(id=name, title=table.title, columns=shown, rows=fields, note=table.note)


def _field(value: Value) -> Field:
    return value if value is None or isinstance(value, str) else float(value)


def curves(analysis: Analysis) -> Iterator[Curve]:
    """Yield the percentiles and the seconds of each cell, over its valid runs."""
    cells: dict[str, list[Any]] = {}
    for result in analysis.results:
        if result.run.valid:
            cells.setdefault(result.run.cell, []).append(result)
    for results in cells.values():
        run = results[0].run
        name, system = analysis.scenarios[run.scenario].name, run.system
        together = Distribution.together(result.distribution for result in results)
        points = [
            (as_number(float(str(row["quantile"]))), row["elapsed_ms"])
            for row in percentile_rows(run.cell, "all", together)
        ]
        kept = [(-math.log10(1 - at), float(str(value))) for at, value in points if at is not None and at < 1 and value]
        yield Curve("percentiles", name, system, [round(x, 3) for x, _ in kept], [y for _, y in kept])
        seconds = _mean_seconds([result.timeline for result in results])
        if seconds:
            yield Curve("seconds", name, system, list(seconds), [round(value, 3) for value in seconds.values()])


def _mean_seconds(timelines: Sequence[Sequence[Row]]) -> dict[int, float]:
    """Return the mean response time in each second, over the runs that were measured in it."""
    found: dict[int, list[float]] = {}
    for row in (row for rows in timelines for row in rows):
        value, second = as_number(row.get("mean_ms")), row.get("second")
        if value is not None and isinstance(second, int):
            found.setdefault(second, []).append(value)
    return {second: sum(values) / len(values) for second, values in sorted(found.items())}


def machine(record: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield what a campaign ran on and with: name and text."""
    of_machine = record.get("machine") or {}
    cpu = of_machine.get("cpu") or {}
    yield "processor", f"{cpu.get('model') or 'unknown'}, {len(cpu.get('cores') or [])} cores"
    yield from _leaves("rig", _without_folders(record.get("rig") or {}))
    yield from _leaves("versions", record.get("versions") or {})
    for key, system in (record.get("systems") or {}).items():
        yield from _leaves(f"{key} version", system.get("versions") or {})
        yield from _leaves(f"{key} setting", system.get("settings") or {})
    yield from _leaves("machine", {name: value for name, value in of_machine.items() if name != "cpu"})
    yield "seed", str(record.get("seed", ""))


def _without_folders(rig: object) -> object:
    """Return a rig without the folders of its disks: they are the machine's business."""
    if isinstance(rig, dict):
        return {
            key: _without_folders(value) for key, value in rig.items() if key not in ("path", "folder", "mount_point")
        }
    return rig


def _leaves(name: str, value: object) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaves(f"{name} {key}".replace("_", " "), inner)
    elif isinstance(value, list):
        yield name, ", ".join(str(inner) for inner in value if not isinstance(inner, dict))
    elif isinstance(value, int) and not isinstance(value, bool) and name.endswith(" bytes"):
        yield name.removesuffix(" bytes"), size(value)
    elif value not in (None, ""):
        yield name, str(value)
