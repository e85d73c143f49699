"""What the queues slides claim (Q1 to Q8): on our runs, on what they print, and on the authors' rounds (published/)."""

from uploadlab.claims import FAILS, HOLDS, NOT_MEASURED, Evidence, Number, Outcome, gap_falls, lower, trend, within
from uploadlab.statistics.intervals import Interval, clopper_pearson

PUBLISHED = {"loop": "published"}
SATURATED = {"loop": "saturate", "ack": "each"}
SYSTEMS = ("rabbitmq", "simplified")


def rabbitmq_superior(evidence: Evidence) -> Outcome:
    """RabbitMQ has the lower mean latency, with 10,000 and with 200,000 messages.

    Passo 9
    """
    return lower(evidence, "latency", "rabbitmq", "simplified", where=_messages(10_000, 200_000))


def superior_with_volume(evidence: Evidence) -> Outcome:
    """RabbitMQ's advantage grows with the number of messages.

    Passo 9
    """
    return gap_falls(evidence, "latency", "rabbitmq", "simplified", along="messages", where=PUBLISHED)


def ratio_10000(evidence: Evidence) -> Outcome:
    """With 10,000 messages RabbitMQ is 1.51 times as fast (8.5 against 12.8 ms).

    Passo 9
    """
    return lower(evidence, "latency", "rabbitmq", "simplified", where=_messages(10_000), by=(0.63, 0.70))


def ratio_200000(evidence: Evidence) -> Outcome:
    """With 200,000 messages RabbitMQ is 5.86 times as fast (6.3 against 37 ms).

    Passo 9
    """
    return lower(evidence, "latency", "rabbitmq", "simplified", where=_messages(200_000), by=(0.162, 0.179))


def rabbitmq_falls(evidence: Evidence) -> Outcome:
    """RabbitMQ's latency falls from 10,000 to 200,000 messages.

    Passo 9
    """
    return trend(evidence, "latency", ["rabbitmq"], "falls", along="messages", where=PUBLISHED)


def simplified_rises(evidence: Evidence) -> Outcome:
    """Simplified's latency rises from 10,000 to 200,000 messages.

    Passo 9
    """
    return trend(evidence, "latency", ["simplified"], "rises", along="messages", where=PUBLISHED)


# The slides print 1 / latency as throughput. What is held against it here is messages delivered a second.
def throughput_simplified_10000(evidence: Evidence) -> Outcome:
    """Simplified delivers 78 messages a second with 10,000 messages.

    Passo 9
    """
    return within(evidence, "throughput", ["simplified"], (74, 82), where=_messages(10_000))


def throughput_rabbitmq_10000(evidence: Evidence) -> Outcome:
    """RabbitMQ delivers 118 messages a second with 10,000 messages.

    Passo 9
    """
    return within(evidence, "throughput", ["rabbitmq"], (112, 124), where=_messages(10_000))


def throughput_simplified_200000(evidence: Evidence) -> Outcome:
    """Simplified delivers 27 messages a second with 200,000 messages.

    Passo 9
    """
    return within(evidence, "throughput", ["simplified"], (25, 29), where=_messages(200_000))


def throughput_rabbitmq_200000(evidence: Evidence) -> Outcome:
    """RabbitMQ delivers 158 messages a second with 200,000 messages.

    Passo 9
    """
    return within(evidence, "throughput", ["rabbitmq"], (150, 166), where=_messages(200_000))


# Causes: one thing changed each; without the mutex there is a ring, so it is compared with the ring under a mutex. They
# are not measured unless a campaign varies it. A prefetch of 0 is no limit, the most that may be on the way; it acts on
# acknowledged messages alone, and the paper's were not. RabbitMQ's batching can't be switched off, Simplified's can.
def prefetch_helps(evidence: Evidence) -> Outcome:
    """Prefetch helps RabbitMQ: saturated, with each message acknowledged, it delivers more messages a second the more
    may be on their way. (The slides name prefetch for latency without acknowledgements, where it does not act.)

    Passo 9
    """
    return trend(
        evidence, "throughput", ["rabbitmq"], "rises", along="prefetch", levels=[1, 10, 100, 0], where=SATURATED
    )


def batching_helps(evidence: Evidence) -> Outcome:
    """Batching helps a queue: saturated, with each message acknowledged, Simplified delivers fewer messages a second
    where each is sent to the consumer by itself than where those that wait are sent together. (The slides name batching
    as a cause of RabbitMQ's latency.)

    Passo 9
    """
    each, together = "simplified@current,flush=each", "simplified@current,flush=together"
    return lower(evidence, "throughput", each, together, where=SATURATED)


def mutex_costs(evidence: Evidence) -> Outcome:
    """Simplified is slow because of its mutex: a ring without it has a lower latency than one with it.

    Passo 9
    """
    without, beside = "simplified@current,store=lock_free_ring", "simplified@current,store=mutex_ring"
    return lower(evidence, "latency", without, beside, where=PUBLISHED)


def garbage_costs(evidence: Evidence) -> Outcome:
    """Simplified is slow because taking from a slice leaves garbage: with places used again its latency is lower.

    Passo 9
    """
    without, beside = "simplified@current,store=mutex_ring", "simplified@current,store=mutex_slice"
    return lower(evidence, "latency", without, beside, where=PUBLISHED)


def all_delivered(evidence: Evidence) -> Outcome:
    """Every message is delivered.

    Passo 2
    """
    return _never(evidence, "lost")


def fifo(evidence: Evidence) -> Outcome:
    """Messages are delivered in the order in which they were published.

    Passo 2
    """
    return _never(evidence, "out_of_order")


def _messages(*counts: int) -> dict[str, object]:
    return {**PUBLISHED, "messages": counts}


def _never(evidence: Evidence, metric: str) -> Outcome:
    """In no completed run is a count above 0, valid or not: such a count is itself what makes a run invalid.

    The figure is the share of the runs in which it is.
    """
    counts = [
        count
        for run in evidence.completed
        if run["system"] in SYSTEMS and isinstance(count := run.get(evidence.column(metric)), int | float)
    ]
    if not counts:
        return Outcome(verdict=NOT_MEASURED)
    broken = sum(count > 0 for count in counts)
    lo, hi = clopper_pearson(broken, len(counts))
    share = Interval(estimate=broken / len(counts), lo=lo, hi=hi, method="Clopper-Pearson")
    number = Number(of=f"runs with {metric}", value=share.estimate, lo=lo, hi=hi, sides=(broken, len(counts)))
    return Outcome.of(FAILS if broken else HOLDS, share, len(counts), [number])
