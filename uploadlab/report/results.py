"""What the report reads: campaign.json, the runs' gates and phases, and the tables the analysis wrote."""

import contextlib
import csv
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from pathlib import Path
from typing import Any

from uploadlab.errors import InputError
from uploadlab.results.campaign import checked_by, key_of, measured_once, planned_by_level, read_json
from uploadlab.results.declarations import Declarations, declarations, published_files
from uploadlab.tables.comparisons import terms_of
from uploadlab.tables.table_file import number

Row = Mapping[str, str]
LONGEST_NAME = 16


def ends(row: Row, first: str, last: str) -> tuple[float, float] | None:
    """Return the ends of a range that two columns have, or None where one is not known."""
    low, high = number(row.get(first)), number(row.get(last))
    return None if low is None or high is None else (low, high)


def is_true(text: str | None) -> bool:
    """Return whether a CSV field says true."""
    return (text or "").strip().lower() == "true"


@dataclass(frozen=True, kw_only=True)
class Table:
    """A CSV file: its columns in order and its rows as text; both empty where the file does not exist."""

    columns: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()

    def __bool__(self) -> bool:
        """Return whether there is a row."""
        return bool(self.rows)


@dataclass(frozen=True, kw_only=True)
class System:
    """A compared system. `key` is `system`, or `system@stack` for a stack other than current."""

    key: str
    name: str
    index: int
    description: str = ""
    versions: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """The levels of every factor but the system. `varying` holds those factors that differ within the campaign."""

    key: str
    factors: Mapping[str, str]
    varying: tuple[str, ...]
    size_bytes: float | None
    names: Mapping[str, str] = field(default_factory=dict)
    """What a factor's level is called, where the rig names it: `emulated HDD`."""

    def label(self, factor: str) -> str:
        """Return what a factor's level is called."""
        return self.names.get(factor) or self.factors.get(factor, "")

    def short_label(self, factor: str) -> str:
        """Return the same for a sentence: the level itself where its name is a whole phrase."""
        label = self.label(factor)
        return label if len(label) <= LONGEST_NAME else self.factors.get(factor, "")


@dataclass(frozen=True, kw_only=True)
class Gate:
    """A check of a run, as run.json recorded it."""

    name: str
    passed: bool
    figure: float | None
    unit: str
    threshold: float | None


@dataclass(frozen=True, kw_only=True)
class Run:
    """One run: its row of runs.csv and the gates of its run.json."""

    cell: str
    repeat: str
    system: str
    scenario: str
    status: str
    valid: bool
    row: Row
    reason: str = ""
    gates: tuple[Gate, ...] = ()
    server_cpu_limit_pct: object = None
    """As run.json says it: the share of its cores that the server was held to."""
    part_cores: Mapping[str, tuple[tuple[int, ...], ...]] = field(default_factory=dict)
    """The cores of each part of each role."""

    @property
    def key(self) -> str:
        """The run's folder below runs/."""
        return f"{self.cell}/{self.repeat}"

    def value(self, metric: str) -> float | None:
        """Return a figure of runs.csv."""
        return number(self.row.get(metric))


@dataclass(frozen=True, kw_only=True)
class Cell:
    """A scenario and a system: its row of cells.csv and its runs."""

    key: str
    system: str
    scenario: str
    row: Row
    runs: tuple[Run, ...]

    @property
    def valid_runs(self) -> tuple[Run, ...]:
        """The runs whose figures count."""
        return tuple(run for run in self.runs if run.valid)

    @property
    def requests(self) -> int:
        """How many requests of its valid runs were measured."""
        return int(sum(run.value("requests") or 0 for run in self.valid_runs))

    def value(self, metric: str) -> float | None:
        """Return the cell's figure: of cells.csv where it has it, else the mean over the valid runs."""
        if metric in self.row:
            return number(self.row[metric])
        values = [value for run in self.valid_runs if (value := run.value(metric)) is not None]
        return math.fsum(values) / len(values) if values else None

    def interval(self, metric: str) -> tuple[float, float] | None:
        """Return the 95 % interval over repeats, or None where there is none."""
        return ends(self.row, f"{metric}_lo", f"{metric}_hi")


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """One row of comparisons.csv: is system `a` better than system `b` in one metric of one scenario?"""

    scenario: str
    metric: str
    a: str
    b: str
    ratio: float | None
    low: float | None
    high: float | None
    n_a: int
    n_b: int
    better: str
    equal: bool
    more_repeats: int | None


