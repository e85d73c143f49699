"""Where each of several systems stands by each metric: sets of ranks that hold together, a row of ``ranks.csv`` each.

A system that did not hold a rate in most of its runs stands behind all that did, in no order: what an overloaded
server's uploads took or cost is not what was asked.
"""

from collections.abc import Iterator, Mapping, Sequence

from uploadlab.metrics.figures import valid_figures
from uploadlab.metrics.rounds import ROUND
from uploadlab.results.campaign import Campaign, checked_by
from uploadlab.results.declarations import Metric, declarations
from uploadlab.statistics.ranks import RankSet, rank_sets
from uploadlab.statistics.sequential import first_look
from uploadlab.table_file import Row, Value
from uploadlab.tables.comparisons import by_scenario_and_system, figures_by_block, terms_of

RANK_COLUMNS = ("metric", "system", "best", "worst", "held", "blocks")
FEWEST = 3
"""Systems: of two the comparison says who is better."""


def rank_columns(campaign: Campaign) -> list[str]:
    """Return the columns of ``ranks.csv``."""
    return ["scenario", *campaign.factors, *RANK_COLUMNS]


def rank_rows(campaign: Campaign, runs: Sequence[Row]) -> Iterator[dict[str, Value]]:
    """Yield the rows of ``ranks.csv`` from those of ``runs.csv``; floors and what shows the noise have none."""
    left_out = {*campaign.floors, campaign.record.get("noise")}
    most = terms_of(campaign.record).most_blocks
    looks = 1 if most is None else most - first_look(most) + 1
    for scenario, by_system in by_scenario_and_system(campaign, runs).items():
        ranked = {system: rows for system, rows in by_system.items() if system not in left_out}
        factors = {name: next(iter(by_system.values()))[0].get(name) for name in campaign.factors}
        if len(ranked) < FEWEST or checked_by(campaign.record, factors):
            continue
        for metric in declarations(campaign.record).metrics.values():
            if metric.asked(factors):
                for row in ranks(ranked, metric, looks):
                    yield {"scenario": scenario, **factors, **row}


def ranks(ranked: Mapping[str, Sequence[Row]], metric: Metric, looks: int = 1) -> Iterator[dict[str, Value]]:
    """Yield where each system stands by a metric in one scenario; a system without a value is left out.

    Of a value that is not above 0 there is no ratio, so it tells nothing: a system with no others may have any place.
    """
    found = {system: _figures(rows, metric.column) for system, rows in ranked.items()}
    found = {system: figures for system, figures in found.items() if figures}
    held = {system: _held(ranked[system]) for system in found}
    holding = [system for system in found if held[system] is not False]
    blocks = sorted({block for system in holding for block in found[system]})
    table = [[_above_zero(found[system].get(block)) for block in blocks] for system in holding]
    sets = rank_sets(table, higher_is_better=not metric.lower_is_better, looks=looks) if holding else []
    behind = RankSet(best=len(holding) + 1, worst=len(found))
    place = dict(zip(holding, sets, strict=True))
    for system, figures in found.items():
        of = place.get(system, behind)
        yield {
            "metric": metric.column,
            "system": system,
            "best": of.best,
            "worst": of.worst,
            "held": held[system],
            "blocks": len(figures),
        }


def _figures(rows: Sequence[Row], column: str) -> dict[int, float]:
    """Return a column's figure in each block; rounds of one run, which have no block, count as blocks."""
    rounds = [value for row in rows if row.get("status") == ROUND for value in valid_figures([row], column)]
    return dict(enumerate(rounds)) or figures_by_block(rows, column)


def _above_zero(value: float | None) -> float | None:
    return value if value is not None and value > 0 else None


def _held(rows: Sequence[Row]) -> bool | None:
    """Return whether a system held the rate in most of its valid runs; None where none was to be held."""
    held = [row["held"] for row in rows if row.get("valid") is True and row.get("held") is not None]
    return 2 * sum(one is True for one in held) > len(held) if held else None
