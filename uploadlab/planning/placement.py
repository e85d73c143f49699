"""Which host each role of a rig runs on."""

import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from uploadlab.errors import LabError
from uploadlab.hosts import link
from uploadlab.hosts.host import Host
from uploadlab.hosts.local_host import HERE, LocalHost
from uploadlab.hosts.processes import Processes
from uploadlab.hosts.role import Role
from uploadlab.hosts.ssh_host import SshHost
from uploadlab.planning.install import set_up_load, set_up_systems
from uploadlab.planning.rig import LOCAL, Rig
from uploadlab.planning.study import Study
from uploadlab.planning.system import Step, Sut


class Placement:
    """The hosts of a rig's roles, and the cores on each; a host is connected when it is first needed."""

    def __init__(self, rig: Rig, processes: Processes) -> None:
        self.rig, self.processes = rig, processes
        self.here = LocalHost(processes)
        self.server = _host_of(rig.roles["server"], rig.one_host, processes)
        self.hosts: dict[str, Host] = {"server": self.server}
        """Each host once, by the role it is first needed for."""
        if not rig.one_host:
            self.hosts |= {name: _host_of(rig.roles[name], False, processes) for name in rig.injectors}
        self.injector = self.hosts.get("injector", self.server)
        self.secrets: Path | None = None
        """The folder here of what the engines of a distributed load know each other by."""

    @property
    def server_is_here(self) -> bool:
        """True when the server runs on this machine."""
        return isinstance(self.server, LocalHost)

    @property
    def injector_hosts(self) -> dict[str, Host]:
        """The hosts of the load generator, by role."""
        return {name: self.hosts.get(name, self.server) for name in self.rig.injectors}

    @property
    def controller(self) -> Host:
        """The host where the study's driver makes the load: the injector's; of a distributed load this machine."""
        return self.here if self.rig.distributed else self.injector

    def controller_cores(self) -> list[int]:
        """Return the cores of the driver that makes the load: of a distributed load those the server leaves."""
        if not self.rig.distributed:
            return self.cores("injector")
        taken = self.cores("server") if self.server_is_here else []
        return [core for core in self.here.cores() if core not in taken] or self.here.cores()

    def cores(self, role: str) -> list[int]:
        """Return the cores a role is pinned to: where the rig names none, all of its host but the first."""
        if named := self.rig.roles[role].cores:
            return named
        there = self.hosts[role].cores()
        return there[1:] or there

    def cores_beside(self, role: str) -> list[int]:
        """Return the cores of a role's host for what accompanies it: the contract, collectors.

        On one host those of the load generator; else those the role leaves free, or its own where it has them all.
        """
        if self.rig.one_host:
            return self.cores("injector")
        host = self.hosts[role]
        return [core for core in host.cores() if core not in self.cores(role)] or self.cores(role)

    def set_up(self, study: Study, systems: Iterable[Sut]) -> None:
        """Make what is needed on this machine ready; LabError says what another host lacks."""
        if isinstance(self.controller, LocalHost):
            set_up_load(study)
        for host in self.injector_hosts.values():
            if not isinstance(host, LocalHost):
                _check_installed(host, study, [(step, study) for step in study.file.install])
        systems = list(systems)
        # Where a system has parts, they may run on any host.
        hosts = list(self.hosts.values()) if study.file.roles else [self.server]
        if any(isinstance(host, LocalHost) for host in hosts):
            set_up_systems(systems)
        for host in hosts:
            if not isinstance(host, LocalHost):
                _check_installed(host, study, [(step, sut) for sut in systems for step in sut.stack.install])
        for role, host in self.hosts.items():
            beyond = [core for core in self.cores(role) if core not in host.cores()]
            if beyond:
                raise LabError(
                    f"The rig {self.rig.name} assigns core {beyond[0]} of {host.name} to the {role}; the lab may use "
                    f"the cores {', '.join(map(str, host.cores()))} there."
                )

    def versions(self, sut: Sut) -> dict[str, Any]:
        """Ask a system's own command, where it has one, for the versions it runs on, on the server's host."""
        if sut.stack.versions is None:
            return {}
        return self.server.versions(self.server.path(sut.folder), sut.stack.versions.command)

    def make_disks(self, used: Iterable[str]) -> None:
        """Make those of the used disks that the lab makes itself; they are removed when the campaign ends."""
        for name in sorted(set(used)):
            disk = self.rig.disks[name]
            if disk.made_in is not None:
                self.processes.throttled_disk(disk.made_in, disk.facts["durability"])

    def try_links(self, used: Iterable[str]) -> None:
        """Prove that the links can be made that the lab makes itself; LabError says what this machine lacks for one."""
        if link.ETHERNET_100 in used:
            with tempfile.TemporaryDirectory(prefix="upload-lab-") as folder:
                link.try_out(self.here, Path(folder) / "log")

    def stop_all(self) -> None:
        """End everything that was started for a run: here, where a distributed load is made, and on every host."""
        for host in (self.here, *self.hosts.values()):
            host.stop_all()

    def close(self) -> None:
        """Leave every host as it was found."""
        for host in self.hosts.values():
            host.close()
        self.processes.close()


def _host_of(role: Role, one_host: bool, processes: Processes) -> Host:
    if role.ssh is not None:
        return SshHost(role, processes)
    return LocalHost(processes, HERE if one_host or role.host == LOCAL else role.host)


def _check_installed(host: Host, study: Study, steps: list[tuple[Step, Study | Sut]]) -> None:
    outputs = {
        host.path((owner.folder / step.folder).resolve()) / output: step
        for step, owner in steps
        for output in step.outputs
    }
    for path in host.missing(list(outputs)):
        step = next(step for output, step in outputs.items() if str(output) == path)
        raise LabError(
            f"{host.name}: {path} is missing; `{' '.join(step.command)}` makes it "
            f"(./lab --study {study.folder.name} setup, run there, makes all that the study's own systems need; other "
            "stacks with --stacks)."
        )
