"""What the clients' own cost of a message is a share of."""

import numpy as np
import pytest

from queues_study.check import _operation_ns as operation_ns
from queues_study.scenario import scenario
from study_kit.records import Operations

ROUND_NS, APART_NS = 1_000_000_000, 30_000
LOAD = {"payload": "digits", "rounds": 3}


def test_where_messages_overlap_the_time_between_two_of_a_round_counts_and_not_the_pause_between_rounds():
    number, rounds = np.arange(100), np.repeat([0, 1, 2], 100)
    begun_ns = np.tile(number * APART_NS, 3) + rounds * ROUND_NS
    told = {"stream": np.zeros(300), "seq": np.tile(number, 3), "op": rounds, "status": np.zeros(300)}
    measured = Operations(from_ns=begun_ns, due_ns=begun_ns, to_ns=begun_ns + 1, **told)
    one = scenario({"loop": "published", "messages": 100}, LOAD)
    assert operation_ns(one, measured, sent=300) == pytest.approx(APART_NS)
