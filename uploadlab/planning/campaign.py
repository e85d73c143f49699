"""A campaign: what is to be run, where it is kept, and how it is resumed."""

import argparse
import hashlib
import math
import os
import platform
import shlex
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import msgspec

from uploadlab.errors import LabError
from uploadlab.hosts import link, throttled_disk
from uploadlab.hosts.host import Host
from uploadlab.hosts.local_host import existing
from uploadlab.paths import STUDIES
from uploadlab.planning import driver, results
from uploadlab.planning.kept_conformance import kept_summary
from uploadlab.planning.placement import Placement
from uploadlab.planning.plan import (
    PlannedRun,
    block_of,
    in_random_order,
    scenarios,
    server_cpu_factor,
    stores_first,
    windows_factor,
)
from uploadlab.planning.rig import Disk, Rig
from uploadlab.planning.study import Capacity, Level, Profile, Study, link_level, storage_level
from uploadlab.planning.system import Sut, as_text, choose, load_system
from uploadlab.records import CampaignRecord

FEWEST_SIZES = 3
A_REQUEST_BYTES = 35_000
"""A request costs a server about as much beside its file as so many bytes of a file do: 4 B and 790 B cost the same."""
RUN_OVERHEAD_S = 5.0  # start, contract, the generator's own start, the gap after the warm-up, stop, check
SPACE_TO_SPARE = 1.05
MOST_NAMED = 6
CAPACITY_FOLDER = "capacity"
"""In a campaign's folder: the short runs that found what its systems can do."""
DEFAULT_RECORDS = 2_000_000
"""What a part has room for where the driver doesn't say how many it writes."""


