"""Judge a run: every member got every message once, in order and whole, in one group, while all were sending."""

from pathlib import Path
from statistics import fmean, median
from typing import Any

from groups_study.scenario import scenario
from study_kit import gates
from study_kit.records import Ends, check_owners, count, events, named
from study_kit.spec import DriverError, RunSpec

ENDS = Ends(from_=("member", "sent"), to=("member", "received"))
SECOND_NS = 1_000_000_000
LEAST_ROUNDS = 8
"""Halves of fewer rounds tell nothing of whether a run had settled: they may be wholly apart by chance."""
SURELY = 0.05
Events = list[dict[str, Any]]


def check(spec: RunSpec, out: Path) -> dict[str, Any]:
    """Return phases, counts, figures and gates of a finished run; DriverError when its files are missing or damaged."""
    one = scenario(spec.factors, spec.load)
    told = events(out, "member")
    if len(told) != one.factors.members:
        raise DriverError(f"{out}: {len(told)} members described themselves; expected {one.factors.members}.")
    counters = [_of(member, "counters", phase="measure") for member in told]
    rounds = _rounds(told)
    check_owners(out, ENDS.from_)
    delivered = count(out, ENDS, copies=one.factors.members)
    figures = _figures(rounds, counters)
    begin_ns, end_ns = _window(rounds)
    return {
        "phases": {"measure_start_ns": begin_ns, "measure_end_ns": end_ns},
        "counts": {"requests": delivered.arrived, "errors": delivered.wrong + delivered.lost},
        "mean_ms": (end_ns - begin_ns) / 1e6 / max(1, delivered.arrived),
        "load": spec.load,
        "figures": figures,
        "gates": [
            *gates.delivery_gates(delivered, _summed(counters), spec.limits),
            gates.records_gate(sum(int(ended["lost_records"]) for ended in counters)),
            gates.counted_gate(delivered.sent, sum(int(one["sent"]) for one in counters)),
            *_view_gates(told, spec.limits),
            *_together_gates(rounds, spec.limits),
            *settled_gates(rounds, spec.limits),
            *gates.own_cost_gates(
                max(float(_of(member, "own_cost")["ns"]) for member in told),
                SECOND_NS / figures["delivered_per_s"],
                spec.limits,
            ),
        ],
    }


def _of(member: Events, event: str, **which: str) -> dict[str, Any]:
    found = named([member], event, **which)
    if not found:
        raise DriverError(f"A member wrote no event '{event}'; expected one from each member.")
    return found[0]


def _summed(counters: Events) -> Events:
    """Return what all members counted, as one: each misses its own."""
    names = ("sent", "lost", "duplicated", "out_of_order", "wrong")
    return [{name: sum(int(one[name]) for one in counters) for name in names}]


def _rounds(told: list[Events]) -> list[Events]:
    """Return the measured rounds that all members ended, each with what every member told, in ns since 1970."""
    of_members = []
    for member in told:
        started = _of(member, "started")
        ahead_ns = int(started["epoch_ns"]) - int(started["monotonic_ns"])
        rounds = named([member], "round", phase="measure")
        of_members.append([{**one, **_moved(one, ahead_ns)} for one in rounds])
    complete = min(len(rounds) for rounds in of_members)
    if complete == 0:
        raise DriverError("Some member ended no round; expected at least one of each member.")
    return [[rounds[number] for rounds in of_members] for number in range(complete)]


def _moved(one: dict[str, Any], by_ns: int) -> dict[str, int]:
    return {name: int(value) + by_ns for name, value in one.items() if name.endswith("_ns") and name != "at_ns"}


def _window(rounds: list[Events]) -> tuple[int, int]:
    return min(one["first_sent_ns"] for one in rounds[0]), max(one["last_received_ns"] for one in rounds[-1])


def _figures(rounds: list[Events], counters: Events) -> dict[str, float]:
    """Return the rates of a member (mean of members and rounds) and the bytes of a message.

    A rate is what JGroups' own test calls it: deliveries over the time from the first to the last, own ones included.
    """
    of_rounds = [one for members in rounds for one in members]
    sent = sum(one["sent"] for one in counters)
    return {
        "delivered_per_s": fmean(_rate(one) for one in of_rounds),
        "delivered_others_per_s": fmean(_rate(one, own=False) for one in of_rounds),
        "handed_bytes_per_operation": sum(one["sent_bytes"] for one in counters) / sent,
        "transport_bytes_per_operation": sum(one["transport_bytes"] for one in counters) / sent,
    }


def _rate(one: dict[str, Any], *, own: bool = True) -> float:
    delivered = one["received"] - (0 if own else one["received_own"])
    return float(delivered * SECOND_NS / max(1, one["last_received_ns"] - one["first_received_ns"]))


def _view_gates(told: list[Events], limits: gates.Limits) -> list[gates.Gate]:
    """Return the gate that no member's view changed from the contract before the load to the load's end."""
    limit = limits.get("view_changes")
    if limit is None:
        return []
    changes = 0
    for member in told:
        names = [(one["event"], one.get("phase")) for one in member]
        begin = names.index(("verified", None)) if ("verified", None) in names else 0
        changes += sum(name == "view" for name, _ in names[begin : names.index(("counters", "measure"))])
    sentence = f"The members' view of the group changed {changes} times while it was measured (at most {limit:g})."
    return [gates.gate("view_changes", changes <= limit, changes, "changes", limit, sentence)]


def _together_gates(rounds: list[Events], limits: gates.Limits) -> list[gates.Gate]:
    """Return the gate on the share of the rounds' time in which every member had begun and none had got its last."""
    limit = limits.get("together_pct")
    if limit is None:
        return []
    together = window = 0
    for members in rounds:
        begins, ends = [one["first_sent_ns"] for one in members], [one["last_received_ns"] for one in members]
        together += max(0, min(ends) - max(begins))
        window += max(ends) - min(begins)
    share = 100 * together / max(1, window)
    sentence = f"In {share:.1f} % of the rounds' time all members were at work together (at least {limit:g} %)."
    return [gates.gate("together", share >= limit, round(share, 3), "% of the rounds' time", limit, sentence)]


def settled_gates(rounds: list[Events], limits: gates.Limits) -> list[gates.Gate]:
    """Return the gate that the later rounds are as fast as the earlier ones, but for chance (Mann-Whitney's test)."""
    limit = limits.get("settled_pct")
    if limit is None or len(rounds) < LEAST_ROUNDS:
        return []
    from scipy.stats import mannwhitneyu  # here: to import it takes seconds, and most of a run's commands don't need it

    rates = [fmean(_rate(one) for one in members) for members in rounds]
    earlier, later = median(rates[: len(rates) // 2]), median(rates[len(rates) // 2 :])
    by_chance = float(mannwhitneyu(rates[: len(rates) // 2], rates[len(rates) // 2 :]).pvalue)
    apart = 100 * abs(later / earlier - 1)
    sentence = (
        f"The later half of {len(rounds)} rounds was delivered at {later:.0f} messages/s, the earlier at "
        f"{earlier:.0f}: {apart:.1f} % apart (at most {limit:g} %, or by chance: p = {by_chance:.2g})."
    )
    passed = apart <= limit or by_chance > SURELY
    return [gates.gate("settled", passed, round(apart, 3), "% of the earlier half's rate", limit, sentence)]
