"""A scenario of the study, as typed values."""

from typing import Any, Literal

import msgspec

from study_kit.spec import levels, settings


class Factors(msgspec.Struct, frozen=True, kw_only=True):
    """The levels of a scenario."""

    members: int
    message_bytes: int
    transport: Literal["udp", "tcp", "tcp_without_fc"]
    link: str = "loopback"


ROUNDS_TO_LEARN = 3
"""What one warm-up round took is told with the end of the next, and counts in the one behind that."""


class Load(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The load of a scenario, as a profile of `study.toml` gives it; the members read the same names.

    In each of `rounds` every member sends `messages` to all, itself too, as fast as it can, and waits until all have
    ended; with `round_s` so many as take about so long by what the warm-up showed, but no more. The warm-up is
    `warmup_rounds` of them, and more until `warmup_s` have passed and the last rounds got no faster any more, which is
    waited for until `warmup_most_s`. Every `stamp_every`-th message is recorded, all are
    checked and counted. `jvm = "paper"` takes the options of JGroups' own
    report of 2007.
    """

    messages: int
    rounds: int = 1
    round_s: float = 0.0
    warmup_rounds: int = 0
    warmup_s: float = 0.0
    warmup_most_s: float = 0.0
    stamp_every: int = 1
    drain_s: float = 10.0
    join_s: float = 30.0
    jvm: Literal["plain", "paper"] = "plain"

    def __post_init__(self) -> None:
        """Refuse a load in which nothing is sent."""
        if self.stamp_every < 1:
            raise ValueError(f"stamp_every must be 1 or more, not {self.stamp_every}")
        if self.messages < 1 or self.rounds < 1 or self.warmup_rounds < 0 or min(self.warmup_s, self.round_s) < 0:
            raise ValueError("messages and rounds must be 1 or more, warmup_rounds, warmup_s and round_s 0 or more")
        if self.warmup_most_s and (self.warmup_most_s < self.warmup_s or not self.round_s):
            raise ValueError("warmup_most_s must be no less than warmup_s, and is for rounds of a time (round_s)")
        if self.round_s and self.warmup_rounds < ROUNDS_TO_LEARN:
            raise ValueError(
                f"round_s needs warmup_rounds of {ROUNDS_TO_LEARN} or more: they show how many messages it takes"
            )


class Scenario(msgspec.Struct, frozen=True, kw_only=True):
    """Levels and load."""

    factors: Factors
    load: Load


def scenario(factors: dict[str, Any], load: dict[str, Any]) -> Scenario:
    """Return a scenario of a spec; DriverError says what in it is wrong."""
    return Scenario(factors=levels(factors, Factors), load=settings(load, Load))
