"""What a scenario is called: by the size of its files, and by the levels in which a campaign's scenarios differ."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from uploadlab.analysis.analysis_files import Analysis
from uploadlab.report.answer_table import at_load
from uploadlab.report.numbers import size
from uploadlab.report.summary import Load
from uploadlab.results.declarations import declarations
from uploadlab.table_file import as_number
from uploadlab.tables.answer import SIZED, size_of


@dataclass(frozen=True)
class Scenario:
    """The levels of every factor but the system, and what they are called."""

    key: str
    factors: Mapping[str, Any]
    row: str
    """Without the load."""
    size_bytes: float | None
    load: Load

    @property
    def name(self) -> str:
        """With the load: 23 KB, at half load."""
        return ", ".join(filter(None, [self.row, at_load(self.load)]))


def scenarios_of(analysis: Analysis) -> dict[str, Scenario]:
    """Return a campaign's scenarios by their key."""
    factors = {
        str(cell["scenario"]): {name: cell.get(name) for name in analysis.campaign.factors} for cell in analysis.cells
    }
    varying = [
        name for name in analysis.campaign.factors if len({str(levels[name]) for levels in factors.values()}) > 1
    ]
    sizes = {name: _sizes(analysis, name) for name in analysis.campaign.factors}
    return {key: _scenario(analysis, key, levels, varying, sizes) for key, levels in factors.items()}


def _scenario(
    analysis: Analysis,
    key: str,
    levels: Mapping[str, Any],
    varying: list[str],
    sizes: Mapping[str, Mapping[str, float]],
) -> Scenario:
    sized = {name: found for name in levels if (found := sizes[name].get(str(levels[name]))) is not None}
    if (known := size_of(analysis.campaign, levels)) is not None:
        sized[SIZED] = known
    names = [name for name in levels if name in sized] + [name for name in varying if name not in sized]
    without_load = [name for name in names if name != analysis.campaign.windows_factor]
    said = [size(sized[name]) if name in sized else _level(analysis, name, levels[name]) for name in without_load]
    load = levels.get(analysis.campaign.windows_factor or "")
    return Scenario(
        key=key,
        factors=levels,
        row=", ".join(filter(None, said)) or key,
        size_bytes=next(iter(sized.values()), None),
        load=load if isinstance(load, int | str) else None,
    )


def _level(analysis: Analysis, factor: str, level: object) -> str:
    """Say a level: with its unit, else a number after the name of its factor; nothing for what is so by default."""
    declared = declarations(analysis.campaign.record).factors.get(factor, {})
    if level is None or level == declared.get("unmarked"):
        return ""
    unit = declared.get("unit")
    if unit == "B" and isinstance(level, int):
        return size(level)
    if unit:
        return f"{level} {unit}"
    if isinstance(level, int | float):
        return f"{declared.get('name') or factor.replace('_', ' ')} {level}"
    rig = analysis.campaign.record.get("rig") or {}
    places = rig.get(str(declared.get("kind"))) or {}
    label = (places.get(str(level)) or {}).get("label") if isinstance(places, dict) else None
    return str(label or level).replace("_", " ")


def _sizes(analysis: Analysis, factor: str) -> dict[str, float]:
    """Return the mean size of the files of each level of a factor, by the first of the columns that knows it."""
    said = declarations(analysis.campaign.record).factors.get(factor, {}).get("size") or {}
    table = analysis.tables.get(str(said.get("table")))
    found: dict[str, float] = {}
    for row in table.rows if table else ():
        known = [number for column in said["columns"] if (number := as_number(row.get(column))) is not None]
        if known:
            found.setdefault(str(row.get(factor)), known[0])
    if "mean_sent_bytes" in (said.get("columns") or ()):
        for run in analysis.runs:
            sent, requests = as_number(run.get("sent_bytes")), as_number(run.get("requests"))
            if sent and requests:
                found.setdefault(str(run.get(factor)), sent / requests)
    return found