class Campaign(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be run, where it is kept, and on what."""

    study: Study
    profile_name: str
    profile: Profile
    systems: list[Sut]
    baseline: Sut | None = None
    place: Placement
    levels: dict[str, list[Level]]
    seed: int
    folder: Path
    server_cpu_limit_pct: float | None
    """The share of its cores that the server gets in every scenario; None: all of them, or what a factor says."""

    @property
    def rig(self) -> Rig:
        """What it is run on."""
        return self.place.rig

    def runs(self) -> list[PlannedRun]:
        """Return the planned runs in their order: rounds, each a block of every scenario.

        The baseline, the server that does nothing and stores nothing, ends the blocks of the first rounds, on the first
        disk only.
        """
        profile = self.profile
        everything, runs = scenarios(self.study, profile, self.levels), list[PlannedRun]()
        for number in range(1, profile.repeats + 1):
            for scenario in in_random_order(everything, self.seed, number):
                block = self.block(scenario, number, len(runs) + 1)
                runs += [run for run in block if not run.baseline or number <= profile.baseline_repeats]
        return runs

    @property
    def extra_repeats(self) -> int:
        """How many blocks more than planned a scenario may have in place of those with invalid runs."""
        own = self.profile.extra_repeats
        return self.study.gates.extra_repeats if own is None else own

    def scenarios(self) -> list[dict[str, Level]]:
        """Return the levels of each scenario in which a system is measured."""
        return [one for one in scenarios(self.study, self.profile, self.levels) if self.block(one, 1, 1)]

    def load_of(self, factors: dict[str, Level]) -> dict[str, Any]:
        """Return the load of a scenario, with the windows that a run of it measures."""
        load, shares = self.profile.load_of(factors), self.loads_of(factors)
        if not shares:
            return load
        capacity = next((one for one in self.profile.capacities if one.factors.items() <= factors.items()), None)
        return load | {"windows": [_window(level, capacity) for level in sorted(shares, key=_position)]}

    def loads_of(self, factors: dict[str, Level]) -> list[Level]:
        """Return the loads that a run of a scenario measures; none where it is the one that the profile gives."""
        name = windows_factor(self.study)
        if name is None or self.levels.get(name, []) == [self.study.file.factors[name].unmarked]:
            return []
        return [factors[name]] if name in factors else self.levels.get(name, [])

    def server_cpu_pct(self, factors: dict[str, Level]) -> float:
        """Return the share of its cores that the server gets in a scenario, in per cent."""
        factor = server_cpu_factor(self.study)
        if factor is not None and factor in self.levels:
            return float(factors[factor])
        return self.server_cpu_limit_pct or 100.0

    def server_cpu_shares(self) -> list[float]:
        """Return the shares of its cores that the server gets in the scenarios, in per cent, the largest first."""
        return sorted({self.server_cpu_pct(factors) for factors in self.scenarios()}, reverse=True)

    def block(self, scenario: dict[str, Level], number: int, first_order: int) -> list[PlannedRun]:
        """Return a scenario's block with any number, its baseline's run with it where the scenario has any."""
        first = stores_first(self.study, self.levels, scenario)
        baseline = self.baseline if first else None
        skip = self.profile.skip
        return block_of(self.study, scenario, self.systems, number, self.seed, first_order, baseline, skip)

    def all_systems(self) -> list[Sut]:
        """Return the systems that are compared and, last, the one that does nothing where it is run."""
        return [*self.systems, *([self.baseline] if self.baseline else [])]

    @property
    def judged_against(self) -> str | None:
        """The key of the system that a change is judged against: the one that is there again to show the noise."""
        folders = [sut.folder for sut in self.systems if sut.noise]
        return next((sut.key for sut in self.systems if not sut.noise and sut.folder in folders), None)

    def spec(self, host: Host) -> dict[str, Any]:
        """Return what the driver is told of the campaign on a host."""
        return {
            "seed": self.seed,
            "driver": self.study.file.driver,
            "thresholds": self.study.thresholds,
            "injectors": len(self.rig.injectors),
            "scenarios": [
                {
                    "factors": factors,
                    "load": self.given(self.load_of(factors), host),
                    "server_cpu_pct": self.server_cpu_pct(factors),
                }
                for factors in self.scenarios()
            ],
        }

    def disks_used(self) -> set[str]:
        """Return the names of the disks that runs store on."""
        return {disk for run in self.runs() if (disk := storage_level(self.study, run.factors))}

    def links_used(self) -> set[str]:
        """Return the names of the links that parts reach each other by."""
        return {link_level(self.study, factors) for factors in self.scenarios()}

    def stores_in(self, factors: dict[str, Level]) -> Path | None:
        """Return the folder that a scenario's runs store in; None: they store nothing."""
        disk = storage_level(self.study, factors)
        return None if disk is None else self.storage()[disk]

    @property
    def title(self) -> str:
        """The study's title and what is compared in this campaign: each by its name, many by their number."""
        *names, last = dict.fromkeys(sut.system.system.name for sut in self.systems)
        if len(names) >= MOST_NAMED:
            return f"{self.study.file.study.title}: {len(names) + 1} systems"
        compared = (
            f"{names[0]} against {last}" if len(names) == 1 else " and ".join(filter(None, [", ".join(names), last]))
        )
        return f"{self.study.file.study.title}: {compared}"

    def storage(self) -> dict[str, Path]:
        """Return where runs store, for each disk of the rig."""
        return {name: self._storage_on(disk) for name, disk in self.rig.disks.items()}

    def given(self, load: dict[str, Any], host: Host) -> dict[str, Any]:
        """Return a load whose paths are those of a host, the files brought there."""
        paths = {option.load for option in self.study.file.options.values() if option.kind == "path"} & load.keys()
        return load | {name: str(host.given(Path(load[name]))) for name in paths}

    def _storage_on(self, disk: Disk) -> Path:
        if disk.folder is None:
            return self.folder / "stored"
        # Two campaigns at once may have the same name in different places.
        place = hashlib.blake2s(bytes(self.folder.resolve()), digest_size=4).hexdigest()
        return disk.folder / f"upload-lab-{self.folder.name}-{place}"


def _position(level: Level) -> tuple[int, int]:
    """Return where a load stands in a run: saturation first, then shares of the capacity from the highest down.

    What a runtime compiles under open arrivals it compiles at the share with most of them, before a lower one is
    measured. Above the capacity a queue is left behind, so these shares come last.
    """
    if isinstance(level, str):
        return 0, 0
    return (2, level) if level > 100 else (1, -level)


def _window(level: Level, capacity: Capacity | None) -> dict[str, Any]:
    """Return what the driver is told of one load: a share of the lowest capacity, as far as that is known."""
    if isinstance(level, str) or capacity is None:
        return {"load": level}
    return {"load": level, "rate_per_s": round(capacity.lowest * level / 100, 1)}


class Need(msgspec.Struct, kw_only=True):
    """What one run of a scenario will take."""

    factors: dict[str, Level]
    requests: int
    seconds: float
    fixed_seconds: float = 0.0
    """Of the load, those that a share of the server's core does not lengthen."""
    upload_bytes: int = 0
    records: int = DEFAULT_RECORDS
    """How many rows a part writes at most, where parts record."""


class Needs(msgspec.Struct, frozen=True, kw_only=True):
    """What a campaign will take, by the driver's reckoning."""

    versions: dict[str, str] = {}
    input_bytes: int = 0
    input_folder: str = "."
    scenarios: list[Need]
    inputs: dict[str, dict[str, Any]] = {}
    """What the input data are, for a reader: one entry for each set of them."""
    pace: float = 1.0
    """How many times as long as the driver and `RUN_OVERHEAD_S` say a run takes here."""

    def of(self, factors: dict[str, Level]) -> Need:
        """Return the needs of one run of a scenario."""
        for need in self.scenarios:
            if factors.items() <= need.factors.items():
                return need
        raise LabError(f"The study's driver, asked by the verb needs, says nothing of the scenario {factors}.")


def needs_of(campaign: Campaign) -> Needs:
    """Ask the driver what the campaign will take; nothing is written but its own temporary file."""
    here = campaign.place.here
    with tempfile.TemporaryDirectory(prefix="upload-lab-") as folder:
        told = driver.ask(here, campaign.study, "needs", campaign.spec(here), Path(folder))
        try:
            needs = msgspec.convert(told, Needs)
        except msgspec.ValidationError as error:
            raise LabError(f"{campaign.study.driver} needs: printed something unexpected: {error}.") from error
    for factors in campaign.scenarios():
        needs.of(factors)
    for need in needs.scenarios:
        need.seconds = need.seconds * 100 / campaign.server_cpu_pct(need.factors) + need.fixed_seconds
    return msgspec.structs.replace(needs, pace=campaign.profile.pace)


def check_inputs(campaign: Campaign, needs: Needs) -> None:
    """Refuse to continue a campaign whose input data are no longer those it began with: a user's files change."""
    kept = results.read_json(campaign.folder / results.CAMPAIGN_FILE).get("inputs", {})
    for name, inputs in needs.inputs.items():
        if inputs != kept.get(name):
            raise LabError(
                f"{campaign.folder}: the input data of '{name}' changed after the campaign began; start a new one."
            )


def run_seconds(needs: Needs, factors: dict[str, Level]) -> float:
    """Estimate the duration of a run of a scenario."""
    return needs.pace * (needs.of(factors).seconds + RUN_OVERHEAD_S)


def expected_seconds(campaign: Campaign, needs: Needs) -> float:
    """Estimate the duration of all planned runs."""
    return sum(run_seconds(needs, run.factors) for run in campaign.runs())


def within_its_time(campaign: Campaign, needs: Needs) -> Campaign:
    """Return the campaign with a bound on the blocks of a scenario that its time has room for, where it has a time.

    Every look widens the intervals that a campaign may need in the end, so it allows for as many as are likely: one
    block more than an even share of the time for each scenario. The bound is set before anything is measured.
    """
    profile = campaign.profile
    if profile.minutes is None or profile.fills_time:
        return campaign
    round_s = len(campaign.systems) * sum(run_seconds(needs, scenario) for scenario in campaign.scenarios())
    left_s = 60 * profile.minutes - profile.calibration_s - expected_seconds(campaign, needs)
    rounds = max(left_s, 0.0) / round_s if round_s else 0.0
    most = min(profile.repeats + round(rounds) + 1, profile.most_repeats)
    return msgspec.structs.replace(campaign, profile=msgspec.structs.replace(profile, most_repeats=most))


def with_sizes_that_fit(campaign: Campaign, needs: Needs) -> tuple[Campaign, list[Level]]:
    """Return the campaign without the file sizes that its time has no room for, and those.

    There is to be room for one block more than planned: where the last planned block is the last, little is decided.
    The one that goes is the one whose neighbours are closest in what they cost a server; at least three are left.
    """
    size = next((name for name, factor in campaign.study.file.factors.items() if factor.size), None)
    with_spare = 1 + 1 / campaign.profile.repeats
    profile, gone = campaign.profile, list[Level]()
    while size and profile.minutes and len(levels := campaign.levels.get(size, [])) > FEWEST_SIZES:
        if with_spare * expected_seconds(campaign, needs) <= 60 * profile.minutes - profile.calibration_s:
            break
        cost = {level: A_REQUEST_BYTES + _mean_bytes(needs, size, level) for level in levels}
        by_cost = sorted(levels, key=lambda level: cost[level])
        apart = {level: cost[b] / cost[a] for a, level, b in zip(by_cost, by_cost[1:], by_cost[2:], strict=False)}
        gone.append(min(apart, key=lambda level: apart[level]))
        campaign = msgspec.structs.replace(
            campaign, levels=campaign.levels | {size: [level for level in levels if level not in gone]}
        )
    return campaign, gone


def _mean_bytes(needs: Needs, factor: str, level: Level) -> float:
    need = next(need for need in needs.scenarios if need.factors.get(factor) == level)
    return need.upload_bytes / max(1, need.requests)


def has_room(campaign: Campaign, needs: Needs, factors: dict[str, Level]) -> bool:
    """Return whether what a further block stores leaves the disk as free as its gate demands."""
    folder = campaign.stores_in(factors)
    if folder is None:
        return True
    disk = campaign.place.server.describe_disk(folder)
    runs = 1 if is_in_memory(disk) else len(campaign.systems)
    left = disk["free_bytes"] - runs * needs.of(factors).upload_bytes * SPACE_TO_SPARE
    return bool(left >= _kept_free_bytes(campaign, disk["size_bytes"]))


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
        wanted[folder] = max(so_far, of_run) if folder[1] in in_memory else so_far + of_run
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


def check_folder(folder: Path, *, has_capacities: bool = False) -> None:
    """Refuse a folder for a new campaign that has something in it, or cannot be made."""
    try:
        allowed = [CAPACITY_FOLDER] if has_capacities else []
        if folder.exists() and (not folder.is_dir() or any(path.name not in allowed for path in folder.iterdir())):
            raise LabError(f"{folder}: not an empty folder; name a new one, or continue it with --resume {folder}.")
        nearest = existing(folder)
    except OSError as error:
        raise LabError(f"{folder}: cannot be read: {error.strerror}; name another folder.") from error
    if not nearest.is_dir():
        raise LabError(f"{folder}: cannot be made: {nearest} is not a folder; name another one.")
    if not os.access(nearest, os.W_OK | os.X_OK):
        raise LabError(f"{folder}: you may not write to {nearest}; name another folder.")


def create(campaign: Campaign, needs: Needs, command: list[str]) -> None:
    """Make the campaign's folder and its campaign.json; refuses a folder that has something in it."""
    folder = campaign.folder
    check_folder(folder, has_capacities=True)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LabError(f"{folder}: cannot be made: {error.strerror}; name another folder.") from error
    results.write_record(folder / results.CAMPAIGN_FILE, _describe(campaign, needs, command), CampaignRecord)


def resume(study: Study, place: Placement, folder: Path) -> Campaign:
    """Return the campaign a results folder holds.

    Raises LabError when the folder is not one, or when the systems are not on the versions it began with.
    """
    path = folder / results.CAMPAIGN_FILE
    if not path.exists():
        raise LabError(f"{folder}: not a results folder (it has no {results.CAMPAIGN_FILE}).")
    kept = results.read_json(path)
    try:
        profile = msgspec.convert(kept["profile"]["settings"], Profile)
        systems = [
            _same_system(study, place, entry, path, noise=key == kept["noise"])
            for key, entry in kept["systems"].items()
        ]
        campaign = Campaign(
            study=study,
            profile_name=kept["profile"]["name"],
            profile=profile,
            systems=systems,
            baseline=_same_system(study, place, kept["baseline"], path) if kept.get("baseline") else None,
            place=place,
            levels=kept["levels"],
            seed=kept["seed"],
            folder=folder,
            server_cpu_limit_pct=kept["rig"]["server_cpu_limit_pct"],
        )
        injectors = [role["host"] for name, role in kept["rig"]["roles"].items() if name != "server"]
        of_baseline = (kept.get("baseline") or {}).get("runs", [])
        planned = msgspec.convert([*kept["runs"], *of_baseline], list[PlannedRun])
        _refuse_another_rig(kept["rig"], place.rig, path)
        named = [place.rig.roles[name].host for name in place.rig.injectors]
        if len(injectors) != len(named) or (place.rig.distributed and injectors != named):
            raise LabError(f"{path}: the campaign began with other hosts; --injectors must be {', '.join(injectors)}.")
        _refuse_other_hardware(kept, campaign, path)
    except (KeyError, msgspec.ValidationError) as error:
        raise LabError(f"{path}: not a campaign of this lab: {error}.") from error
    if sorted(planned, key=lambda run: run.order) != campaign.runs():
        raise LabError(f"{path}: its plan differs from what this version of the study would run; start a new campaign.")
    return campaign


def _refuse_another_rig(kept: dict[str, Any], rig: Rig, path: Path) -> None:
    if kept["name"] != rig.name:
        raise LabError(f"{path}: the campaign began on the rig '{kept['name']}', not '{rig.name}'; name it with --rig.")
    server = kept["roles"]["server"]["host"]
    if server != rig.roles["server"].host:
        raise LabError(f"{path}: the campaign began with its server on {server}, not {rig.roles['server'].host}.")
    if kept.get("emulated", rig.emulated) != rig.emulated:
        began, now = ("emulated" if emulated else "real" for emulated in (kept["emulated"], rig.emulated))
        raise LabError(f"{path}: the campaign began on {began} processors, and the rig has {now} ones now.")


def _refuse_other_hardware(kept: dict[str, Any], campaign: Campaign, path: Path) -> None:
    """Refuse to resume with other cores, memory, disks or machines: the runs of a cell are compared as equals."""
    place, rig = campaign.place, campaign.rig
    compared: list[tuple[str, object, object]] = []
    for name, role in kept["rig"]["roles"].items():
        compared.append((f"the {name}'s list of cores", role["cores"], place.cores(name)))
        compared.append(
            (f"the {name}'s heap in MiB", role["heap_mib"] or "not set", rig.roles[name].heap_mib or "not set")
        )
    for name, disk in kept["rig"]["disks"].items():
        if name not in rig.disks:
            raise LabError(f"{path}: the campaign began with the disk '{name}': {rig.absent.get(name, 'it is gone')}.")
        if rig.disks[name].made_in is None:  # else it is made anew each time
            found = place.server.describe_disk(campaign.storage()[name])
            compared.append((f"the disk '{name}'", _device(disk), _device(found)))
    for role, host in place.hosts.items():
        began, here = kept[_machine_of(role)], host.describe()
        compared.append((f"the {role}'s machine", began["host"], here["host"]))
        compared.append((f"the {role}'s CPU", began["cpu"]["model"], here["cpu"]["model"]))
    for what, was, now in compared:
        if was != now:
            raise LabError(f"{path}: {what} was {was} when the campaign began, and is {now} now; start a new one.")


def _device(disk: dict[str, Any]) -> str:
    """Return what holds a folder; a file system without a device, as one in memory, is known by its place."""
    return f"{disk['device'] or disk['mount_point']} ({disk['filesystem']})"


def _machine_of(role: str) -> str:
    """Return the key of campaign.json under which a role's machine is described."""
    return "machine" if role == "server" else f"{role.replace('-', '_')}_machine"


def _same_system(study: Study, place: Placement, entry: dict[str, Any], path: Path, *, noise: bool = False) -> Sut:
    settings = {name: as_text(value) for name, value in entry["settings"].items()}
    stack, _, variant = entry["stack"].partition(",")
    known = [*study.system_folders().values(), *filter(None, [study.baseline_folder])]
    for folder in [Path(entry["folder"])] if entry.get("folder") else known:
        sut = choose(folder, stack, settings) if load_system(folder).system.id == entry["id"] else None
        if sut:
            break
    else:
        raise LabError(f"{path}: the study has no system '{entry['id']}' any more.")
    if place.versions(sut) != entry["versions"]:
        raise LabError(f"{path}: {sut.key} changed its versions after the campaign began; start a new one.")
    return msgspec.structs.replace(sut, variant=variant, noise=noise)


def _folder_of(study: Study) -> dict[str, str]:
    """Return where a study is that is not one of the lab's: its claims and tables are code beside it."""
    folder = study.folder.resolve()
    return {} if folder == STUDIES / study.file.study.id else {"folder": str(folder)}


def _describe(campaign: Campaign, needs: Needs, command: list[str]) -> dict[str, Any]:
    study, place = campaign.study.file, campaign.place
    storage = campaign.storage()
    used = campaign.disks_used()
    links = {name: facts for name in sorted(campaign.links_used()) if (facts := link.facts(name))}
    return {
        "schema": 1,
        "study": {"id": study.study.id, "title": campaign.title} | _folder_of(campaign.study) | campaign.study.declared,
        "profile": {"name": campaign.profile_name, "settings": msgspec.to_builtins(campaign.profile)},
        "gates": study.gates if study.roles else msgspec.to_builtins(campaign.study.gates),
        "levels": campaign.levels,
        "check_factors": [name for name, factor in study.factors.items() if factor.kind == "check"],
        "windows_factor": windows_factor(campaign.study),
        "seed": campaign.seed,
        "inputs": needs.inputs,
        "systems": {sut.key: describe_system(place, sut) | _place_of(campaign.study, sut) for sut in campaign.systems},
        "noise": next((sut.key for sut in campaign.systems if sut.noise), None),
        "judged_against": campaign.judged_against,
        "runs": [msgspec.to_builtins(run) for run in campaign.runs() if not run.baseline],
        "baseline": campaign.baseline
        and {
            **describe_system(place, campaign.baseline),
            "runs": [msgspec.to_builtins(run) for run in campaign.runs() if run.baseline],
        },
        "rig": {
            "name": campaign.rig.name,
            "emulated": campaign.rig.emulated,
            "roles": {
                name: {"host": role.host, "cores": place.cores(name), "heap_mib": role.heap_mib}
                for name, role in campaign.rig.roles.items()
            },
            "server_cpu_limit_pct": campaign.server_cpu_limit_pct,
            "disks": {
                name: {
                    "label": disk.label,
                    "path": str(storage[name]),
                    **place.server.describe_disk(storage[name]),
                    **disk.facts,
                }
                for name, disk in campaign.rig.disks.items()
                if name in used
            },
            **({"links": links} if links else {}),
        },
        **{_machine_of(role): host.describe() for role, host in place.hosts.items()},
        "versions": {**_lab_versions(campaign.study.folder), **needs.versions},
        "command": command,
        "continue_with": continue_with(command),
        "started_ns": time.time_ns(),
    }


def continue_with(command: list[str]) -> str:
    """Return the command that goes on with a campaign, but for its folder: on the same study, rig and injectors."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    for option in ("--study", "--rig", "--injectors"):
        parser.add_argument(option)
    asked = parser.parse_known_args(command[1:])[0]
    study = ["--study", asked.study] if asked.study else []
    place = [word for name in ("rig", "injectors") if (value := getattr(asked, name)) for word in (f"--{name}", value)]
    return shlex.join(["./lab", *study, "run", *place, "--resume"])


def _place_of(study: Study, sut: Sut) -> dict[str, Any]:
    """Return where a system is that is not one of the study's, for --resume to find it; and whether it is a floor."""
    if sut.folder not in study.system_folders().values():
        return {"folder": str(sut.folder)}
    floors = [(study.folder / floor).resolve() for floor in study.file.study.floors]
    return {"floor": True} if sut.folder in floors else {}


def describe_system(place: Placement, sut: Sut) -> dict[str, Any]:
    """Return what campaign.json says of a system; its versions are asked for on the server's host."""
    versions = place.versions(sut)
    return {
        "id": sut.system.system.id,
        "name": sut.system.system.name,
        "description": sut.stack.description,
        "stack": sut.label,
        "settings": sut.settings,
        "versions": versions,
        **({"bytes_verified": sut.bytes_verified} if sut.system.upload else {}),
        **({"conformance": kept_summary(sut, versions)} if sut.system.upload and sut.label == "current" else {}),
        **({"facts": facts} if (facts := _facts(place, sut)) else {}),
    }


def _facts(place: Placement, sut: Sut) -> dict[str, Any]:
    """Return what the system's own commands say of it: numbers where they print numbers, else texts."""
    found: dict[str, Any] = {}
    for name, command in sut.system.facts.items():
        done = place.server.run(command, cwd=place.server.path(sut.folder))
        if done.code:
            raise LabError(f"{sut.folder}: `{' '.join(command)}` ended with code {done.code}: {done.errors.strip()}")
        text = done.output.strip()
        found[name] = int(text) if text.isdecimal() else text
    return found


def _lab_versions(folder: Path) -> dict[str, str]:
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=folder, capture_output=True, text=True, check=False
    )
    return {"lab": commit.stdout.strip() or "unknown", "python": platform.python_version()}
