"""What a campaign will take: messages, room for their records, and seconds."""

import math
from typing import Any

from groups_study.scenario import Factors, scenario
from study_kit.spec import Scenario

USUAL_PER_S, USUAL_BYTES_PER_S = 40_000, 300e6
"""Deliveries a second at a member, between JGroups and an envelope on two cores."""
ETHERNET_BYTES_PER_S = 12e6
BESIDE_A_MESSAGE = 600
"""Bytes on the wire, between JGroups' and an envelope's."""
JOINING_S = 1.5


def needs(asked: Scenario) -> dict[str, Any]:
    """Return what a run of a scenario will take; nothing is written before it, and no message is stored."""
    one = scenario(asked.factors, asked.load)
    members, load = one.factors.members, one.load
    sent = load.messages * load.rounds
    per_s = min(USUAL_PER_S, _by_bytes(one.factors))
    in_time = math.ceil(per_s * load.round_s / members) if load.round_s else load.messages
    round_s = min(members * load.messages / per_s, load.round_s or math.inf)
    warmup_s = max((load.warmup_s + max(load.warmup_s, load.warmup_most_s)) / 2, load.warmup_rounds * round_s)
    return {
        "requests": members**2 * min(load.messages, in_time) * load.rounds,
        # What a member sends, what all send to it, and room for doubles.
        "records": (members + 1) * math.ceil(sent / load.stamp_every) + 1000,
        "seconds": 0.0,
        "fixed_seconds": round(load.rounds * round_s + warmup_s + JOINING_S * members, 1),
    }


def _by_bytes(factors: Factors) -> float:
    """Return how many messages a second bytes allow a member to get; over a network only those of others go."""
    if factors.link == "loopback":
        return USUAL_BYTES_PER_S / max(1, factors.message_bytes)
    others = max(1, factors.members - 1)
    return ETHERNET_BYTES_PER_S / (factors.message_bytes + BESIDE_A_MESSAGE) * factors.members / others
