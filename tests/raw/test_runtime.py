from pathlib import Path

import numpy as np

from uploadlab.raw.runtime import read_runtime

S = 10**9
T0 = 1_790_000_000 * S  # 2026-09-21T14:13:20Z

JVM_LOG = """\
[2026-09-21T14:13:20.500+0000][0.5s][info][gc] Using G1
[2026-09-21T14:13:20.900+0000][0.9s][info][gc] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 24M->5M(512M) 4.000ms
[2026-09-21T14:13:20.900+0000][0.9s][info][safepoint] Safepoint "G1CollectForAllocation", Time since last: 1 ns, \
Reaching safepoint: 1000000 ns, At safepoint: 4000000 ns, Total: 5000000 ns
[2026-09-21T14:13:21.250+0000][1.2s][info][safepoint] Safepoint "Cleanup", Time since last: 1 ns, \
Reaching safepoint: 500000 ns, At safepoint: 500000 ns, Total: 1000000 ns
[2026-09-21T14:13:21.500+0000][1.5s][info][gc] GC(1) Pause Young (Normal) (G1 Evacuation Pause) 25M->6M(512M) 2.500ms
"""
NODE_LINES = "".join(
    f'{{"epoch_ns":{T0 + end_ms * 1_000_000},"loop_delay_mean_ms":{mean},"loop_delay_p99_ms":{worst},'
    f'"loop_delay_max_ms":{worst},"gc_count":{count},"gc_ms":{gc_ms}}}\n'
    for end_ms, mean, worst, count, gc_ms in ((900, 0.5, 3, 2, 4.0), (1900, 1.5, 9, 1, 2.5), (2900, 9, 99, 7, 70))
)
EDGES = np.array([T0, T0 + S, T0 + 2 * S], dtype=np.int64)


def folder_with(tmp_path: Path, name: str, text: str) -> Path:
    (tmp_path / name).write_text(text)
    return tmp_path


def test_the_pauses_of_a_jvm_are_summed_by_the_second_in_which_they_ended(tmp_path):
    found = read_runtime(folder_with(tmp_path, "server.gc.log", JVM_LOG))
    assert found.collections.spent_ms(EDGES).tolist() == [4.0, 2.5]
    assert found.collections.pauses(EDGES).tolist() == [1, 1]
    assert found.safepoints.spent_ms(EDGES).tolist() == [5.0, 1.0]
    assert found.loop_delay is None


def test_the_lines_of_node_are_taken_by_the_second_in_which_they_ended(tmp_path):
    found = read_runtime(folder_with(tmp_path, "server.runtime.jsonl", NODE_LINES))
    assert found.collections.spent_ms(EDGES).tolist() == [4.0, 2.5]
    assert found.collections.pauses(EDGES).tolist() == [2, 1]
    assert found.loop_delay.means(EDGES).tolist() == [0.5, 1.5]
    assert found.loop_delay.largest_ms(T0, T0 + 2 * S) == 9
    assert found.safepoints is None
