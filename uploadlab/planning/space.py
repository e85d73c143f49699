"""Whether what a campaign writes has room on the disks that it uses."""

import math
from pathlib import Path
from typing import Any

import msgspec

from uploadlab.errors import LabError
from uploadlab.hosts import throttled_disk
from uploadlab.planning.campaign import Campaign
from uploadlab.planning.needs import Needs
from uploadlab.planning.study import Level

SPACE_TO_SPARE = 1.05


def has_room(campaign: Campaign, needs: Needs, factors: dict[str, Level]) -> bool:
    """Return whether what a further block stores leaves the disk as free as its gate demands."""
    folder = campaign.stores_in(factors)
    if folder is None:
        return True
    disk = campaign.place.server.describe_disk(folder)
    runs = runs_at_once(campaign) if is_in_memory(disk) else len(campaign.systems)
    left = disk["free_bytes"] - runs * needs.of(factors).upload_bytes * SPACE_TO_SPARE
    return bool(left >= _kept_free_bytes(campaign, disk["size_bytes"]))


def runs_at_once(campaign: Campaign) -> int:
    """Return how many runs store at a time: those that take turns."""
    return len(campaign.systems) if campaign.profile.turn_ms else 1


def _kept_free_bytes(campaign: Campaign, size_bytes: int) -> int:
    """Return how much of a disk of a size the gate `disk_free` wants to be free after every run that stores there."""
    return math.ceil((campaign.study.gates.disk_free_pct or 0.0) * size_bytes / 100)


def is_in_memory(disk: dict[str, Any]) -> bool:
    """Return whether a disk is none: there deleting leaves no trace, so what each run stored is deleted after it."""
    return bool(disk["filesystem"] == "tmpfs")


class Room(msgspec.Struct, frozen=True, kw_only=True):
    """What a campaign writes to a disk, with some to spare, and what is free there."""

    folders: list[Path]
    on: str
    """The name of the host."""
    wanted_bytes: int
    free_bytes: int
    kept_free_bytes: int = 0
    """How much must stay free there, else the last runs are invalid."""

    @property
    def needed_bytes(self) -> int:
        """How much must be free there before the campaign."""
        return self.wanted_bytes + self.kept_free_bytes


def rooms(campaign: Campaign, needs: Needs) -> list[Room]:
    """Return what a campaign writes to each disk: its input data and what the servers store, until it ends.

    Blocks beyond the plan are not among it: whether one has room is looked at before it is made.
    """
    place, storage = campaign.place, campaign.storage()
    inputs = Path(needs.input_folder)
    wanted = {(host, host.path(inputs)): needs.input_bytes for host in (place.server, *place.injector_hosts.values())}
    disks = {storage[name] for name in campaign.disks_used()}
    described = {path: place.server.describe_disk(path) for path in disks}
    in_memory = {path for path, disk in described.items() if is_in_memory(disk)}
    for run in campaign.runs():
        stored = campaign.stores_in(run.factors)
        if stored is None or run.baseline:  # it stores nothing
            continue
        folder = place.server, stored
        of_run, so_far = needs.of(run.factors).upload_bytes, wanted.get(folder, 0)
        at_once = of_run * runs_at_once(campaign)
        wanted[folder] = max(so_far, at_once) if folder[1] in in_memory else so_far + of_run
    free_bytes: dict[tuple[str, int], int] = {}
    kept_free_bytes: dict[tuple[str, int], int] = {}
    by_device: dict[tuple[str, int], list[tuple[Path, int]]] = {}
    made = {storage[name] for name in campaign.disks_used() if campaign.rig.disks[name].made_in}
    found = []
    for (host, path), size in wanted.items():
        device, free = host.space(path)
        free_bytes[host.name, device] = free
        by_device.setdefault((host.name, device), []).append((path, size))
        if path in made:  # a disk that the lab makes on another is smaller than what is free there
            free = throttled_disk.size_on(free)
            found.append(_room(host.name, [(path, size)], free, _kept_free_bytes(campaign, free)))
        elif path in disks:
            kept_free_bytes[host.name, device] = _kept_free_bytes(campaign, described[path]["size_bytes"])
    return found + [
        _room(device[0], entries, free_bytes[device], kept_free_bytes.get(device, 0))
        for device, entries in by_device.items()
    ]


def _room(host: str, entries: list[tuple[Path, int]], free_bytes: int, kept_free_bytes: int) -> Room:
    return Room(
        folders=[path for path, size in entries if size] or [path for path, _ in entries],
        on=host,
        wanted_bytes=int(sum(size for _, size in entries) * SPACE_TO_SPARE),
        free_bytes=free_bytes,
        kept_free_bytes=kept_free_bytes,
    )


def check_space(campaign: Campaign, needs: Needs) -> None:
    """Refuse a campaign whose input data or stored files cannot fit; LabError names the folder and the bytes.

    They fit where they leave each disk as free as its gate demands, which looks before anything is deleted.
    """
    for room in rooms(campaign, needs):
        if room.needed_bytes > room.free_bytes:
            where = " and ".join(map(str, room.folders))
            where += "" if room.on == campaign.place.here.name else f" on {room.on}"
            raise LabError(
                f"No space: the campaign writes {room.wanted_bytes / 1e9:.1f} GB to {where}, where "
                f"{room.free_bytes / 1e9:.1f} GB are free{_why_more(campaign, room)}; "
                "choose fewer scenarios or repeats, or another disk with --out."
            )


def _why_more(campaign: Campaign, room: Room) -> str:
    if not room.kept_free_bytes:
        return ""
    return (
        f" and {room.needed_bytes / 1e9:.1f} GB are needed, because runs that leave less than "
        f"{campaign.study.gates.disk_free_pct:g} % of the disk free, {room.kept_free_bytes / 1e9:.1f} GB, are invalid"
    )
