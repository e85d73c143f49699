"""A rig: the hosts the roles run on, their cores, and the disks uploads are stored on."""

import os
from pathlib import Path
from typing import Any, Literal

import msgspec

from harness import throttled_disk
from harness.errors import LabError
from harness.paths import REPOSITORY
from harness.toml_files import read_toml

LOCAL = "local"
NAMED = {"kvm": REPOSITORY / "provisioning" / "rig.toml"}
LOCAL_HDD = REPOSITORY / ".lab" / "hdd"
ROLES = ("server", "injector")


class Ssh(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a host is reached; what is absent is as the user's own SSH configuration has it.

    `host` is the address for SSH where that is another than the one the roles reach each other by.
    """

    user: str | None = None
    port: int | None = None
    identity: str | None = None
    known_hosts: str | None = None
    host: str | None = None


class Role(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A role's host and the cores it is pinned to.

    `host` is the address where the other role reaches it (`local`: this machine); `ssh` is None on this machine;
    `folder` is the project's on that host.
    """

    host: str
    cores: list[int]
    ssh: Ssh | None = None
    folder: str = str(REPOSITORY)
    heap_mib: int | None = None


class Disk(msgspec.Struct, frozen=True, kw_only=True):
    """A place uploads can be stored: a folder on the server's host, or None for the campaign's own folder."""

    label: str
    folder: Path | None = None
    made_in: Path | None = None
    """The folder of a slow disk that the lab makes for a campaign and removes after it; None for one that is there."""
    facts: dict[str, Any] = {}
    """What else the rig says of it: `emulated`, `durability`, what fio measured."""


class Rig(msgspec.Struct, frozen=True, kw_only=True):
    """Roles and disks; what runs on an emulated rig is not a result."""

    name: str
    roles: dict[str, Role]
    disks: dict[str, Disk]
    emulated: bool = False
    absent: dict[str, str] = {}
    """Disks that it could have, and why it has not."""

    @property
    def one_host(self) -> bool:
        """True when both roles run on the same host."""
        server, injector = (self.roles[name] for name in ROLES)
        return server.ssh == injector.ssh and (server.ssh is None or server.host == injector.host)


class _DiskEntry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    label: str
    folder: str
    emulated: bool = False
    durability: Literal["buffered", "small-dirty", "sync"] = "buffered"
    fio: dict[str, float] = {}


class _RigFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    name: str
    emulated: bool = False
    roles: dict[str, Role]
    disks: dict[str, _DiskEntry]


def load_rig(name: str) -> Rig:
    """Return the rig `local`, one that was provisioned (`kvm`), or the one a rig file describes.

    Raises LabError, one sentence, when there is no such rig or its file cannot be used.
    """
    if name == LOCAL:
        return local_rig()
    if name in NAMED:
        path = NAMED[name]
        if not path.exists():
            raise LabError(f"--rig {name}: {path} is missing; make the guests with provisioning/provision.sh up.")
        return read_rig(path)
    path = Path(name)
    if not path.exists():
        raise LabError(f"--rig {name}: expected {LOCAL}, {', '.join(NAMED)}, or the path of a rig file.")
    return read_rig(path)


def local_rig() -> Rig:
    """Return this machine: the server on the first core this process may use, the load generator on the others."""
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
    obstacle = throttled_disk.why_not()
    if obstacle is None:
        made_in = LOCAL_HDD / str(os.getpid())
        folder = throttled_disk.stored_in(made_in)
        disks["hdd"] = Disk(label=throttled_disk.LABEL, folder=folder, made_in=made_in, facts=throttled_disk.facts())
    return Rig(
        name=LOCAL,
        roles={"server": Role(host=LOCAL, cores=cores[:1]), "injector": Role(host=LOCAL, cores=cores[1:])},
        disks=disks,
        absent={} if obstacle is None else {"hdd": obstacle},
    )


def read_rig(path: Path) -> Rig:
    """Return the rig that a file describes; LabError names the file, the key and what was expected."""
    file = read_toml(path, _RigFile)
    _check(path, file)
    return Rig(
        name=file.name,
        emulated=file.emulated,
        roles={name: file.roles[name] for name in ROLES},
        disks={
            name: Disk(
                label=entry.label,
                folder=Path(entry.folder),
                facts={"emulated": entry.emulated, "durability": entry.durability, "fio": entry.fio},
            )
            for name, entry in file.disks.items()
        },
    )


def _check(path: Path, file: _RigFile) -> None:
    if set(file.roles) != set(ROLES):
        raise LabError(f"{path}: roles: expected {' and '.join(ROLES)}, not {', '.join(file.roles) or 'none'}.")
    if not file.disks:
        raise LabError(f"{path}: disks: expected at least one, like [disks.ssd].")
    for name, role in file.roles.items():
        _check_role(path, f"roles.{name}", role)
    for name, disk in file.disks.items():
        if not Path(disk.folder).is_absolute():
            raise LabError(f"{path}: disks.{name}.folder: expected an absolute path, not '{disk.folder}'.")
    server, injector = (file.roles[name] for name in ROLES)
    rig = Rig(name=file.name, roles=file.roles, disks={})
    if rig.one_host and set(server.cores) & set(injector.cores):
        raise LabError(f"{path}: roles: server and injector are on one host and share cores; expected different ones.")
    if not rig.one_host and server.host == LOCAL:
        raise LabError(
            f"{path}: roles.server.host: expected the address of this machine where the injector's host reaches it, "
            f"not '{LOCAL}'."
        )


def _check_role(path: Path, key: str, role: Role) -> None:
    if not role.cores or min(role.cores) < 0 or len(set(role.cores)) < len(role.cores):
        raise LabError(f"{path}: {key}.cores: expected numbers of cores, each once, like [0, 1], not {role.cores}.")
    if role.heap_mib is not None and role.heap_mib < 1:
        raise LabError(f"{path}: {key}.heap_mib: expected a whole number of at least 1, not {role.heap_mib}.")
    if role.ssh is None:
        return
    if role.host == LOCAL:
        raise LabError(f"{path}: {key}.host: expected an address, not '{LOCAL}', of a host reached by SSH.")
    if role.host.startswith("-") or (role.ssh.host or "").startswith("-"):
        raise LabError(f"{path}: {key}.host: expected an address, not an option.")
    if not Path(role.folder).is_absolute():
        raise LabError(f"{path}: {key}.folder: expected an absolute path, not '{role.folder}'.")
    for name in ("identity", "known_hosts"):
        file = getattr(role.ssh, name)
        if file is not None and not Path(file).is_file():
            raise LabError(f"{path}: {key}.ssh.{name}: there is no file {file}.")
