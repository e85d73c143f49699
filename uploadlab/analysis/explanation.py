"""Why a request takes what it takes, of a campaign that has profiled runs.

Where its CPU time goes, from the profiled runs: a table, and a page of flame graphs. What the slowest requests met,
from what was recorded in the runs that count: a second table.
"""

from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path

from uploadlab.analysis.analysis_files import Analysis
from uploadlab.analysis.scenarios import Scenario
from uploadlab.explain.explained import PLACES, Explained, Profiled, explained
from uploadlab.explain.flame import NAMES, flame_graph
from uploadlab.metrics.slow_requests import Met, mean_of, met_in_run
from uploadlab.report.numbers import MISSING, number
from uploadlab.report.summary import Grid
from uploadlab.results.windows import SATURATED

FLAMES = "flames.html"
CPU = "server_cpu_us_per_request"
UNSEEN = "not profiled"
NOTE = (
    "Of one profiled run of each cell, which counts nowhere else. The kernel's share is that of the server's cores; "
    "runtime is what no profiled code accounts for: native code, compilers, the library of the language. "
    f"Flame graphs: report/{FLAMES}."
)
HEAD = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>Flame graphs</title>'
    "<style>body{font-family:sans-serif;margin:1em}svg{width:100%}</style><h1>Flame graphs</h1>"
)
MET = {
    "elapsed_ms": "response time, ms",
    "unsent_ms": "of it before it was sent, ms",
    "in_flight": "others in flight",
    "run_queue": "threads without a core",
    "collection_pct": "garbage collection, %",
    "steal_pct": "steal, %",
    "loop_delay_ms": "event loop late, ms",
    "outside_ms": "outside the server, ms",
}
SLOW_NOTE = (
    "Means over the valid runs, of the slowest 1% of the requests and in brackets of all. What was recorded while they "
    "were under way; it shows what goes together, not what causes it. Outside the server: only with --capture."
)


def explanation(analysis: Analysis, scenarios: Mapping[str, Scenario]) -> list[Grid]:
    """Return the tables, and write the page of flame graphs; none where nothing was profiled."""
    found = list(explained(analysis.campaign.folder))
    rows = [list(_row(analysis, scenarios, one)) for one in found]
    if not found:
        return []
    _write_flames(analysis, analysis.campaign.folder / "report" / FLAMES, found)
    columns = ["cell", "system", "profiler", "CPU per request, µs", *(NAMES[place] for place in PLACES)]
    cpu = Grid(id="explain", title="Where the CPU time goes", columns=columns, rows=rows, note=NOTE)
    return [cpu, _slow_requests(analysis, scenarios)]


def _slow_requests(analysis: Analysis, scenarios: Mapping[str, Scenario]) -> Grid:
    """Return what the slowest requests of each cell met, beside all."""
    declared = analysis.campaign.record["study"]
    met: dict[tuple[str, str], list[tuple[Met, Met]]] = {}
    for run in (run for run in analysis.campaign.runs if run.complete and run.valid):
        met.setdefault((run.scenario, run.system), []).append(met_in_run(run, declared))
    both = {cell: [mean_of([run[side] for run in runs]) for side in (0, 1)] for cell, runs in met.items()}
    told = [name for name in MET if any(getattr(slow, name) is not None for slow, _ in both.values())]
    rows = [
        [
            scenarios[scenario].name,
            analysis.campaign.system_name(system),
            *(_beside(slow, every, name) for name in told),
        ]
        for (scenario, system), (slow, every) in both.items()
        if scenario in scenarios
    ]
    columns = ["cell", "system", *(MET[name] for name in told)]
    return Grid(id="slow", title="What the slowest requests met", columns=columns, rows=rows, note=SLOW_NOTE)


def _beside(slow: Met, every: Met, name: str) -> str:
    values = [getattr(met, name) for met in (slow, every)]
    return MISSING if values[0] is None else f"{number(values[0])} ({number(values[1])})"


def _row(analysis: Analysis, scenarios: Mapping[str, Scenario], one: Explained) -> Iterator[str | float | None]:
    where, cpu_us = _cell_of(analysis, scenarios, one.run)
    yield where
    yield analysis.campaign.system_name(one.run.system)
    yield one.profiler or UNSEEN
    yield cpu_us
    for place in PLACES:
        share = one.shares.get(place)
        of = "" if share is None or cpu_us is None else f" ({share * cpu_us:.0f} µs)"
        yield None if share is None else f"{100 * share:.0f}%{of}"


def _cell_of(analysis: Analysis, scenarios: Mapping[str, Scenario], run: Profiled) -> tuple[str, float | None]:
    """Return what a profiled cell is called, and what a request of it costs in the runs that count, at half load."""
    factors = {name: str(level) for name, level in run.factors.items()}
    cells = [
        cell
        for cell in analysis.answer.cells
        if cell.system == run.system and factors.items() <= {k: str(v) for k, v in cell.factors.items()}.items()
    ]
    cells.sort(key=lambda cell: cell.load == SATURATED)
    costs = (cell.values[CPU].value for cell in cells if CPU in cell.values)
    return next((scenarios[cell.scenario].row for cell in cells), run.cell), next(costs, None)


def _write_flames(analysis: Analysis, path: Path, found: list[Explained]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    parts = [HEAD]
    for one in found:
        title = f"{one.run.cell}: {analysis.campaign.system_name(one.run.system)}, {one.profiler or UNSEEN}"
        parts += [f"<h2>{escape(title)}</h2>", flame_graph(title, one.stacks) if one.stacks else ""]
    path.write_text("".join(parts), encoding="utf-8")
