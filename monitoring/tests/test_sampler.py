"""The sampler as a program: its rows, its cost, and what it refuses."""

import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from waiting import wait_for

from monitoring.collectors import SamplerCollector
from monitoring.sample_columns import COLUMNS as SAMPLE_COLUMNS
from monitoring.sampler import Sampler, record
from monitoring.samples_reader import read_samples


def test_a_sampled_process_has_the_switches_and_the_cpu_time_it_was_given(tmp_path, start_worker):
    worker = start_worker(core=0)
    out = tmp_path / "server.samples.csv"
    with SamplerCollector(out, role="server", pids=[worker.pid], role_cores=[0], device_of=tmp_path) as sampler:
        sampler.wait_recording()
        worker.do("pingpong", 10_000)
        burned = worker.do("burn", 0.5)
        sampler.stop()
    samples = read_samples(out)
    gained = {name: samples[name][-1] - samples[name][0] for name in SAMPLE_COLUMNS}
    switches = gained["role_voluntary_switches"] + gained["role_involuntary_switches"]
    assert 19_000 < switches < 30_000  # two a round trip, and those that others on the core force
    assert gained["ctxt"] > switches
    assert gained["role_cpu_ns"] > burned["cpu_ns"]
    # ... of which the burning alone is in the ticks of core 0, and in no more time than passed
    ticks = gained["cpu_user_ticks"] + gained["cpu_system_ticks"]
    assert ticks / os.sysconf("SC_CLK_TCK") > 0.8 * burned["cpu_ns"] / 1e9
    assert 0 < gained["sampler_cpu_ns"] < samples["time_ns"][-1] - samples["time_ns"][0]


def test_a_process_started_later_is_followed_and_counters_never_step_back_while_threads_come_and_go(
    tmp_path, start_worker
):
    worker = start_worker()
    out = tmp_path / "server.samples.csv"
    settings = {"role": "server", "pids": [worker.pid], "role_cores": [0], "device_of": tmp_path}
    with SamplerCollector(out, interval_ms=5, **settings) as sampler:
        sampler.wait_recording()
        worker.do("sleeps_in_threads", 200, 5)
        worker.do("pingpong", 10)
        wait_for(lambda: read_samples(out)["role_threads"][-1] == 2)
        sampler.stop()
    samples = read_samples(out)
    assert samples["role_threads"][0] == 1
    for name in ("time_ns", "ctxt", "role_cpu_ns", "role_voluntary_switches", "role_involuntary_switches"):
        assert np.all(np.diff(samples[name]) >= 0), name


def test_columns_the_kernel_tells_are_filled_in_every_row_and_the_others_empty(tmp_path, start_worker):
    with closing(Sampler([start_worker().pid], [0], tmp_path)) as sampler:
        row = sampler.row(sampler.read()).decode().strip().split(",")
    cells = dict(zip(SAMPLE_COLUMNS, row, strict=True))
    try:
        has_pressure = bool(Path("/proc/pressure/io").read_text())
    except OSError:
        has_pressure = False
    has_disk = Path(f"/sys/dev/block/{os.major(tmp_path.stat().st_dev)}:{os.minor(tmp_path.stat().st_dev)}").exists()
    for name, cell in cells.items():
        if name.startswith("psi_"):
            assert bool(cell) == has_pressure, name
        elif name.startswith("disk_"):
            assert bool(cell) == has_disk, name
        else:
            assert cell.isdecimal(), name


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"--pids": "4194304"}, "no process 4194304 is running, so it cannot be watched"),
        ({"--cores": "4000"}, "this machine has no core 4000"),
        ({"--device-of": "/nowhere"}, "the disk of /nowhere cannot be found: No such file or directory"),
        ({"--interval-ms": "0"}, "--interval-ms must be at least 1, got 0"),
        ({"--out": "/nowhere/a.csv"}, "/nowhere/a.csv cannot be written: No such file or directory"),
        ({"--out": "/dev/null"}, "/dev/null exists already; a recording is never overwritten"),
        ({"--pids": "1,x"}, "expected numbers such as 0,2-4, got '1,x'"),
    ],
)
def test_what_cannot_be_done_is_one_sentence_and_exit_code_2(tmp_path, changes, sentence):
    options = {
        "--role": "server",
        "--pids": str(os.getpid()),
        "--cores": "0",
        "--device-of": str(tmp_path),
        "--out": str(tmp_path / "a.csv"),
    } | changes
    command = [sys.executable, "-m", "monitoring.sampler", *(word for option in options.items() for word in option)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert sentence in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "a.csv").exists()


def test_a_full_disk_ends_the_recording_instead_of_going_on_in_vain(tmp_path):
    never, writer = os.pipe()
    with (
        closing(Sampler([os.getpid()], [0], tmp_path)) as sampler,
        Path("/dev/full").open("wb", buffering=0) as full,
        pytest.raises(OSError, match="No space left on device"),
    ):
        record(sampler, full, interval_ns=1_000_000, parent_pid=os.getppid(), stop_requests=never)
    os.close(never)
    os.close(writer)
