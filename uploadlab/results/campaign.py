"""A results folder: the campaign, its runs, and what is damaged in it."""

import contextlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from monitoring.clocks import ONE_CLOCK, ClockAlignment
from uploadlab.errors import LabError
from uploadlab.records import SCHEMA, CampaignRecord, Processes, RunRecord, Window, as_record, key_of, read_json
from uploadlab.results.declarations import declarations
from uploadlab.results.windows import cell_of_window, counts_alone, loads_of, record_of_window, windows_factor
from uploadlab.table_file import as_number

_SET_ASIDE = re.compile(r"-(interrupted|failed)-\d+$")
Levels = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Run:
    """One complete or failed run, as its ``run.json`` tells it."""

    folder: Path
    cell: str
    repeat: str
    order: int
    block: int | None
    system: str
    """With its stack where that is not ``current``: ``a@older``. The key of ``campaign.json``'s systems."""
    stack: str
    factors: Mapping[str, Any]
    threads: int | None
    complete: bool
    valid: bool
    reason: str
    """Why it is not valid: the sentences of the gates that failed; empty otherwise."""
    measure_start_ns: int | None
    measure_end_ns: int | None
    server_cores: tuple[int, ...]
    injector_cores: tuple[int, ...]
    record: RunRecord
    """All of ``run.json``."""
    within_run: int | None = None
    """Number of the level of the factor that varies within the run, where only its operations are meant."""
    window: Window | None = None
    """The window that is meant, of a run that measured several."""

    @property
    def window_ns(self) -> tuple[int, int]:
        """The measured window of a complete run, epoch ns."""
        assert self.measure_start_ns is not None  # read_run demands both of complete runs
        assert self.measure_end_ns is not None
        return self.measure_start_ns, self.measure_end_ns

    @property
    def in_turns(self) -> bool:
        """Whether it shared the core with other runs, each in its turn."""
        return self.window is not None and self.window.active_ns is not None

    @property
    def active_ns(self) -> int:
        """How long it had the core in the measured window."""
        if self.window is not None and self.window.active_ns is not None:
            return self.window.active_ns
        start_ns, end_ns = self.window_ns
        return end_ns - start_ns

    @property
    def server_role(self) -> str:
        """The role whose samples and cores are the server's: of a system of several parts that of the first."""
        return _server_role(self.record)

    @property
    def conducted(self) -> bool:
        """Whether the systems have parts, which recorded what they saw."""
        return bool(self.record.parts)

    @property
    def clocks(self) -> ClockAlignment:
        """The server's clock against the load generator's, which the requests are timed by."""
        return ClockAlignment.of(self.record.clock)

    def clock_of_role(self, role: str) -> ClockAlignment:
        """The clock of a role's host against that of the injector's host, which operations are timed by."""
        return ONE_CLOCK if self.processes_of(role).place == "injector" else self.clocks

    def processes_of(self, role: str) -> Processes:
        """The processes of a role; none where it had none."""
        return self.record.processes.get(role, Processes())

    @property
    def further_injectors(self) -> dict[str, int]:
        """How many cores each further host of a load had that several made, by role; none where one made it."""
        return {name: len(of.cores) for name, of in self.record.processes.items() if name.startswith("injector-")}

    def clock_of_injector(self, role: str) -> ClockAlignment:
        """Return a further injector's clock against the first one's, which the requests are timed by."""
        clock = self.record.clock or {}
        return ClockAlignment.of({"server": clock[role], "injector": clock["injector"]} if role in clock else None)

    @property
    def scenario(self) -> str:
        """The cell without its system: ``s05-local``."""
        return self.cell.removesuffix(f"-{self.system}")


def run_key(planned: Mapping[str, Any]) -> str:
    """Return the key of a planned run's system."""
    return key_of(planned["system"], planned["stack"])


def first_levels(record: Levels) -> Levels:
    """Return the first of the levels that a ``campaign.json`` names for each factor."""
    return {name: levels[0] for name, levels in (record.get("levels") or {}).items() if levels}


def checked_by(record: Levels, factors: Levels) -> Levels:
    """Return the levels of a scenario that make it a check of the answer; none where the answer rests on it."""
    first = first_levels(record)
    names = [name for name in record.get("check_factors") or [] if name in first and name in factors]
    return {name: factors[name] for name in names if str(factors[name]) != str(first[name])}


def lowest_limit_pct(said: Iterable[object]) -> float | None:
    """Return the smallest of what is said to be a limit in percent of a whole; None where nothing is less."""
    limits = (as_number(pct) for pct in said)
    return min((pct for pct in limits if pct is not None and 0 < pct < 100), default=None)


