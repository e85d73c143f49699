"""What runs will need: time, and room for records; arguments come from the seed, so nothing is prepared."""

from typing import Any

from rpc_study.settings import Load
from study_kit.spec import Scenario, settings

OPERATIONS = 15
START_S = 3.0
"""A JVM's start, and the contract."""
CALL_S = {"loopback": 0.0003, "far": 0.18}


def needs(one: Scenario) -> dict[str, Any]:
    """Return what a run of a scenario takes; a link that is not known is reckoned as far."""
    load = settings(one.load, Load)
    calls = load.calls * OPERATIONS
    each_s = CALL_S.get(str(one.factors.get("link", "loopback")), CALL_S["far"])
    warmup_s = CALL_S["loopback"] if load.warmup_link == "direct" else each_s
    seconds = START_S + calls * each_s + load.warmup_calls * OPERATIONS * warmup_s
    rows = calls * (4 if load.clock == "whole_ms" else 2)
    return {"requests": calls, "seconds": seconds, "records": rows}
