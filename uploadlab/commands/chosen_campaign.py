"""The campaign that a command line asks for: a new one, or one that it finishes."""

import argparse
import contextlib
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec

from uploadlab.commands.campaign_options import DEFAULT_PROFILE
from uploadlab.commands.choice import (
    choose_baseline,
    choose_systems,
    load_settings,
    under_names,
)
from uploadlab.errors import LabError
from uploadlab.hosts import cpu_limit
from uploadlab.hosts.processes import Processes, clean_up_after_crash
from uploadlab.interruption import interruptible
from uploadlab.paths import RESULTS, STATE
from uploadlab.planning import kept_campaign
from uploadlab.planning.campaign import Campaign
from uploadlab.planning.install import require
from uploadlab.planning.placement import Placement
from uploadlab.planning.plan import check_places, chosen_levels, scenarios
from uploadlab.planning.rig import LOCAL, load_rig, with_injectors
from uploadlab.planning.study import Profile, Skip, Study
from uploadlab.planning.system import UNWATCHED, UPLOADS, WATCHED, Requirement, Sut

MOST_WAIT_MS = 4_000
"""From one turn of a server to its next: servers end connections that idle for 5 s."""
LEAST_REPEATS = 3  # where --minutes decides over a profile that says nothing of minutes
CAPTURE = Requirement(command="tcpdump", debian="tcpdump")
NOT_OF_THE_CAMPAIGN = ("study", "action", "resume", "rig", "injectors", "live", "require", "junit", "explain")


@contextlib.contextmanager
def placed(asked: argparse.Namespace) -> Iterator[Placement]:
    """Give the hosts of the rig that the command line names, its load made by the injectors that it names.

    Asked to stop meanwhile (Interrupted), everything is ended there in order.
    """
    for sentence in clean_up_after_crash(STATE):
        print(sentence, file=sys.stderr)
    rig = load_rig(asked.rig or LOCAL)
    rig = rig if asked.injectors is None else with_injectors(rig, asked.injectors)
    with interruptible(), contextlib.closing(Placement(rig, Processes(STATE))) as place:
        yield place


def new_campaign(study: Study, asked: argparse.Namespace, place: Placement, suts: list[Sut] | None = None) -> Campaign:
    """Return the campaign that the command line asks for, of the systems given or those that it names."""
    check_places(study, place.rig)
    name = asked.profile or DEFAULT_PROFILE
    profile = study.profile(name)
    suts = suts or _chosen_systems(study, asked)
    profile = _how_often(profile, asked, len(suts))
    if (asked.baseline_repeats or 0) > profile.repeats:
        raise LabError(
            f"--baseline-repeats {asked.baseline_repeats}: expected at most {profile.repeats}, the planned repeats "
            "of each cell."
        )
    told = {
        "baseline_repeats": asked.baseline_repeats,
        "p99_limit_ms": asked.p99_limit,
        "idle_cores": asked.idle_cores,
        "equal_margin_pct": asked.margin,
        "turn_ms": getattr(asked, "turn_ms", None),
        "apart": getattr(asked, "apart", None) or None,
        "capture": asked.capture or None,
    }
    profile = msgspec.structs.replace(profile, **{name: value for name, value in told.items() if value is not None})
    if asked.capture:
        if study.file.roles:
            raise LabError(f"--capture: the study '{study.file.study.id}' has no server whose packets are captured.")
        require([CAPTURE])
    profile = profile.with_load(load_settings(asked.load or []))
    for option_name, option in study.file.options.items():
        if (value := getattr(asked, f"option_{option_name}")) is not None:
            load = {**profile.load, option.load: str(value.resolve()) if isinstance(value, Path) else value}
            profile = msgspec.structs.replace(profile, load=load, levels=profile.levels | option.levels)
    limit, levels = _server_shares(study, asked, place)
    levels |= {f: named for f in study.file.factors if (named := getattr(asked, f"factor_{f}", None))}
    profile = msgspec.structs.replace(profile, skip=_holding(profile.skip, set(levels)))
    chosen = chosen_levels(study, profile, place.rig, levels)
    if not scenarios(study, profile, chosen):
        raise LabError(f"The profile '{name}' leaves out every scenario asked for; name levels of more factors.")
    folder = asked.out or RESULTS / f"{time.strftime('%Y%m%d-%H%M%S')}-{study.file.study.id}-{name}"
    campaign = Campaign(
        study=study,
        profile_name=name,
        profile=profile,
        systems=suts,
        baseline=choose_baseline(study) if profile.baseline_repeats else None,
        place=place,
        levels=chosen,
        seed=1 if asked.seed is None else asked.seed,
        folder=folder.resolve(),
        server_cpu_limit_pct=limit,
    )
    if not campaign.scenarios():
        ids = " and ".join(dict.fromkeys(sut.system.system.id for sut in suts))
        raise LabError(
            f"The profile '{name}' leaves {ids} out of every scenario asked for; name other systems or levels."
        )
    _check_systems(campaign)
    return _in_turns(campaign, getattr(asked, "turn_ms", None))


