"""What a campaign will take: messages, room for their records, and seconds."""

import math
from typing import Any

from groups_study.scenario import Factors, Scenario, scenario
from study_kit.spec import CampaignSpec

USUAL_PER_S, USUAL_BYTES_PER_S = 40_000, 300e6
"""Deliveries a second at a member, between JGroups and an envelope on two cores."""
ETHERNET_BYTES_PER_S = 12e6
BESIDE_A_MESSAGE = 600
"""Bytes on the wire, between JGroups' and an envelope's."""
JOINING_S = 1.5


def needs(spec: CampaignSpec) -> dict[str, Any]:
    """Return what the campaign will take; nothing is written before it, and no message is stored."""
    return {
        "versions": {},
        "input_bytes": 0,
        "input_folder": ".",
        "scenarios": [_scenario(one.factors, scenario(one.factors, one.load)) for one in spec.scenarios],
    }


def _scenario(factors: dict[str, Any], one: Scenario) -> dict[str, Any]:
    per_s = min(USUAL_PER_S, _by_bytes(one.factors))
    round_s = min(one.factors.members * one.load.messages / per_s, one.load.round_s or math.inf)
    warmup_s = max(one.load.warmup_s, one.load.warmup_rounds * round_s)
    return {
        "factors": factors,
        "requests": one.deliveries,
        "records": records(one),
        "upload_bytes": 0,
        "seconds": 0.0,
        "fixed_seconds": round(one.load.rounds * round_s + warmup_s + JOINING_S * one.factors.members, 1),
    }


def _by_bytes(factors: Factors) -> float:
    """Return how many messages a second bytes allow a member to get; over a network only those of others go."""
    if factors.link == "loopback":
        return USUAL_BYTES_PER_S / max(1, factors.message_bytes)
    others = max(1, factors.members - 1)
    return ETHERNET_BYTES_PER_S / (factors.message_bytes + BESIDE_A_MESSAGE) * factors.members / others


def records(one: Scenario) -> int:
    """Return how many rows a member writes at most: what it sends, what all send to it, and room for doubles."""
    return (one.factors.members + 1) * one.load.messages * one.load.rounds + 1000
