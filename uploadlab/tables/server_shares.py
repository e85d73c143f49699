"""What a share of its cores changes: each system against itself at the largest share, and where the order turns.

A container's limit on CPU changes more than the speed: who is the steadier at a share need not be so on a whole core.
"""

from collections.abc import Iterable, Iterator, Sequence

from uploadlab.results.campaign import Campaign, first_levels, server_cpu_factor
from uploadlab.results.declarations import declarations
from uploadlab.statistics.intervals import generator_for
from uploadlab.table_file import Row, Value
from uploadlab.tables.comparisons import Figures, compare, system_key, terms_of

SHARE_COLUMNS = (
    "scenario", "against", "system", "metric", "a", "b", "ratio", "lo", "hi", "n_a", "n_b", "blocks", "method",
    "verdict", "more_repeats", "cohen_d",
)  # fmt: skip
ORDER_COLUMNS = (
    "scenario", "against", "share_pct", "against_pct", "metric", "system_a", "system_b", "order", "better", "ratio",
    "lo", "hi", "n", "better_against", "ratio_against", "lo_against", "hi_against", "n_against",
)  # fmt: skip
TURNS, SAME, OPEN = "turns", "same", "open"


def share_rows(campaign: Campaign, runs: Sequence[Row], seed: int) -> Iterator[dict[str, Value]]:
    """Yield the rows of ``server_shares.csv`` from those of ``runs.csv``; none where shares are no factor.

    The runs of a round are compared with each other: block 3 at one share with block 3 at the largest.
    """
    terms, declared = terms_of(campaign.record), declarations(campaign.record)
    for (scenario, _), (against, _) in _pairs(campaign, runs):
        for system in campaign.systems:
            first, second = (
                [run for run in runs if run["scenario"] == one and system_key(run) == system]
                for one in (scenario, against)
            )
            for metric in declared.metrics.values() if first and second else ():
                generator = generator_for(seed, f"{scenario} {against} {metric.column} {system}")
                row = compare(metric, Figures.of(first, second, metric.column), terms, generator)
                yield {"scenario": scenario, "against": against, "system": system, **row}


def order_rows(campaign: Campaign, comparisons: Sequence[Row]) -> Iterator[dict[str, Value]]:
    """Yield the rows of ``share_orders.csv`` from those of ``comparisons.csv``: who is better at a share, and who not.

    ``order`` is ``turns`` where one system is better at the share and the other at the largest one, ``same`` where it
    is one and the same, ``open`` where one of the two is not decided, or they are equal.
    """
    pair = ("metric", "system_a", "system_b")
    known = {(row["scenario"], *(row[name] for name in pair)): row for row in comparisons}
    for (scenario, share), (against, largest) in _pairs(campaign, comparisons):
        for (at, *key), row in known.items():
            other = known.get((against, *key))
            if at != scenario or other is None:
                continue
            decided = bool(row["better"] and other["better"])
            order = (SAME if row["better"] == other["better"] else TURNS) if decided else OPEN
            yield {
                "scenario": scenario,
                "against": against,
                "share_pct": share,
                "against_pct": largest,
                **dict(zip(pair, key, strict=True)),
                "order": order,
                **_verdict(row, ""),
                **_verdict(other, "_against"),
            }


def _verdict(row: Row, suffix: str) -> dict[str, Value]:
    found = {name: row.get(name) for name in ("better", "ratio", "lo", "hi")}
    counts = [n for name in ("n_a", "n_b") if isinstance(n := row.get(name), int)]
    found["n"] = min(counts, default=0)
    return {f"{name}{suffix}": value for name, value in found.items()}


Place = tuple[Value, Value]
"""A scenario, and the server's share there."""


def _pairs(campaign: Campaign, rows: Iterable[Row]) -> list[tuple[Place, Place]]:
    """Return each scenario at less than the largest share with the one at that, otherwise of the same levels."""
    factor = server_cpu_factor(campaign.record)
    if factor is None:
        return []
    largest, others = first_levels(campaign.record)[factor], [name for name in campaign.factors if name != factor]
    found = {row["scenario"]: (row.get(factor), tuple(row.get(name) for name in others)) for row in rows}
    whole = {levels: scenario for scenario, (share, levels) in found.items() if share == largest}
    return [
        ((scenario, share), (whole[levels], largest))
        for scenario, (share, levels) in sorted(found.items(), key=str)
        if share != largest and levels in whole
    ]
