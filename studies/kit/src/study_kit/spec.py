"""What the harness tells a driver, as typed values."""

from pathlib import Path
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")
LOAD = "The load (a profile in study.toml, or --load)"


class DriverError(Exception):
    """The verb could not be done; the message is one sentence."""


class Scenario(msgspec.Struct, frozen=True, kw_only=True):
    """Levels and load."""

    factors: dict[str, Any]
    load: dict[str, Any]


class CampaignSpec(msgspec.Struct, frozen=True, kw_only=True):
    """The spec of `needs` and `prepare`."""

    seed: int
    thresholds: list[str] = []
    """The names in `[gates]` of `study.toml` that are not the harness's own."""
    scenarios: list[Scenario]


class RunSpec(msgspec.Struct, frozen=True, kw_only=True):
    """The spec of `check`; `gates` are the thresholds of `study.toml` by name."""

    seed: int
    gates: dict[str, float | None] = {}
    factors: dict[str, Any]
    load: dict[str, Any]
    baseline: bool = False

    @property
    def limits(self) -> dict[str, float | None]:
        """The thresholds; none for the system that does nothing, which shows what the parts themselves cost."""
        return {} if self.baseline else self.gates


def read_spec(path: Path, kind: type[T]) -> T:
    """Return what a file tells the driver; DriverError says what is wrong, with its load or else with the file."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind, dec_hook=_path)
    except OSError as error:
        raise DriverError(f"{path}: cannot be read: {error.strerror}.") from error
    except msgspec.DecodeError as error:
        raise DriverError(f"{LOAD if '.load' in str(error) else path}: {error}.") from error


def _path(kind: type[Any], text: str) -> Path:
    if kind is not Path:
        raise NotImplementedError(f"{kind} in a spec")
    return Path(text)


def levels(factors: dict[str, Any], kind: type[T]) -> T:
    """Return the levels of a scenario as the study's own struct; DriverError says which of them is wrong."""
    return _converted(factors, kind, "The factors (study.toml, or the command line)")


def settings(load: dict[str, Any], kind: type[T]) -> T:
    """Return a load as the study's own struct; DriverError says which setting of it is wrong."""
    return _converted(load, kind, LOAD)


def _converted(given: dict[str, Any], kind: type[T], what: str) -> T:
    try:
        return msgspec.convert(given, kind)
    except msgspec.ValidationError as error:
        raise DriverError(f"{what}: {error}.") from error
