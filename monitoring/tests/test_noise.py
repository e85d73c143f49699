"""How busy cores are, against a core that is made busy and one that is left alone."""

import os

from monitoring.noise import host_noise


def test_a_core_that_is_kept_busy_is_seen_to_be(start_worker):
    core = max(os.sched_getaffinity(0))
    start_worker(core).begin("burn", 60)
    seen = host_noise([core], seconds=0.5)
    assert seen["busy_pct"][str(core)] > 90
    assert seen["load_1m"] >= 0


def test_what_the_kernel_counts_is_read_as_it_says(tmp_path, monkeypatch):
    # Of 100 ticks 60 idle and 10 waiting for a disk: 30 busy. Guest time, 50, is in the user time already.
    first = "cpu  0 0 0 0 0 0 0 0 0 0\ncpu0 0 0 0 0 0 0 0 0 0 0\ncpu1 5 5 5 5 5 5 5 5 5 5\n"
    then = "cpu  0 0 0 0 0 0 0 0 0 0\ncpu0 20 0 5 60 10 1 4 0 50 0\ncpu1 5 5 5 105 5 5 5 5 5 5\n"
    stat = tmp_path / "stat"
    stat.write_text(first)
    monkeypatch.setattr("monitoring.noise.STAT", stat)
    monkeypatch.setattr("monitoring.noise.time.sleep", lambda _: stat.write_text(then))
    assert host_noise([0, 1])["busy_pct"] == {"0": 30.0, "1": 0.0}
