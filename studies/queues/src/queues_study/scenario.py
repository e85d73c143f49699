"""A scenario of the study, as typed values."""

from typing import Any, Literal

import msgspec

from study_kit.spec import DriverError, levels, settings


class Factors(msgspec.Struct, frozen=True, kw_only=True):
    """The levels of a scenario."""

    loop: Literal["published", "closed", "open", "saturate"]
    messages: int = 0
    rate_per_s: int = 0
    message_bytes: int = 100
    delivery: Literal["push", "pull"] = "push"
    ack: Literal["none", "each"] = "none"
    prefetch: int = 0


class Load(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The load of a scenario, as a profile of `study.toml` gives it; the parts read the same names.

    As published there are `rounds` of the factor `messages`, with `round_pause_s` between a consumer and its producer;
    else messages come for `duration_s`, in an open loop by `arrivals`. A consumer that finds nothing asks again after
    `pull_pause_us`. At most `window` messages are sent and not yet confirmed. Every `stamp_every`-th message is
    recorded, all are checked. After the last message as many are waited for as come within `drain_s` of each other.
    """

    payload: Literal["digits", "bytes"] = "bytes"
    arrivals: Literal["poisson", "even"] = "poisson"
    duration_s: float = 0.0
    warmup_s: float = 0.0
    drain_s: float = 5.0
    rounds: int = 1
    round_pause_s: float = 1.0
    pull_pause_us: float = 100.0
    window: int = 1000
    stamp_every: int = 1
    depth_every_ms: float = 100.0
    durable: Literal["no", "yes"] = "no"

    def __post_init__(self) -> None:
        """Refuse settings that no load can have."""
        if not self.stamp_every >= 1:
            raise ValueError(f"stamp_every must be 1 or more, not {self.stamp_every}")
        if not 1 <= self.rounds <= 65535:
            raise ValueError(f"rounds must be 1 to 65535, not {self.rounds}")


class Scenario(msgspec.Struct, frozen=True, kw_only=True):
    """Levels and load."""

    factors: Factors
    load: Load

    @property
    def in_rounds(self) -> bool:
        """Whether a number of messages is sent, again and again, and not as many as the time gives."""
        return self.factors.loop == "published"


def scenario(factors: dict[str, Any], load: dict[str, Any]) -> Scenario:
    """Return a scenario of a spec; DriverError says what in it is wrong."""
    one = Scenario(factors=levels(factors, Factors), load=settings(load, Load))
    chosen = one.factors
    if chosen.loop == "open" and not chosen.rate_per_s:
        raise DriverError("The loop 'open' needs a rate above 0 (--rates).")
    if one.in_rounds and not chosen.messages:
        raise DriverError("The loop 'published' needs a number of messages above 0 (--messages).")
    if not one.in_rounds and not 0 < one.load.duration_s < float("inf"):
        raise DriverError(f"The loop '{chosen.loop}' needs a duration_s above 0, not {one.load.duration_s:g}.")
    if one.load.payload == "digits" and not one.in_rounds and (chosen.delivery, chosen.ack) != ("pull", "none"):
        raise DriverError("The payload 'digits' needs --delivery pull --acks none.")
    return one
