"""What a campaign leaves as JSON, `campaign.json` and each run's `run.json`: written from here, and read as here.

Keys of `campaign.json` whose content a study or a host decides are free; so are what a run's driver adds to its load,
its counts and its gates.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec

from uploadlab.errors import InputError

SCHEMA = 1
Level = str | int | float


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
    warmup_requests: int | None = None
    stored_files: int | None = None


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
    measure_start_ns: int | None = None
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
    end_ns: int
    counts: Counts
    settled: bool | None = None
    users: int | None = None
    rate_per_s: float | None = None
    held: bool | None = None
    """Of open arrivals: whether the system held the rate."""
    mean_ms: float | None = None
    gates: list[Gate] = []


class RunRecord(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The content of `run.json`."""

    schema: Literal[1]
    cell: str
    repeat: str
    order: int = 0
    block: int | None = None
    system: str
    stack: str | None = None
    factors: dict[str, Level]
    baseline: bool = False
    load: Load = Load()
    settings: dict[str, Any] = {}
    status: Literal["complete", "failed"]
    reason: str = ""
    valid: bool
    gates: list[Gate] = []
    phases: Phases = Phases()
    counts: Counts = Counts()
    processes: dict[str, Processes] = {}
    exit_codes: dict[str, int] = {}
    watched: bool = True
    """Whether the lab's recorders ran beside it."""
    noise: dict[str, dict[str, Any]] = {}
    idle_cores_asleep: dict[str, str | None] = {}
    parts: list[Part] = []
    clock: dict[str, dict[str, Any]] | None = None
    clock_ahead_ns: dict[str, int] = {}
    clock_span_ns: list[int] = []
    nmon_written_ns: int | None = None
    link: dict[str, int] = {}
    settled: Settled | None = None
    windows: list[Window] = []
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
    gates: dict[str, Any] = {}
    levels: dict[str, list[Level]] = {}
    check_factors: list[str] = []
    capacity_factor: str | None = None
    windows_factor: str | None = None
    seed: int | None = None
    inputs: dict[str, dict[str, Any]] = {}
    systems: dict[str, SystemRecord]
    runs: list[PlannedRecord]
    baseline: BaselineRecord | None = None
    rig: dict[str, Any] = {}
    machine: dict[str, Any] = {}
    versions: dict[str, Any] = {}
    command: list[str] = []
    continue_with: str = ""
    started_ns: int | None = None


R = TypeVar("R", RunRecord, CampaignRecord)


def as_record(path: Path, content: Mapping[str, Any], kind: type[R]) -> R:
    """Return what a JSON file says as a record; InputError names the file, the key and what was expected of it."""
    try:
        return msgspec.convert(content, kind)
    except msgspec.ValidationError as error:
        raise InputError(f"{path}: {error}.") from None
