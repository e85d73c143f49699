"""A rig: the hosts the roles run on, their cores, and the disks that are stored on."""

import os
import re
import socket
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from uploadlab.errors import LabError
from uploadlab.hosts import link, throttled_disk
from uploadlab.hosts.ports import is_here
from uploadlab.hosts.role import Role, Ssh
from uploadlab.paths import REPOSITORY
from uploadlab.planning.toml_files import read_toml

LOCAL = "local"
NAMED = {"kvm": REPOSITORY / "provisioning" / "rig.toml"}
SLOW_DISKS = {"hdd": throttled_disk.SMALL_DIRTY, "hdd-sync": throttled_disk.SYNC}
"""The disks that the lab makes itself, and how durable a write to each is."""
SLOW_DISKS_IN = REPOSITORY / ".lab" / "hdd"
ROLES = ("server", "injector")
HOST_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*\.?")
"""What a host may be called in a request: some servers answer 400 to any other name."""
DESTINATION = re.compile(r"(?:(?P<user>[^@\s-][^@\s]*)@)?(?P<host>[^@\s:-][^@\s:]*)(?::(?P<port>\d+))?")


class Disk(msgspec.Struct, frozen=True, kw_only=True):
    """A place to store on: a folder on the server's host, or None for the campaign's own folder."""

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
    links: tuple[str, ...] = (link.LOOPBACK,)
    """How the parts of a system reach each other."""
    absent: dict[str, str] = {}
    """Disks and links that it could have, and why it has not."""
    distributed: bool = False
    """True when engines on the injectors' hosts make the load together, told to by the machine the lab runs on."""

    @property
    def injectors(self) -> list[str]:
        """The roles of the load generator: `injector` and, where it runs on several hosts, `injector-2` and so on."""
        return [name for name in self.roles if name != "server"]

    @property
    def one_host(self) -> bool:
        """True when both roles run on the same host."""
        server, injector = (self.roles[name] for name in ROLES)
        if self.distributed:
            return False
        return server.ssh == injector.ssh and (server.ssh is None or server.host == injector.host)


class _DiskEntry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    label: str
    folder: str
    emulated: bool = False
    durability: Literal["buffered", "small-dirty", "sync"] = "buffered"
    fio: dict[str, float] = {}


class RigFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A rig file, as it is written."""

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
    path = NAMED.get(name, Path(name))
    if name in NAMED and not path.exists():
        raise LabError(f"--rig {name}: {path} is missing; make the guests with provisioning/provision.sh up.")
    if not path.exists():
        raise LabError(f"--rig {name}: expected {LOCAL}, {', '.join(NAMED)}, or the path of a rig file.")
    return read_rig(path)


def with_injectors(rig: Rig, destinations: Sequence[str]) -> Rig:
    """Return a rig whose load is made by several hosts together, each `[USER@]HOST[:PORT]` as SSH reaches it.

    Everything else about them is as the rig has it for its injector. Raises LabError, one sentence, for a destination
    that cannot be used.
    """
    ours = rig.roles["injector"]
    hosts = []
    for destination in destinations:
        found = DESTINATION.fullmatch(destination)
        if found is None:
            raise LabError(f"--injectors {destination}: expected HOST, USER@HOST or USER@HOST:PORT.")
        port = found["port"] and int(found["port"])
        given = {name: value for name, value in (("user", found["user"]), ("port", port)) if value}
        ssh = msgspec.structs.replace(ours.ssh or Ssh(), host=None, **given)
        # Which cores this machine leaves the load generator says nothing of another's.
        cores = [] if rig.name == LOCAL else ours.cores
        hosts.append(msgspec.structs.replace(ours, host=found["host"], ssh=ssh, cores=cores))
    names = [role.host for role in hosts]
    if not names:
        raise LabError("--injectors: expected at least one host.")
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise LabError(f"--injectors: {twice} is named twice; expected different hosts.")
    server = rig.roles["server"]
    if server.ssh is None and server.host == LOCAL:
        server = msgspec.structs.replace(server, host=address_towards(names[0]))
    if server.host in names:
        raise LabError(f"--injectors {server.host}: the server runs there; expected other hosts.")
    roles = {"server": server}
    roles |= {"injector" if number == 1 else f"injector-{number}": role for number, role in enumerate(hosts, start=1)}
    name = f"{rig.name}, load from {', '.join(names)}"
    return msgspec.structs.replace(rig, name=name, roles=roles, distributed=True)


def address_towards(host: str) -> str:
    """Return this machine's address as a host sees it; LabError when there is no way there."""
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, 9, type=socket.SOCK_DGRAM)[0]
        with socket.socket(family, kind) as probe:
            probe.connect(address)  # sends nothing
            return str(probe.getsockname()[0])
    except OSError as error:
        raise LabError(f"--injectors {host}: this address cannot be reached: {error.strerror}.") from error


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
        disks |= {name: _slow_disk(name, durability) for name, durability in SLOW_DISKS.items()}
    no_network = link.why_not()
    absent = [*((name, obstacle) for name in SLOW_DISKS), (link.ETHERNET_100, no_network)]
    return Rig(
        name=LOCAL,
        roles={"server": Role(host=LOCAL, cores=cores[:1]), "injector": Role(host=LOCAL, cores=cores[1:])},
        disks=disks,
        links=(link.LOOPBACK,) if no_network else (link.LOOPBACK, link.ETHERNET_100),
        absent={name: why for name, why in absent if why},
    )


