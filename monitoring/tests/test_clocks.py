"""Clocks of two hosts, with offsets that are known."""

import numpy as np

from monitoring.clocks import ClockAlignment, read_offset

MS = 1_000_000


def test_of_all_exchanges_the_one_with_the_shortest_round_trip_counts():
    # The other clock is 5 ms ahead. Its answers are given half-way, but for the slow ones, where they are late.
    exchanges = iter(
        [(0, 5 * MS + 90 * MS, 100 * MS), (200 * MS, 205 * MS + MS, 202 * MS), (300 * MS, 305 * MS + 30 * MS, 340 * MS)]
    )
    reading = read_offset(lambda: next(exchanges), exchanges=3)
    assert (reading.at_ns, reading.offset_ns, reading.uncertainty_ns) == (201 * MS, 5 * MS, MS)


def _record(server_ms: tuple[float, float], injector_ms: tuple[float, float], uncertainty_ms: float = 1) -> dict:
    """Return what run.json keeps of clocks that were read at 0 s and at 10 s of the lab's."""
    return {
        role: {
            when: {"at_ns": at * 10**9, "offset_ns": int(ms * MS), "uncertainty_ns": int(uncertainty_ms * MS)}
            for when, at, ms in (("before", 0, offsets[0]), ("after", 10, offsets[1]))
        }
        for role, offsets in (("server", server_ms), ("injector", injector_ms))
    }


def test_a_servers_time_is_moved_to_the_load_generators_clock_by_an_offset_that_changes_evenly():
    clocks = ClockAlignment.of(_record(server_ms=(300, 320), injector_ms=(100, 100)))
    assert clocks.offset_ns == (200 * MS, 220 * MS)
    middle = 5 * 10**9 + 100 * MS  # of the load generator's clock, half-way between the readings
    assert clocks.on_server(middle) == middle + 210 * MS
    on_server = np.array([clocks.on_server(time) for time in (0, middle, 20 * 10**9)])
    moved = clocks.on_injector(on_server)
    assert np.abs(moved - np.array([0, middle, 20 * 10**9])).max() < MS // 10  # 0.2 % of 20 ms


def test_the_drift_is_bounded_by_the_change_and_both_uncertainties_of_both_readings():
    clocks = ClockAlignment.of(_record(server_ms=(0, -30), injector_ms=(0, 10), uncertainty_ms=2))
    assert clocks.largest_drift_ns == (40 + 4 * 2) * MS
