"""Give the server a share of its cores only, by the kernel's CPU bandwidth control (cgroups, version 1 or 2).

A container's CPU limit does the same. It changes more than how long a request takes: a server that may run for a part
of each period only is stopped with its work half done, and answers in batches. Steadiness and its order are not a whole
core's (docs/guides/load.md).
"""

import itertools
import math
import os
from collections.abc import Callable, Iterator
from pathlib import Path

from uploadlab.errors import LabError

# Short beside a response time under load, and no multiple of a timer tick (1, 4 or 10 ms): the kernel's CPU figures are
# samples taken at ticks, and a server that always began with one would seem busier than it is.
PERIOD_US = 7_300
LEAST_QUOTA_US = 1_000  # the kernel's
MOUNTS = Path("/proc/mounts")
_NUMBERS = itertools.count(1)
MEMBERSHIP = Path("/proc/self/cgroup")


class CpuLimit:
    """A control group for one server after the other; limits nothing until it is put on."""

    def __init__(self, register: Callable[[Path], Path], pct: float, cores: int) -> None:
        """Make the group for `pct` % of `cores` cores.

        `register` makes the folder and sees to it that it is removed, whatever happens. LabError says why the kernel
        or this user's rights do not allow it.
        """
        self.pct = pct
        self._period_us = PERIOD_US * math.ceil(LEAST_QUOTA_US / (PERIOD_US * cores * pct / 100))
        self._quota_us = round(self._period_us * cores * pct / 100)
        try:
            parent, self._version = _parent()
            self._group = register(parent / f"upload-lab-{os.getpid()}-{next(_NUMBERS)}")
            self.put_on()
            self.lift()
        except OSError as error:
            raise LabError(f"no control group for the server's CPU: {error}") from error

    @property
    def members(self) -> Path:
        """The file that takes the pid of a process that joins."""
        return self._group / "cgroup.procs"

    def put_on(self) -> None:
        """Hold the group's processes, together, to the share."""
        self._write(str(self._quota_us))

    def lift(self) -> None:
        """Give the group's processes all the CPU there is."""
        self._write("max" if self._version == 2 else "-1")

    def _write(self, quota_us: str) -> None:
        if self._version == 2:
            (self._group / "cpu.max").write_text(f"{quota_us} {self._period_us}", encoding="ascii")
        else:
            (self._group / "cpu.cfs_period_us").write_text(str(self._period_us), encoding="ascii")
            (self._group / "cpu.cfs_quota_us").write_text(quota_us, encoding="ascii")


def why_not() -> str | None:
    """Return why this process cannot limit a server's CPU, or None when it can (a group is made and removed)."""
    made: list[Path] = []

    def register(folder: Path) -> Path:
        folder.mkdir()
        made.append(folder)
        return folder

    try:
        CpuLimit(register, 50, 1)
    except LabError as error:
        return str(error)
    finally:
        for folder in made:
            folder.rmdir()
    return None


def sees(group: Path) -> bool:
    """Return whether the control groups among which `group` is, or was, are mounted where this process is."""
    return any(kind in ("cgroup", "cgroup2") and group.is_relative_to(folder) for folder, kind, _ in _mounts())


def _mounts() -> Iterator[tuple[Path, str, list[str]]]:
    """Yield the folder, kind and options of each mount that this process sees."""
    for line in MOUNTS.read_text(encoding="utf-8").splitlines():
        _, folder, kind, options, *_ = line.split()
        yield Path(folder), kind, options.split(",")


def _parent() -> tuple[Path, int]:
    """Return the folder where a group with the controller `cpu` can be made, and its cgroup version."""
    own = _own_groups()
    for folder, kind, options in _mounts():
        if kind == "cgroup" and "cpu" in options:
            return folder / own.get("cpu", ""), 1
        if kind == "cgroup2" and "cpu" in _enabled_below(folder / own.get("", "")):
            return folder / own.get("", ""), 2
    raise LabError(
        "no control group for the server's CPU: this process may not delegate the controller 'cpu' "
        "(root outside a container may)"
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
