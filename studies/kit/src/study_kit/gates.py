"""Gates on what parts recorded and told; each is what `run.json` keeps of it. No threshold: nothing to judge."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # a driver that makes a load reads no records, and needs no database for it
    from study_kit.records import Delivered, Operations

Gate = dict[str, Any]
Limits = dict[str, float | None]

THRESHOLDS = ("lost", "duplicated", "out_of_order", "wrong", "own_cost_pct", "pacing_pct", "achieved_pct")
"""What `[gates]` of a `study.toml` may name for the gates below."""

NOTHING: Mapping[str, int] = {}

EDGES = "the number, length, first and last bytes of each message, and all bytes of every thousandth"
"""What the parts of this lab compare of what arrives."""

SENTENCES = {
    "lost": "{figure} of {sent} messages never arrived (at most {limit:g}).",
    "duplicated": "{figure} of {sent} messages arrived twice (at most {limit:g}).",
    "out_of_order": "{figure} of {sent} messages arrived behind a later one (at most {limit:g}).",
    "wrong": (
        "{figure} of {sent} messages had other bytes, or another length, than were sent (at most {limit:g}){compared}."
    ),
}


def delivery_gates(
    delivered: "Delivered", limits: Limits, *, counted: Mapping[str, int] = NOTHING, compared: str = ""
) -> list[Gate]:
    """Return the gates that every message arrived once, in order and whole.

    Parts check all messages and may record only some: the worse of the records and of what they `counted` (`sent`, and
    the names of the gates) counts. A study that names no threshold wants 0. `compared` is what of a message parts hold
    to what was sent: a count of wrong ones says no more than that.
    """
    of_what = f"; compared were {compared}" if compared else ""
    found = {name: max(getattr(delivered, name), counted.get(name, 0)) for name in SENTENCES}
    sent = max(delivered.sent, counted.get("sent", 0))
    gates = []
    for name, sentence in SENTENCES.items():
        limit = limits.get(name) or 0
        said = sentence.format(figure=found[name], sent=sent, limit=limit, compared=of_what)
        gates.append(gate(name, found[name] <= limit, found[name], "messages", limit, said))
    return gates


def warm_up_gate(out: Path, *roles: str) -> Gate:
    """Return the gate that the warm-up's messages came once, in order and whole: what goes wrong there goes wrong."""
    from study_kit.told import WarmedUp, told  # here: it reads records

    faults = sum(part.faults for role in roles for part in told(out, role, WarmedUp))
    sentence = f"In the warm-up {faults} messages came twice, out of order or with other bytes (expected 0)."
    return gate("warm_up", faults == 0, faults, "messages", 0, sentence)


def records_gate(lost_records: int) -> Gate:
    """Return the gate that every record found room in its file."""
    sentence = f"{lost_records} records found no room in their file (expected 0)."
    return gate("records", lost_records == 0, lost_records, "records", 0, sentence)


def counted_gate(recorded: int, *told: int, every: int = 1) -> Gate:
    """Return the gate that there is a record of each operation that parts said they sent, or of every so many."""
    expected = sum(-(-one // every) for one in told)
    of_all = "operation" if every == 1 else f"{every}th operation"
    sentence = (
        f"{recorded} operations were recorded; the parts counted {sum(told)} and recorded every {of_all}: {expected}."
    )
    return gate("counted", recorded == expected, recorded, "operations", expected, sentence)


def own_cost_gates(own_cost_ns: float, operation_ns: float, limits: Limits) -> list[Gate]:
    """Return the gate on what a sending part itself needs for an operation, as a share of the operation's time."""
    operation_ns = max(1.0, operation_ns)  # of a single one there is no time between two
    share_pct = 100 * own_cost_ns / operation_ns
    sentence = (
        f"Of {operation_ns / 1000:.1f} µs an operation the sending part itself took {own_cost_ns / 1000:.2f} µs: "
        f"{share_pct:.1f} % (at most {{limit:g}} %)."
    )
    return ceiling("own_cost", share_pct, limits.get("own_cost_pct"), "% of an operation", sentence)


SLACK_US = 50
"""What Linux lets a timer be late unless it is asked not to: its default timer slack (prctl(2))."""


def pacing_gates(operations: "Operations", per_ns: float, of: str, limits: Limits) -> list[Gate]:
    """Return the gate on how late operations began, as a share of a time: the mean response, or the period.

    A broker that answers in 80 µs is not to blame for a sender that the kernel woke 10 µs late, and the time counts
    from when the message was due: up to `SLACK_US` pass.
    """
    limit = limits.get("pacing_pct")
    if limit is None:
        return []
    late_us = float((operations.from_ns - operations.due_ns).mean()) / 1000
    late_pct = 100 * late_us / (per_ns / 1000)
    sentence = (
        f"Messages were sent {late_us:.1f} µs late on average: {late_pct:.1f} % of {of} "
        f"(at most {limit:g} %, or {SLACK_US} µs)."
    )
    return [gate("pacing", late_pct <= limit or late_us <= SLACK_US, round(late_pct, 4), f"% of {of}", limit, sentence)]


def achieved_gates(achieved_per_s: float, wanted_per_s: float, limits: Limits) -> list[Gate]:
    """Return the gate that the load came as often as it was asked for."""
    limit = limits.get("achieved_pct")
    if limit is None:
        return []
    share_pct = 100 * achieved_per_s / wanted_per_s
    sentence = (
        f"{achieved_per_s:.1f} of {wanted_per_s:g} operations a second were begun: {share_pct:.1f} % "
        f"(at least {limit:g} %)."
    )
    return [gate("achieved", share_pct >= limit, round(share_pct, 4), "% of the rate", limit, sentence)]


def ceiling(name: str, figure: float, limit: float | None, unit: str, sentence: str, *, digits: int = 4) -> list[Gate]:
    """Return the gate on a figure of at most a limit, or none where the study sets no limit."""
    if limit is None:
        return []
    return [gate(name, figure <= limit, round(figure, digits), unit, limit, sentence.format(limit=limit))]


def gate(name: str, passed: bool, figure: float | None, unit: str, threshold: float, sentence: str) -> Gate:
    """Return what `run.json` keeps of a gate."""
    return {
        "name": name,
        "passed": bool(passed),
        "figure": figure,
        "unit": unit,
        "threshold": threshold,
        "sentence": sentence,
    }
