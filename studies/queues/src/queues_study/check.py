"""Whether every message of a run arrived once, in order and whole, and whether the clients themselves cost little."""

from pathlib import Path
from typing import Any

from queues_study.events import Consumed, Produced
from queues_study.scenario import Scenario, scenario
from study_kit import gates, result
from study_kit.records import Ends, Operations, check_owners, count, operations
from study_kit.spec import RunSpec
from study_kit.told import OwnCost, told

SENT, DUE, RECEIVED = ("producer", "sent"), ("producer", "due"), ("consumer", "received")


def check(spec: RunSpec, out: Path) -> dict[str, Any]:
    """Return phases, counts and gates of a finished run; DriverError when its files are missing or damaged."""
    one = scenario(spec.factors, spec.load)
    ends = Ends(from_=SENT, to=RECEIVED, due=DUE if one.factors.loop == "open" else None)
    check_owners(out, SENT)
    (own,), (produced,) = told(out, "producer", OwnCost), told(out, "producer", Produced)
    (came,) = told(out, "consumer", Consumed)
    found = operations(out, ends)
    part = result.measured(found, window="whole")
    sent = produced.sent
    judged = [
        *gates.delivery_gates(count(out, ends), spec.gates, counted=_counted(sent, came), compared=gates.EDGES),
        *([gates.warm_up_gate(out, "consumer")] if one.load.warmup_s and not one.in_rounds else []),
        _left_gate(came.left),
        gates.records_gate(produced.lost_records + came.lost_records),
        gates.counted_gate(len(found), sent, every=one.load.stamp_every),
        *gates.own_cost_gates(own.ns, _operation_ns(one, part.operations, sent), spec.gates),
        *_open_gates(one, part.operations, sent, spec),
    ]
    return result.reply(found, part, spec.load, judged)


def _counted(sent: int, came: Consumed) -> dict[str, int]:
    lost = max(0, sent - came.different - came.wrong)
    return {"sent": sent, "lost": lost, **came.counted}


def _left_gate(left: int) -> gates.Gate:
    sentence = f"{left} messages were left in the queue at the end (expected 0)."
    return gates.gate("left", left == 0, left, "messages", 0, sentence)


def _operation_ns(one: Scenario, measured: Operations, sent: int) -> float:
    """Return what the clients' own cost is a share of: the latency, and where messages overlap the time between two.

    The pauses between rounds are no time of a message.
    """
    if one.factors.loop in ("closed", "open"):
        return float(measured.elapsed_us.mean()) * 1000
    rounds = [measured.from_ns[measured.op == number] for number in set(measured.op.tolist())]
    return sum(float(begun_ns.max() - begun_ns.min()) for begun_ns in rounds) / max(1, sent - len(rounds))


def _open_gates(one: Scenario, measured: Operations, sent: int, spec: RunSpec) -> list[gates.Gate]:
    if one.factors.loop != "open":
        return []
    latency_ns = float(measured.elapsed_us.mean()) * 1000
    # Poisson arrivals: how many are due in the time varies, so what was sent is compared with what was due.
    spanned_s = float(measured.from_ns[-1] - measured.from_ns[0]) / 1e9
    due_s = float(measured.due_ns[-1] - measured.due_ns[0]) / 1e9
    return [
        *gates.pacing_gates(measured, latency_ns, "the mean latency", spec.gates),
        *gates.achieved_gates(sent / spanned_s, sent / due_s, spec.gates),
    ]
