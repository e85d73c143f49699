"""The local rig's slow disk: as slow as it says, and gone afterwards however the lab ended."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tiny import copy_of_tiny, run_lab
from waiting import processes_that_name, running, wait_until_none

from uploadlab.hosts import throttled_disk
from uploadlab.hosts.processes import clean_up_after_crash
from uploadlab.planning.rig import local_rig

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("slow disks"),
    pytest.mark.skipif(throttled_disk.why_not() is not None, reason=str(throttled_disk.why_not())),
]


def _fio(folder: Path, name: str, *options: str) -> dict:
    command = ["fio", f"--name={name}", f"--directory={folder}", "--size=256M", "--ioengine=psync", "--time_based"]
    command += ["--runtime=3", "--output-format=json", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["jobs"][0]


def test_the_slow_disk_is_within_a_fifth_of_what_it_is_set_to(tmp_path):
    """A write and its fsync are two operations: the data, and the file system's log."""

    def random() -> float:
        return _fio(files, "random", "--rw=randwrite", "--bs=4k", "--direct=1")["write"]["iops"]

    def sequential() -> float:
        return _fio(files, "sequential", "--rw=write", "--bs=1M", "--direct=1")["write"]["bw_bytes"]

    def synced() -> float:
        return 1e9 / _fio(files, "fsync", "--rw=randwrite", "--bs=4k", "--fsync=1")["sync"]["lat_ns"]["mean"]

    try:
        files = throttled_disk.make(tmp_path / "hdd")
        _assert_near(random, throttled_disk.IOPS)
        _assert_near(sequential, throttled_disk.BYTES_PER_S)
        _assert_near(synced, throttled_disk.IOPS / 2)
    finally:
        throttled_disk.remove(tmp_path / "hdd")


def test_a_write_to_the_synchronous_disk_waits_though_nobody_asks_for_it(tmp_path):
    def written() -> float:
        return _fio(files, "written", "--rw=randwrite", "--bs=4k")["write"]["iops"]

    try:
        files = throttled_disk.make(tmp_path / "hdd", throttled_disk.SYNC)
        _assert_near(written, throttled_disk.IOPS / 2)
    finally:
        throttled_disk.remove(tmp_path / "hdd")


def _assert_near(measured_per_s: Callable[[], float], wanted_per_s: float) -> None:
    """Hold one of some measurements to a fifth: beside other work less may arrive, and more after a pause."""
    found: list[float] = []
    while not found or found[-1] != pytest.approx(wanted_per_s, rel=0.2):
        assert len(found) < 6, found
        found.append(measured_per_s())


KILLED_LAB = """
import signal, sys
from pathlib import Path
from uploadlab.hosts.processes import Processes
registry = Processes(Path(sys.argv[1]) / "state")
print(registry.throttled_disk(Path(sys.argv[1]) / "hdd"), flush=True)
signal.pause()
"""


def _traces(folder: Path) -> list[str]:
    """Return the mounts, loop devices and processes that name a folder."""
    mounts = [line for line in Path("/proc/mounts").read_text().splitlines() if str(folder) in line]
    loops = [
        str(path) for path in Path("/sys/block").glob("loop*/loop/backing_file") if str(folder) in path.read_text()
    ]
    return mounts + loops + processes_that_name(folder)


def test_after_kill_9_the_next_start_removes_the_slow_disk(tmp_path):
    with running([sys.executable, "-c", KILLED_LAB, str(tmp_path)], stdout=subprocess.PIPE) as lab:
        files = Path(lab.stdout.readline().strip())
        (files / "upload").write_text("x" * 100_000)
    assert _traces(tmp_path / "hdd")
    clean_up_after_crash(tmp_path / "state")
    _wait_until_gone(tmp_path / "hdd")


def _wait_until_gone(folder: Path) -> None:
    wait_until_none(lambda: _traces(folder))
    assert not folder.exists()


@pytest.mark.parametrize(
    ("disk", "label", "durability"),
    [("hdd", "emulated HDD", "small-dirty"), ("hdd-sync", "emulated HDD, sync", "sync")],
)
def test_a_campaign_stores_on_the_slow_disk_says_so_and_leaves_nothing_of_it(disk, label, durability, tmp_path):
    asked = ["--sizes", "1", "--systems", "alpha", "--repeats", "1", "--disks", disk, "--out", str(tmp_path / "out")]
    run_lab(copy_of_tiny(tmp_path), "run", *asked, expect=0)
    kept = json.loads((tmp_path / "out" / "campaign.json").read_text())["rig"]["disks"][disk]
    assert kept["label"] == local_rig().disks[disk].label == label
    assert kept["filesystem"] == "xfs"
    assert (kept["emulated"], kept["iops"], kept["durability"]) == (True, 120, durability)
    assert not Path(kept["path"]).exists()
    assert not [
        line for line in Path("/proc/mounts").read_text().splitlines() if kept["path"].rpartition("/")[0] in line
    ]