def server_cpu_factor(record: Levels) -> str | None:
    """Return the factor of a ``campaign.json`` whose levels are shares of the server's cores; None where none is."""
    declared = declarations(record).factors
    return next((name for name in first_levels(record) if declared.get(name, {}).get("kind") == "server_cpu"), None)


@dataclass(frozen=True, kw_only=True)
class DamagedRun:
    """A run folder that cannot be used, and one sentence why."""

    cell: str
    repeat: str
    sentence: str


@dataclass(frozen=True, kw_only=True)
class Campaign:
    """A results folder, read; ``runs`` are sorted by cell and repeat."""

    folder: Path
    record: Mapping[str, Any]
    runs: tuple[Run, ...]
    damaged: tuple[DamagedRun, ...]
    baseline: tuple[Run, ...] = ()
    """Runs of the server that does nothing; one that cannot be read is left out."""

    @property
    def study(self) -> str:
        """Id of the study."""
        return str(self.record["study"]["id"])

    @property
    def systems(self) -> tuple[str, ...]:
        """Keys of the systems, in the campaign's order."""
        return tuple(self.record["systems"])

    @property
    def floors(self) -> frozenset[str]:
        """Keys of the systems that are lines to compare the others with: they win and lose nothing."""
        return frozenset(key for key, system in self.record["systems"].items() if system.get("floor") is True)

    @property
    def factors(self) -> tuple[str, ...]:
        """Names of the factors, in the plan's order."""
        names: dict[str, None] = {}
        for run in self.record["runs"]:
            names.update(dict.fromkeys(run.get("factors", {})))
        return tuple(names)

    @property
    def told_apart(self) -> tuple[str, ...]:
        """The factors whose levels a claim tells apart.

        Not those that check the answer, nor shares of the capacity or of the server's cores.
        """
        declared = declarations(self.record).factors
        beside = {name for name, of in declared.items() if of.get("kind") in ("check", "server_cpu")}
        return tuple(name for name in self.factors if name not in beside)

    def leading(self, runs: Iterable[Levels]) -> list[Levels]:
        """Leave out the rows on further levels of what a claim does not tell apart, so that nothing is pooled."""
        told_apart = self.told_apart
        leading = {name: level for name, level in first_levels(self.record).items() if name not in told_apart}
        return [run for run in runs if all(run.get(name) in (level, None) for name, level in leading.items())]

    @property
    def server_cpu_limit_pct(self) -> float | None:
        """The share of its cores that the server was held to, in any of the runs; None where it had all of them."""
        said = [(self.record.get("rig") or {}).get("server_cpu_limit_pct")]
        said += [run.processes_of("server").cpu_limit_pct for run in self.runs]
        return lowest_limit_pct(said)

    @property
    def leading_cpu_limit_pct(self) -> float | None:
        """The same of the runs that claims are judged on: at the largest share where shares are a factor."""
        factor = server_cpu_factor(self.record)
        if factor is None:
            return self.server_cpu_limit_pct
        largest = float(first_levels(self.record)[factor])
        return largest if largest < 100 else None

    @property
    def windows_factor(self) -> str | None:
        """Name of the factor whose levels are windows of one run; None where runs have none."""
        return windows_factor(self.record)

    @property
    def p99_limit_ms(self) -> float | None:
        """The most that 99 of 100 requests may take, as its user said; None where they said nothing."""
        limit = (self.record.get("profile") or {}).get("settings", {}).get("p99_limit_ms")
        return float(limit) if isinstance(limit, (int, float)) and limit > 0 else None

    @property
    def whole_factors(self) -> frozenset[str]:
        """Names of the factors that have whole numbers as levels, and nothing else."""
        levels = [(name, level) for run in self.record["runs"] for name, level in run.get("factors", {}).items()]
        other = {name for name, level in levels if type(level) is not int}
        return frozenset(name for name, _ in levels if name not in other)

    @property
    def missing(self) -> tuple[tuple[str, str], ...]:
        """(cell, repeat) of the planned runs that have no complete folder."""
        seen = {(run.cell, run.repeat) for run in self.runs} | {(run.cell, run.repeat) for run in self.damaged}
        planned = ((run["cell"], run["repeat"]) for run in self.record["runs"])
        return tuple(key for key in planned if key not in seen)

    def system_name(self, system: str) -> str:
        """Name of a system for people: with its stack where that is not ``current``; of a judgement that of the arm."""
        if self.record.get("judged_against"):
            return system.rpartition(",")[2]
        name = str(self.record["systems"].get(system, {}).get("name", system))
        stack = system.partition("@")[2]
        return f"{name} ({stack})" if stack else name


