"""Give the server a share of its cores only, by the kernel's CPU bandwidth control (cgroups, version 1 or 2).

A load generator that needs as much CPU for a request as the server does cannot keep a whole core of the server busy
from one core of its own: it would be measured, not the server. A server with less CPU has the same costs and the same
queues, later.
"""

import os
from collections.abc import Callable
from pathlib import Path

from harness.errors import LabError

PERIOD_US = 10_000  # short beside a response time under load; the kernel allows 1 ms to 1 s
MOUNTS = Path("/proc/mounts")
MEMBERSHIP = Path("/proc/self/cgroup")


def limit_pct(pct_per_injector_core: float | None, injector_cores: int) -> float | None:
    """Return the server's share of its cores in per cent; None is no limit."""
    if pct_per_injector_core is None or pct_per_injector_core * injector_cores >= 100:
        return None
    return pct_per_injector_core * injector_cores


def make_group(register: Callable[[Path], Path], pct: float, cores: int) -> Path:
    """Make a control group whose processes get `pct` % of `cores` cores; return its file that takes pids.

    `register` makes the folder and sees to it that it is removed, whatever happens. LabError says why the kernel or
    this user's rights do not allow it.
    """
    quota_us = round(PERIOD_US * cores * pct / 100)
    try:
        parent, version = _parent()
        group = register(parent / f"upload-lab-{os.getpid()}")
        if version == 2:
            (group / "cpu.max").write_text(f"{quota_us} {PERIOD_US}", encoding="ascii")
        else:
            (group / "cpu.cfs_period_us").write_text(str(PERIOD_US), encoding="ascii")
            (group / "cpu.cfs_quota_us").write_text(str(quota_us), encoding="ascii")
    except OSError as error:
        raise LabError(f"no control group for the server's CPU: {error}") from error
    return group / "cgroup.procs"


def why_not() -> str | None:
    """Return why this process cannot limit a server's CPU, or None when it can (a group is made and removed)."""
    made: list[Path] = []

    def register(folder: Path) -> Path:
        folder.mkdir()
        made.append(folder)
        return folder

    try:
        make_group(register, 50, 1)
    except LabError as error:
        return str(error)
    finally:
        for folder in made:
            folder.rmdir()
    return None


def _parent() -> tuple[Path, int]:
    """Return the folder where a group with the controller `cpu` can be made, and its cgroup version."""
    own = _own_groups()
    for line in MOUNTS.read_text(encoding="utf-8").splitlines():
        _, folder, kind, options, *_ = line.split()
        if kind == "cgroup" and "cpu" in options.split(","):
            return Path(folder) / own.get("cpu", ""), 1
        if kind == "cgroup2" and "cpu" in _enabled_below(Path(folder) / own.get("", "")):
            return Path(folder) / own.get("", ""), 2
    raise LabError(
        "no control group for the server's CPU: this process may not hand on the controller 'cpu' "
        "(as root outside a container it may)"
    )


def _enabled_below(group: Path) -> list[str]:
    path = group / "cgroup.subtree_control"
    return path.read_text(encoding="ascii").split() if path.exists() else []


def _own_groups() -> dict[str, str]:
    """Map each controller of version 1, and '' for version 2, to this process's group below the mount."""
    groups = {}
    for line in MEMBERSHIP.read_text(encoding="utf-8").splitlines():
        _, controllers, path = line.split(":", 2)
        for controller in controllers.split(","):
            groups[controller] = path.strip("/")
    return groups
