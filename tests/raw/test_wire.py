"""Joining packets to requests: users and connections of which it is known which belongs to which."""

from dataclasses import replace

import numpy as np
import pytest

from monitoring.wire_reader import WireRequests
from uploadlab.raw.request_file import TimedRequests
from uploadlab.raw.wire import join, wire_figures

T0_MS = 1_790_000_000_000


def _closed_load(users, each, seed, *, client_ms, spread_ms=20.0, least_ms=5.0, clock=int):
    """Make users that send one request after the other: JMeter's rows, the packets, and the truth.

    Before and after what is on the wire the client takes `client_ms` each time. `clock` is what the
    rows' clock makes of a time in ms: whole ones, or as it is.
    """
    generator = np.random.default_rng(seed)
    rows, packets = [], []
    for user in range(users):
        at = T0_MS + generator.uniform(0, 50)
        for _ in range(each):
            wire = least_ms + generator.exponential(spread_ms)
            end = at + wire + 2 * client_ms
            rows.append((at, end, user))
            packets.append((at + client_ms, at + client_ms + wire / 4, at + client_ms + wire, user))
            at = end
    generator.shuffle(rows)
    packets.sort()
    requests = TimedRequests(
        start_ms=np.array([clock(start) for start, _, _ in rows]),
        elapsed_ms=np.array([clock(end) - clock(start) for start, end, _ in rows]),
        due_ms=np.array([clock(start) for start, _, _ in rows]),
        connect_ms=np.zeros(len(rows), dtype=np.int64),
        thread=np.array([user for *_, user in rows]),
    )
    came, read, went, connection = (np.array(part) for part in zip(*packets, strict=True))
    wire = WireRequests(
        connection=connection.astype(np.int64) + 100,
        first_in_ns=(came * 1e6).astype(np.int64),
        last_in_ns=(read * 1e6).astype(np.int64),
        last_out_ns=(went * 1e6).astype(np.int64),
        retransmitted=np.zeros(len(came), dtype=np.int64),
    )
    return requests, wire


def test_every_request_of_a_closed_load_is_found_on_the_wire():
    requests, wire = _closed_load(20, 60, 1, client_ms=1.0)
    joined = join(requests, wire)
    assert len(joined.elapsed_ms) == joined.of == 20 * 60
    # what is not on the wire is the client's 2 ms, but for the whole milliseconds of JMeter's clock
    assert np.abs(joined.client_ms - 2).max() < 1.01
    assert joined.client_ms.mean() == pytest.approx(2, abs=0.05)
    assert (joined.receive_ms / joined.wire_ms).mean() == pytest.approx(0.25, abs=0.001)


def test_requests_far_shorter_than_a_millisecond_are_found_where_the_rows_have_a_finer_clock():
    joined = join(*_closed_load(20, 60, 1, client_ms=0.01, spread_ms=0.5, least_ms=0.15, clock=float))
    assert len(joined.elapsed_ms) == joined.of
    assert joined.client_ms.mean() == pytest.approx(0.02, abs=0.001)


def test_the_shares_of_the_variance_are_those_of_the_parts_and_sum_to_100():
    figures = wire_figures(join(*_closed_load(20, 60, 2, client_ms=1.0)))
    assert figures["wire_joined_pct"] == 100
    assert figures["wire_variance_pct"] > 99
    parts = [figures[f"{part}_variance_pct"] for part in ("wire", "client", "connect")]
    assert sum(parts) == pytest.approx(100)
    assert figures["wire_mean_ms"] == pytest.approx(25, rel=0.1)


def test_a_connection_that_two_users_could_have_opened_belongs_to_neither():
    requests, wire = _closed_load(2, 1, 6, client_ms=1.0)
    both_long = TimedRequests(
        start_ms=np.array([T0_MS, T0_MS]),
        elapsed_ms=np.array([1000, 1000]),
        due_ms=np.array([T0_MS, T0_MS]),
        connect_ms=requests.connect_ms,
        thread=np.array([0, 1]),
    )
    assert not len(join(both_long, wire).elapsed_ms)


def test_the_time_of_retransmissions_is_their_share_of_the_variance():
    requests, wire = _closed_load(10, 60, 7, client_ms=1.0)
    order = np.argsort(wire.last_out_ns - wire.first_in_ns)
    again = np.zeros(len(order), dtype=np.int64)
    again[order[-3:]] = 1
    figures = wire_figures(join(requests, replace(wire, retransmitted=again)))
    assert figures["retransmitted_requests"] == 3
    assert 5 < figures["retransmitted_variance_pct"] < 60
