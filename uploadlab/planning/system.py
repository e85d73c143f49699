"""A system under test as its `sut.toml` describes it."""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from string import Template
from types import MappingProxyType
from typing import Annotated, Any, Literal

import msgspec

from uploadlab.errors import LabError
from uploadlab.planning.toml_files import read_toml
from uploadlab.records import key_of


class Requirement(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A program that must be on PATH, or a file that must exist, and the Debian package that brings it."""

    debian: str
    command: str = ""
    file: str = ""
    minimum: int | None = None
    """The program's lowest major version, as it says with `-version`."""
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


PLACES = ("host", "port", "uploads")


class Start(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The command that becomes the server, or a part of a system that has several."""

    command: list[str]
    """Of a server, `{host}`, `{port}` and `{uploads}` in it and in `env` stand for where it listens and stores."""
    env: dict[str, str] = {}
    port: Annotated[int, msgspec.Meta(ge=1, le=65535)] | None = None
    """Of a server that listens on this port whatever it is told; else any free port."""
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

    description: str = ""
    warning: str = ""
    requires: list[Requirement] = []
    install: list[Step] = []
    start_table: dict[str, Any] = msgspec.field(name="start")
    versions: Versions | None = None

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
    """How long the server may take to finish after SIGTERM."""

    timeout_s: float = 10.0


class Health(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where a ready server answers 200 (without a path: its port answers), and how long it may take to get there."""

    path: str = ""
    timeout_s: float = 30.0


NOWHERE = "nowhere"
UPLOADS = "{uploads}"
TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
PRINTABLE = re.compile(r"[ -~]*")
RESERVED = ("connection", "content-length", "content-type", "expect", "host", "transfer-encoding", "user-agent")
"""Request headers that the load generators set."""


class Upload(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where a server takes uploads, what it wants with them, and what it does with them."""

    path: str
    field: str
    form: dict[str, str] = {}
    """Text fields that are sent before each file."""
    headers: dict[str, str] = {}
    """Of each request; `$NAME` stands for a variable of the lab's environment, whose value is written nowhere."""
    accepted: list[Annotated[int, msgspec.Meta(ge=200, le=299)]] = []
    """The statuses that mean success; none: any from 200 to 299."""
    response: Literal["same", "any"] | None = None
    """Whether each upload is answered with the same body; None: the first uploads of a run tell."""
    files: Literal[1, 2] = 1
    """How many files a request may have."""
    stored_in: str = UPLOADS
    """The folder that files can be checked in: the one that the lab gives, a fixed one, or `nowhere`."""

    def __post_init__(self) -> None:
        """Refuse what can't be sent as HTTP."""
        if not re.fullmatch(r"/[!-~]*", self.path):
            raise ValueError(f"upload.path: expected a path of ASCII that begins with /, not '{self.path}'")
        for what, text in [("field", self.field), *(("form", name) for name in self.form)]:
            if not re.fullmatch(r'[^\x00-\x1f"\\]+', text):
                raise ValueError(f"upload.{what}: expected the name of a form field, not '{text}'")
        for name, value in self.headers.items():
            if not TOKEN.fullmatch(name) or name.lower() in RESERVED:
                raise ValueError(f"upload.headers: '{name}' can't be set: it is no header, or the load generator's own")
            if not PRINTABLE.fullmatch(value) or not Template(value).is_valid():
                raise ValueError(f"upload.headers.{name}: expected ASCII; a dollar sign that names no variable is $$")

    @property
    def variables(self) -> list[str]:
        """The variables of the environment that the headers name."""
        return sorted({name for value in self.headers.values() for name in Template(value).get_identifiers()})


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
    description: str = ""


class System(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A `sut.toml`."""

    system: Identity
    like: str = ""
    """The folder, from this one, of a system whose file says all else; paths then count from this system's folder."""
    requires: list[Requirement] = []
    stacks: dict[str, Stack] = {}
    stop: Stop = Stop()
    health: Health | None = None
    """Of a system that is one server."""
    facts: dict[str, list[str]] = {}
    """Commands that each print a number or a text about the system, kept in campaign.json."""
    upload: Upload | None = None
    """Of a system that takes uploads."""
    runtime_metrics: RuntimeMetrics | None = None
    settings: dict[str, Setting] = {}
    tests: list[Tests] = []

    def __post_init__(self) -> None:
        """Refuse a system that is nothing of its own, and one that is and says that it is like another."""
        if bool(self.like) == bool(self.stacks):
            raise ValueError("expected stacks, or the folder of a system that this one is like, and not both")

    def settings_of(self, stack: str) -> dict[str, Setting]:
        """Return the settings that a stack has."""
        return {name: one for name, one in self.settings.items() if not one.stacks or stack in one.stacks}


class Sut(msgspec.Struct, frozen=True, kw_only=True):
    """A system, the stack it is run on, and its settings as used.

    `variant` tells it from others of the same campaign that differ in a setting only: `accept_count=100`.
    """

    folder: Path
    system: System
    stack_name: str
    settings: dict[str, bool | int | float | str]
    variant: str = ""
    noise: bool = False
    """Whether it is another system once more, to show how far two equal ones come apart; it decides nothing."""

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
        """When the one server is ready."""
        return self.system.health or Health()

    @property
    def bytes_verified(self) -> bool:
        """Whether there is a folder in which what it stores can be compared with what was sent."""
        return self.system.upload is None or self.system.upload.stored_in != NOWHERE

    @property
    def stores_elsewhere(self) -> bool:
        """Whether it stores in a folder of its own, not in the one that the lab gives."""
        return self.bytes_verified and self.system.upload is not None and UPLOADS not in self.system.upload.stored_in

    @property
    def why_alone(self) -> str:
        """Why two servers of it can't be alive at a time; empty where they can."""
        if self.stack.start.port:
            return f"start.port is {self.stack.start.port}, which two servers can't share"
        return "upload.stored_in is a folder of its own, which two servers would share" if self.stores_elsewhere else ""

    def secrets(self) -> dict[str, str]:
        """Return the variables that the request headers need, from the lab's environment; LabError where one lacks."""
        names = self.system.upload.variables if self.system.upload else []
        for name in names:
            if not os.environ.get(name):
                where = self.folder / "sut.toml"
                raise LabError(f"{where}: upload.headers needs the variable {name} of the environment; set it.")
        return {name: os.environ[name] for name in names}

    def stored_in(self, folder: Path, uploads: Path) -> Path | None:
        """Return where its files can be checked; None: nowhere.

        `folder` is the system's own on the server's host, `uploads` the one that the lab gives it.
        """
        told = self.system.upload.stored_in if self.system.upload else UPLOADS
        return None if told == NOWHERE else folder / told.replace(UPLOADS, str(uploads))

    def environment(self, places: Mapping[str, str] = MappingProxyType({})) -> dict[str, str]:
        """Return the variables that carry the stack's environment, with `places` filled in, and the named settings."""
        own = self.stack.start.env if "server" in self.stack.parts else {}
        values = {self.system.settings[name].env: as_text(value) for name, value in self.settings.items()}
        return {**{name: filled_in(value, places) for name, value in own.items()}, **values}


def filled_in(text: str, places: Mapping[str, str]) -> str:
    """Return a text of `[start]` with its `{places}` filled in."""
    return re.sub(r"\{(\w+)\}", lambda found: places.get(found[1], found[0]), text)


def load_system(folder: Path) -> System:
    """Read `sut.toml` in `folder`; raise LabError when it is missing or wrong."""
    path = folder / "sut.toml"
    system = read_toml(path, System)
    if system.like:
        other = read_toml(folder / system.like / "sut.toml", System)
        if other.like:
            raise LabError(f"{path}: like: {system.like} is like another itself; expected a system with stacks.")
        return msgspec.structs.replace(load_system(folder / system.like), system=system.system)
    for name, one in system.stacks.items():
        try:
            parts = one.parts
        except msgspec.ValidationError as error:
            raise LabError(f"{path}: stacks.{name}.start: {error}.") from error
        if set(parts) == {"server"}:
            _check_places(parts["server"], f"{path}: stacks.{name}.start")
    for name, setting in system.settings.items():
        for stack in setting.stacks:
            if stack not in system.stacks:
                known = ", ".join(system.stacks)
                raise LabError(f"{path}: settings.{name}: there is no stack '{stack}'; expected {known}.")
    return system


def _check_places(start: Start, where: str) -> None:
    for text in [*start.command, *start.env.values()]:
        for place in re.findall(r"\{(\w+)\}", text):
            if place not in PLACES:
                known = ", ".join(f"{{{one}}}" for one in PLACES)
                raise LabError(f"{where}: '{text}': there is no {{{place}}}; expected {known}.")


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