def _check_systems(campaign: Campaign) -> None:
    """Refuse a system that lacks a variable for its request headers, or whose own folder is on none of the disks."""
    others = sorted(campaign.disks_used() - {"local"})
    uploads = any(sut.system.upload for sut in campaign.all_systems())
    for sut in campaign.systems:
        if uploads and sut.system.upload is None:
            raise LabError(f"{sut.folder / 'sut.toml'}: [upload] is missing; expected its path and field.")
        sut.secrets()
        if others and sut.stores_elsewhere:
            raise LabError(
                f"{sut.folder / 'sut.toml'}: upload.stored_in is a folder of its own, so it can't be measured on the "
                f"disk '{others[0]}'; tell the server its folder ({UPLOADS}), or leave --disks out."
            )


def _in_turns(campaign: Campaign, asked_ms: int | None) -> Campaign:
    """Return the campaign, without the turns of its profile where its servers can take none.

    Raises
    ------
    LabError
        Where turns were asked for that can't be.
    """
    why = _why_no_turns(campaign) if campaign.profile.turn_ms else ""
    if not why:
        return campaign
    if asked_ms:
        raise LabError(f"--turn-ms: {why}; leave --turn-ms out.")
    if len(campaign.systems) > 1:
        print(f"The servers run one after the other, not in turns: {why}.", file=sys.stderr)
    return msgspec.structs.replace(campaign, profile=msgspec.structs.replace(campaign.profile, turn_ms=0))


def _why_no_turns(campaign: Campaign) -> str:
    """Return why servers can't be alive together, or would not share the core evenly; empty where they can."""
    if len(campaign.systems) < 2:
        return "one server has nobody to take turns with"
    if campaign.rig.distributed or not campaign.rig.one_host or not campaign.place.server_is_here:
        return "servers take turns on this machine only"
    loads = campaign.study.factor_of("loads")
    if loads is None:
        return f"the study '{campaign.study.file.study.id}' has no factor of loads, within which turns are taken"
    factor = campaign.study.file.factors[loads]
    for scenario in campaign.scenarios():
        if not campaign.loads_of(scenario) or (factor.apart and Skip(where=factor.apart).leaves_out(scenario)):
            return f"only loads of --{factor.option} that share a run are made in turns"
        if above := [load for load in campaign.loads_of(scenario) if isinstance(load, int) and load > 100]:
            return f"at {above[0]} % of the capacity a server's queue outlasts its turn"
    if compared := sorted(campaign.disks_used() - {"local", "tmpfs"}):
        return f"what one server stored would still be on its way to the disk '{compared[0]}' in the turn of the other"
    if not all(sut.watched for sut in campaign.systems):
        return "what records a server would be there in the turns of the other"
    if any(share < 100 for share in campaign.server_cpu_shares()):
        return "servers that take turns have the whole core in theirs, not the share of --server-cpu"
    if (waits_ms := (len(campaign.systems) - 1) * campaign.profile.turn_ms) > MOST_WAIT_MS:
        return f"each server would wait {waits_ms / 1000:g} s for its turn, and end connections meanwhile"
    return next((f"{sut.folder / 'sut.toml'}: {sut.why_alone}" for sut in campaign.systems if sut.why_alone), "")


