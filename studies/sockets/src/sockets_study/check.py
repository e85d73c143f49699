"""Whether every message of a run arrived once, in order and whole, and whether the parts themselves cost little."""

from pathlib import Path
from typing import Any

from sockets_study.scenario import Scenario, scenario
from study_kit import gates, result
from study_kit.records import Ends, Operations, check_owners, count, events, named, operations
from study_kit.spec import DriverError, RunSpec

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
    found = operations(out, ends)
    part = result.measured(found, window=one.load.window)
    judged = [
        *gates.delivery_gates(count(out, ends), _counters(one, out), spec.limits),
        *_timed_out_gates(one, out),
        gates.records_gate(_lost_records(out)),
        gates.counted_gate(len(found), _sent(out), one.load.stamp_every),
        *_own_cost_gates(one, part.operations, out, spec),
        *_pacing_gates(one, part.operations, spec),
        *_left_behind_gates(one, out, spec),
        *([gates.settled_gate(part.settled)] if one.load.window == "settled" else []),
    ]
    return result.reply(found, part, spec.load, judged)


def _counters(one: Scenario, out: Path) -> list[dict[str, Any]]:
    """Return what the part at the end of the operation counted; as published it knows no message from another."""
    if one.load.patterns == "as_published":
        return []
    asked, answered = (named(events(out, role), "counters", phase="measure") for role in ROLES)
    if one.answered:
        return asked
    # One way the responder alone sees what arrives, and the requester alone what was sent.
    lost = sum(told["sent"] for told in asked) - sum(told["different"] + told["wrong"] for told in answered)
    return [*answered, {"lost": lost, "sent": sum(told["sent"] for told in asked)}]


def _timed_out_gates(one: Scenario, out: Path) -> list[gates.Gate]:
    """Return the gate on messages whose answer was not waited for any longer: late, it is in no figure, nor is it lost.

    Only where a message waits for the answer to the one before it.
    """
    if one.factors.loop not in ("paced", "ping_pong"):
        return []
    told = named(events(out, "requester"), "counters", phase="measure")
    count = sum(counters["timed_out"] for counters in told)
    sentence = (
        f"{count} messages had no answer within drain_s = {one.load.drain_s:g} s (expected 0): the response "
        "time leaves them out, and its mean is too low."
    )
    return [gates.gate("timed_out", count == 0, count, "messages", 0, sentence)]


def _left_behind_gates(one: Scenario, out: Path, spec: RunSpec) -> list[gates.Gate]:
    """Return the gate on answers that nobody waited for: as published each read is answered, whatever it is part of.

    The requester waits for as many as a message needs. Where TCP hands it over in more pieces it goes on before the
    message was read to its end, and what answers the rest may be taken for an answer to the next.
    """
    if one.load.patterns != "as_published":
        return []
    sent = _sent(out)
    needed = sent * max(1, -(-one.factors.message_bytes // ONE_READ_BYTES))
    read = sum(told["received"] for told in named(events(out, "responder"), "counters", phase="measure"))
    share_pct = 100 * max(0, read - needed) / max(1, sent)
    sentence = (
        f"The responder answered {read} reads of {sent} messages, of which the requester waited for {needed}: the "
        f"other answers are {share_pct:.1f} % of the messages (at most {{limit:g}} %)."
    )
    limit = spec.limits.get("left_behind_pct")
    return gates.ceiling("left_behind", share_pct, limit, "% of the messages", sentence)


def _sent(out: Path) -> int:
    return sum(told["sent"] for told in named(events(out, "requester"), "counters", phase="measure"))


def _lost_records(out: Path) -> int:
    ended = [one for role in ROLES for one in named(events(out, role), "ended")]
    if len(ended) < len(ROLES):
        raise DriverError(f"{out}: not every part wrote an event 'ended'; expected one from each.")
    return sum(int(one["lost_records"]) for one in ended)


def _own_cost_gates(one: Scenario, measured: Operations, out: Path, spec: RunSpec) -> list[gates.Gate]:
    told = named(events(out, "requester"), "own_cost")
    if not told:
        raise DriverError(f"{out}: the requester wrote no event 'own_cost'; expected its own cost.")
    # Of messages that are under way together, the time between two of them is what the part's cost is a share of.
    if one.answered:
        operation_ns = float(measured.elapsed_us.mean()) * 1000
    else:
        spanned_ns = float(measured.from_ns[-1] - measured.from_ns[0])
        operation_ns = spanned_ns / (one.load.stamp_every * max(1, len(measured) - 1))
    return gates.own_cost_gates(max(event["ns"] for event in told), operation_ns, spec.limits)


def _pacing_gates(one: Scenario, measured: Operations, spec: RunSpec) -> list[gates.Gate]:
    if one.factors.loop == "paced":
        return gates.pacing_gates(measured, 1e9 / one.factors.rate_per_s, "the time between two messages", spec.limits)
    if one.factors.loop == "open":
        response_ns = float(measured.elapsed_us.mean()) * 1000
        return gates.pacing_gates(measured, response_ns, "the mean response time", spec.limits)
    return []
