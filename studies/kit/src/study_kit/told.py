"""What the parts of a role tell in their events, as structs: each declares an event and the fields a check needs."""

import json
from pathlib import Path
from typing import ClassVar, TypeVar

import msgspec

from study_kit.records import event_files, events_of
from study_kit.spec import DriverError

DOCS = "docs/contributing/add-a-system.md"


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """An event, with the fields of it that a study's check needs; a part may tell more."""

    named: ClassVar[str]
    """The value of its field `event`."""
    of: ClassVar[dict[str, str]] = {}
    """Which of that name: other fields, and their values."""

    @classmethod
    def described(cls) -> str:
        """Return how a part writes it, with the fields that it must tell."""
        needed = [field.name for field in msgspec.structs.fields(cls) if field.required]
        fields = [*(f'"{name}": "{value}"' for name, value in cls.of.items()), *needed]
        return f'{{"event": "{cls.named}", {", ".join(fields)}}}'


class OwnCost(Event, frozen=True, kw_only=True):
    """What a part's own work for an operation takes: with a transport, or a service, that does nothing."""

    named: ClassVar[str] = "own_cost"
    ns: float


class Measured(Event, frozen=True, kw_only=True):
    """What a part counted of the measured operations; a study says which counts it needs."""

    named: ClassVar[str] = "counters"
    of: ClassVar[dict[str, str]] = {"phase": "measure"}


class Faulty(Measured, frozen=True, kw_only=True):
    """What a part that receives counted of messages that did not come as they should."""

    duplicated: int
    out_of_order: int
    wrong: int

    @property
    def counted(self) -> dict[str, int]:
        """The counts by the names of their gates."""
        return {"duplicated": self.duplicated, "out_of_order": self.out_of_order, "wrong": self.wrong}

    @property
    def faults(self) -> int:
        """How many messages they are."""
        return sum(self.counted.values())


class WarmedUp(Faulty, frozen=True, kw_only=True):
    """The same of a warm-up, where there is one."""

    of: ClassVar[dict[str, str]] = {"phase": "warm_up"}


Told = TypeVar("Told", bound=Event)


def told(out: Path, role: str, kind: type[Told]) -> list[Told]:
    """Return an event of each part of a role, the last of several.

    Raises DriverError, which names the file and what is missing, where a part does not tell it, or not all of it.
    """
    return [_last(path, kind) for path in event_files(out, role)]


def every(path: Path, kind: type[Told]) -> list[Told]:
    """Return all of an event that a part tells; DriverError where one lacks a field."""
    wanted, found = {"event": kind.named, **kind.of}, []
    for one in events_of(path):
        if wanted.items() <= one.items():
            try:
                found.append(msgspec.convert(one, kind))
            except msgspec.ValidationError as error:
                needed = f"this study's check needs {kind.described()} ({DOCS})"
                raise DriverError(f"{path}: the event {json.dumps(one)}: {error}; {needed}.") from error
    return found


def _last(path: Path, kind: type[Told]) -> Told:
    found = every(path, kind)
    if not found:
        raise DriverError(f"{path}: it has no event {kind.described()}; this study's check needs it ({DOCS}).")
    return found[-1]