def read_campaign(folder: Path) -> Campaign:
    """Read a results folder.

    Raises LabError when the folder is not a results folder or its ``campaign.json`` cannot be used. Damage in a run
    is not an error: the run is listed in ``damaged``.
    """
    if not folder.is_dir():
        raise LabError(f"{folder} is not a folder; expected a results folder as ./lab run makes it.")
    name = str(folder.resolve())
    if name != (written := name.encode(errors="replace").decode()):  # no table could be written there, and no page
        raise LabError(f"{written}: the path of a results folder has to be UTF-8; rename it.")
    path = folder / "campaign.json"
    if not path.is_file():
        raise LabError(f"{folder} is not a results folder: it has no campaign.json.")
    record = read_json(path)
    if record.get("schema") != SCHEMA:
        raise LabError(f"{path}: schema is {record.get('schema')!r}; this version reads schema {SCHEMA}.")
    as_record(path, record, CampaignRecord)
    runs: list[Run] = []
    damaged: list[DamagedRun] = []
    for run_folder in _run_folders(folder / "runs"):
        try:
            runs.append(read_run(run_folder))
        except LabError as error:
            damaged.append(DamagedRun(cell=run_folder.parent.name, repeat=run_folder.name, sentence=str(error)))
    parts = [part for run in runs for part in _parts(record, run)]
    baseline = [part for run in _baseline(folder) for part in _parts(record, run)]
    record = _by_part(record)
    damaged = [level for run in damaged for level in _damaged_levels(record, run)]
    return Campaign(folder=folder, record=record, runs=tuple(parts), damaged=tuple(damaged), baseline=tuple(baseline))


def _by_part(record: dict[str, Any]) -> dict[str, Any]:
    """Return the record of a campaign whose runs are the parts of those that it planned; of its baseline, too."""
    planned: dict[str, Any] = {"runs": planned_by_part(record)}
    if of_baseline := record.get("baseline"):
        planned["baseline"] = {**of_baseline, "runs": planned_by_part(record | {"runs": of_baseline.get("runs")})}
    name, levels = _within_run(record)
    return record | planned | ({"levels": {**(record.get("levels") or {}), name: levels}} if name else {})


