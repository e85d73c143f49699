"""A campaign's folder: created with its `campaign.json`, and resumed from it."""

import argparse
import os
import platform
import shlex
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from uploadlab.errors import LabError
from uploadlab.hosts import link
from uploadlab.hosts.local_host import existing
from uploadlab.paths import STUDIES
from uploadlab.planning import results
from uploadlab.planning.campaign import CAPACITY_FOLDER, Campaign
from uploadlab.planning.kept_conformance import kept_summary
from uploadlab.planning.needs import Needs
from uploadlab.planning.placement import Placement
from uploadlab.planning.plan import PlannedRun
from uploadlab.planning.rig import Rig
from uploadlab.planning.study import Profile, Study
from uploadlab.planning.system import Sut, as_text, choose, load_system
from uploadlab.records import CampaignRecord, read_json


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


def create(campaign: Campaign, needs: Needs, command: list[str], hosts: Sequence[str] = ()) -> None:
    """Make the campaign's folder and its campaign.json; refuses a folder that has something in it.

    `command` is what was typed, `hosts` are the options that name the hosts, wherever they came from.
    """
    folder = campaign.folder
    check_folder(folder, has_capacities=True)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LabError(f"{folder}: cannot be made: {error.strerror}; name another folder.") from error
    results.write_record(folder / results.CAMPAIGN_FILE, _describe(campaign, needs, command, hosts), CampaignRecord)


def resume(study: Study, place: Placement, folder: Path) -> Campaign:
    """Return the campaign a results folder holds.

    Raises LabError when the folder is not one, or when the systems are not on the versions it began with.
    """
    path = folder / results.CAMPAIGN_FILE
    if not path.exists():
        raise LabError(f"{folder}: not a results folder (it has no {results.CAMPAIGN_FILE}).")
    kept = read_json(path)
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


def _describe(campaign: Campaign, needs: Needs, command: list[str], hosts: Sequence[str]) -> dict[str, Any]:
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
        "windows_factor": campaign.study.factor_of("loads"),
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
        "continue_with": _continue_with(command, hosts),
        "started_ns": time.time_ns(),
    }


def _continue_with(command: list[str], hosts: Sequence[str]) -> str:
    """Return the command that goes on with a campaign, but for its folder: of the same study, on the same hosts."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    parser.add_argument("--study")
    study = parser.parse_known_args(command[1:])[0].study
    return shlex.join(["./lab", *(["--study", study] if study else []), "run", *hosts, "--resume"])


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
        if done.returncode:
            how = f"ended with code {done.returncode}: {done.stderr.strip()}"
            raise LabError(f"{sut.folder}: `{' '.join(command)}` {how}")
        text = done.stdout.strip()
        found[name] = int(text) if text.isdecimal() else text
    return found


def _lab_versions(folder: Path) -> dict[str, str]:
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=folder, capture_output=True, text=True, check=False
    )
    return {"lab": commit.stdout.strip() or "unknown", "python": platform.python_version()}
