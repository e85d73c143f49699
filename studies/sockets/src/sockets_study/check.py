"""Whether every message of a run arrived once, in order and whole, and whether the parts themselves cost little."""

from pathlib import Path
from typing import Any

from sockets_study.events import Answered, Asked
from sockets_study.scenario import Scenario, scenario
from study_kit import gates, result
from study_kit.records import Ends, Operations, check_owners, count, operations
from study_kit.spec import RunSpec
from study_kit.told import Faulty, OwnCost, told

SENT, DUE = ("requester", "sent"), ("requester", "due")
ANSWERED, RECEIVED = ("requester", "answered"), ("responder", "received")
ROLES = ("requester", "responder")
ONE_READ_BYTES = 99_999
"""What Berkeley's responder reads at most at a time, as published (`berkeley.c`)."""


def check(spec: RunSpec, out: Path) -> dict[str, Any]:
    """Return phases, counts and gates of a finished run; DriverError when its files are missing or damaged."""
    one = scenario(spec.factors, spec.load)
    ends = Ends(
        from_=SENT,
        to=ANSWERED if one.answered else RECEIVED,
        due=DUE if one.factors.loop in ("paced", "open") else None,
    )
    check_owners(out, SENT)
    (asked,), (answered,) = told(out, "requester", Asked), told(out, "responder", Answered)
    (own,) = told(out, "requester", OwnCost)
    found = operations(out, ends)
    part = result.measured(found, window=one.load.window)
    every = asked.stamp_every or one.load.stamp_every
    judged = [
        *gates.delivery_gates(
            count(out, ends), spec.limits, counted=_counted(one, asked, answered), compared=_compared(one)
        ),
        *([gates.warm_up_gate(out, *ROLES)] if one.load.warmup_s and one.load.patterns == "pair" else []),
        *_timed_out_gates(one, asked),
        gates.records_gate(asked.lost_records + answered.lost_records),
        gates.counted_gate(len(found), asked.sent, every=every),
        *gates.own_cost_gates(own.ns, _operation_ns(one, part.operations, every), spec.limits),
        *_pacing_gates(one, part.operations, spec),
        *_left_behind_gates(one, asked, answered, spec),
    ]
    return result.reply(found, part, {**spec.load, "stamp_every": every}, judged)


def _counted(one: Scenario, asked: Asked, answered: Answered) -> dict[str, int]:
    """Return what the part at the end of the operation counted; as published it knows no message from another."""
    if one.load.patterns == "as_published":
        return {}
    end: Faulty = asked if one.answered else answered
    # One way the responder alone sees what arrives, and the requester alone what was sent.
    lost = asked.unanswered if one.answered else asked.sent - answered.different - answered.wrong
    return {"sent": asked.sent, "lost": lost, **end.counted}


def _compared(one: Scenario) -> str:
    return "the number of answers" if one.load.patterns == "as_published" else gates.EDGES


def _timed_out_gates(one: Scenario, asked: Asked) -> list[gates.Gate]:
    """Return the gate on messages whose answer was not waited for any longer: late, it is in no figure, nor is it lost.

    Only where a message waits for the answer to the one before it.
    """
    if one.factors.loop not in ("paced", "ping_pong"):
        return []
    sentence = (
        f"{asked.timed_out} messages had no answer within drain_s = {one.load.drain_s:g} s (expected 0): the response "
        "time leaves them out, and its mean is too low."
    )
    return [gates.gate("timed_out", asked.timed_out == 0, asked.timed_out, "messages", 0, sentence)]


def _left_behind_gates(one: Scenario, asked: Asked, answered: Answered, spec: RunSpec) -> list[gates.Gate]:
    """Return the gate on answers that nobody waited for: as published each read is answered, whatever it is part of.

    The requester waits for as many as a message needs. Where TCP hands it over in more pieces it goes on before the
    message was read to its end, and what answers the rest may be taken for an answer to the next.
    """
    if one.load.patterns != "as_published":
        return []
    needed = asked.sent * max(1, -(-one.factors.message_bytes // ONE_READ_BYTES))
    read = answered.received
    share_pct = 100 * max(0, read - needed) / max(1, asked.sent)
    sentence = (
        f"The responder answered {read} reads of {asked.sent} messages, of which the requester waited for {needed}: "
        f"the other answers are {share_pct:.1f} % of the messages (at most {{limit:g}} %)."
    )
    limit = spec.limits.get("left_behind_pct")
    return gates.ceiling("left_behind", share_pct, limit, "% of the messages", sentence)


def _operation_ns(one: Scenario, measured: Operations, every: int) -> float:
    """Return what the requester's own cost is a share of; of messages under way together, the time between two."""
    if one.answered:
        return float(measured.elapsed_us.mean()) * 1000
    spanned_ns = float(measured.from_ns[-1] - measured.from_ns[0])
    return spanned_ns / (every * max(1, len(measured) - 1))


def _pacing_gates(one: Scenario, measured: Operations, spec: RunSpec) -> list[gates.Gate]:
    if one.factors.loop == "paced":
        return gates.pacing_gates(measured, 1e9 / one.factors.rate_per_s, "the time between two messages", spec.limits)
    if one.factors.loop == "open":
        response_ns = float(measured.elapsed_us.mean()) * 1000
        return gates.pacing_gates(measured, response_ns, "the mean response time", spec.limits)
    return []
