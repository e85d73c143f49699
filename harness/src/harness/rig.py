"""Where the roles run: this machine, for now."""

import os
from pathlib import Path

import msgspec

from harness.errors import LabError


class Role(msgspec.Struct, frozen=True, kw_only=True):
    """A role's host and the cores it is pinned to."""

    host: str
    cores: list[int]


class Disk(msgspec.Struct, frozen=True, kw_only=True):
    """A place uploads can be stored: a folder on the device, or None for the campaign's own folder."""

    label: str
    folder: Path | None = None


class Rig(msgspec.Struct, frozen=True, kw_only=True):
    """Roles and disks."""

    name: str
    roles: dict[str, Role]
    disks: dict[str, Disk]


def load_rig(name: str) -> Rig:
    """Return the rig `local`: the server on the first core this process may use, the load generator on the others."""
    if name != "local":
        raise LabError(f"--rig {name}: this version knows the rig 'local' only.")
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < 2:
        raise LabError(
            "The local rig needs two cores, one for the server and one for the load generator; "
            f"this process may use {len(cores)} (core {cores[0]})."
        )
    disks = {"local": Disk(label="the disk of the results folder")}
    memory = Path("/dev/shm")
    if memory.is_dir() and os.access(memory, os.W_OK):
        disks["tmpfs"] = Disk(label="memory (tmpfs)", folder=memory)
    return Rig(
        name="local",
        roles={"server": Role(host="local", cores=cores[:1]), "injector": Role(host="local", cores=cores[1:])},
        disks=disks,
    )