@dataclass(frozen=True, kw_only=True)
class Results:
    """A campaign's results as the report uses them."""

    name: str
    campaign: Mapping[str, Any]
    systems: Mapping[str, System]
    scenarios: Mapping[str, Scenario]
    runs: tuple[Run, ...]
    cells: tuple[Cell, ...]
    comparisons: tuple[Comparison, ...] = ()
    missing: tuple[str, ...] = ()
    run_table: Table = field(default_factory=Table)
    tables: Mapping[str, Table] = field(default_factory=dict)
    declared: Declarations = field(default_factory=lambda: declarations({}))
    published: Mapping[str, Table] = field(default_factory=dict)
    """What the study's paper printed, by file."""

    @property
    def equal_margin_pct(self) -> float:
        """By less than how much systems that are equal differ, in per cent."""
        return 100 * terms_of(self.campaign).margin

    @property
    def leading(self) -> "Results":
        """The results without the scenarios that only check the answer, or are measured for other claims than it."""
        aside = {
            key
            for key, one in self.scenarios.items()
            if checked_by(self.campaign, one.factors) or measured_once(self.campaign, one.factors)
        }
        kept = {key: one for key, one in self.scenarios.items() if key not in aside}
        if len(kept) == len(self.scenarios):
            return self
        levels = [one.factors for one in kept.values()]
        varying = tuple(name for name in levels[0] if len({one.get(name) for one in levels}) > 1) if levels else ()
        return replace(
            self,
            scenarios={key: replace(one, varying=varying) for key, one in kept.items()},
            cells=tuple(cell for cell in self.cells if cell.scenario in kept),
            runs=tuple(run for run in self.runs if run.scenario in kept),
        )

    def table(self, name: str) -> Table:
        """Return the table `name` of analysis/ (`percentiles`, `tables/table2`, ...), empty where it is absent."""
        return self.tables.get(name, Table())

    def printed(self, name: str) -> tuple[Row, ...]:
        """Return the rows of a file of published numbers; none where there is no such file."""
        return self.published.get(Path(name).name, Table()).rows

    def keys_of(self, system: str) -> tuple[str, ...]:
        """Return the keys of a system that a paper names, one for each stack that it was run on."""
        return tuple(key for key in self.systems if key.partition("@")[0] == system)

    def cell(self, scenario: str, system: str) -> Cell | None:
        """Return the cell of a scenario and a system, or None where it was neither run nor planned."""
        return next((cell for cell in self.cells if (cell.scenario, cell.system) == (scenario, system)), None)

    @property
    def valid_runs(self) -> tuple[Run, ...]:
        """The runs whose figures count."""
        return tuple(run for run in self.runs if run.valid)


def read_results(campaign_dir: Path) -> Results:
    """Read everything the report needs from a campaign's folder.

    Raises InputError where campaign.json or analysis/runs.csv is missing or unreadable; everything else may be absent.
    """
    path = campaign_dir / "campaign.json"
    if not path.is_file():
        raise InputError(f"{path}: not found; {campaign_dir} is not a campaign's results folder.")
    campaign = read_json(path)
    declared = declarations(campaign)
    run_table = _read_table(campaign_dir / "analysis" / "runs.csv", required=True)
    names = ["cells", "rounds", "comparisons", "percentiles", "timeline", "latency_heat", "size_heat"]
    names += ["claims", "indicators", "variance", "groups", "load_curves", "load_limits"]
    names += ["server_shares", "share_orders"]
    names += [f"tables/{path.stem}" for path in sorted((campaign_dir / "analysis" / "tables").glob("*.csv"))]
    tables = {name: _read_table(campaign_dir / "analysis" / f"{name}.csv") for name in names}

    planned = planned_by_level(campaign)
    origins = _origins(planned, run_table)
    systems = _systems(campaign, origins)
    runs = tuple(_run(campaign_dir, row, origins) for row in run_table.rows)
    done = {run.key for run in runs}
    missing = [f"{entry.get('cell')}/{entry.get('repeat')}" for entry in planned]
    cells = _cells(tables["cells"], runs, origins)
    return Results(
        name=campaign_dir.resolve().name,
        campaign=campaign,
        systems=systems,
        scenarios=_scenarios(origins, declared, tables, campaign.get("rig") or {}),
        runs=runs,
        cells=cells,
        comparisons=tuple(_comparison(row) for row in tables["comparisons"].rows),
        missing=tuple(key for key in missing if key not in done),
        run_table=run_table,
        tables=tables,
        declared=declared,
        published={path.name: _read_table(path) for path in published_files(campaign_dir, declared.study)},
    )


