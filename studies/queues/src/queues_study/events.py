"""What the check needs that clients tell in their events; docs/contributing/add-a-system.md has it, too."""

from study_kit.told import Faulty, Measured, OwnCost, WarmedUp


class Produced(Measured, frozen=True, kw_only=True):
    """What the producer counted of the measured messages."""

    sent: int
    lost_records: int


class Consumed(Faulty, frozen=True, kw_only=True):
    """What the consumer counted of the measured messages."""

    different: int
    """Right ones, each counted once."""
    left: int
    """Those that were still in the queue at the end."""
    lost_records: int


NEEDED = {"producer": (OwnCost, Produced), "consumer": (WarmedUp, Consumed)}
