"""The study `tiny_study`, its two systems, and a campaign of it on this host."""

from pathlib import Path
from typing import Any

from harness.campaigns.campaign import Campaign
from harness.hosts.placement import Placement
from harness.hosts.processes import Processes
from harness.planning.rig import Disk, Rig, Role
from harness.planning.study import load_study
from harness.planning.system import Sut, choose

TINY = Path(__file__).parent / "tiny_study"
RIG = Rig(
    name="local",
    roles={"server": Role(host="local", cores=[0]), "injector": Role(host="local", cores=[0])},
    disks={"local": Disk(label="here"), "tmpfs": Disk(label="memory", folder=Path("/dev/shm"))},
)


def two_systems() -> list[Sut]:
    return [choose(TINY / name, "current", {}) for name in ("alpha", "beta")]


def campaign(folder: Path, profile_name: str, **other: Any) -> Campaign:
    study = load_study(TINY)
    given = {
        "study": study,
        "profile": study.profile(profile_name),
        "levels": {"size": [1, 2], "disk": ["local"]},
        "server_cpu_limit_pct": None,
        **other,
    }
    place = Placement(RIG, Processes(folder / "state"))
    return Campaign(profile_name=profile_name, systems=two_systems(), place=place, seed=1, folder=folder, **given)
