"""A study as its `study.toml` describes it: factors, profiles, gates and the driver."""

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from uploadlab.errors import LabError
from uploadlab.hosts.link import LOOPBACK
from uploadlab.planning.system import Requirement, Step
from uploadlab.planning.toml_files import line_of, read_toml
from uploadlab.records import DECLARED

Level = int | str
MOST_REPEATS = 99  # a run's folder has two digits
MOST_SHARE = 200  # of the capacity, in per cent: more only says again that a system can't
Where = dict[str, int | str | list[int | str]]
Moment = tuple[str, str]
KINDS = ("due", "sent", "accepted", "received", "answered", "replied", "waiting")


class Identity(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Names of a study, and the files and folders that belong to it (relative to `study.toml`)."""

    id: str
    title: str
    driver: str
    systems: list[str]
    floors: list[str] = []
    """Those of them that are lines to compare the others with, and no competitors."""
    baseline: str | None = None
    """The folder of a system that does nothing with a request: what is measured with it is the load generator's own."""
    further: str | None = None
    """A folder of more systems, which the command line knows by their ids, and `./lab league` ranks."""
    decisions: str | None = None
    """A program that says of a campaign's folder which comparisons are open, in the place of the analysis's."""


class Factor(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is varied beside the system: its levels, its option on the command line, its mark in a cell's name."""

    option: str = ""
    describe: str
    cell: str = ""
    levels: list[Level] = []
    kind: Literal["", "disks", "links", "check", "loads", "server_cpu", "within_run", "rounds"] = ""
    """What its levels are: `disks` or `links` of the rig; `check`: the answer rests on the first, the others check it;
    `loads`: every run measures them one after the other, those it names and any share of the capacity, the requests a
    second that every system can do, in per cent (`saturated` is measured with each share); `server_cpu`: shares of its
    cores that the server gets, in per cent, a factor where several are named with --server-cpu, and only there;
    `within_run`: met one after the other in every run, the `op` of the records; `rounds`: the same, and replicates."""
    unmarked: Level | None = None
    """The level taken where nothing else is asked for, which leaves no mark in a cell's name."""
    apart: dict[str, Level | list[Level]] = {}
    """Of `loads`: the levels of other factors with which each load has a run of its own."""
    name: str = ""
    unit: str = ""
    size: dict[str, Any] = {}
    """Where its sizes are: a `table` and its `columns`; `request_bytes`: what an operation costs beside its file."""

    def has(self, level: Level) -> bool:
        """Return whether it is one of its levels."""
        return level in self.levels or (self.kind == "loads" and isinstance(level, int) and 0 < level <= MOST_SHARE)

    @property
    def from_rig(self) -> bool:
        """Whether its levels are the rig's."""
        return self.kind in ("disks", "links")

    @property
    def within_run(self) -> bool:
        """Whether its levels are met one after the other in every run."""
        return self.kind in ("within_run", "rounds")


class PartRole(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a part of a system is for, and where it runs."""

    place: Literal["server", "injector", "all"]
    """The cores of a role of the rig; `all` deals its parts over the cores of both, in turn."""
    count: int | str = 1
    """How many there are, or the factor that says so."""
    measured: bool = False
    sends: bool = False
    start: Literal["together", "one_after_another"] = "together"


class Ends(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Between which two records an operation or an interval lies, or at which record one is counted.

    `late_from` is the record of when an operation was due: its time counts from there, and how late it was sent.
    """

    begin: Moment | None = msgspec.field(default=None, name="from")
    to: Moment | None = None
    at: Moment | None = None
    late_from: Moment | None = None

    def moments(self) -> Iterator[Moment]:
        """Yield the records that it names."""
        yield from (one for one in (self.begin, self.to, self.at, self.late_from) if one is not None)


class Operation(Ends, frozen=True, forbid_unknown_fields=True):
    """What an operation is, and what differs at the levels of a factor."""

    label: str = ""
    scenario: dict[str, dict[str, Ends]] = {}


class Interval(Ends, frozen=True, forbid_unknown_fields=True):
    """What is timed beside the operation."""

    kind: Literal["", "without_extremes", "of_seconds"] = ""
    """How a paper computed its deviation: without the smallest and the largest; of the means of whole seconds."""


class Metric(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What systems are compared by."""

    column: str
    unit: str = ""
    better: Literal["lower", "higher"] = "lower"
    name: str = ""
    question: bool = False
    """Whether the first page answers it: such comparisons are decided."""
    shown: bool = False
    """Whether the page shows it beside these."""
    where: Where = {}


class Gates(msgspec.Struct, frozen=True, kw_only=True):
    """Thresholds of the harness's own, beyond which a run is invalid; the driver's stand beside them in study.toml."""

    injector_cpu_pct: float = 80.0
    """Of the load generator's cores."""
    injector_wait_pct: float = 10.0
    """The load generator's run-queue wait per request, of the mean response time."""
    injector_wait_ms: float = 0.0
    """A run-queue wait per request that passes whatever its share; without it the fastest servers often fail."""
    server_others_pct: float = 5.0
    """Of the server's cores, used by other programs."""
    server_steal_pct: float = 5.0
    """Of the server's cores, taken by the host of a virtual machine (docs/method/hosts.md)."""
    nmon_missing_pct: float = 10.0
    """Of the measured seconds, without a snapshot."""
    sampler_cpu_pct: float = 2.0
    """Of a core (on two cores the generator's), used by the lab's own sampler; 1 % on a slow machine."""
    pacing_pct: float | None = None
    """How late requests were sent, of the mean response time."""
    injector_gc_pct: float = 2.0
    """Of the measured time, in which the load generator collected garbage."""
    injector_heap_pct: float = 90.0
    """Of its heap, still full after a collection."""
    injector_delay_pct: float = 10.0
    """Of the mean response time: how long a response waited, at most, until the load generator read it."""
    injectors_apart_pct: float = 10.0
    """Of the measured time, in which not all of several load generators made load."""
    host_busy_pct: float | None = None
    """Of the busiest core that will be measured on, just before a run."""
    disk_free_pct: float | None = None
    """Of the disk that is stored on, at least left free by a run."""
    extra_repeats: int = 0
    """At most so many more runs of a cell that has invalid ones."""


class Option(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An option of `./lab run` that belongs to the study: a path, text or count that becomes a setting of the load."""

    describe: str
    load: str
    kind: Literal["path", "text", "count"] = "path"
    levels: dict[str, list[Level]] = {}


class Command(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A command of ./lab that belongs to the study, relative to `study.toml`."""

    describe: str
    command: list[str]
    setup: Literal["nothing", "load", "everything"]


class Capacity(msgspec.Struct, frozen=True, kw_only=True):
    """The requests a second that systems can do in a scenario."""

    factors: dict[str, Level]
    per_s: dict[str, float]
    """By the system's key."""

    @property
    def lowest(self) -> float:
        """That of the slowest, or of the one that the profile names: every system gets the same load."""
        return min(self.per_s.values())


class Skip(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Scenarios that a profile leaves out of the product of its levels."""

    where: dict[str, Level | list[Level]]
    """A scenario is left out that has, of every factor named here, this level or one of these."""
    system: str | list[str] = []
    """Only these systems are left out of it, by their ids."""

    def leaves_out(self, scenario: Mapping[str, Level], system: str = "") -> bool:
        """Return whether the scenario is one of them; with a system, whether that is left out of it."""
        named = [self.system] if isinstance(self.system, str) else self.system
        return (system in named if named else not system) and all(
            scenario.get(factor) in (levels if isinstance(levels, list) else [levels])
            for factor, levels in self.where.items()
        )


ProfileMetric = Literal["first_mean_ms", "first_max_ms", "p99_ms", "server_cpu_us_per_request", "throughput_rps"]


class DeclaredProfile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a study is run, as `study.toml` says it."""

    title: str
    repeats: Annotated[int, Meta(ge=1)]
    """Of each cell; the least of them where `minutes` decides."""
    levels: dict[str, list[Level]]
    skip: list[Skip] = []
    load: dict[str, Any]
    scenario: dict[str, dict[str, dict[str, Any]]] = {}
    baseline_repeats: int = 0
    extra_repeats: int | None = None
    """Of each scenario, in place of those with invalid runs; None: what the study's gates say."""
    minutes: Annotated[float, Meta(gt=0)] | None = None
    """The time of a campaign that makes more repeats where comparisons are still open; None: `repeats` of each cell."""
    most_repeats: Annotated[int, Meta(ge=2, le=MOST_REPEATS)] = 40
    """Of each scenario, where `minutes` decides."""
    fills_time: bool = False
    """Whether `minutes` are filled with blocks of everything, whatever these show."""
    equal_margin_pct: Annotated[float, Meta(gt=0, lt=100)] = 5.0
    """Systems that differ by less are equal: what the analysis is told."""
    p99_limit_ms: float | None = None
    """What 99 of 100 requests may take: the report says up to which rate each system keeps to it."""
    metrics: list[ProfileMetric] = []
    """What systems are compared by, all of it on the first page; none: what the study says."""
    shares_of: str = ""
    """The system of the study whose capacity shares are taken of; empty: the slowest of those that are compared."""
    turn_ms: int = 0
    """How long a turn is where the servers of a block are alive together and take turns; 0: they run one by one."""


class Profile(DeclaredProfile, frozen=True, kw_only=True):
    """How a campaign is run: with what the command line and the lab itself add."""

    capture: bool = False
    """Whether the heads of the server's packets are captured."""
    idle_cores: Literal["poll", "sleep"] = "poll"
    """What idle cores of a virtual machine do in a run, where the kernel lets us choose: who wakes one pays for it."""
    apart: bool = False
    """Whether each load has a run of its own, not a window of the same run."""
    capacities: list[Capacity] = []
    """What the systems can do in each scenario, which shares are taken of."""
    capacities_took_s: float = 0.0
    """How much of the campaign's time finding these took."""
    overhead_s: float | None = None
    """How long each of the runs that found these took beside its loads."""

    def with_load(self, settings: dict[str, Any]) -> "Profile":
        """Return the profile with these settings of the load in every scenario."""
        scenario = {
            factor: {
                level: {name: load[name] for name in load if name not in settings} for level, load in levels.items()
            }
            for factor, levels in self.scenario.items()
        }
        return msgspec.structs.replace(self, load=self.load | settings, scenario=scenario)

    def load_of(self, factors: dict[str, Level]) -> dict[str, Any]:
        """Return the load of one scenario: the profile's, replaced by what its levels say."""
        load = dict(self.load)
        for factor, level in factors.items():
            load |= self.scenario.get(factor, {}).get(str(level), {})
        return load


class StudyFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The content of a `study.toml`."""

    study: Identity
    requires: list[Requirement] = []
    install: list[Step] = []
    commands: dict[str, Command] = {}
    roles: dict[str, PartRole] = {}
    """Of a study whose systems have several parts; without any it compares servers under a load of the driver's."""
    words: dict[str, Any] = {}
    operation: Operation = Operation()
    intervals: dict[str, Interval] = {}
    metrics: dict[str, Metric] = {}
    factors: dict[str, Factor]
    options: dict[str, Option] = {}
    limits: dict[str, int] = {}
    sampler_interval_ms: int = 100
    """How finely the lab's own sampler looks."""
    gates: dict[str, Any] = {}
    driver: dict[str, Any] = {}
    skip: list[Skip] = []
    """What every profile leaves out."""
    profiles: dict[str, DeclaredProfile]


class Study(msgspec.Struct, frozen=True, kw_only=True):
    """A study and the folder it lives in."""

    folder: Path
    file: StudyFile
    gates: Gates
    declared: dict[str, Any] = {}
    """The tables of study.toml that the analysis reads, as they stand there."""

    @property
    def driver(self) -> Path:
        """The executable that runs one scenario."""
        return self.folder / self.file.study.driver

    def system_folders(self) -> dict[str, Path]:
        """Map each system's folder name to its folder."""
        return {Path(entry).name: (self.folder / entry).resolve() for entry in self.file.study.systems}

    @property
    def thresholds(self) -> list[str]:
        """Name the gates that are not the harness's alone: thresholds for the driver, which may refuse them."""
        harness_s_own = set(Gates.__struct_fields__) - {"pacing_pct"}
        return [name for name in self.file.gates if name not in harness_s_own]

    @property
    def operations(self) -> str:
        """What a run counts, as the study calls it: `messages`; requests of a load generator where it doesn't say."""
        named = self.file.words.get("operations", "operations")
        return str(named) if self.file.roles else "requests"

    def factor_of(self, kind: str) -> str | None:
        """Return the factor of a kind, the first where there are several, or None where the study has none."""
        return next((name for name, factor in self.file.factors.items() if factor.kind == kind), None)

    def further_folders(self) -> list[Path]:
        """Return the folders of the systems that are there beside those compared by default."""
        further = self.file.study.further
        return sorted(path.parent.resolve() for path in (self.folder / further).glob("*/sut.toml")) if further else []

    @property
    def baseline_folder(self) -> Path | None:
        """The folder of the system that does nothing, if the study has one."""
        entry = self.file.study.baseline
        return None if entry is None else (self.folder / entry).resolve()

    def profile(self, name: str) -> Profile:
        """Return the profile, or raise LabError naming those there are."""
        if name not in self.file.profiles:
            known = ", ".join(self.file.profiles)
            raise LabError(f"The study '{self.file.study.id}' has no profile '{name}'; it has {known}.")
        declared = self.file.profiles[name]
        return Profile(**msgspec.structs.asdict(declared) | {"skip": [*self.file.skip, *declared.skip]})


def storage_level(study: Study, factors: dict[str, Level]) -> str | None:
    """Return the disk that a scenario stores on, a level of the factor that is the rig's disks; None: on none."""
    name = study.factor_of("disks")
    return None if name is None else str(factors[name])


def link_level(study: Study, factors: dict[str, Level]) -> str:
    """Return how the parts of a scenario reach each other, a level of the factor that is the rig's links."""
    return str(factors.get(study.factor_of("links") or "", LOOPBACK))


def load_study(folder: Path) -> Study:
    """Read a study's `study.toml`."""
    path = folder / "study.toml"
    file = read_toml(path, StudyFile)
    _check_factors(path, file)
    _check_declared(path, file)
    for name, profile in file.profiles.items():
        _check_profile(path, name, profile, file.factors)
    return Study(folder=folder, file=file, gates=_gates(path, file), declared=_declared(path))


def _check_declared(path: Path, file: StudyFile) -> None:
    """Raise LabError for a role, a kind of record, a factor or a metric that there is not."""
    ends: dict[str, Ends] = {"operation": file.operation}
    ends |= {f"intervals.{name}": one for name, one in file.intervals.items()}
    for factor, levels in file.operation.scenario.items():
        ends |= {f"operation.scenario.{factor}.{level}": one for level, one in levels.items()}
    for place, one in ends.items():
        for role, kind in one.moments():
            if role not in file.roles or kind not in KINDS:
                raise LabError(
                    f"{path}: {place}: expected a role ({', '.join(file.roles)}) and a kind of record "
                    f"({', '.join(KINDS)}), not {role!r} and {kind!r}."
                )
    for where, factor in _factors_named(file):
        if factor not in file.factors:
            raise LabError(f"{path}: {where}: '{factor}' is not a factor of the study.")
    for floor in file.study.floors:
        if floor not in file.study.systems:
            raise LabError(f"{path}: floors: '{floor}' is not one of its systems ({', '.join(file.study.systems)}).")


def _factors_named(file: StudyFile) -> Iterator[tuple[str, str]]:
    """Yield where factors are named, and each."""
    places: dict[str, Iterable[str]] = {f"metrics.{name}.where": metric.where for name, metric in file.metrics.items()}
    for name, profile in file.profiles.items():
        places |= {f"profiles.{name}.levels": profile.levels, f"profiles.{name}.scenario": profile.scenario}
        places[f"profiles.{name}.skip"] = [factor for rule in profile.skip for factor in rule.where]
    places["skip"] = [factor for rule in file.skip for factor in rule.where]
    return ((place, factor) for place, factors in places.items() for factor in factors)


def _check_factors(path: Path, file: StudyFile) -> None:
    for name, factor in file.factors.items():
        if not factor.within_run and not (factor.option and factor.cell):
            raise LabError(f"{path}: factors.{name}: expected option (command line) and cell (mark in a cell's name).")
        if not factor.from_rig and factor.kind != "server_cpu" and not factor.levels:
            raise LabError(f"{path}: factors.{name}: expected levels; it has none.")
    for name, role in file.roles.items():
        counting = file.factors.get(str(role.count))
        counts = counting.levels if counting and not counting.within_run else [role.count]
        if not counts or not all(isinstance(count, int) and count > 0 for count in counts):
            raise LabError(
                f"{path}: roles.{name}.count: expected a number, or a factor whose levels are numbers, "
                f"not {role.count!r}."
            )


def _declared(path: Path) -> dict[str, Any]:
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    return {name: table[name] for name in DECLARED if name in table}


def _gates(path: Path, file: StudyFile) -> Gates:
    """Return the harness's own gates; where the driver makes the load there are no others."""
    known = Gates.__struct_fields__
    if wrong := [f"contains unknown field `{name}`" for name in file.gates if not file.roles and name not in known]:
        where = line_of(wrong[0], path.read_text(encoding="utf-8"))
        raise LabError(f"{path}{where}: Object {wrong[0]} - at `$.gates`.")
    try:
        return msgspec.convert(file.gates, Gates)
    except msgspec.ValidationError as error:
        raise LabError(f"{path}: gates: {error}.") from error


def _check_profile(path: Path, name: str, profile: DeclaredProfile, factors: dict[str, Factor]) -> None:
    def refused(why: str) -> LabError:
        return LabError(f"{path}: profile '{name}' {why}")

    for factor, levels in profile.levels.items():
        if factors[factor].kind == "server_cpu":
            raise refused(f"sets levels of '{factor}', which only --server-cpu names.")
        if not levels:
            raise refused(f"names no level of '{factor}'; expected one or more.")
        unknown = [level for level in levels if factors[factor].levels and not factors[factor].has(level)]
        if unknown:
            raise refused(f"names the {factor} {unknown[0]!r}, which the study does not have.")
        if factors[factor].kind == "loads" and factors[factor].unmarked in levels[1:]:
            raise refused(f"names '{factors[factor].unmarked}' beside other levels of '{factor}'; it stands alone.")
    if profile.minutes and not 2 <= profile.repeats <= profile.most_repeats:
        raise refused(f"has minutes; expected repeats from 2 to its most_repeats ({profile.most_repeats}).")
