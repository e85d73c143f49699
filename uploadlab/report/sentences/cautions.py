"""What a reader must know before any figure: it stands first on the page."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from uploadlab.report import facts
from uploadlab.report.facts import Doubts
from uploadlab.report.results import Cell, Results, Row
from uploadlab.results.campaign import server_cpu_factor
from uploadlab.results.declarations import Metric
from uploadlab.tables.server_shares import OPEN, SAME, TURNS
from uploadlab.tables.table_file import number
from uploadlab.words.language import Language
from uploadlab.words.wording import capital

MOST_GROUPS = 4
"""Of more cells than this the sentence about groups gives the number, not each."""
MOST_TURNED = 4
"""Of more kinds of order than this that turn the sentence gives the number, not each."""
MUCH_DEARER = 1.5
"""The CPU per operation in one third of a run over that in another from which on it is said: their mean is neither."""
MOST_OF_VARIANCE_PCT = 50.0
"""From here on a system's first requests are said to be what its variance is of."""


def cautions(words: Language, results: Results, doubts: Doubts) -> list[str]:
    """Say what would mislead who reads only the answer: shares, runs of two kinds, first requests, varying costs."""
    return [
        *limits(words, results, doubts),
        *groups(words, results),
        *first_requests(words, results),
        *costs_that_vary(words, results),
    ]


def limits(words: Language, results: Results, doubts: Doubts) -> list[str]:
    """Say that steadiness and order may be others on a whole core or, where that was measured too, whether they are."""
    shares = doubts.setup.server_shares
    held = shares or tuple(filter(None, [doubts.setup.server_cpu_limit_pct]))
    said = orders(words, results) if shares else []
    if not held or (said and max(held) == 100):
        return said
    percents = words.join([words.figures.plain(share) for share in held if share < 100])
    return [words.say("caution_limit", percent=percents), *said]


def orders(words: Language, results: Results) -> list[str]:
    """Say where the order of two systems turns between a share of the server's cores and the largest one."""
    rows = [row for row in results.table("share_orders").rows if row["metric"] in results.declared.matrix]
    if not rows:
        return []
    turned = [row for row in rows if row["order"] == TURNS]
    same, open_ = (sum(row["order"] == order for row in rows) for order in (SAME, OPEN))
    shares = sorted({number(row["share_pct"]) or 0.0 for row in rows}, reverse=True)
    parts = {
        "shares": words.join([words.figures.plain(share) for share in shares]),
        "against": words.figures.plain(number(rows[0]["against_pct"])),
    }
    alike: dict[tuple[str, ...], list[Row]] = {}
    for row in turned:
        alike.setdefault(tuple(row[name] for name in ("share_pct", "metric", "better", "better_against")), []).append(
            row
        )
    said = []
    if len(alike) > MOST_TURNED:
        said.append(words.say("order_turns_often", count=words.count(len(turned), "comparison"), **parts))
    elif turned:
        repeats = facts.extent(number(row[n]) for row in turned for n in ("n", "n_against")) or (0, 0)
        clauses = "; ".join(_turned(words, results, of_one) for of_one in alike.values())
        said.append(words.say("order_turns", clauses=clauses, repeats=words.counts(repeats)))
    if same:
        phrase = "order_same_else" if turned else "order_same"
        said.append(words.say(phrase, count=words.count(same, "comparison"), **parts))
    if open_:
        phrase = "order_open" if turned or same else "order_open_everywhere"
        said.append(words.say(phrase, count=words.count(open_, "comparison"), **parts))
    return [" ".join(said)]


def _turned(words: Language, results: Results, rows: Sequence[Row]) -> str:
    """Say who is better at a share, who at the largest one, and by how much, in scenarios in which it is the same."""
    factor, metric = server_cpu_factor(results.campaign), results.declared.metric(rows[0]["metric"])
    bare = {
        key: replace(one, varying=tuple(name for name in one.varying if name != factor))
        for key, one in results.scenarios.items()
    }
    at_share = [one for one in bare.values() if one.factors.get(factor or "") == rows[0]["share_pct"]]
    words = words.about(metric)
    return words.say(
        "order_turned",
        share=words.figures.plain(number(rows[0]["share_pct"])),
        against=words.figures.plain(number(rows[0]["against_pct"])),
        where=words.where([bare[row["scenario"]] for row in rows], at_share),
        measure=words.say(f"measure_{metric.column}"),
        second=results.systems[rows[0]["better"]].name,
        second_by=_by(words, rows, "", metric),
        first=results.systems[rows[0]["better_against"]].name,
        first_by=_by(words, rows, "_against", metric),
    )


def _by(words: Language, rows: Sequence[Row], suffix: str, metric: Metric) -> str:
    """Say by how much the better one's figure differs, the intervals of all rows together: '31 to 42 %'."""
    found = []
    for row in rows:
        low, high = (number(row[f"{end}{suffix}"]) or 1.0 for end in ("lo", "hi"))
        turned = (low > 1) == metric.lower_is_better  # the ratio is the worse one's to the better one's
        found += [1 / high, 1 / low] if turned else [low, high]
    return words.apart((min(found), max(found)))


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
    return [
        capital(
            words.say(
                "first_requests",
                **_system_and_where(words, results, cells),
                percent=_span(words, cells, "first_variance_pct", 2),
                longest=_span(words, cells, "first_max_ms"),
                later=_span(words, cells, "later_cv", 2),
                cv=_span(words, cells, "cv", 2),
            )
        )
        for cells in _with_at_least(results, "first_variance_pct", MOST_OF_VARIANCE_PCT)
    ]


def costs_that_vary(words: Language, results: Results) -> list[str]:
    """Say of which systems, and where, an operation cost far more CPU in one third of the measured part."""
    return [
        capital(
            words.say(
                "cost_varies",
                **_system_and_where(words, results, cells),
                times=_span(words, cells, "server_cpu_of_thirds", 2),
            )
        )
        for cells in _with_at_least(results, "server_cpu_of_thirds", MUCH_DEARER)
    ]


def _with_at_least(results: Results, metric: str, least: float) -> list[list[Cell]]:
    """Return the cells whose figure is so large in their valid runs, those of a system together."""
    found: dict[str, list[Cell]] = {}
    for cell in results.cells:
        if cell.valid_runs and (cell.value(metric) or 0.0) >= least:
            found.setdefault(cell.system, []).append(cell)
    return list(found.values())


def _system_and_where(words: Language, results: Results, cells: Sequence[Cell]) -> dict[str, str]:
    return {
        "system": results.systems[cells[0].system].name,
        "where": words.where([results.scenarios[cell.scenario] for cell in cells], [*results.scenarios.values()]),
    }


def _span(words: Language, cells: Sequence[Cell], metric: str, digits: int = 3) -> str:
    values = [value for cell in cells if (value := cell.value(metric)) is not None]
    return words.span((min(values), max(values)), digits)
