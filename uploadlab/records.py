"""What a campaign leaves as JSON, `campaign.json` and each run's `run.json`: written from here, and read as here.

Keys of `campaign.json` whose content a study or a host decides are free; so are what a run's driver adds to its load,
its counts and its gates.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec

from uploadlab.errors import LabError

SCHEMA = 1
DECLARED = ("words", "roles", "factors", "operation", "intervals", "metrics")
"""The tables of a `study.toml` that `campaign.json` carries for the analysis."""
SATURATED = "saturated"
"""The load of as many users as there are, each with its next request as soon as the last is answered."""
Level = str | int | float


def key_of(system: str, stack: str | None) -> str:
    """Return the key of a system as it is run: ``a``, or ``a@older`` where the stack is not ``current``."""
    return system if stack in ("current", "", None) else f"{system}@{stack}"


class Gate(msgspec.Struct, frozen=True, kw_only=True):
    """One check that makes a run invalid where it does not pass."""

    name: str
    passed: bool
    figure: float | int | str | None = None
    unit: str = ""
    threshold: float | int | None = None
    sentence: str = ""


class Counts(msgspec.Struct, frozen=True, kw_only=True):
    """The requests of the measured part, or of one window."""

    requests: int | None = None
    errors: int | None = None
    cut_requests: int | None = None
    """Left out before the measured part, as they had not settled."""
    cut_errors: int | None = None
    ended: int | None = None
    """Which ended in the window, whenever they began; of these, without an error: `ended_ok`."""
    ended_ok: int | None = None
    ended_per_s: list[int] = []
    """Requests that ended in each whole second of the measured part."""
    warmup_requests: int | None = None
    stored_files: int | None = None
    """Those that the load left; null where nobody can look."""


class Load(msgspec.Struct, frozen=True, kw_only=True):
    """What the analysis needs of the load; the driver says more."""

    threads: int | None = None
    window: Level | None = None
    """`settled`: only that part of the run is measured. What else it says is the study's own."""
    stamp_every: int | None = None


class Settled(msgspec.Struct, frozen=True, kw_only=True):
    """Whether and when response times had settled."""

    settled: bool | None = None
    from_ns: int | None = None
    requests_before: int = 0
    change_points_ns: list[int] = []
    cut: bool = False
    sentence: str = ""
    levels: "list[Settled]" = []
    """The same of each level of a factor that varies within the run."""


class Phases(msgspec.Struct, frozen=True, kw_only=True):
    """When each phase began or ended, epoch ns."""

    run_start_ns: int | None = None
    collectors_start_ns: int | None = None
    server_start_ns: int | None = None
    server_ready_ns: int | None = None
    verified_ns: int | None = None
    load_start_ns: int | None = None
    server_limited_ns: int | None = None
    """When the server, which warms up on its whole cores, was held to its share of them."""
    measure_start_ns: int | None = None
    """The first start of a measured request; `measure_end_ns` the last end."""
    measure_end_ns: int | None = None
    load_end_ns: int | None = None
    server_end_ns: int | None = None
    collectors_end_ns: int | None = None
    run_end_ns: int | None = None


class Processes(msgspec.Struct, frozen=True, kw_only=True):
    """The processes of a role and where they ran."""

    pids: list[int] = []
    cores: list[int] = []
    port: int | None = None
    place: str | None = None
    cpu_limit_pct: float | None = None
    """The share of its cores that the server got; null without a limit."""


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """One part of a system of several."""

    role: str
    index: int = 0
    pid: int | None = None
    cores: list[int] = []
    address: str | None = None
    host: str | None = None


class File(msgspec.Struct, frozen=True, kw_only=True):
    """What a raw file was when the run ended."""

    bytes: int | None = None
    sha256: str | None = None


class Window(msgspec.Struct, frozen=True, kw_only=True):
    """One load that was measured within a run; an open one has a rate."""

    load: str | int
    """``saturated``, a share of the capacity in per cent, or ``as_given``."""
    label: str
    """What the request file calls its requests."""
    start_ns: int
    """Measured are those that began, or with open arrivals were due, from here on."""
    end_ns: int
    """When the last of them began; ended, where a load has a number of requests."""
    active_ns: int | None = None
    """How long the run had the core within it, where it took turns with others; null: all the time."""
    counts: Counts
    settled: bool | None = None
    """Whether an upload costs the same CPU in each third of it, and background work had ended; null: nothing tells."""
    users: int | None = None
    rate_per_s: float | None = None
    held: bool | None = None
    """Of open arrivals: whether the system held the rate."""
    mean_ms: float | None = None
    """From when an upload was due."""
    gates: list[Gate] = []


class BackgroundWork(msgspec.Struct, frozen=True, kw_only=True):
    """For how long a server's own work was waited for before a load."""

    seconds: float
    cpu_pct: float
    """Of one core: the CPU time that the server used at last, with next to no load."""
    ended: bool
    """Whether that was little; false: it took as long as the load's `background_s`."""


