"""What the check needs that parts tell in their events; docs/contributing/add-a-system.md has it, too."""

from study_kit.told import Faulty, OwnCost, WarmedUp


class Asked(Faulty, frozen=True, kw_only=True):
    """What the requester counted of the measured messages."""

    sent: int
    unanswered: int
    """Those that have no answer at the end of the phase."""
    timed_out: int
    """Those whose answer it stopped waiting for: later than `drain_s`."""
    lost_records: int
    stamp_every: int | None = None
    """Of how many messages one is recorded, where that is not as the load says."""


class Answered(Faulty, frozen=True, kw_only=True):
    """What the responder counted of the measured messages."""

    received: int
    """All that came, doubles and wrong ones too; as published, reads."""
    different: int
    """Right ones, each counted once."""
    lost_records: int


NEEDED = {"requester": (OwnCost, WarmedUp, Asked), "responder": (WarmedUp, Answered)}