def _slow_disk(name: str, durability: str) -> Disk:
    made_in = SLOW_DISKS_IN / f"{os.getpid()}-{name}"
    label = throttled_disk.LABEL + (", sync" if durability == throttled_disk.SYNC else "")
    facts = throttled_disk.facts(durability)
    return Disk(label=label, folder=throttled_disk.stored_in(made_in), made_in=made_in, facts=facts)


def read_rig(path: Path) -> Rig:
    """Return the rig that a file describes; LabError names the file, the key and what was expected."""
    file = read_toml(path, RigFile)
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


def _check(path: Path, file: RigFile) -> None:
    def refused(key: str, why: str) -> LabError:
        return LabError(f"{path}: {key}: {why}.")

    if set(file.roles) != set(ROLES):
        raise refused("roles", f"expected {' and '.join(ROLES)}, not {', '.join(file.roles) or 'none'}")
    if not file.disks:
        raise refused("disks", "expected at least one, like [disks.ssd]")
    for name, role in file.roles.items():
        for key, why in _wrong_with(role):
            raise refused(f"roles.{name}.{key}", why)
    for name, disk in file.disks.items():
        if not Path(disk.folder).is_absolute():
            raise refused(f"disks.{name}.folder", f"expected an absolute path, not '{disk.folder}'")
    server, injector = (file.roles[name] for name in ROLES)
    if ":" not in server.host and not HOST_NAME.fullmatch(server.host):
        names = "expected a name of letters, digits, hyphens and dots, or an address"
        raise refused("roles.server.host", f"{names}: some servers refuse requests to '{server.host}'")
    rig = Rig(name=file.name, roles=file.roles, disks={})
    if rig.one_host and set(server.cores) & set(injector.cores):
        raise refused("roles", "server and injector are on one host and share cores; expected different ones")
    if not rig.one_host and server.host == LOCAL:
        reached = "expected the address at which the injector's host reaches this machine"
        raise refused("roles.server.host", f"{reached}, not '{LOCAL}'")
    if not rig.one_host and server.ssh is None and not is_here(server.host):
        here = "expected an address of this machine, where a role without ssh runs"
        raise refused("roles.server.host", f"{here}, not '{server.host}'")


def _wrong_with(role: Role) -> Iterator[tuple[str, str]]:
    """Yield each key of a role that is wrong, and what was expected."""
    if not role.cores or min(role.cores) < 0 or len(set(role.cores)) < len(role.cores):
        yield "cores", f"expected core numbers, each once, like [0, 1], not {role.cores}"
    if role.ssh is None:
        return
    if role.host == LOCAL:
        yield "host", f"expected an address, not '{LOCAL}', of a host reached by SSH"
    if role.host.startswith("-") or (role.ssh.host or "").startswith("-"):
        yield "host", "expected an address, not an option"
    if role.folder and not Path(role.folder).is_absolute():
        yield "folder", f"expected an absolute path, not '{role.folder}'"
    for name in ("identity", "known_hosts"):
        file = getattr(role.ssh, name)
        if file is not None and not Path(file).is_file():
            yield f"ssh.{name}", f"there is no file {file}"