class RunRecord(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The content of `run.json`."""

    schema: Literal[1]
    cell: str
    repeat: str
    order: int = 0
    block: int | None = None
    """Runs of a scenario with the same block were made one after the other."""
    system: str
    stack: str | None = None
    factors: dict[str, Level]
    """Every level: `{"sample": 5, "disk": "local"}`."""
    baseline: bool = False
    load: Load = Load()
    settings: dict[str, Any] = {}
    """The system's named settings, as used."""
    status: Literal["complete", "failed"]
    reason: str = ""
    valid: bool
    """True when every gate passed, those of its windows too."""
    gates: list[Gate] = []
    phases: Phases = Phases()
    counts: Counts = Counts()
    processes: dict[str, Processes] = {}
    exit_codes: dict[str, int] = {}
    watched: bool = True
    """Whether the lab's recorders ran beside it."""
    noise: dict[str, dict[str, Any]] = {}
    """By role: how busy each measured core was just before the run, and what a fixed piece of work cost it."""
    idle_cores_asleep: dict[str, str | None] = {}
    """By role: why idle cores slept though they were to poll; null where they polled."""
    parts: list[Part] = []
    clock: dict[str, dict[str, Any]] | None = None
    """On several hosts: how far each host's clock was ahead of the lab's, before and after the load."""
    clock_ahead_ns: dict[str, int] = {}
    """By host: what was added to its monotonic clock."""
    clock_span_ns: list[int] = []
    """The first and the last record of all parts."""
    nmon_written_ns: int | None = None
    """When nmon last wrote before the load: its stamps are whole seconds, this is the moment within them."""
    link: dict[str, int] = {}
    """Of a link that the lab made: bytes and frames received by all parts, frames dropped by all queues."""
    settled: Settled | None = None
    background_work: list[BackgroundWork] = []
    """Before each window, where a server was warmed up."""
    windows: list[Window] = []
    """The loads of an upload run, in their order."""
    files: dict[str, File] = {}


class StudyRecord(msgspec.Struct, frozen=True, kw_only=True):
    """Which study it was; what it declares beside these stands in the same object."""

    id: str
    title: str = ""
    folder: str | None = None
    """Where it is, of one that is not among the lab's."""


class PlannedRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A planned run."""

    cell: str
    repeat: str
    order: int = 0
    block: int = 0
    system: str = ""
    stack: str = "current"
    factors: dict[str, Level] = {}
    baseline: bool = False


class SystemRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A system as it was run."""

    id: str = ""
    name: str = ""
    description: str = ""
    stack: str = "current"
    settings: dict[str, Any] = {}
    versions: dict[str, Any] = {}
    facts: dict[str, Any] = {}
    folder: str | None = None
    floor: bool = False
    """Whether it is only a line to compare with, which wins and loses nothing."""


class BaselineRecord(SystemRecord, frozen=True, kw_only=True):
    """The server that does nothing, with its runs."""

    runs: list[PlannedRecord] = []


class CampaignRecord(msgspec.Struct, frozen=True, kw_only=True):
    """The content of `campaign.json`; a further host has a key of its own, `injector_machine` for one."""

    schema: Literal[1]
    study: StudyRecord
    profile: dict[str, Any] = {}
    """`name` and `settings`: every setting of the profile as it was used."""
    gates: dict[str, Any] = {}
    levels: dict[str, list[Level]] = {}
    check_factors: list[str] = []
    windows_factor: str | None = None
    seed: int | None = None
    """Of the order of runs and of the size lists."""
    inputs: dict[str, dict[str, Any]] = {}
    """What was uploaded, for each sample: counts, bytes, and `made_from`, the model with its parameters or the SHA-256
    of the list."""
    systems: dict[str, SystemRecord]
    """By `system` or `system@stack`."""
    runs: list[PlannedRecord]
    """The planned order; with `--minutes` that of the first blocks."""
    baseline: BaselineRecord | None = None
    rig: dict[str, Any] = {}
    """Name, roles with hosts and cores, disks, links, `server_cpu_limit_pct`, `emulated`."""
    machine: dict[str, Any] = {}
    """The server's host: processor, memory, kernel, virtualisation, clock source, load, why idle cores sleep."""
    versions: dict[str, Any] = {}
    command: list[str] = []
    """The command line as it was typed."""
    continue_with: str = ""
    """The command that finishes the campaign; its folder follows."""
    started_ns: int | None = None


def read_json(path: Path) -> dict[str, Any]:
    """Return the object in a JSON file; LabError names the file that holds none."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise LabError(f"{path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise LabError(f"{path} is not UTF-8 text.") from None
    except json.JSONDecodeError as error:
        raise LabError(f"{path}, line {error.lineno}: not valid JSON: {error.msg}.") from None
    if not isinstance(value, dict):
        raise LabError(f"{path}: expected a JSON object.")
    return value


R = TypeVar("R", RunRecord, CampaignRecord)


def as_record(path: Path, content: Mapping[str, Any], kind: type[R]) -> R:
    """Return what a JSON file says as a record; LabError names the file, the key and what was expected of it."""
    try:
        return msgspec.convert(content, kind)
    except msgspec.ValidationError as error:
        raise LabError(f"{path}: {error}.") from None
