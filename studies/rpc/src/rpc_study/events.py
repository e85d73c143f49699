"""What the check needs that parts tell in their events; docs/contributing/add-a-system.md has it, too."""

from typing import ClassVar

from study_kit.told import Event, Measured, OwnCost


class Connections(Event, frozen=True, kw_only=True):
    """Of the client, around each contract."""

    named: ClassVar[str] = "connections"
    local_ports: list[int]
    """Of its connections to the server, by the kernel's table."""
    same: bool
    """Whether they are those from before."""


class Called(Measured, frozen=True, kw_only=True):
    """What the client counted of the measured calls."""

    sent: int
    gc_ms: int
    """How long its runtime collected garbage meanwhile."""
    lost_records: int


class Served(Measured, frozen=True, kw_only=True):
    """What the server counted of the measured calls."""

    received: int
    expected: int
    """How many were to be made; 0 where the client calls nobody."""
    gc_ms: int
    lost_records: int


NEEDED = {"client": (OwnCost, Connections, Called), "server": (Served,)}
