"""What the check needs that parts tell in their events; docs/add-a-study.md has it for who adds a system."""

from typing import ClassVar

from study_kit.told import Event


class OwnCost(Event, frozen=True, kw_only=True):
    """Of the client."""

    named: ClassVar[str] = "own_cost"
    ns: float
    """Its own work for a call: of a procedure that is called here."""


class Connections(Event, frozen=True, kw_only=True):
    """Of the client, around each contract."""

    named: ClassVar[str] = "connections"
    local_ports: list[int]
    """Of its connections to the server, by the kernel's table."""
    same: bool
    """Whether they are those from before."""


class Called(Event, frozen=True, kw_only=True):
    """What the client counted of the measured calls."""

    named: ClassVar[str] = "counters"
    of: ClassVar[dict[str, str]] = {"phase": "measure"}
    sent: int
    gc_ms: int
    """How long its runtime collected garbage meanwhile."""
    lost_records: int


class Served(Event, frozen=True, kw_only=True):
    """What the server counted of the measured calls."""

    named: ClassVar[str] = "counters"
    of: ClassVar[dict[str, str]] = {"phase": "measure"}
    received: int
    expected: int
    """How many were to be made; 0 where the client calls nobody."""
    gc_ms: int
    lost_records: int


NEEDED = {"client": (OwnCost, Connections, Called), "server": (Served,)}