@dataclass(frozen=True, kw_only=True)
class _Origin:
    """Where a cell's name comes from."""

    system: str
    scenario: str
    factors: Mapping[str, str]
    made_as: str
    """The cell of its runs' folders: another one where it is a level within them."""


def _origins(planned: Iterable[Mapping[str, Any]], runs: Table) -> dict[str, _Origin]:
    """Return each cell's system and factors: from the plan, and for cells outside it from runs.csv."""
    origins: dict[str, _Origin] = {}
    for entry in planned:
        cell = str(entry.get("cell", ""))
        made_as = str(entry.get("made_as", cell))
        factors = {str(name): str(level) for name, level in (entry.get("factors") or {}).items()}
        origins.setdefault(
            cell, _origin(cell, str(entry.get("system", "")), str(entry.get("stack", "")), factors, made_as)
        )
    first, last = "stack", "threads"
    between = slice(runs.columns.index(first) + 1, runs.columns.index(last)) if first in runs.columns else slice(0)
    for row in runs.rows:
        factors = {name: row[name] for name in runs.columns[between]}
        cell = row["cell"]
        origins.setdefault(cell, _origin(cell, row.get("system", ""), row.get("stack", ""), factors, cell))
    return origins


def _origin(cell: str, system: str, stack: str, factors: Mapping[str, str], made_as: str) -> _Origin:
    key = system if "@" in system else key_of(system, stack)
    scenario = cell.removesuffix(f"-{key}")
    return _Origin(system=key, scenario=scenario, factors=factors, made_as=made_as)


def _systems(campaign: Mapping[str, Any], origins: Mapping[str, _Origin]) -> dict[str, System]:
    declared: Mapping[str, Any] = campaign.get("systems") or {}
    keys = list(dict.fromkeys([*declared, *(origin.system for origin in origins.values())]))
    names = [str((declared.get(key) or {}).get("name") or key) for key in keys]
    systems = {}
    for index, (key, name) in enumerate(zip(keys, names, strict=True)):
        facts = declared.get(key) or {}
        stack = str(facts.get("stack") or key.partition("@")[2] or "current")
        systems[key] = System(
            key=key,
            name=f"{name} ({stack})" if names.count(name) > 1 else name,
            description=str(facts.get("description") or ""),
            index=index,
            versions=facts.get("versions") or {},
            settings=facts.get("settings") or {},
        )
    return systems


def _scenarios(
    origins: Mapping[str, _Origin], declared: Declarations, tables: Mapping[str, Table], rig: Mapping[str, Any]
) -> dict[str, Scenario]:
    factors = {origin.scenario: origin.factors for origin in origins.values()}
    names = list(dict.fromkeys(name for levels in factors.values() for name in levels))
    varying = tuple(name for name in names if len({levels.get(name) for levels in factors.values()}) > 1)
    labels = {name: _rig_labels(rig, declared.factors.get(name, {}).get("from_rig")) for name in names}
    sizes = {name: _sizes(tables, name, declared.factors.get(name, {}).get("size")) for name in names}
    scenarios = [
        Scenario(
            key=key,
            factors=levels,
            varying=varying,
            size_bytes=next((size for name in levels if (size := sizes[name].get(levels[name])) is not None), None),
            names={name: labels[name][level] for name, level in levels.items() if level in labels[name]},
        )
        for key, levels in factors.items()
    ]
    return {scenario.key: scenario for scenario in sorted(scenarios, key=lambda one: natural(one.key))}


def _rig_labels(rig: Mapping[str, Any], kind: object) -> dict[str, str]:
    """Return what the rig calls the levels of a factor that comes from it: its disks, or the kind that is said."""
    found = rig.get("disks" if kind is True else str(kind)) if kind else None
    entries = found.items() if isinstance(found, dict) else ()
    return {name: str(one["label"]) for name, one in entries if isinstance(one, dict) and one.get("label")}


