"""What the groups paper claims (G1 to G15), on our runs and on the printed numbers.

It prints numbers for Table 1 only; its four figures are pictures. "The thin layer" and "the envelope layer" are
stand-ins made after its description: no verdict here is one on the systems that it measured.
"""

from collections.abc import Sequence

from uploadlab.claims import Direction, Evidence, Outcome, equal, gap_falls, in_range, lower, ordered, outcome_of, trend
from uploadlab.statistics.intervals import Interval, interval_of_variation

ALL = ("jgroups", "thin-pull", "envelope")
TCP = ("tcp", "tcp_without_fc")
UP_TO_100_B = (1, 10, 100)
UP_TO_1_KB = (*UP_TO_100_B, 1000)


def udp_small_both_cost(evidence: Evidence) -> Outcome:
    """On UDP, up to 1 KB, JGroups alone is faster than the thin layer (a stand-in), and the thin layer than the
    envelope layer (a stand-in).

    Figure 1 (a)
    """
    return ordered(evidence, "rate", ALL, where=_on("udp", UP_TO_1_KB))


def udp_cost_falls(evidence: Evidence) -> Outcome:
    """On UDP the cost of the envelope layer (a stand-in) falls as messages grow.

    Figure 1 (a)
    """
    return gap_falls(evidence, "rate", "jgroups", "envelope", along="message_bytes", where={"transport": "udp"})


def udp_cost_falls_thin(evidence: Evidence) -> Outcome:
    """On UDP the cost of the thin layer (a stand-in), too, falls as messages grow.

    Figure 1 (a)
    """
    return gap_falls(evidence, "rate", "jgroups", "thin-pull", along="message_bytes", where={"transport": "udp"})


def udp_large_equal(evidence: Evidence) -> Outcome:
    """On UDP, at 10 KB, neither layer (stand-ins) costs anything perceptible.

    Figure 1 (a)
    """
    return equal(evidence, "rate", ALL, margin=0.05, where=_on("udp", 10_000))


def udp_small_envelope(evidence: Evidence) -> Outcome:
    """On UDP, up to 100 B, the envelope layer (a stand-in) is 7 to 8 times slower than JGroups.

    Figure 1 (b)
    """
    return lower(evidence, "rate", "envelope", "jgroups", by=(0.125, 0.143), where=_on("udp", UP_TO_100_B))


def udp_small_thin(evidence: Evidence) -> Outcome:
    """On UDP, up to 100 B, the thin layer (a stand-in) is about 2.3 times slower than JGroups.

    Figure 1 (b)
    """
    return lower(evidence, "rate", "thin-pull", "jgroups", by=(0.41, 0.46), where=_on("udp", UP_TO_100_B))


def tcp_order(evidence: Evidence) -> Outcome:
    """On TCP, up to 1 KB, JGroups alone is fastest, then the thin layer, then the envelope layer (both stand-ins).

    Figure 2 (a)
    """
    return ordered(evidence, "rate", ALL, where=_on(TCP, UP_TO_1_KB))


def tcp_large_equal(evidence: Evidence) -> Outcome:
    """On TCP, at 10 KB, neither layer (stand-ins) costs anything perceptible.

    Figure 2 (a)
    """
    return equal(evidence, "rate", ALL, margin=0.05, where=_on(TCP, 10_000))


# The levels in the order in which the ratio is to fall: the paper's TCP or ours first, UDP last.
def tcp_costs_more_thin(evidence: Evidence) -> Outcome:
    """The thin layer (a stand-in) loses more on TCP than on UDP: JGroups is faster than it by a larger factor there.

    Figure 2 (b)
    """
    levels = ["tcp_without_fc", "tcp", "udp"]
    return gap_falls(evidence, "rate", "jgroups", "thin-pull", along="transport", levels=levels)


def tcp_costs_more_envelope(evidence: Evidence) -> Outcome:
    """The envelope layer (a stand-in) loses more on TCP than on UDP: JGroups is faster than it by a larger factor
    there.

    Figure 2 (b)
    """
    levels = ["tcp_without_fc", "tcp", "udp"]
    return gap_falls(evidence, "rate", "jgroups", "envelope", along="transport", levels=levels)


def tcp_small_envelope(evidence: Evidence) -> Outcome:
    """On TCP, up to 100 B, the envelope layer (a stand-in) is 9 to 10 times slower than JGroups: more than on UDP.

    Figure 2 (b)
    """
    return lower(evidence, "rate", "envelope", "jgroups", by=(0.1, 0.111), where=_on(TCP, UP_TO_100_B))


