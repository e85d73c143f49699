"""What the check needs that members tell in their events; docs/contributing/add-a-system.md has it, too."""

from typing import ClassVar

from study_kit.told import Event, Faulty, OwnCost, WarmedUp


class Started(Event, frozen=True, kw_only=True):
    """Before `ready`: one moment by both clocks."""

    named: ClassVar[str] = "started"
    monotonic_ns: int
    epoch_ns: int


class Round(Event, frozen=True, kw_only=True):
    """Of each measured round, by the member's monotonic clock."""

    named: ClassVar[str] = "round"
    of: ClassVar[dict[str, str]] = {"phase": "measure"}
    first_sent_ns: int
    first_received_ns: int
    last_received_ns: int
    received: int


class Counters(Faulty, frozen=True, kw_only=True):
    """What a member counted of the measured messages; further ones of the same name are of other phases."""

    sent: int
    lost: int
    lost_records: int


NEEDED = {"member": (Started, WarmedUp, OwnCost, Round, Counters)}
