"""The tables of the queues slides, and what they leave out."""

from uploadlab.tables.study_tables import Columned, Measured, beside_paper

PUBLISHED = {"loop": "published"}


def means(measured: Measured) -> Columned:
    """Passo 9: Latency: mean and standard deviation of the round means, ms

    The printed mean of Simplified with 200,000 messages is that of 29 rounds: round 29 is left out. Of all 30 rounds
    that the authors published it is 36.30 ± 17.35 ms.
    """
    return beside_paper(
        measured,
        ["latency"],
        rows=["system"],
        columns=["messages"],
        where=PUBLISHED,
        deviation="sd_ms",  # between the rounds, of a sample
        published="table.csv",
    )


def speed_up(measured: Measured) -> Columned:
    """Passo 9: Speed-up of RabbitMQ: Simplified's mean latency over RabbitMQ's

    With all 30 rounds of the authors the second would be 5.74.
    """
    ratio = ["simplified", "rabbitmq"]
    return beside_paper(
        measured, ["latency"], rows=[], columns=["messages"], where=PUBLISHED, ratio=ratio, published="speed_up.csv"
    )


def throughput(measured: Measured) -> Columned:
    """Passo 9: Throughput, messages a second (the paper's is 1 / latency)"""
    return beside_paper(
        measured, ["throughput"], rows=["system"], columns=["messages"], where=PUBLISHED, published="table.csv"
    )


def parts(measured: Measured) -> Columned:
    """Depth of the queue, messages on their way, and what a message costs each part (not in the slides)"""
    values = ["depth", "deepest", "in_flight", "most_in_flight", "cpu_broker", "cpu_producer", "cpu_consumer"]
    return beside_paper(measured, values, rows=["loop", "system"])
