from pathlib import Path

import numpy as np
import pytest

from monitoring.clocks import ClockAlignment
from monitoring.nmon_reader import read_nmon
from uploadlab.raw.recordings import Samples, Snapshots, read_snapshots

NMON = Path(__file__).parents[2] / "monitoring" / "tests" / "data" / "nmon" / "linux-13g-1s-120.nmon"
S = 10**9
T0 = 1_790_000_000 * S


def samples(**columns):
    times = T0 + np.arange(5, dtype=np.int64) * S // 10
    return Samples(time_ns=times, columns={name: np.array(values, dtype=float) for name, values in columns.items()})


def at(*tenths):
    return np.array([T0 + int(tenth * S / 10) for tenth in tenths], dtype=np.int64)


def test_a_counter_between_two_rows_is_read_on_the_line_between_them():
    found = samples(ctxt=[0, 10, 30, 60, 100])
    assert found.at("ctxt", at(0, 0.5, 1, 2.5, 4)).tolist() == [0, 5, 10, 45, 100]
    assert found.increase("ctxt", at(0.5, 2.5, 3.5)).tolist() == [40, 35]


def test_a_counter_is_not_known_more_than_half_a_second_outside_its_rows():
    found = samples(ctxt=[0, 10, 20, 30, 40])
    assert found.at("ctxt", at(-4, 8)).tolist() == [0, 40]
    assert np.isnan(found.at("ctxt", at(-6, 10))).all()


def test_the_share_of_busy_ticks_is_of_all_ticks():
    found = samples(
        cpu_user_ticks=[0, 2, 4, 6, 8],
        cpu_system_ticks=[0, 1, 2, 3, 4],
        cpu_softirq_ticks=[0, 1, 2, 3, 4],
        cpu_idle_ticks=[0, 4, 8, 12, 16],
        cpu_iowait_ticks=[0, 2, 4, 6, 8],
        cpu_steal_ticks=[0, 0, 0, 0, 0],
    )
    assert found.busy_pct("busy", at(0, 4)).tolist() == [40]
    assert found.busy_pct("iowait", at(0, 4)).tolist() == [20]
    assert found.busy_pct("steal", at(0, 4)).tolist() == [0]


def snapshots(stamps, after_stamp_ns=None):
    n = len(stamps)
    return Snapshots(
        stamp_s=np.array(stamps),
        number=np.arange(1, n + 1),
        cores={core: {"user": np.full(n, user), "system": np.full(n, user - 20)} for core, user in ((0, 30), (1, 20))},
        pswitch_per_s=np.zeros(n),
        after_stamp_ns=after_stamp_ns,
    )


@pytest.mark.parametrize(
    ("after_stamp_ns", "start_s", "end_s", "inside"),
    [
        (None, 10.0, 14.0, [11, 12, 13, 14]),
        (None, 10.9, 14.9, [11, 12, 13, 14]),  # nmon stamps whole seconds: 10.9 is stamped 10
        (None, 11.0, 13.0, [12, 13]),
        (None, 9.9, 14.0, [11, 12, 13, 14]),  # nothing was stamped before 10
        (None, 14.5, 15.5, []),
        (700_000_000, 10.8, 13.6, [12]),  # taken at 10.7, 11.7 … 14.7: that of 13.7 has 0.1 s after the end
        (700_000_000, 10.7, 13.7, [11, 12, 13]),
        (700_000_000, 10.74, 13.66, [11, 12, 13]),  # some ms are nmon's own
        (700_000_000, 11.8, 13.6, []),
    ],
)
def test_a_snapshot_counts_when_it_and_the_one_before_lie_in_the_window(after_stamp_ns, start_s, end_s, inside):
    found = snapshots([10, 11, 12, 13, 14], after_stamp_ns)
    assert found.stamp_s[found.inside(round(start_s * S), round(end_s * S))].tolist() == inside


@pytest.mark.parametrize("ahead_s", [0.0, 0.2, 0.9, -1.3])
def test_the_moment_of_a_snapshot_is_moved_to_the_load_generators_clock(ahead_s):
    of_server = read_nmon(NMON).time_ns
    clocks = ClockAlignment(at_ns=(0, 1), offset_ns=(round(ahead_s * S), round(ahead_s * S)))
    found = read_snapshots(NMON, clocks, written_ns=int(of_server[3]) + 400_000_000)
    taken_ns = found.stamp_s[3] * S + found.after_stamp_ns
    assert taken_ns == of_server[3] + 400_000_000 - round(ahead_s * S)


@pytest.mark.parametrize(
    ("started_s", "written_s", "after_s"),
    [
        (-0.1, 0.003, 0.003),  # taken and written just after the full second of its stamp
        (0.95, 1.003, 1.003),  # taken just before a full second, written just after it
        (0.3, 0.4, 0.4),
        (0.95, 3.003, 1.003),  # seen when two more were written
    ],
)
def test_a_snapshot_written_just_after_a_full_second_is_not_taken_for_the_one_stamped_then(
    started_s, written_s, after_s
):
    first_ns = int(read_nmon(NMON).time_ns[0])
    started_ns, written_ns = first_ns + round(started_s * S), first_ns + round(written_s * S)
    found = read_snapshots(NMON, started_ns=started_ns, written_ns=written_ns)
    assert found.after_stamp_ns == round(after_s * S)


def test_cpu_is_that_of_the_servers_cores_only():
    found = snapshots([1, 2])
    assert found.cpu_pct([0]).tolist() == [40, 40]
    assert found.cpu_pct([0, 1]).tolist() == [30, 30]
    assert found.cpu_pct([]).tolist() == [30, 30]
    assert np.isnan(found.cpu_pct([7])).all()
