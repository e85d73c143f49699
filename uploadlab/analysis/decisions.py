"""What a campaign has decided so far, asked as ``python -m uploadlab.analysis decisions DIR``."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from uploadlab.analysis.analysis_files import run_rows_of, seed_of
from uploadlab.results.campaign import Campaign, checked_by, read_campaign, run_key
from uploadlab.results.declarations import USUAL_QUESTIONS, declarations
from uploadlab.statistics.sequential import first_look
from uploadlab.table_file import Value
from uploadlab.tables.comparisons import CANNOT_TELL, comparison_rows, terms_of


def decisions(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Return every comparison that is to be decided, with its verdict so far; those of mere checks are left out.

    A verdict says how the first of ``systems`` stands to the second: its figure is ``lower`` or ``higher``, they are
    ``equal``, or it is ``open``.

    Raises LabError when the folder is not a results folder.
    """
    campaign = read_campaign(folder)
    return {"comparisons": list(_comparisons(campaign))}


def _comparisons(campaign: Campaign) -> Iterator[dict[str, Any]]:
    planned = {one["cell"].removesuffix(f"-{run_key(one)}"): one for one in campaign.record["runs"]}
    factors_of = {name: one["factors"] for name, one in planned.items()}
    factors_of |= {run.scenario: dict(run.factors) for run in campaign.runs}
    of_plan = {name: _as_planned(campaign, planned.get(name, {}), factors) for name, factors in factors_of.items()}
    declared, most = declarations(campaign.record), terms_of(campaign.record).most_blocks
    asked = {one.column: one for one in declared.metrics.values() if one.column in declared.questions}
    for row in comparison_rows(campaign, run_rows_of(campaign), seed_of(campaign)):
        metric, factors = asked.get(str(row["metric"])), factors_of[str(row["scenario"])]
        if metric is None or checked_by(campaign.record, factors) or row.get("headline") is False:
            continue
        missing = max(0, first_look(most) - int(str(row["blocks"]))) if most is not None else 0
        yield {
            "factors": of_plan[str(row["scenario"])],
            "systems": [row["system_a"], row["system_b"]],
            "metric": metric.column,
            "question": metric.key if declared.named else USUAL_QUESTIONS.get(metric.column, metric.key),
            "name": metric.name,
            "verdict": "open" if missing else _verdict(row),
            "better": "" if missing else row["better"],
            "ratio": row.get("ratio"),
            **{name: None if missing else row.get(name) for name in ("lo", "hi")},
            "more_blocks": missing or row.get("more_repeats"),
        }


def _as_planned(campaign: Campaign, entry: Mapping[str, Any], factors: Mapping[str, Any]) -> dict[str, Any]:
    """Return a scenario's factors as the plan has them: without the load, where one run measures several."""
    return {name: level for name, level in factors.items() if name != campaign.windows_factor or "made_as" not in entry}


def _verdict(row: dict[str, Value]) -> str:
    if row["verdict"] == CANNOT_TELL:
        return "open"
    if not row["better"]:
        return "equal"
    return "lower" if float(str(row["ratio"])) < 1 else "higher"
