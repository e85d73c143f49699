"""The log of a real JVM that collects a known number of times, and logs that are damaged."""

import shutil
import subprocess
import time

import pytest

from monitoring.jvm_log import read_jvm_log

PROGRAM = """
public class Collects {
  public static void main(String[] arguments) throws Exception {
    for (int i = 0; i < 7; i++) {
      System.gc();
      Thread.sleep(2);
    }
  }
}
"""

LOG = """\
[2026-11-20T12:00:00.123+0000][0.012s][info][gc] Using G1
[2026-11-20T12:00:01.500+0000][1.389s][info][gc,start    ] GC(0) Pause Young (Normal) (G1 Evacuation Pause)
[2026-11-20T12:00:01.507+0000][1.396s][info][gc,phases   ] GC(0)   Evacuate Collection Set: 5.9ms
[2026-11-20T12:00:01.507+0000][1.396s][info][gc          ] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 6M->3M(64M) 6.459ms
[2026-11-20T12:00:01.507+0000][1.396s][info][gc          ] GC(1) Concurrent Mark Cycle 12.3ms
[2026-11-20T12:00:02.000+0100][1.889s][info][gc          ] GC(2) Pause Remark 12M->12M(256M) 1.250ms
[2026-11-20T12:00:03.000+0000][2.889s][info][gc,phases   ] GC(3) Pause Mark Start 0.010ms
[2026-11-20T12:00:03.001+0000][2.890s][info][safepoint   ] Safepoint "G1CollectFull", Time since last: 719037676 ns, Reaching safepoint: 6149 ns, Cleanup: 91277 ns, At safepoint: 147889846 ns, Total: 147987272 ns
[2026-11-20T12:00:03.002+0000][2.891s][info][safepoint   ] Safepoint "ICBufferFull", Time since last: 5 ns, Reaching safepoint: 10 ns, At safepoint: 20 ns, Leaving safepoint: 30 ns, Total: 60 ns, Threads: 0 runnable, 12 total
"""  # noqa: E501 - lines of a JVM


@pytest.mark.parametrize("collector", ["G1", "Serial"])
def test_a_real_jvm_collects_as_often_as_it_is_told_to(tmp_path, collector):
    java = shutil.which("java")
    assert java is not None, "a JVM is needed: apt-get install --yes default-jdk-headless"
    (tmp_path / "Collects.java").write_text(PROGRAM)
    log = tmp_path / "gc.log"
    options = [f"-XX:+Use{collector}GC", f"-Xlog:gc*,safepoint:file={log}:time,uptime,level,tags:filecount=0"]
    before_ns = time.time_ns()
    subprocess.run([java, *options, tmp_path / "Collects.java"], check=True)
    read = read_jvm_log(log)
    asked = [name for name in read.collections.names if "System.gc()" in name]
    assert asked == ["Pause Full (System.gc())"] * 7
    assert (read.collections.duration_ns > 0).all()
    assert (before_ns - 10**6 <= read.collections.end_ns).all()
    assert (read.collections.end_ns <= time.time_ns()).all()
    # Every pause of a collection is inside a safepoint, so those take at least as long together.
    assert read.safepoints.duration_ns.sum() >= read.collections.duration_ns.sum() * 0.99


def test_pauses_are_told_from_everything_else(tmp_path):
    path = tmp_path / "gc.log"
    path.write_text(LOG)
    read = read_jvm_log(path)
    assert read.collections.names == ["Pause Young (Normal) (G1 Evacuation Pause)", "Pause Remark", "Pause Mark Start"]
    assert read.collections.duration_ns.tolist() == [6_459_000, 1_250_000, 10_000]
    assert read.collections.end_ns[0] == 1795176001507 * 10**6
    assert read.collections.end_ns[1] == (1795176002000 - 3_600_000) * 10**6  # the log's own time zone
    assert read.safepoints.names == ["G1CollectFull", "ICBufferFull"]
    assert read.safepoints.duration_ns.tolist() == [147987272, 60]