def _chosen_systems(study: Study, asked: argparse.Namespace) -> list[Sut]:
    suts = choose_systems(study, asked.systems, asked.stacks or ["current"], asked.settings or [])
    if asked.twice:
        suts = under_names(suts, ("name=a", "name=b"))
    return under_names(suts, (WATCHED, UNWATCHED)) if asked.observer else suts


def _how_often(profile: Profile, asked: argparse.Namespace, systems: int) -> Profile:
    """Return the profile with what the command line says: exactly so many repeats, or the least of them and a time."""
    if asked.minutes and asked.repeats:  # one of them from --plan
        raise LabError("--repeats and --minutes: a campaign has a number of repeats or a time; leave one of them out.")
    if asked.minutes and systems < 2:
        raise LabError("--minutes repeats open comparisons, and one system has nothing to compare; give --repeats.")
    if asked.repeats:
        return msgspec.structs.replace(profile, repeats=asked.repeats, minutes=None)
    if systems < 2:
        return msgspec.structs.replace(profile, minutes=None)
    if asked.minutes and profile.minutes is None:
        profile = msgspec.structs.replace(profile, repeats=min(LEAST_REPEATS, profile.most_repeats))
    return msgspec.structs.replace(profile, minutes=asked.minutes or profile.minutes)


def _server_shares(
    study: Study, asked: argparse.Namespace, place: Placement
) -> tuple[float | None, dict[str, list[str]]]:
    """Return the limit on the server's CPU in all scenarios, or else the levels of the factor that it is.

    One share holds for the whole campaign, 100 is no limit; several are levels, the largest first: claims rest on that.
    """
    shares = sorted(asked.server_cpu or [100], reverse=True)
    said = f"--server-cpu {','.join(map(str, asked.server_cpu or []))}"
    if shares[-1] < 100 and study.file.roles:
        raise LabError(f"{said}: the study '{study.file.study.id}' has no server whose CPU can be limited.")
    if shares[-1] < 100 and (obstacle := _why_no_limit(place)):
        raise LabError(f"{said}: {obstacle}.")
    if len(shares) == 1:
        return None if shares[0] == 100 else float(shares[0]), {}
    factor = study.factor_of("server_cpu")
    if factor is None:
        raise LabError(f"{said}: the study '{study.file.study.id}' does not compare shares; name one.")
    return None, {factor: [str(share) for share in shares]}


def _holding(rules: list[Skip], named: set[str]) -> list[Skip]:
    """Return the rules of a profile that hold: not those of whose every factor the command line names levels.

    What a rule says of a system always holds: naming a level does not make the system capable of it.
    """
    return [rule for rule in rules if rule.system or not rule.where.keys() <= named]


def _why_no_limit(place: Placement) -> str | None:
    if place.server_is_here:
        return cpu_limit.why_not()
    return f"its CPU is limited on this machine only, and it is on {place.server.name}"


def resumed_campaign(study: Study, asked: argparse.Namespace, place: Placement) -> Campaign:
    """Return the campaign to finish; LabError where an option would change it, or its CPU limit is not to be had."""
    given = [name for name, value in vars(asked).items() if value is not None and value is not False]
    chosen = [name for name in given if name not in NOT_OF_THE_CAMPAIGN]
    if chosen:
        option = chosen[0].removeprefix("factor_").removeprefix("option_").replace("_", "-")
        raise LabError(f"--resume takes everything from the campaign it finishes; leave --{option} out.")
    place.set_up(study, [])
    campaign = kept_campaign.resume(study, place, asked.resume.resolve())
    obstacle = _why_no_limit(place) if campaign.server_cpu_shares()[-1] < 100 else None
    if obstacle:
        raise LabError(f"--resume {asked.resume}: the campaign began with a limit on the server's CPU, but {obstacle}.")
    place.set_up(study, campaign.all_systems())
    return campaign
