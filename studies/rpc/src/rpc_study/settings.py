"""The load of a profile, as this study has it."""

from typing import Literal

import msgspec


class Load(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the client calls."""

    calls: int
    """Measured ones of each operation in a run."""
    warmup_calls: int
    """Ones of each operation before, unmeasured."""
    warmup_link: Literal["same", "direct"] = "same"
    """Direct: the warm-up goes past the relay of the link `far`, so that thousands of calls take seconds."""
    order: Literal["as_listed", "reversed", "drawn"]
    jvm: Literal["cold", "warm"]
    """Cold: the first call is measured, and the contract is kept after the measurement."""
    clock: Literal["ns", "whole_ms"]
    """Whole milliseconds: each call has two more records, with the times that the paper's clock would have shown."""
    foo: Literal["small", "typical", "largest", "drawn"]
    drain_s: float
    """How long the server waits for a call that doesn't come."""
    window: Literal["all", "settled"] = "all"
    """Settled: a run counts only if the calls of each operation keep one level."""

    def __post_init__(self) -> None:
        """Refuse a load without calls."""
        for name, least in (("calls", 1), ("warmup_calls", 0)):
            if (count := getattr(self, name)) < least:
                raise ValueError(f"{name} must be {least} or more, not {count}")
