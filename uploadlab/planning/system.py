"""A system under test as its `sut.toml` describes it."""

import signal
from pathlib import Path
from typing import Any

import msgspec

from uploadlab.errors import LabError
from uploadlab.planning.toml_files import read_toml


class Requirement(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A program that must be on PATH, or a file that must exist, and the Debian package that brings it."""

    debian: str
    command: str = ""
    file: str = ""
    minimum: int | None = None
    """The program's lowest major version."""
    version_command: list[str] = []
    services: list[str] = []
    """Units of the package that the lab keeps from starting, now and at the next boot, when it installs the package."""

    def __post_init__(self) -> None:
        """Refuse a requirement of nothing, or of two things."""
        if bool(self.command) == bool(self.file):
            raise ValueError("a requirement needs a command or a file, and not both")


class Step(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One installation command, with what makes it necessary again; paths are relative to `folder`."""

    command: list[str]
    inputs: list[str] = []
    outputs: list[str] = []
    folder: str = "."


class PartHealth(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """When a part that is not conducted is ready: the port answers, and the command, if there is one, ends with 0."""

    port: str = "PORT"
    """The variable that names the port."""
    command: list[str] = []
    timeout_s: float = 30.0


class Helper(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A process that a part needs beside it: started before it, ended after it, sampled with it."""

    command: list[str]
    env: dict[str, str] = {}
    ready: PartHealth | None = None


class Start(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The command that becomes the server, or a part of a system that has several."""

    command: list[str]
    env: dict[str, str] = {}
    conducted: bool = True
    """Whether a part is told by words on its standard input what to do, and answers on its standard output."""
    health: PartHealth | None = None
    ports: list[str] = []
    """Further ports that it listens on: `dist` is its variable DIST_PORT."""
    helpers: list[Helper] = []


class Versions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A command that prints one JSON object of names and versions."""

    command: list[str]


class Stack(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One set of pinned versions a system runs on."""

    description: str
    warning: str = ""
    requires: list[Requirement] = []
    install: list[Step] = []
    start_table: dict[str, Any] = msgspec.field(name="start")
    versions: Versions

    @property
    def parts(self) -> dict[str, Start]:
        """How each role's process is started; a system that is one server has the role `server`."""
        table = {"server": self.start_table} if "command" in self.start_table else self.start_table
        return msgspec.convert(table, dict[str, Start])

    @property
    def start(self) -> Start:
        """How the one server is started."""
        return self.parts["server"]


class Tests(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A command that runs tests of the server, in its folder or one below it."""

    command: list[str]
    fast: list[str] | None = None
    """What is run instead where only fast tests are wanted: nothing when empty, the same when left out."""
    folder: str = "."


class Stop(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The signal that asks the server to finish, and how long it may take."""

    signal: str = "TERM"
    timeout_s: float = 10.0


class Health(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where a ready server answers 200, and how long it may take to get there."""

    path: str
    timeout_s: float = 30.0


class Setting(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A named setting of the server, passed by an environment variable; without `stacks` every stack has it."""

    env: str
    default: bool | int | float | str
    as_shipped: bool | int | float | str | None = None
    description: str
    stacks: list[str] = []


class RuntimeMetrics(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a runtime writes about itself when asked: the variable that names the file, and its name in a run."""

    env: str
    file: str


WATCHED, UNWATCHED = "watched=yes", "watched=no"
AS_SHIPPED = "as_shipped"  # not a setting: the named set of what the makers ship
SWITCH = Setting(env="", default=False, description="take the values the makers ship")


class Identity(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Names of a system."""

    id: str
    name: str
    description: str


class System(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A `sut.toml`."""

    system: Identity
    requires: list[Requirement] = []
    stacks: dict[str, Stack]
    stop: Stop = Stop()
    health: Health | None = None
    """Of a system that is one server."""
    facts: dict[str, list[str]] = {}
    """Commands that each print a number or a text about the system, kept in campaign.json."""
    upload: dict[str, Any] = {}
    runtime_metrics: RuntimeMetrics | None = None
    settings: dict[str, Setting] = {}
    tests: list[Tests] = []

    def settings_of(self, stack: str) -> dict[str, Setting]:
        """Return the settings that a stack has."""
        return {name: one for name, one in self.settings.items() if not one.stacks or stack in one.stacks}


def key_of(name: str, label: str) -> str:
    """Return the name of a system as it is run: `system`, or `system@label` where the stack is not `current`."""
    return name if label == "current" else f"{name}@{label}"


class Sut(msgspec.Struct, frozen=True, kw_only=True):
    """A system, the stack it is run on, and its settings as used.

    `variant` tells it from others of the same campaign that differ in a setting only: `accept_count=100`.
    """

    folder: Path
    system: System
    stack_name: str
    settings: dict[str, bool | int | float | str]
    variant: str = ""

    @property
    def label(self) -> str:
        """The stack, and after a comma the variant: `current,accept_count=100`."""
        return f"{self.stack_name},{self.variant}" if self.variant else self.stack_name

    @property
    def watched(self) -> bool:
        """Whether the lab's recorders run beside it; only to see what they change are they left out."""
        return UNWATCHED not in self.variant.split(",")

    @property
    def key(self) -> str:
        """The name of the system as it is run."""
        return key_of(self.system.system.id, self.label)

    @property
    def stack(self) -> Stack:
        """The stack in use."""
        return self.system.stacks[self.stack_name]

    @property
    def health(self) -> Health:
        """When the one server is ready; load_system demands it of such a system."""
        assert self.system.health is not None, "a system of several parts is ready when each of them is"
        return self.system.health

    def environment(self) -> dict[str, str]:
        """Return the variables that carry the stack's environment and the named settings."""
        values = {self.system.settings[name].env: as_text(value) for name, value in self.settings.items()}
        return {**(self.stack.start.env if "server" in self.stack.parts else {}), **values}


def load_system(folder: Path) -> System:
    """Read `sut.toml` in `folder`; raise LabError when it is missing or wrong."""
    path = folder / "sut.toml"
    system = read_toml(path, System)
    if f"SIG{system.stop.signal}" not in signal.Signals.__members__:
        raise LabError(
            f"{path}: stop.signal: expected a signal's name without SIG, like TERM, not '{system.stop.signal}'."
        )
    for name, one in system.stacks.items():
        try:
            parts = one.parts
        except msgspec.ValidationError as error:
            raise LabError(f"{path}: stacks.{name}.start: {error}.") from error
        if set(parts) == {"server"} and parts["server"].health is None and system.health is None:
            raise LabError(f"{path}: [health] is missing; expected path, at which the server answers once it is ready.")
    for name, setting in system.settings.items():
        for stack in setting.stacks:
            if stack not in system.stacks:
                known = ", ".join(system.stacks)
                raise LabError(f"{path}: settings.{name}: there is no stack '{stack}'; expected {known}.")
    return system


def choose(folder: Path, stack: str, overrides: dict[str, str]) -> Sut:
    """Return the system in `folder` on `stack` with settings replaced by `overrides` (name -> text).

    The override `as_shipped` = "true" starts from every setting's as-shipped value instead of its default.
    """
    system = load_system(folder)
    name = system.system.id
    if stack not in system.stacks:
        known = ", ".join(system.stacks)
        raise LabError(f"{folder / 'sut.toml'}: {name} has no stack '{stack}'; it has {known}.")
    settings = system.settings_of(stack)
    shipped = _parse(
        overrides.get(AS_SHIPPED, "false"), SWITCH, f"--set {name}.{AS_SHIPPED}={overrides.get(AS_SHIPPED)}"
    )
    values: dict[str, bool | int | float | str] = {
        key: s.as_shipped if shipped and s.as_shipped is not None else s.default for key, s in settings.items()
    }
    for key, text in overrides.items():
        if key == AS_SHIPPED:
            continue
        if key not in settings:
            known = ", ".join(settings) or "none"
            where = f" on the stack {stack}" if key in system.settings else ""
            raise LabError(f"--set {name}.{key}: {name} has no setting '{key}'{where}; its settings are: {known}.")
        values[key] = _parse(text, settings[key], f"--set {name}.{key}={text}")
    return Sut(folder=folder, system=system, stack_name=stack, settings=values)


def _parse(text: str, setting: Setting, where: str) -> bool | int | float | str:
    kind = type(setting.default)
    try:
        return msgspec.convert(text, kind, strict=False)
    except msgspec.ValidationError as error:
        raise LabError(f"{where}: expected a value of type {kind.__name__}, like {setting.default!r}.") from error


def as_text(value: bool | int | float | str) -> str:
    """Return a value as a setting's variable has it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
