"""What the sockets paper claims (S1 to S9).

Its figures have no numbers: of the printed data there is only Table 2 (published/). "Response time" is what the paper's
timer shows; what it should have shown is put to the test beside it.
"""

from uploadlab.claims import Evidence, Judged, Number, Outcome, best, equal, lower, ordered, outcome_of

PING_PONG = {"loop": "ping_pong"}
KB = 1024


def nanomsg_30_10kb(evidence: Evidence) -> Outcome:
    """At 30 messages a second of 10 KB nanomsg has the lowest response time, by the paper's timer.

    Gráfico 1
    """
    return best(evidence, "paper", "nanomsg", where=_paced(30, 10 * KB))


def nanomsg_50_10kb(evidence: Evidence) -> Outcome:
    """At 50 messages a second of 10 KB nanomsg has the lowest response time, by the paper's timer.

    Gráfico 2
    """
    return best(evidence, "paper", "nanomsg", where=_paced(50, 10 * KB))


def nanomsg_30_100kb(evidence: Evidence) -> Outcome:
    """At 30 messages a second of 100 KB nanomsg has the lowest response time, by the paper's timer.

    Gráfico 3
    """
    return best(evidence, "paper", "nanomsg", where=_paced(30, 100 * KB))


def nanomsg_50_100kb(evidence: Evidence) -> Outcome:
    """At 50 messages a second of 100 KB nanomsg has the lowest response time, by the paper's timer.

    Gráfico 4
    """
    return best(evidence, "paper", "nanomsg", where=_paced(50, 100 * KB))


def equal_30_100kb(evidence: Evidence) -> Outcome:
    """At 30 messages a second of 100 KB the three libraries may perform alike.

    Gráfico 3, section 5.1.1
    """
    return equal(evidence, "paper", ["berkeley", "zeromq", "nanomsg"], margin=0.05, where=_paced(30, 100 * KB))


# What varies in the paper's graphs is the mean of a second ([intervals.server_loop]). Of single messages a claim would
# decide something else: Berkeley sockets read one of 100 KB in two, of which one takes 33 ms and the other nothing.
def zeromq_varies_more_than_berkeley(evidence: Evidence) -> Outcome:
    """At 30 messages a second ZeroMQ's response time varies more than that of Berkeley sockets.

    Gráficos 1 and 3
    """
    return lower(evidence, "variation", "berkeley", "zeromq", where=_paced(30))


def zeromq_varies_more_than_nanomsg(evidence: Evidence) -> Outcome:
    """At 30 messages a second ZeroMQ's response time varies more than nanomsg's.

    Gráficos 1 and 3
    """
    return lower(evidence, "variation", "nanomsg", "zeromq", where=_paced(30))


def nanomsg_throughput(evidence: Evidence) -> Outcome:
    """nanomsg has the highest throughput with messages of 100 KB.

    Gráfico 5
    """
    return best(evidence, "throughput", "nanomsg", where={**PING_PONG, "message_bytes": 100 * KB})


def throughput_like_berkeley(evidence: Evidence) -> Outcome:
    """nanomsg's throughput with messages of 100 KB is very much like that of Berkeley sockets (here: within 10 %).

    Gráfico 5
    """
    of_100_kb = {**PING_PONG, "message_bytes": 100 * KB}
    return equal(evidence, "throughput", ["nanomsg", "berkeley"], margin=0.10, where=of_100_kb)


def lines(evidence: Evidence) -> Outcome:
    """The smallest client takes 23 lines with Berkeley sockets, 9 with ZeroMQ and 20 with nanomsg.

    Section 5.1.2
    """
    found = []
    for system, expected in {"berkeley": 23, "zeromq": 9, "nanomsg": 20}.items():
        known = evidence.facts.get(system, {}).get("lines")
        if known is not None:
            agrees = str(known) == str(expected)
            number = Number(of=f"{system}, expected {expected}", value=float(known))
            found.append(Judged(agrees=agrees, leans=agrees, number=number))
    return outcome_of(found)


def nanomsg_best(evidence: Evidence) -> Outcome:
    """nanomsg performs best over all: it has the lowest round trip.

    Section 6
    """
    return best(evidence, "response", "nanomsg", where=PING_PONG)


def zeromq_only_fair(evidence: Evidence) -> Outcome:
    """ZeroMQ's performance is only fair: nanomsg has lower round trips.

    Tabela 2
    """
    return ordered(evidence, "response", ["nanomsg", "zeromq"], where=PING_PONG)


def zeromq_only_fair_beside_berkeley(evidence: Evidence) -> Outcome:
    """ZeroMQ's performance is only fair: Berkeley sockets have lower round trips.

    Tabela 2
    """
    return ordered(evidence, "response", ["berkeley", "zeromq"], where=PING_PONG)


def _paced(rate_per_s: int, *message_bytes: int) -> dict[str, object]:
    sizes = {"message_bytes": message_bytes[0]} if message_bytes else {}
    return {"loop": "paced", "rate_per_s": rate_per_s, **sizes}
