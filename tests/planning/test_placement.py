"""The hosts of a rig's roles: what was started on them ends with a run."""

import os
from pathlib import Path

from monitoring import idle_cores
from uploadlab.hosts.role import Role, Ssh
from uploadlab.planning.placement import Placement
from uploadlab.planning.rig import Rig


def test_what_makes_a_distributed_load_ends_with_its_run_where_no_role_runs_on_this_machine(processes, tmp_path):
    roles = {
        name: Role(host=f"10.0.0.{number}", cores=[0], ssh=Ssh())
        for number, name in enumerate(("server", "injector", "injector-2"), start=1)
    }
    place = Placement(Rig(name="three", roles=roles, disks={}, distributed=True), processes)
    command = ["sleep", "1000"]
    controller = place.controller.start(
        "load", command, cwd=tmp_path, cores=sorted(os.sched_getaffinity(0)), log=tmp_path / "log"
    )
    place.stop_all()
    assert controller.poll() is not None


def _held(device):
    return sum(entry.readlink() == device for entry in Path("/proc/self/fd").iterdir() if entry.is_symlink())


def test_idle_cores_are_kept_awake_until_everything_of_the_run_is_stopped(host, tmp_path, monkeypatch):
    device, state = tmp_path / "cpu_dma_latency", tmp_path / "name"
    device.touch()
    state.write_text("POLL\n")
    monkeypatch.setattr(idle_cores, "DEVICE", device)
    monkeypatch.setattr(idle_cores, "LIGHTEST_STATE", state)
    monkeypatch.setattr(idle_cores, "virtual_machine", lambda: "kvm")
    assert host.keep_awake() is None
    assert host.keep_awake() is None  # of a second role on the same host
    assert _held(device) == 1
    host.stop_all()
    assert _held(device) == 0
    state.unlink()
    assert host.keep_awake() == host.describe()["why_idle_cores_sleep"] == "the kernel has no idle state that polls"
    host.stop_all()
