"""What a reader must know before any figure: it stands first on the page."""

from collections.abc import Mapping, Sequence
from typing import Any

from analysis.report.facts import Doubts
from analysis.report.results import Cell, Results, number
from analysis.report.words.language import Language, capital

MOST_GROUPS = 4
"""Of more cells than this the sentence about groups gives the number, not each."""
MOST_OF_VARIANCE_PCT = 50.0
"""From here on a system's first requests are said to be what its variance is of."""


def cautions(words: Language, results: Results, doubts: Doubts) -> list[str]:
    """Say what would mislead who reads only the answer: a share of a core, runs of two kinds, first requests."""
    said = []
    if doubts.server_cpu_limit_pct is not None:
        said.append(words.say("caution_limit", percent=words.figures.plain(doubts.server_cpu_limit_pct)))
    return said + groups(words, results) + first_requests(words, results)


def groups(words: Language, results: Results) -> list[str]:
    """Say which cells have runs of two kinds, by the first of the figures that show it."""
    cells = {cell.key: cell for cell in results.cells}
    found: dict[str, Mapping[str, str]] = {}
    for row in results.table("groups").rows:
        if row["cell"] in cells:
            found.setdefault(row["cell"], row)
    if len(found) > MOST_GROUPS:
        return [words.say("groups_many", cells=words.count(len(found), "cell"))]
    return [
        capital(
            words.say(
                "groups_one",
                system=results.systems[cells[key].system].name,
                scenario=words.scenario(results.scenarios[cells[key].scenario]),
                measure=words.say(f"groups_{row['metric']}"),
                low=words.span((number(row["low_from"]) or 0.0, number(row["low_to"]) or 0.0), 3),
                n_low=words.count(int(row["n_low"]), "run"),
                high=words.span((number(row["high_from"]) or 0.0, number(row["high_to"]) or 0.0), 3),
                n_high=words.count(int(row["n_high"]), "run"),
            )
            + goes_with(words, row)
        )
        for key, row in found.items()
    ]


def goes_with(words: Language, row: Mapping[str, Any]) -> str:
    """Say what else is higher in every run of the slower kind, after a blank; nothing where nothing is."""
    if not row.get("goes_with"):
        return ""
    low, high = (
        words.span((float(row[f"with_{kind}_from"]), float(row[f"with_{kind}_to"])), 2) for kind in ("low", "high")
    )
    return " " + words.say("groups_with", what=words.say(f"groups_{row['goes_with']}"), low=low, high=high)


def first_requests(words: Language, results: Results) -> list[str]:
    """Say of which systems, and where, most of the variance is that of the users' first requests."""
    found: dict[str, list[Cell]] = {}
    for cell in results.cells:
        if cell.valid_runs and (cell.value("first_variance_pct") or 0.0) >= MOST_OF_VARIANCE_PCT:
            found.setdefault(cell.system, []).append(cell)
    return [
        capital(
            words.say(
                "first_requests",
                system=results.systems[system].name,
                where=words.where([results.scenarios[cell.scenario] for cell in cells], [*results.scenarios.values()]),
                percent=_span(words, cells, "first_variance_pct", 2),
                longest=_span(words, cells, "first_max_ms"),
                later=_span(words, cells, "later_cv", 2),
                cv=_span(words, cells, "cv", 2),
            )
        )
        for system, cells in found.items()
    ]


def _span(words: Language, cells: Sequence[Cell], metric: str, digits: int = 3) -> str:
    values = [value for cell in cells if (value := cell.value(metric)) is not None]
    return words.span((min(values), max(values)), digits)