def planned_by_part(record: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the planned runs; each level or window of a run is one of its own, and `made_as` its run's cell."""
    return [
        entry | {"cell": cell, "factors": {**entry["factors"], **levels}, "made_as": entry["cell"]} if levels else entry
        for entry in record.get("runs") or []
        for cell, levels in _planned_parts(record, entry["cell"], run_key(entry), entry.get("factors") or {})
    ]


def _planned_parts(record: Levels, cell: str, key: str, factors: Levels) -> Iterator[tuple[str, Levels]]:
    """Yield the cells that a planned run is measured for, each with the level that the run does not say of itself."""
    factor = windows_factor(record)
    name, levels = _within_run(record)
    if factor and factor not in factors:
        yield from ((cell_of_window(cell, key, load), {factor: load}) for load in loads_of(record, factors))
    elif name and not factor:
        yield from ((_cell_of_level(record, cell, key, level), {name: level}) for level in levels)
    else:
        yield cell, {}


def _parts(record: Levels, run: Run) -> Iterator[Run]:
    """Take each level or window within a run for a run of its own; of a failed run those that were planned."""
    factor = windows_factor(record)
    if factor and run.complete:
        yield from (_in_window(run, factor, window) for window in run.record.windows)
        return
    for number, (cell, levels) in enumerate(_planned_parts(record, run.cell, run.system, run.factors)):
        within: dict[str, Any] = {} if factor or not levels else {"within_run": number, **_settled_level(run, number)}
        yield replace(run, cell=cell, factors={**run.factors, **levels}, **within)


def _in_window(run: Run, factor: str, window: Window) -> Run:
    record = record_of_window(run.record, window)
    return replace(
        run,
        cell=run.cell if factor in run.factors else cell_of_window(run.cell, run.system, window.load),
        factors={**run.factors, factor: window.load},
        threads=record.load.threads,
        valid=counts_alone(run.record, window),
        reason=_reason(record),
        measure_start_ns=window.start_ns,
        measure_end_ns=window.end_ns,
        record=record,
        window=window,
    )


def _damaged_levels(record: Mapping[str, Any], run: DamagedRun) -> list[DamagedRun]:
    """Take each level that was planned of a damaged run for a damaged run of its own; any other stays as it is."""
    levels = dict.fromkeys(entry["cell"] for entry in record["runs"] if entry.get("made_as") == run.cell)
    return [replace(run, cell=cell) for cell in levels] or [run]


def _within_run(record: Mapping[str, Any]) -> tuple[str, Sequence[Any]]:
    """Return the factor that varies within the runs, and its levels; "" and one level where there is none."""
    factors = (record.get("study") or {}).get("factors") or {}
    name = next((name for name, of in factors.items() if of.get("kind") == "within_run"), "")
    return name, factors[name]["levels"] if name else ("",)


def _cell_of_level(record: Mapping[str, Any], cell: str, key: str, level: str | int) -> str:
    name, _ = _within_run(record)
    mark = record["study"]["factors"][name].get("cell") or f"{name}{{}}"
    return f"{cell.removesuffix(f'-{key}')}-{mark.format(level)}-{key}"


def _settled_level(run: Run, number: int) -> dict[str, Any]:
    """Return what of a run is different for a level within it of which the driver tells when it had settled.

    Where only the settled part is measured, a level that never settled is left out, and the rest of its run is not.
    """
    levels = run.record.settled.levels if run.record.settled else []
    if number >= len(levels):
        return {}
    told = levels[number]
    counts = msgspec.structs.replace(run.record.counts, cut_requests=told.requests_before if told.cut else 0)
    of_level: dict[str, Any] = {"record": msgspec.structs.replace(run.record, settled=told, counts=counts)}
    if run.record.load.window == "settled" and not told.settled:
        return of_level | {"valid": False, "reason": f"{run.reason} {told.sentence}".lstrip()}
    return of_level | ({"measure_start_ns": told.from_ns} if told.cut else {})


def _baseline(folder: Path) -> Iterator[Run]:
    for run_folder in _run_folders(folder / "baseline"):
        with contextlib.suppress(LabError):
            yield read_run(run_folder)


def read_run(folder: Path) -> Run:
    """Read the ``run.json`` of one run folder.

    Raises LabError when it is not JSON, or a key that the analysis needs is missing or of the wrong kind.
    """
    path = folder / "run.json"
    content = read_json(path)
    if content.get("schema") != SCHEMA:
        raise LabError(f"{path}: schema is {content.get('schema')!r}; this version reads schema {SCHEMA}.")
    record = as_record(path, content, RunRecord)
    if (record.cell, record.repeat) != (folder.parent.name, folder.name):
        place = f"{folder.parent.name}/{folder.name}"
        raise LabError(f"{path}: it is the record of {record.cell}/{record.repeat}, not of {place}.")
    complete, phases = record.status == "complete", record.phases
    for name in ("measure_start_ns", "measure_end_ns") if complete else ():
        if getattr(phases, name) is None:
            raise LabError(f"{path}: phases.{name} is missing; expected epoch nanoseconds.")
    stack = record.stack or "current"
    return Run(
        folder=folder,
        cell=record.cell,
        repeat=record.repeat,
        order=record.order,
        block=record.block,
        system=key_of(record.system.partition("@")[0], stack),
        stack=stack,
        factors=record.factors,
        threads=record.load.threads,
        complete=complete,
        valid=record.valid and complete,
        reason=_reason(record),
        measure_start_ns=phases.measure_start_ns,
        measure_end_ns=phases.measure_end_ns,
        server_cores=_cores(record, _server_role(record)),
        injector_cores=_cores(record, "injector"),
        record=record,
    )


def _cores(record: RunRecord, role: str) -> tuple[int, ...]:
    return tuple(record.processes.get(role, Processes()).cores)


def _reason(record: RunRecord) -> str:
    """Return why a run is not valid: what it says of itself, and the sentences of the gates that failed."""
    reason = [record.reason] if record.reason else []
    failed = [gate.sentence or gate.name for gate in record.gates if not gate.passed]
    return " ".join([*reason, *(one for one in failed if one not in "".join(reason))])


def _server_role(record: RunRecord) -> str:
    """Return the role whose cores are the server's: of a system of several parts that of the first."""
    return record.parts[0].role if record.parts else "server"


def _run_folders(folder: Path) -> list[Path]:
    """Return the run folders that have a ``run.json``; without it a run is not complete."""
    return [path.parent for path in sorted(folder.glob("*/*/run.json")) if not _SET_ASIDE.search(path.parent.name)]
