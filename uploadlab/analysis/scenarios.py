"""What a scenario is called: by the size of its files, and by the levels in which a campaign's scenarios differ."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from uploadlab.report.numbers import size
from uploadlab.results.campaign import Campaign
from uploadlab.results.declarations import declarations
from uploadlab.table_file import Row, as_number
from uploadlab.tables.answer import Scenario
from uploadlab.tables.study_tables import StudyTable


def scenarios_of(
    campaign: Campaign, runs: Sequence[Row], tables: Mapping[str, StudyTable] | None = None
) -> dict[str, Scenario]:
    """Return the scenarios of the rows of ``runs.csv`` by their key; a study's tables may know the sizes of files."""
    levels_of = {str(run["scenario"]): {name: run.get(name) for name in campaign.factors} for run in runs}
    differ = [name for name in campaign.factors if len({str(levels[name]) for levels in levels_of.values()}) > 1]
    sizes = {name: _sizes(campaign, name, runs, tables or {}) for name in campaign.factors}
    return {key: _scenario(campaign, key, levels, differ, sizes) for key, levels in levels_of.items()}


def _scenario(
    campaign: Campaign,
    key: str,
    levels: Row,
    differ: Collection[str],
    sizes: Mapping[str, Mapping[str, float]],
) -> Scenario:
    sized = {name: found for name, level in levels.items() if (found := sizes[name].get(str(level))) is not None}
    names = [*sized, *(name for name in differ if name not in sized)]
    said = [
        size(sized[name]) if name in sized else _level(campaign, name, levels[name])
        for name in names
        if name != campaign.windows_factor
    ]
    load = levels.get(campaign.windows_factor or "")
    return Scenario(
        scenario=key,
        row=", ".join(filter(None, said)) or key,
        size_bytes=next(iter(sized.values()), None),
        load=load if isinstance(load, int | str) else None,
    )


def _level(campaign: Campaign, factor: str, level: object) -> str:
    """Say a level: with its unit, else a number after the name of its factor; nothing for what is so by default."""
    declared = declarations(campaign.record).factors.get(factor, {})
    if level is None or level == declared.get("unmarked"):
        return ""
    unit = declared.get("unit")
    if unit == "B" and isinstance(level, int):
        return size(level)
    if unit:
        return f"{level} {unit}"
    if isinstance(level, int | float):
        return f"{declared.get('name') or factor.replace('_', ' ')} {level}"
    rig = campaign.record.get("rig") or {}
    places = rig.get(str(declared.get("kind"))) or {}
    label = (places.get(str(level)) or {}).get("label") if isinstance(places, dict) else None
    return str(label or level).replace("_", " ")


def _sizes(campaign: Campaign, factor: str, runs: Sequence[Row], tables: Mapping[str, StudyTable]) -> dict[str, float]:
    """Return the mean size of the files of each level of a factor: as drawn, else by the first column that knows it."""
    said = declarations(campaign.record).factors.get(factor, {}).get("size")
    if not said:
        return {}
    inputs: Mapping[str, Any] = campaign.record.get("inputs") or {}
    drawn = {level: as_number(of.get("mean_bytes")) for level, of in inputs.items()}
    found: dict[str, float] = {level: round(mean) for level, mean in drawn.items() if mean is not None}
    table = tables.get(str(said.get("table")))
    for row in table.rows if table else ():
        known = [number for column in said["columns"] if (number := as_number(row.get(column))) is not None]
        if known:
            found.setdefault(str(row.get(factor)), known[0])
    if "mean_sent_bytes" in (said.get("columns") or ()):
        for run in runs:
            sent, requests = as_number(run.get("sent_bytes")), as_number(run.get("requests"))
            if sent and requests:
                found.setdefault(str(run.get(factor)), sent / requests)
    return found
