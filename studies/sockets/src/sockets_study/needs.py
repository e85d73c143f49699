"""What a campaign will take: seconds of load, messages, and room for their records."""

import math
from typing import Any

from sockets_study.scenario import Scenario, scenario
from study_kit import spec

ROWS_A_MESSAGE = 3
FASTEST_PER_S = 300_000
"""Round trips one behind the other: more than any library here makes."""
STREAMED_BYTES_PER_S, STREAMED_PER_S = 12e9, 4_000_000
"""Messages sent one way: as fast as memory is copied, and no more than this."""


def needs(asked: spec.Scenario) -> dict[str, Any]:
    """Return what a run of a scenario will take; nothing is written before it, and no message is stored."""
    one = scenario(asked.factors, asked.load)
    messages = _most_per_s(one) * one.load.duration_s
    return {
        "requests": round(messages),
        "records": math.ceil(ROWS_A_MESSAGE * (messages / one.load.stamp_every)) + 1000,
        "seconds": 0.0,
        "fixed_seconds": one.load.duration_s + one.load.warmup_s,
    }


def _most_per_s(one: Scenario) -> float:
    if one.factors.loop == "paced":
        return 4 * one.factors.rate_per_s  # as published a message may come in several pieces
    if one.factors.loop == "open":
        return 1.5 * one.factors.rate_per_s + 1000
    if one.answered:
        return FASTEST_PER_S
    return min(STREAMED_PER_S, STREAMED_BYTES_PER_S / max(1, one.factors.message_bytes))
