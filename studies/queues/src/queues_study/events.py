"""What the check needs that clients tell in their events; docs/add-a-study.md has it for who adds a system."""

from typing import ClassVar

from study_kit.told import Event, WarmedUp


class OwnCost(Event, frozen=True, kw_only=True):
    """Of the producer, before the warm-up."""

    named: ClassVar[str] = "own_cost"
    ns: float
    """The clients' own work for a message: through a broker that does nothing."""


class Produced(Event, frozen=True, kw_only=True):
    """What the producer counted of the measured messages."""

    named: ClassVar[str] = "counters"
    of: ClassVar[dict[str, str]] = {"phase": "measure"}
    sent: int
    lost_records: int


class Consumed(Event, frozen=True, kw_only=True):
    """What the consumer counted of the measured messages."""

    named: ClassVar[str] = "counters"
    of: ClassVar[dict[str, str]] = {"phase": "measure"}
    different: int
    """Right ones, each counted once."""
    duplicated: int
    out_of_order: int
    wrong: int
    left: int
    """Those that were still in the queue at the end."""
    lost_records: int


NEEDED = {"producer": (OwnCost, Produced), "consumer": (WarmedUp, Consumed)}
