"""What the harness tells the driver, as typed values."""

import os
from pathlib import Path
from string import Template
from typing import Any, Literal

import msgspec

from study_kit.spec import DriverError as DriverError
from study_kit.spec import read_spec as read_spec

REGISTRY_PORT = 1099  # of every engine's RMI registry
REPOSITORY = Path(__file__).resolve().parents[4]


class GateError(DriverError):
    """A gate failed; the message is one sentence."""


class Window(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A load that is measured: `saturated`, or a share of the capacity in per cent."""

    load: Literal["saturated"] | int
    rate_per_s: float | None = None
    """Of a share; None: the capacity is not known yet."""


class Load(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The load of one scenario, as a profile of `study.toml` gives it; `table` stands for the value of Table 1.

    `arrivals = "closed"`: `threads` users send `loops` files each, the next when the last is answered, or as many as
    they can in `duration_s`. `"open"`: files are sent at Poisson times, `rate_per_s` for `duration_s`, answered or not;
    `threads` is the most under way at a time. `window` is what is measured: the `whole` load, or the part of it that is
    `settled`. `influxdb` is where live figures are written.
    `write_bytes`, of the generator lean alone, is how much of a file goes out in one write; 0: all of it.

    With `windows`, which the harness fills in, these are measured one after the other instead: `saturated` is a closed
    loop of the `threads` for `saturated_s`, a share open arrivals for `share_s`. Of each load the settled part is
    measured, which begins after `settling_s` at the latest.

    After a warm-up and before each load the generator lean waits, up to `background_s`, until the server has finished
    what it does beside its requests; 0: not at all. Open arrivals come for `lead_in_s` before that, unmeasured.
    """

    rows: int
    threads: int | Literal["table"]
    warmup_threads: int
    warmup_loops: int
    arrivals: Literal["closed", "open"] = "closed"
    window: Literal["whole", "settled"] = "whole"
    reader: Literal["csv_data_set", "csv_read"] = "csv_data_set"
    loops: int | Literal["table"] | None = None
    ramp_up_s: int = 0
    rate_per_s: float | None = None
    duration_s: float | None = None
    sizes: str | None = None
    influxdb: str | None = None
    think_time_ms: int = 0
    connect_timeout_ms: int = 60_000
    response_timeout_ms: int = 60_000
    write_bytes: int | None = None
    windows: list[Window] = []
    saturated_s: float = 5.0
    share_s: float = 7.0
    settling_s: float = 3.0
    background_s: float = 20.0
    lead_in_s: float = 10.0

    def __post_init__(self) -> None:
        """Refuse a load that lacks what its arrivals need, or has what they know nothing of."""
        if not self.windows:
            self._check_arrivals()
        elif self.settling_s >= min(self.saturated_s, self.share_s):
            raise ValueError(f"settling_s must be below saturated_s and share_s, not {self.settling_s:g}")
        for name in ("loops", "threads", "rows"):
            count = getattr(self, name)
            if isinstance(count, int) and count < 1:
                raise ValueError(f"{name} must be 1 or more, not {count}")
        for name in ("rate_per_s", "duration_s", "saturated_s", "share_s", "settling_s"):
            value = getattr(self, name)
            if isinstance(value, int | float) and not 0 < value < float("inf"):
                raise ValueError(f"{name} must be above 0, not {value:g}")
        for name in ("background_s", "lead_in_s"):
            if not 0 <= (seconds := getattr(self, name)) < float("inf"):
                raise ValueError(f"{name} must be 0 or more, not {seconds:g}")

    def _check_arrivals(self) -> None:
        given = {name for name in ("loops", "rate_per_s", "duration_s") if getattr(self, name) is not None}
        allowed = {"closed": ({"loops"}, {"duration_s"}), "open": ({"rate_per_s", "duration_s"},)}[self.arrivals]
        if given not in allowed:
            ways = " or ".join(" and ".join(sorted(way)) for way in allowed)
            raise ValueError(f"a load of {self.arrivals} arrivals needs {ways}, and only that")


class Factors(msgspec.Struct, frozen=True, kw_only=True):
    """The levels of a scenario; the sample `own` is the user's own sizes."""

    sample: int | Literal["own"]
    disk: str
    generator: Literal["jmeter", "lean"] = "jmeter"
    load: int | str = "as_given"
    """Where each load has a run of its own: which one."""
    server_cpu: int = 100
    """What the harness holds the server to, in per cent of its cores."""


class Scenario(msgspec.Struct, frozen=True, kw_only=True):
    """Levels and load."""

    factors: Factors
    load: Load
    server_cpu_pct: float = 100.0
    """The share of its cores that the server gets."""


class CampaignSpec(msgspec.Struct, frozen=True, kw_only=True):
    """The spec of `needs` and `prepare`."""

    seed: int
    scenarios: list[Scenario]
    injectors: int = 1
    """How many hosts make the load; each warms its own JMeter."""


class UploadTarget(msgspec.Struct, frozen=True, kw_only=True):
    """Where uploads go, what goes with them and what is expected, from `[upload]` of the system's `sut.toml`."""

    path: str
    field: str
    form: dict[str, str] = {}
    headers: dict[str, str] = {}
    """`$NAME` in them stands for a variable of this process."""
    accepted: list[int] = []
    response: Literal["same", "any"] | None = None
    files: int = 1
    """How many files a request may have."""

    def request_headers(self) -> dict[str, str]:
        """Return the request headers with the values of their variables, which are secrets."""
        try:
            return {name: Template(value).substitute(os.environ) for name, value in self.headers.items()}
        except KeyError as error:
            raise DriverError(f"The request headers need the variable {error}, which isn't set.") from error

    def accepts(self, status: int) -> bool:
        """Return whether a status means that an upload was taken."""
        return status in self.accepted if self.accepted else 200 <= status < 300


class ServerAddress(msgspec.Struct, frozen=True, kw_only=True):
    """A running server."""

    host: str
    port: int
    upload: UploadTarget

    @property
    def upload_url(self) -> str:
        """The URL uploads are posted to."""
        return f"http://{self.host}:{self.port}{self.upload.path}"


class Expected(msgspec.Struct, frozen=True, kw_only=True):
    """What every response must be: as the first of the run was."""

    status: int
    type: str
    body_bytes: int = 0
    """Of a body that is the same each time; 0: any."""
    body_sha256: str = ""

    def told(self) -> str:
        """Return it as the load generators are told it: one line, as settings of theirs."""
        body = f"body_bytes={self.body_bytes}\tbody_sha256={self.body_sha256}" if self.body_bytes else ""
        return f"status={self.status}\t{body}".rstrip()


def expected_of(line: str) -> dict[str, str]:
    """Return the settings of a line that `told` made; none of another."""
    return dict(setting.split("=", 1) for setting in line.split("\t") if "=" in setting)


class Verified(msgspec.Struct, frozen=True, kw_only=True):
    """What `verify` found."""

    expected: Expected
    files_per_upload: int = 0
    """What one upload leaves in the folder: 0 where nothing can be looked at."""
    files_before: int = 0
    """All files in the folder before its own uploads."""
    files_after: int = 0
    gate: dict[str, Any]


class Engine(msgspec.Struct, frozen=True, kw_only=True):
    """A JMeter engine of a distributed load: what its files are named by, and where it is reached."""

    role: str
    address: str

    @property
    def names_users(self) -> str:
        """What stands before the names of the users that run on it."""
        return f"{self.address}:{REGISTRY_PORT}-"


class BackgroundWork(msgspec.Struct, frozen=True, kw_only=True):
    """What the harness saw of a server before a load."""

    seconds: float
    ended: bool


class RunSpec(msgspec.Struct, frozen=True, kw_only=True):
    """The spec of `verify`, `load` and `check`; `gates` are the thresholds of `study.toml` by name."""

    seed: int
    campaign: str = ""
    cell: str = ""
    repeat: str = ""
    gates: dict[str, float | None] = {}
    factors: Factors
    load: Load
    server: ServerAddress
    stored_in: Path | None
    """Where stored files can be compared with what was sent; None: nowhere."""
    server_cpu_pct: float = 100.0
    """The share of its cores that the server gets while it is measured."""
    heap_mib: int | None = None
    """Of JMeter's JVM; None is its launcher's default."""
    background_work: list[BackgroundWork] = []
    """Before each load, where it was waited for."""
    turn_ms: int = 0
    """How long a turn is where the servers of several runs take turns; 0: this one is alone."""
    verified: Verified | None = None
    verified_after: Verified | None = None
    engines: list[Engine] = []
    """Those that make the load together; none: a JMeter of its own does."""
    role: str = ""
    """Of the engine to be started."""
    controller: str = ""
    """Where the engines reach the JMeter that tells them what to do."""
    secrets: Path | None = None
    """The folder of what engines and controller know each other by."""
    clock: dict[str, dict[str, dict[str, int]]] = {}
    """How far the clock of each role's host was ahead of the lab's, before and after the load."""

    @property
    def files_of_load(self) -> int | None:
        """How many files the load left in the server's folder; None where nobody can look."""
        before, after = self.verified, self.verified_after
        return after.files_before - before.files_after if self.stored_in and before and after else None