def tcp_small_thin(evidence: Evidence) -> Outcome:
    """On TCP, up to 100 B, the thin layer (a stand-in) is about 2.9 times slower than JGroups: more than on UDP.

    Figure 2 (b)
    """
    return lower(evidence, "rate", "thin-pull", "jgroups", by=(0.33, 0.36), where=_on(TCP, UP_TO_100_B))


# The stand-ins are made to hand over what Table 1 prints, so theirs stands beside it in the report and is no claim.
def table1_jgroups(evidence: Evidence) -> Outcome:
    """JGroups hands 9 bytes more than the message to its transport, whatever the message's size.

    Table 1
    """
    found = []
    for scene in evidence.where({"members": 4}):
        value, size = evidence.value(scene, "jgroups", "handed"), scene.levels.get("message_bytes")
        if value is not None and isinstance(size, int):
            lo, hi = (None if end is None else end - size for end in (value.lo, value.hi))
            excess = Interval(estimate=value.estimate - size, lo=lo, hi=hi, method=value.method)
            found.append(in_range(evidence.name(scene), excess, (8.5, 9.5)))
    return outcome_of(found)


# "Its bytes are why": then bytes alone (padding) would be as slow as the envelope. The paper says it of its 100 Mb/s,
# where bytes take time on the wire; over loopback they cost no more than copies.
def bytes_are_why(evidence: Evidence) -> Outcome:
    """On 100 Mb/s the envelope layer (a stand-in) is slow because of its bytes: the same bytes without its
    serialisation are as slow.

    Section on Table 1
    """
    where = {"link": "ethernet-100", "message_bytes": UP_TO_100_B}
    return equal(evidence, "rate", ["envelope", "padding"], margin=0.1, where=where)


def bytes_are_why_loopback(evidence: Evidence) -> Outcome:
    """Over loopback, too, the envelope layer (a stand-in) is slow because of its bytes: the same bytes without its
    serialisation are as slow.

    Section on Table 1, of another network
    """
    where = {"link": "loopback", "message_bytes": UP_TO_100_B}
    return equal(evidence, "rate", ["envelope", "padding"], margin=0.1, where=where)


# A bound on one side: a layer that is as fast as JGroups keeps it, too.
def thin_below_3(evidence: Evidence) -> Outcome:
    """The thin layer (a stand-in) is always less than 3 times slower than JGroups.

    Conclusion
    """
    return lower(evidence, "rate", "thin-pull", "jgroups", by=(0.334, 100))


def envelope_up_to_11(evidence: Evidence) -> Outcome:
    """The envelope layer (a stand-in) is up to 11 times slower than JGroups, and never slower than that.

    Conclusion
    """
    return lower(evidence, "rate", "envelope", "jgroups", by=(0.09, 100))


def best_is_jgroups(evidence: Evidence) -> Outcome:
    """Whatever the size and the transport, JGroups alone is the best choice; of the layers the thin one (both are
    stand-ins).

    Discussion
    """
    return ordered(evidence, "rate", ALL)


def best_small_on_tcp(evidence: Evidence) -> Outcome:
    """Up to 100 B JGroups is the better choice on TCP: it delivers more messages a second there than on UDP.

    Discussion
    """
    return _to_tcp(evidence, "jgroups", "rises", UP_TO_100_B)


def best_large_on_udp(evidence: Evidence) -> Outcome:
    """From 1 KB to 10 KB JGroups is the better choice on UDP: it delivers more messages a second there than on TCP.

    Discussion
    """
    return _to_tcp(evidence, "jgroups", "falls", (1000, 10_000))


def best_thin_on_udp(evidence: Evidence) -> Outcome:
    """Whatever the size, the thin layer (a stand-in) is the better choice on UDP: it delivers more messages a second
    there than on TCP.

    Discussion
    """
    return _to_tcp(evidence, "thin-pull", "falls")


def runs_are_stable(evidence: Evidence) -> Outcome:
    """Runs are stable: the rate of JGroups varies little from run to run.

    Figures 1 (a) and 2 (a)
    """
    found = [
        in_range(evidence.name(scene), cv, (0.0, 0.1))
        for scene in ([] if evidence.printed else evidence.scenes)
        if (cv := interval_of_variation(evidence.values(scene, "jgroups", "rate")))
    ]
    return outcome_of(found)


def _on(transport: str | Sequence[str], message_bytes: int | Sequence[int]) -> dict[str, object]:
    return {"transport": transport, "message_bytes": message_bytes}


def _to_tcp(evidence: Evidence, system: str, direction: Direction, message_bytes: Sequence[int] = ()) -> Outcome:
    levels, where = ["udp", "tcp", "tcp_without_fc"], {"message_bytes": message_bytes} if message_bytes else {}
    return trend(evidence, "rate", [system], direction, along="transport", levels=levels, where=where)
