"""What the harness tells the driver, as typed values."""

from pathlib import Path
from typing import Any, Literal

import msgspec

REPOSITORY = Path(__file__).resolve().parents[4]


class DriverError(Exception):
    """The verb could not be done; the message is one sentence."""


class GateError(DriverError):
    """A gate failed; the message is one sentence."""


class Load(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The load of one scenario, as a profile of `study.toml` gives it; `table` stands for the value of Table 1."""

    rows: int
    reader: Literal["csv_data_set", "csv_read"]
    threads: int | Literal["table"]
    loops: int | Literal["table"]
    ramp_up_s: int
    warmup_threads: int
    warmup_loops: int
    sizes: str | None = None
    think_time_ms: int = 0
    connect_timeout_ms: int = 60_000
    response_timeout_ms: int = 60_000


class Contract(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Facts of the contract that every answer is held to (`[driver]` of `study.toml`)."""

    page_bytes: int
    page_sha256: str


class Factors(msgspec.Struct, frozen=True, kw_only=True):
    """The levels of a scenario; the sample `own` is the user's own sizes."""

    sample: int | Literal["own"]
    disk: str


class Scenario(msgspec.Struct, frozen=True, kw_only=True):
    """Levels and load."""

    factors: Factors
    load: Load


class CampaignSpec(msgspec.Struct, frozen=True, kw_only=True):
    """The spec of `needs` and `prepare`."""

    seed: int
    driver: Contract
    scenarios: list[Scenario]


class UploadTarget(msgspec.Struct, frozen=True, kw_only=True):
    """Where uploads go, from the system's `sut.toml`."""

    path: str
    field: str


class ServerAddress(msgspec.Struct, frozen=True, kw_only=True):
    """A running server."""

    host: str
    port: int
    upload: UploadTarget

    @property
    def upload_url(self) -> str:
        """The URL uploads are posted to."""
        return f"http://{self.host}:{self.port}{self.upload.path}"


class Verified(msgspec.Struct, frozen=True, kw_only=True):
    """What `verify` found."""

    stored_files: int
    gate: dict[str, Any]


class RunSpec(msgspec.Struct, frozen=True, kw_only=True):
    """The spec of `verify`, `load` and `check`."""

    seed: int
    driver: Contract
    factors: Factors
    load: Load
    server: ServerAddress
    upload_dir: Path
    verified: Verified | None = None
    verified_after: Verified | None = None
