"""What a campaign will take: seconds of load, messages, and room for their records."""

import math
from typing import Any

from queues_study.scenario import Scenario, scenario
from study_kit import spec

ROWS_A_MESSAGE = 3
CONFIRMED_PER_S, STREAMED_PER_S = 200_000, 3_000_000
"""Messages confirmed one after the other, and sent without waiting: more than any broker or relay here takes."""
SLOWEST_PER_S = 10_000
"""Messages of a round a second, at least: what a round may take."""


def needs(asked: spec.Scenario) -> dict[str, Any]:
    """Return what a run of a scenario will take; nothing is written before it, and no message is stored."""
    one = scenario(asked.factors, asked.load)
    messages = _messages(one)
    return {
        "requests": messages,
        "records": math.ceil(ROWS_A_MESSAGE * messages / one.load.stamp_every) + 1000,
        "seconds": 0.0,
        "fixed_seconds": _seconds(one),
    }


def _messages(one: Scenario) -> int:
    if one.in_rounds:
        return one.load.rounds * one.factors.messages
    if one.factors.loop == "open":
        return round(1.5 * one.factors.rate_per_s * one.load.duration_s) + 1000
    per_s = CONFIRMED_PER_S if one.factors.loop == "closed" else STREAMED_PER_S
    return round(per_s * one.load.duration_s)


def _seconds(one: Scenario) -> float:
    if one.in_rounds:
        return one.load.rounds * (one.load.round_pause_s + one.factors.messages / SLOWEST_PER_S)
    return one.load.duration_s + one.load.warmup_s
