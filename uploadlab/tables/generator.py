"""What the load generator takes for itself: runs of a server that does nothing, beside each cell under the same load.

The users of a closed load send as fast as they are answered, so here the generator is at its own limit: its mean
response time is more than it is beside a slower server, and its throughput is the most it could ask for.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from uploadlab.metrics.result import RunResult
from uploadlab.results.campaign import Campaign
from uploadlab.table_file import Row, Value
from uploadlab.tables.cells import run_columns, run_row

GENERATOR_COLUMNS = ("generator_runs", "generator_mean_ms", "generator_cv", "generator_throughput_rps")
_METRICS = ("mean_ms", "cv", "throughput_rps")


def generator_table(campaign: Campaign, results: Iterable[RunResult]) -> tuple[list[str], list[dict[str, Value]]]:
    """Return the columns and the rows of ``generator.csv``: those of ``runs.csv``, one row a run of the baseline."""
    return run_columns(campaign), [run_row(result.run, result.figures, result.problems) for result in results]


def beside_cell(campaign: Campaign, cell: Row, generator: Sequence[Row]) -> dict[str, Value]:
    """Return GENERATOR_COLUMNS of a cell: means over the valid runs of the baseline under the same load.

    The baseline stores nothing, so a factor in which its planned runs do not differ (the disk) does not matter.
    """
    varied = _varied(campaign)
    alike = [
        row for row in generator if row.get("valid") is True and all(row.get(name) == cell.get(name) for name in varied)
    ]
    found: dict[str, Value] = {"generator_runs": len(alike)}
    for metric in _METRICS:
        values = [float(value) for row in alike if isinstance(value := row.get(metric), (int, float))]
        found[f"generator_{metric}"] = sum(values) / len(values) if values else None
    return found


def _varied(campaign: Campaign) -> list[str]:
    """Return the factors in which the planned runs of the baseline differ."""
    planned: list[Mapping[str, Any]] = (campaign.record.get("baseline") or {}).get("runs") or []
    levels: dict[str, set[Any]] = {}
    for entry in planned:
        for name, level in (entry.get("factors") or {}).items():
            levels.setdefault(name, set()).add(level)
    return [name for name, found in levels.items() if len(found) > 1]
