"""The table of what the slowest requests of each cell met while they were under way, beside all requests."""

from uploadlab.analysis.analysis_files import Analysis
from uploadlab.metrics.slow_requests import Met, mean_of
from uploadlab.report.numbers import MISSING, number
from uploadlab.report.summary import Grid

TOLD = {
    "elapsed_ms": "response time, ms",
    "unsent_ms": "of it before it was sent, ms",
    "in_flight": "others in flight",
    "run_queue": "threads without a core",
    "collection_pct": "garbage collection, %",
    "steal_pct": "steal, %",
    "loop_delay_ms": "event loop late, ms",
    "outside_ms": "outside the server, ms",
}
"""What is shown, and its heading."""
NOTE = (
    "Means over the valid runs, of the slowest 1% of the requests and in brackets of all. What was recorded while they "
    "were under way; it shows what goes together, not what causes it. Outside the server: only with --capture."
)


def slow_requests(analysis: Analysis) -> Grid:
    """Return the table, a row for each cell with valid runs; without rows where parts record the operations."""
    met: dict[tuple[str, str], list[tuple[Met, Met]]] = {}
    for result in analysis.results:
        if result.met and result.run.valid:
            met.setdefault((result.run.scenario, result.run.system), []).append(result.met)
    both = {cell: [mean_of([run[side] for run in runs]) for side in (0, 1)] for cell, runs in met.items()}
    told = [name for name in TOLD if any(getattr(slow, name) is not None for slow, _ in both.values())]
    rows = [
        [
            analysis.scenarios[scenario].name,
            analysis.campaign.system_name(system),
            *(_beside(slow, every, name) for name in told),
        ]
        for scenario in analysis.scenarios
        for (of, system), (slow, every) in both.items()
        if of == scenario
    ]
    columns = ["cell", "system", *(TOLD[name] for name in told)]
    return Grid(id="slow", title="What the slowest requests met", columns=columns, rows=rows, note=NOTE)


def _beside(slow: Met, every: Met, name: str) -> str:
    values = [getattr(met, name) for met in (slow, every)]
    return MISSING if values[0] is None else f"{number(values[0])} ({number(values[1])})"
