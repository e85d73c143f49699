"""The description of the machine against what the system's own tools say."""

import json
import os
import platform
import subprocess
from pathlib import Path

from monitoring.machine import describe, describe_disk


def test_the_description_is_json_and_agrees_with_the_system(tmp_path):
    machine = json.loads(json.dumps(describe({"local": tmp_path})))
    assert machine["kernel"] == platform.release()
    assert machine["cpu"]["cores"] == sorted(os.sched_getaffinity(0))
    assert machine["memory_bytes"] == os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    assert machine["can_measure"]["switches_every_tick"] == (os.geteuid() == 0)
    assert machine["disks"].keys() == {"local"}
    assert machine["clock_source"]
    assert machine["load_1m"] >= 0


def test_a_disk_is_the_one_df_names(tmp_path):
    disk = describe_disk(tmp_path)
    shown = subprocess.run(
        ["df", "--output=fstype,target,size", "--block-size=1", tmp_path], capture_output=True, text=True, check=True
    )
    filesystem, mount_point, size_bytes = shown.stdout.splitlines()[1].split()
    assert (disk["filesystem"], disk["mount_point"]) == (filesystem, mount_point)
    assert disk["size_bytes"] == int(size_bytes)
    if disk["device"] is not None:
        assert Path(f"/sys/class/block/{disk['device']}").exists()
        assert disk["rotational"] in (True, False)
