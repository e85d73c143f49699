"""Judge a run: every member got every message once, in order and whole, in one group, while all were sending."""

from pathlib import Path
from statistics import fmean, median
from typing import Any

import msgspec

from groups_study.events import Counters, Round, Started
from groups_study.scenario import scenario
from study_kit import gates
from study_kit.records import Ends, check_owners, count, event_files, events_of
from study_kit.spec import DriverError, RunSpec
from study_kit.told import OwnCost, every, told

ENDS = Ends(from_=("member", "sent"), to=("member", "received"))
SECOND_NS = 1_000_000_000
LEAST_ROUNDS = 8
"""Fewer rounds tell nothing of whether a run had settled: they may be in an order by chance."""
SURELY = 0.05
SETTLED_PCT = 10.0
"""How far the rates of the earlier and the later half of the rounds may be apart whether they have a trend or not."""


def check(spec: RunSpec, out: Path) -> dict[str, Any]:
    """Return phases, counts and gates of a finished run; DriverError when its files are missing or damaged."""
    one = scenario(spec.factors, spec.load)
    files = event_files(out, "member")
    if len(files) != one.factors.members:
        raise DriverError(f"{out}: {len(files)} members described themselves; expected {one.factors.members}.")
    counters, own_costs = told(out, "member", Counters), told(out, "member", OwnCost)
    rounds = _rounds(out)
    check_owners(out, ENDS.from_)
    delivered = count(out, ENDS, copies=one.factors.members)
    delivered_per_s = fmean(_rate(member) for members in rounds for member in members)
    if not delivered_per_s:
        raise DriverError(f"{out}: no message of a measured round reached any member.")
    begin_ns, end_ns = _window(rounds)
    return {
        "phases": {"measure_start_ns": begin_ns, "measure_end_ns": end_ns},
        "counts": {"requests": delivered.arrived, "errors": delivered.wrong + delivered.lost},
        "load": spec.load,
        "settled": settled(rounds),
        "gates": [
            *gates.delivery_gates(delivered, spec.limits, counted=_summed(counters), compared=gates.EDGES),
            *([gates.warm_up_gate(out, "member")] if one.load.warmup_rounds else []),
            gates.records_gate(sum(member.lost_records for member in counters)),
            gates.counted_gate(delivered.sent, *(member.sent for member in counters), every=one.load.stamp_every),
            *_view_gates(files, spec.limits),
            *_together_gates(rounds, spec.limits),
            *gates.own_cost_gates(max(member.ns for member in own_costs), SECOND_NS / delivered_per_s, spec.limits),
        ],
    }


def _summed(counters: list[Counters]) -> dict[str, int]:
    """Return what all members counted, as one: each misses its own."""
    names = ("sent", "lost", "duplicated", "out_of_order", "wrong")
    return {name: sum(getattr(member, name) for member in counters) for name in names}


def _rounds(out: Path) -> list[list[Round]]:
    """Return the measured rounds that all members ended, each with what every member told, in ns since 1970."""
    of_members = []
    for path, started in zip(event_files(out, "member"), told(out, "member", Started), strict=True):
        ahead_ns = started.epoch_ns - started.monotonic_ns
        of_members.append([_moved(one, ahead_ns) for one in every(path, Round)])
    complete = min(len(rounds) for rounds in of_members)
    if complete == 0:
        raise DriverError(f"{out}: some member ended no round ({Round.described()}); expected at least one of each.")
    return [[rounds[number] for rounds in of_members] for number in range(complete)]


def _moved(one: Round, by_ns: int) -> Round:
    times = {name: getattr(one, name) + by_ns for name in one.__struct_fields__ if name.endswith("_ns")}
    return msgspec.structs.replace(one, **times)


def _window(rounds: list[list[Round]]) -> tuple[int, int]:
    return min(one.first_sent_ns for one in rounds[0]), max(one.last_received_ns for one in rounds[-1])


def _rate(one: Round) -> float:
    """Return what JGroups' own test calls a rate: deliveries over the time from the first to the last, own ones too."""
    return float(one.received * SECOND_NS / max(1, one.last_received_ns - one.first_received_ns))


def _view_gates(files: list[Path], limits: gates.Limits) -> list[gates.Gate]:
    """Return the gate that no member's view changed from the contract before the load to the load's end."""
    limit = limits.get("view_changes")
    if limit is None:
        return []
    changes = 0
    for path in files:
        names = [(one.get("event"), one.get("phase")) for one in events_of(path)]
        begin = names.index(("verified", None)) if ("verified", None) in names else 0
        changes += sum(name == "view" for name, _ in names[begin : names.index(("counters", "measure"))])
    sentence = f"The members' view of the group changed {changes} times while it was measured (at most {limit:g})."
    return [gates.gate("view_changes", changes <= limit, changes, "changes", limit, sentence)]


def _together_gates(rounds: list[list[Round]], limits: gates.Limits) -> list[gates.Gate]:
    """Return the gate on the share of the rounds' time in which every member had begun and none had got its last."""
    limit = limits.get("together_pct")
    if limit is None:
        return []
    together = window = 0
    for members in rounds:
        begins, ends = [one.first_sent_ns for one in members], [one.last_received_ns for one in members]
        together += max(0, min(ends) - max(begins))
        window += max(ends) - min(begins)
    share = 100 * together / max(1, window)
    sentence = f"In {share:.1f} % of the rounds' time all members were at work together (at least {limit:g} %)."
    return [gates.gate("together", share >= limit, round(share, 3), "% of the rounds' time", limit, sentence)]


def settled(rounds: list[list[Round]]) -> dict[str, Any]:
    """Return what `run.json` keeps of whether rounds got neither faster nor slower; a run that never settled counts.

    They may be of two speeds, each for some rounds on end, as JGroups' are; what a warm-up leaves is a trend, told from
    chance by Kendall's tau (Mann, Nonparametric Tests Against Trend, Econometrica 13, 1945).
    """
    if len(rounds) < LEAST_ROUNDS:
        return {"settled": None, "sentence": f"{len(rounds)} rounds are too few to tell (at least {LEAST_ROUNDS})."}
    from scipy.stats import kendalltau  # here: to import it takes seconds, and most of a run's commands don't need it

    rates = [fmean(_rate(one) for one in members) for members in rounds]
    earlier, later = median(rates[: len(rates) // 2]), median(rates[len(rates) // 2 :])
    by_chance = float(kendalltau(range(len(rates)), rates).pvalue)
    apart = 100 * abs(later / earlier - 1)
    sentence = (
        f"The later half of {len(rounds)} rounds was delivered at {later:.0f} messages/s, the earlier at "
        f"{earlier:.0f}: {apart:.1f} % apart (settled: at most {SETTLED_PCT:g} %, or no trend: p = {by_chance:.2g})."
    )
    return {"settled": apart <= SETTLED_PCT or by_chance > SURELY, "sentence": sentence}
