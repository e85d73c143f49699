"""Where the CPU time of a request goes, of a campaign that has profiled runs: a table, and a page of flame graphs."""

from collections.abc import Iterator
from html import escape
from pathlib import Path

from uploadlab.analysis.analysis_files import Analysis
from uploadlab.explain.explained import PLACES, Explained, Profiled, explained
from uploadlab.explain.flame import NAMES, flame_graph
from uploadlab.records import SATURATED
from uploadlab.report.summary import Grid

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


def explanation(analysis: Analysis) -> list[Grid]:
    """Return the table, and write the page of flame graphs; none where nothing was profiled."""
    found = list(explained(analysis.campaign.folder))
    rows = [list(_row(analysis, one)) for one in found]
    if not found:
        return []
    _write_flames(analysis, analysis.campaign.folder / "report" / FLAMES, found)
    columns = ["cell", "system", "profiler", "CPU per request, µs", *(NAMES[place] for place in PLACES)]
    return [Grid(id="explain", title="Where the CPU time goes", columns=columns, rows=rows, note=NOTE)]


def _row(analysis: Analysis, one: Explained) -> Iterator[str | float | None]:
    where, cpu_us = _cell_of(analysis, one.run)
    yield where
    yield analysis.campaign.system_name(one.run.system)
    yield one.profiler or UNSEEN
    yield cpu_us
    for place in PLACES:
        share = one.shares.get(place)
        of = "" if share is None or cpu_us is None else f" ({share * cpu_us:.0f} µs)"
        yield None if share is None else f"{100 * share:.0f}%{of}"


def _cell_of(analysis: Analysis, run: Profiled) -> tuple[str, float | None]:
    """Return what a profiled cell is called, and what a request of it costs in the runs that count, at half load."""
    factors = {name: str(level) for name, level in run.factors.items()}
    cells = [
        cell
        for cell in analysis.answer.cells
        if cell.system == run.system and factors.items() <= {k: str(v) for k, v in cell.factors.items()}.items()
    ]
    cells.sort(key=lambda cell: cell.load == SATURATED)
    costs = (cell.values[CPU].value for cell in cells if CPU in cell.values)
    return next((cell.row for cell in cells), run.cell), next(costs, None)


def _write_flames(analysis: Analysis, path: Path, found: list[Explained]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    parts = [HEAD]
    for one in found:
        title = f"{one.run.cell}: {analysis.campaign.system_name(one.run.system)}, {one.profiler or UNSEEN}"
        parts += [f"<h2>{escape(title)}</h2>", flame_graph(title, one.stacks) if one.stacks else ""]
    path.write_text("".join(parts), encoding="utf-8")