def _sizes(tables: Mapping[str, Table], factor: str, said: object) -> dict[str, float | None]:
    """Return the mean size of what each level of a factor sends, from the first of the columns that knows it."""
    if not isinstance(said, dict):
        return {}
    rows = tables.get(f"tables/{said.get('table')}", Table()).rows
    return {
        row.get(factor, "").strip(): next(
            (size for column in said.get("columns") or () if (size := number(row.get(column))) is not None), None
        )
        for row in rows
    }


def natural(text: str) -> list[tuple[int, str]]:
    """Return a sorting key that puts s9 before s10."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", text)]


def _run(campaign_dir: Path, row: Row, origins: Mapping[str, _Origin]) -> Run:
    cell, repeat = row["cell"], row.get("repeat", "")
    facts: Mapping[str, Any] = {}
    path = campaign_dir / "runs" / origins[cell].made_as / repeat / "run.json"
    if path.is_file():
        with contextlib.suppress(InputError):  # its row says that it is damaged, and how
            facts = read_json(path)
    gates = [gate for gate in facts.get("gates") or [] if isinstance(gate, dict)]
    return Run(
        cell=cell,
        repeat=repeat,
        system=origins[cell].system,
        scenario=origins[cell].scenario,
        status=row.get("status", ""),
        valid=is_true(row.get("valid")) and row.get("status", "complete") == "complete",
        reason=row.get("reason") or str(facts.get("reason") or ""),
        row=row,
        gates=tuple(_gate(gate) for gate in gates),
        part_cores=_part_cores(facts.get("parts")),
        server_cpu_limit_pct=((facts.get("processes") or {}).get("server") or {}).get("cpu_limit_pct"),
    )


def _part_cores(parts: object) -> dict[str, tuple[tuple[int, ...], ...]]:
    found: dict[str, tuple[tuple[int, ...], ...]] = {}
    for part in parts if isinstance(parts, list) else []:
        role, cores = str(part.get("role")), part.get("cores")
        if isinstance(cores, list):
            found[role] = (*found.get(role, ()), tuple(cores))
    return found


def _gate(gate: Mapping[str, Any]) -> Gate:
    return Gate(
        name=str(gate.get("name", "")),
        passed=bool(gate.get("passed")),
        figure=number(str(gate.get("figure"))),
        unit=str(gate.get("unit") or ""),
        threshold=number(str(gate.get("threshold"))),
    )


def _cells(table: Table, runs: Iterable[Run], origins: Mapping[str, _Origin]) -> tuple[Cell, ...]:
    rows = {row["cell"]: row for row in table.rows}
    runs_of: dict[str, list[Run]] = {}
    for run in runs:
        runs_of.setdefault(run.cell, []).append(run)
    cells = [
        Cell(
            key=key,
            system=origin.system,
            scenario=origin.scenario,
            row=rows.get(key, {}),
            runs=tuple(sorted(runs_of.get(key, []), key=lambda run: natural(run.repeat))),
        )
        for key, origin in origins.items()
    ]
    return tuple(sorted(cells, key=lambda cell: (natural(cell.scenario), cell.system)))


def _comparison(row: Row) -> Comparison:
    more = number(row.get("more_repeats"))
    return Comparison(
        scenario=row.get("scenario", ""),
        metric=row.get("metric", ""),
        a=row.get("system_a", ""),
        b=row.get("system_b", ""),
        ratio=number(row.get("ratio")),
        low=number(row.get("lo")),
        high=number(row.get("hi")),
        n_a=int(number(row.get("n_a")) or 0),
        n_b=int(number(row.get("n_b")) or 0),
        better=row.get("better", ""),
        equal=row.get("verdict", "").startswith("equal"),
        more_repeats=None if more is None else int(more),
    )


def _read_table(path: Path, *, required: bool = False) -> Table:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file)
            columns = tuple(next(reader, ()))
            rows = tuple(dict(zip_longest(columns, row, fillvalue="")) for row in reader if row)
            return Table(columns=columns, rows=rows)
    except FileNotFoundError:
        if required:
            raise InputError(f"{path}: not found; the analysis writes it before the report.") from None
        return Table()
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path}: expected a CSV file in UTF-8: {error}.") from error
