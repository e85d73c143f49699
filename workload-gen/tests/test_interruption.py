"""Real processes killed at real moments, and a file system that is really full."""

import os
import shutil
import signal
import subprocess
import sys

import pytest
from waiting import processes_that_name, running, wait_for, wait_until_none

from workload_gen import WorkloadError, ensure_list, sample_source
from workload_gen.__main__ import EXIT_INTERRUPTED
from workload_gen.payloads import list_files

GENERATE = [sys.executable, "-m", "workload_gen", "generate", "--sample", "7", "--count", "1500", "--out"]
BOUND_S = 120


@pytest.mark.parametrize("written", [1, 900])
def test_kill_9_leaves_nothing_half_written_and_no_process_and_the_next_call_completes(tmp_path, written):
    process = subprocess.Popen([*GENERATE, tmp_path], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    wait_for(lambda: sum(1 for _ in tmp_path.glob(".*.partial/payloads/*")) >= written or process.poll() is not None)
    process.kill()
    process.wait()
    assert process.returncode == -signal.SIGKILL
    assert [p.name for p in tmp_path.iterdir() if not p.name.startswith(".")] == []
    wait_until_none(lambda: processes_that_name(tmp_path))
    files = ensure_list(sample_source(7, count=1500, seed=1), tmp_path, verify="hash")
    assert sorted(p.name for p in tmp_path.iterdir()) == [".lock", files.folder.name]
    assert sum(1 for _ in files.payload_dir.iterdir()) == files.unique


def test_ctrl_c_leaves_nothing(tmp_path):
    many = [*GENERATE, tmp_path, "--count", "15000"]  # it must still be at work when the signal comes
    with running(many, start_new_session=True) as process:
        wait_for(lambda: any(tmp_path.glob(".*.partial/payloads/*")))
        os.killpg(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=BOUND_S)
    assert process.returncode == EXIT_INTERRUPTED
    assert err.splitlines()[1:] == ["Interrupted; nothing half-written was left."]
    assert [p.name for p in tmp_path.iterdir()] == [".lock"]


def test_two_processes_that_want_the_same_sample_do_not_disturb_each_other(tmp_path):
    with running([*GENERATE, tmp_path]) as one, running([*GENERATE, tmp_path]) as other:
        said = [process.communicate(timeout=BOUND_S)[1] for process in (one, other)]
    assert (one.returncode, other.returncode) == (0, 0)
    assert sorted(bool(err) for err in said) == [False, True]


@pytest.fixture
def small_disk(tmp_path):
    """A file system of two megabytes."""
    if os.geteuid() != 0:
        pytest.skip("needs root to mount a small file system")
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "none", disk], capture_output=True, check=False)
    if mounted.returncode:
        pytest.skip("mounting is not allowed here")
    yield disk
    subprocess.run(["umount", disk], check=True)


def test_a_disk_that_fills_up_meanwhile_leaves_nothing_half_written(small_disk, monkeypatch):
    """The check beforehand saw room that another process then took."""
    monkeypatch.setattr(list_files.shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(10**9, 0, 10**9))
    for count in (100, 1500):  # one process, then several
        with pytest.raises(
            WorkloadError, match=r"sample-07-n\d+-seed1: cannot be written: the disk is full; free some"
        ):
            ensure_list(sample_source(7, count=count, seed=1), small_disk)
        assert [p.name for p in small_disk.iterdir()] == [".lock"]
