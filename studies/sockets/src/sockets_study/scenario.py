"""A scenario of the study, as typed values."""

from typing import Any, Literal

import msgspec

from study_kit.spec import DriverError, levels, settings


class Factors(msgspec.Struct, frozen=True, kw_only=True):
    """The levels of a scenario."""

    message_bytes: int
    loop: Literal["paced", "ping_pong", "open", "saturate"]
    rate_per_s: int = 0


class Load(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The load of a scenario, as a profile of `study.toml` gives it; the parts read the same names.

    `patterns = "as_published"`: each library is used as the paper's appendices use it; `"pair"`: all alike. Every
    `stamp_every`-th message is recorded, all are checked. After the last message answers are waited for, at most
    `drain_s`. `window` is what is measured: the `whole` load, or the part of it that is `settled`.
    """

    duration_s: float
    warmup_s: float = 0.0
    drain_s: float = 5.0
    patterns: Literal["pair", "as_published"] = "pair"
    stamp_every: int = 1
    window: Literal["whole", "settled"] = "whole"

    def __post_init__(self) -> None:
        """Refuse a load without time."""
        if not 0 < self.duration_s < float("inf"):
            raise ValueError(f"duration_s must be above 0, not {self.duration_s:g}")
        if self.stamp_every < 1:
            raise ValueError(f"stamp_every must be 1 or more, not {self.stamp_every}")


class Scenario(msgspec.Struct, frozen=True, kw_only=True):
    """Levels and load."""

    factors: Factors
    load: Load

    @property
    def answered(self) -> bool:
        """Whether each message is answered: not where one side only sends and the other only counts."""
        return self.factors.loop != "saturate"


def scenario(factors: dict[str, Any], load: dict[str, Any]) -> Scenario:
    """Return a scenario of a spec; DriverError says what in it is wrong."""
    found = Scenario(factors=levels(factors, Factors), load=settings(load, Load))
    if found.factors.loop in ("paced", "open") and not found.factors.rate_per_s:
        raise DriverError(f"The loop '{found.factors.loop}' needs a rate above 0 (--rates).")
    if not found.answered and found.load.patterns == "as_published":
        raise DriverError("The paper's servers answer each message: as published the loop is ping_pong, not saturate.")
    return found
