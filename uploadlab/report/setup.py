"""How a campaign was set up, as its campaign.json tells: machine, roles, limit, disks, plan."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from uploadlab.report.results import Results
from uploadlab.results.campaign import lowest_limit_pct, server_cpu_factor


@dataclass(frozen=True, kw_only=True)
class Setup:
    """What was measured with what; empty, None or 0 where campaign.json does not say."""

    cpu_model: str
    cores: int | None
    kernel: str
    virtual_machine: str
    """The hypervisor; `unknown` where there is one that does not say its name, empty where there is none."""
    hosts: tuple[str, str]
    """Of the server and of the load generator."""
    server_cores: tuple[int, ...]
    injector_cores: tuple[int, ...]
    server_cpu_limit_pct: float | None
    """The share of its cores that the server was held to; None where it had all of them, or shares are a factor."""
    server_shares: tuple[float, ...]
    """The shares of its cores that it had, in per cent, the largest first; none where they are no factor."""
    disks: Mapping[str, str]
    """What each disk level that was used is called."""
    memory_disks: tuple[str, ...]
    emulated: bool
    """Whether the hosts' processors were emulated: nothing of it is a result."""
    scenarios: int
    repeats: tuple[int, int]
    """Planned for a cell: fewest and most."""
    day: str
    idle_cores: str
    """What idle cores did in a virtual machine, `poll` or `sleep`; empty where nobody chose, and on bare metal."""
    role_cores: Mapping[str, tuple[tuple[int, ...], ...]]
    """Of a study of several roles, on which cores the parts of each ran; several sets where runs differed."""

    @property
    def same_host(self) -> bool:
        """Return whether server and load generator shared a machine."""
        return self.hosts[0] == self.hosts[1]


def setup(results: Results) -> Setup:
    """Return how the campaign was set up."""
    campaign = results.campaign
    machine, rig = _mapping(campaign.get("machine")), _mapping(campaign.get("rig"))
    cpu, roles, disks = _mapping(machine.get("cpu")), _mapping(rig.get("roles")), _mapping(rig.get("disks"))
    cores = cpu.get("cores")
    planned = {(entry.get("cell"), entry.get("repeat")) for entry in campaign.get("runs") or []}
    counts = Counter(cell for cell, _ in planned).values()
    started = campaign.get("started_ns")
    factor = server_cpu_factor(campaign)
    limits = [rig.get("server_cpu_limit_pct"), *(run.server_cpu_limit_pct for run in results.runs)]
    shares = tuple(float(share) for share in campaign["levels"][factor]) if factor else ()
    return Setup(
        cpu_model=str(cpu.get("model") or ""),
        cores=len(cores) if isinstance(cores, list) else None,
        kernel=str(machine.get("kernel") or ""),
        virtual_machine=_virtual(machine.get("virtual_machine")),
        hosts=(_host(roles, "server"), _host(roles, "injector")),
        server_cores=_cores(roles, "server"),
        injector_cores=_cores(roles, "injector"),
        server_cpu_limit_pct=None if shares else lowest_limit_pct(limits),
        server_shares=shares,
        disks={name: str(_mapping(disk).get("label") or name) for name, disk in disks.items()},
        memory_disks=tuple(name for name, disk in disks.items() if _mapping(disk).get("filesystem") == "tmpfs"),
        emulated=rig.get("emulated") is True,
        scenarios=len(results.scenarios),
        repeats=(min(counts, default=0), max(counts, default=0)),
        day=datetime.fromtimestamp(started / 1e9, UTC).strftime("%Y-%m-%d") if isinstance(started, int) else "",
        idle_cores=_idle_cores(campaign),
        role_cores={name: _cores_of_role(results, name, role, roles) for name, role in results.declared.roles.items()},
    )


def _cores_of_role(
    results: Results, name: str, role: Mapping[str, Any], places: Mapping[str, Any]
) -> tuple[tuple[int, ...], ...]:
    """Return the sets of cores that a role's parts had in the runs, or where no run says so those of its place."""
    found = {cores for run in results.runs for cores in run.part_cores.get(name, ())}
    return tuple(sorted(found)) or tuple(cores for cores in [_cores(places, str(role.get("place")))] if cores)


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _idle_cores(campaign: Mapping[str, Any]) -> str:
    """Return what idle cores did: they slept on a host that could not keep them awake, whatever the profile says."""
    chosen = str(_mapping(_mapping(campaign.get("profile")).get("settings")).get("idle_cores") or "")
    hosts = [one for name, one in campaign.items() if name == "machine" or name.endswith("_machine")]
    if not any(_virtual(_mapping(host).get("virtual_machine")) for host in hosts):
        return ""
    asleep = any(_mapping(host).get("why_idle_cores_sleep") for host in hosts)
    return "sleep" if chosen == "poll" and asleep else chosen


def _host(roles: Mapping[str, Any], role: str) -> str:
    return str(_mapping(roles.get(role)).get("host", role))


def _cores(roles: Mapping[str, Any], role: str) -> tuple[int, ...]:
    cores = _mapping(roles.get(role)).get("cores")
    return tuple(core for core in cores if isinstance(core, int)) if isinstance(cores, list) else ()


def _virtual(said: object) -> str:
    text = str(said or "").strip()
    return "" if text.lower() in ("none", "no") else text
