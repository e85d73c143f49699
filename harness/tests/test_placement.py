"""The hosts of a rig's roles: what was started on them ends with a run."""

import os

from harness.hosts.placement import Placement
from harness.hosts.processes import Processes
from harness.planning.rig import Rig, Role, Ssh


def test_what_makes_a_distributed_load_ends_with_its_run_where_no_role_runs_on_this_machine(tmp_path):
    roles = {
        name: Role(host=f"10.0.0.{number}", cores=[0], ssh=Ssh())
        for number, name in enumerate(("server", "injector", "injector-2"), start=1)
    }
    registry = Processes(tmp_path / "state")
    place = Placement(Rig(name="three", roles=roles, disks={}, distributed=True), registry)
    command = ["sleep", "1000"]
    controller = place.controller.start(
        "load", command, cwd=tmp_path, cores=sorted(os.sched_getaffinity(0)), log=tmp_path / "log"
    )
    place.stop_all()
    assert controller.poll() is not None
    registry.close()
