"""Claims on the rounds that a paper's authors published beside what they printed: replicates, as a campaign's are.

A row of `published/*.csv` that names the factor of the rounds is one; its column `round_mean_ms` is its `mean_ms`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from uploadlab.claims.claims import read_claim
from uploadlab.claims.ground import Ground, Level, Scene, level_of
from uploadlab.errors import InputError
from uploadlab.metrics.rounds import ROUND, rounds_factor
from uploadlab.results.campaign import Campaign
from uploadlab.results.declarations import declarations, published_files
from uploadlab.table_file import Value, number, read_table

Row = Mapping[str, Value]
PREFIX = "round_"
COLUMNS = ("rounds_verdict", "rounds_figure", "rounds_n", "rounds_why")
"""Further columns of ``claims.csv``."""


def judged_on_published_rounds(campaign: Campaign, claims: Sequence[Row], seed: int) -> list[Row]:
    """Return the rows of ``claims.csv`` with each claim's verdict on the authors' rounds, where they published any."""
    ground = _ground(campaign, seed)
    if ground is None:
        return list(claims)
    found: dict[str, Row] = {}
    for place, entry in enumerate(campaign.record["study"].get("claims") or [], 1):
        try:
            claim = read_claim(place, entry)
        except InputError:
            continue  # its row says what is wrong with it
        finding = claim.decide(ground)
        if not finding.n:
            finding = replace(finding, said=ground.say("claim_no_rounds"))
        values = (finding.verdict, finding.figure, finding.n, finding.why)
        found[claim.id] = dict(zip(COLUMNS, values, strict=True))
    return [{**row, **found.get(str(row["claim"]), {})} for row in claims]


def _ground(campaign: Campaign, seed: int) -> Ground | None:
    factor = rounds_factor(campaign.record["study"])
    if factor is None:
        return None
    declared = declarations(campaign.record)
    scenes: dict[tuple[tuple[str, Level], ...], dict[str, list[Row]]] = {}
    for row in (row for path in published_files(campaign.folder, campaign.study) for row in read_table(path)):
        columns = {name.removeprefix(PREFIX): text for name, text in row.items() if name.startswith(PREFIX)}
        if row.get(factor) and row.get("system") and columns:
            figures: dict[str, Any] = {name: number(text) for name, text in columns.items()}
            named = {name: of for name, of in declared.factors.items() if name != factor and row.get(name)}
            levels = tuple((name, level_of(row[name], of)) for name, of in named.items())
            round_row: Row = {"valid": True, "status": ROUND, **figures}
            scenes.setdefault(levels, {}).setdefault(row["system"], []).append(round_row)
    if not scenes:
        return None
    systems = campaign.record["systems"]
    return Ground(
        scenes=[Scene(levels=dict(levels), rows=rows) for levels, rows in scenes.items()],
        declared=declared,
        names={key.partition("@")[0]: str(of.get("name", key)) for key, of in systems.items()},
        printed=False,
        seed=seed,
    )
