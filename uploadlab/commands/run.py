"""`./lab run`: a campaign, then its report."""

import argparse
import contextlib
import math
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec

from uploadlab import requirements
from uploadlab.campaigns import calibrate, explain
from uploadlab.campaigns.execute import execute
from uploadlab.campaigns.live import LivePage
from uploadlab.campaigns.report import COULD_NOT, MADE, report
from uploadlab.commands import Commands
from uploadlab.commands.choice import (
    above_zero,
    choose_baseline,
    choose_systems,
    listed,
    load_settings,
    turn_ms,
    under_names,
    whole_number,
)
from uploadlab.errors import InputError, LabError
from uploadlab.hosts import cpu_limit, deletions
from uploadlab.hosts.local_host import existing
from uploadlab.hosts.processes import Processes, clean_up_after_crash
from uploadlab.paths import RESULTS, STATE
from uploadlab.planning import campaign as campaigns
from uploadlab.planning.campaign import Campaign, Needs
from uploadlab.planning.install import require
from uploadlab.planning.placement import Placement
from uploadlab.planning.plan import check_places, chosen_levels, scenarios, server_cpu_factor, windows_factor
from uploadlab.planning.rig import LOCAL, NAMED, load_rig, with_injectors
from uploadlab.planning.study import Profile, Skip, Study
from uploadlab.planning.system import UNWATCHED, UPLOADS, WATCHED, Requirement, Sut
from uploadlab.results.windows import SATURATED
from uploadlab.statistics.smallest_difference import TYPICAL_SCATTER, smallest_difference

DEFAULT_PROFILE = "quick"
LEAST_REPEATS = 3  # where --minutes decides over a profile that says nothing of minutes
CAPTURE = Requirement(command="tcpdump", debian="tcpdump")
MOST_ASKED_FOR = 90
"""Repeats: the folders of runs have two digits, and some are left to those that are made again."""
SERVER_BYTES = 1_000_000_000
"""More memory than a server comes to, with what Linux keeps for its files and connections."""
LITTLE_STORED_BYTES = 500_000_000
"""Of a run: so little finds memory that the machine has."""
NOT_OF_THE_CAMPAIGN = ("study", "action", "resume", "rig", "injectors", "live", "require", "junit", "explain")


def add_to(commands: Commands, study: Study) -> None:
    """Declare the command and its options."""
    parser = commands.add_parser("run", help="measure: a campaign, then its report")
    add_choices(parser, study, DEFAULT_PROFILE)
    often = parser.add_mutually_exclusive_group()
    often.add_argument(
        "--repeats",
        type=whole_number(1, MOST_ASKED_FOR),
        help="this many repeats of each cell; invalid ones are made again",
    )
    often.add_argument(
        "--minutes",
        type=above_zero("minutes"),
        metavar="N",
        help="repeat what is not decided yet until it is, or until this many minutes have passed "
        "(default: the profile's minutes, or its repeats)",
    )
    parser.add_argument(
        "--baseline-repeats",
        type=whole_number(0),
        metavar="N",
        help="runs of each scenario with a no-op server, for the load generator's own share (default: the profile's)",
    )
    parser.add_argument(
        "--calibration",
        type=Path,
        metavar="FILE",
        help="the rates of open arrivals, as ./lab calibrate wrote them (default: its own file, calibrated if needed)",
    )
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="the campaign's own folder (default: a new one in results/)"
    )
    parser.add_argument(
        "--live",
        type=whole_number(0, 65535),
        metavar="PORT",
        help="show the progress and the report so far on a page of this machine; 0: any free port",
    )
    parser.add_argument(
        "--plan",
        metavar="FILE",
        help="take options from a TOML file: minutes = 10, samples = [1, 5]; later ones override it",
    )
    parser.add_argument(
        "--explain",
        action="store_true",
        help="profile a further run of each cell at the end, and say where the CPU time of a request goes",
    )
    parser.add_argument("--resume", type=Path, metavar="DIR", help="finish the campaign in this folder")
    parser.add_argument("--dry-run", action="store_true", help="print the plan and the time it will take, and stop")
    requirements.add_to(parser)
    parser.set_defaults(action=measure)


def add_choices(parser: argparse.ArgumentParser, study: Study, default: str) -> None:
    """Declare what a campaign is made of and where; each factor of the study has an option."""
    profiles = "; ".join(f"{name} ({profile.title})" for name, profile in study.file.profiles.items())
    described = f"how to run the study (default {default}): {profiles}".replace("%", "%%")  # argparse fills in the rest
    parser.add_argument("--profile", help=described)
    parser.add_argument("--systems", type=listed, metavar="SYSTEM,...", help="systems to compare (default: all)")
    parser.add_argument(
        "--observer",
        action="store_true",
        help="run each system with and without the lab's recorders: what do they change?",
    )
    parser.add_argument(
        "--twice", action="store_true", help="run each system under two names, a and b, which should come out equal"
    )
    parser.add_argument(
        "--stacks", type=listed, metavar="STACK,...", help="pinned versions to run them on (default: current)"
    )
    for name, factor in study.file.factors.items():
        # Every study has --server-cpu, and every run all levels of what varies within it.
        if factor.kind == "server_cpu" or factor.within_run:
            continue
        parser.add_argument(
            f"--{factor.option}", dest=f"factor_{name}", type=listed, metavar="LEVEL,...", help=factor.describe
        )
    for name, option in study.file.options.items():
        kind = OPTION_KINDS[option.kind]
        parser.add_argument(
            f"--{name}", dest=f"option_{name}", type=kind, metavar=option.kind.upper(), help=option.describe
        )
    parser.add_argument(
        "--set", dest="settings", action="append", metavar="SYSTEM.SETTING=VALUE", help="a server's named setting"
    )
    parser.add_argument(
        "--load",
        action="append",
        metavar="SETTING=VALUE",
        help="a setting of the profile's load, as study.toml names it, in every scenario: threads=10",
    )
    parser.add_argument(
        "--server-cpu",
        type=_shares,
        metavar="PCT,...",
        help="share of its core that the server gets, in per cent, as under a container's limit (default: all of it); "
        "several, as in 25,100, are compared",
    )
    parser.add_argument(
        "--capture",
        action="store_true",
        help="capture the heads of the server's packets, to tell which part of a response time is the server's",
    )
    parser.add_argument(
        "--idle-cores",
        choices=("poll", "sleep"),
        help="what idle cores of a virtual machine do in a run: poll, so that nobody pays for waking them, or sleep "
        "(default: as the profile says)",
    )
    if windows_factor(study):
        parser.add_argument(
            "--apart",
            action="store_true",
            help="measure each load in a server process of its own, not one after the other in the same",
        )
        parser.add_argument(
            "--turn-ms",
            type=turn_ms,
            metavar="MS",
            help="keep the servers of a block alive together, taking turns of so many ms on the core, so that what "
            "else happens on the host meets all of them alike (default 0: one after the other)",
        )
    parser.add_argument(
        "--p99-limit",
        type=above_zero("milliseconds"),
        metavar="MS",
        help="how long 99 of 100 requests may take; a load curve says up to which rate each system keeps within it",
    )
    parser.add_argument(
        "--margin",
        type=above_zero("per cent", below=100),
        metavar="PCT",
        help="systems that differ by less are equal (default: the profile's)",
    )
    parser.add_argument("--seed", type=int, help="the seed of the order of runs and of the size lists (default 1)")
    parser.add_argument(
        "--rig",
        metavar="NAME_OR_FILE",
        help=f"where it runs: {LOCAL} (this machine, the default), {', '.join(NAMED)}, or a rig file",
    )
    parser.add_argument(
        "--injectors",
        type=listed,
        metavar="HOST,...",
        help="hosts that make the load together, as SSH reaches them ([USER@]HOST[:PORT]); each makes its share",
    )


@contextlib.contextmanager
def placed(asked: argparse.Namespace) -> Iterator[Placement]:
    """Give the hosts of the rig that the command line names, its load made by the injectors that it names."""
    for sentence in clean_up_after_crash(STATE):
        print(sentence, file=sys.stderr)
    rig = load_rig(asked.rig or LOCAL)
    rig = rig if asked.injectors is None else with_injectors(rig, asked.injectors)
    with contextlib.closing(Placement(rig, Processes(STATE))) as place:
        yield place


def parse_options(study: Study, told: Sequence[str]) -> argparse.Namespace:
    """Return what the command line `./lab run` with these options asks for."""
    parser = argparse.ArgumentParser(prog="./lab")
    add_to(parser.add_subparsers(), study)
    return parser.parse_args(["run", *told])


def measure(study: Study, asked: argparse.Namespace, suts: list[Sut] | None = None) -> int:
    """Make a new campaign, or finish one, and report it; return the exit code.

    It is of the systems given, else of those that the command line names.
    """
    try:
        for text in asked.require:
            requirements.parse(text)
    except InputError as error:  # before anything is measured
        raise LabError(str(error)) from None
    with placed(asked) as place:
        return _run(study, asked, place, suts)


def _run(study: Study, asked: argparse.Namespace, place: Placement, suts: list[Sut] | None) -> int:
    if asked.explain and not asked.dry_run:
        explain.make_ready(study, place)
    if asked.resume:
        campaign = _resumed(study, asked, place)
        needs = campaigns.needs_of(campaign)
        page = _live_page(campaign, asked)
        campaigns.check_inputs(campaign, needs)
        _keep_memory(campaign, needs)
        place.make_disks(campaign.disks_used())
        place.try_links(campaign.links_used())
    else:
        campaign = new_campaign(study, asked, place, suts)
        if not asked.dry_run:
            campaigns.check_folder(campaign.folder)
            _keep_memory(campaign, campaigns.needs_of(campaign))
        campaign = calibrate.with_calibration(campaign, asked, lambda one: _with_sizes_that_fit(one, asked))
        campaign = _with_sizes_that_fit(campaign, asked)
        needs = campaigns.needs_of(campaign)
        campaign = campaigns.within_its_time(campaign, needs)
        if asked.dry_run:
            print(_plan_as_text(campaign, needs))
            return 0
        campaigns.check_space(campaign, needs)
        page = _live_page(campaign, asked)
        place.set_up(study, campaign.all_systems())
        place.make_disks(campaign.disks_used())
        place.try_links(campaign.links_used())
        campaigns.create(campaign, needs, ["./lab", *sys.argv[1:]])
    print(_announcement(campaign, needs), file=sys.stderr)
    used = [folder for run in campaign.runs() if (folder := campaign.stores_in(run.factors))]
    if place.server_is_here and (aftermath := deletions.warning(STATE, [existing(folder) for folder in used])):
        print(aftermath, file=sys.stderr)
    with contextlib.closing(page) if page else contextlib.nullcontext():
        reported: list[int] = []
        options = [f"--require={text}" for text in asked.require] + ([f"--junit={asked.junit}"] if asked.junit else [])
        valid = execute(
            campaign,
            needs,
            STATE,
            page,
            explain=asked.explain,
            then=lambda: reported.append(report(campaign.folder, options)),
        )
    if any(code not in MADE for code in reported):
        print(f"There is no report; the runs are kept. Try again with: ./lab report {campaign.folder}", file=sys.stderr)
        return COULD_NOT
    if not valid:
        print("Not every cell has its planned number of valid runs; the report names the reasons.", file=sys.stderr)
        return 1
    return reported[-1] if asked.require and reported else 0


def _keep_memory(campaign: Campaign, needs: Needs) -> None:
    """Keep the memory that a run fills where the server is: with what it stores, until that is on the disk."""
    if (stored := max(need.upload_bytes for need in needs.scenarios)) > LITTLE_STORED_BYTES:
        campaign.place.server.keep_memory(stored + SERVER_BYTES)


def _with_sizes_that_fit(campaign: Campaign, asked: argparse.Namespace) -> Campaign:
    """Leave sizes out that the profile names and its time has no room for; those that the command line names stay."""
    needs = campaigns.needs_of(campaign)
    if any(
        getattr(asked, f"factor_{name}", None) for name, factor in campaign.study.file.factors.items() if factor.size
    ):
        return campaign
    smaller, gone = campaigns.with_sizes_that_fit(campaign, needs)
    if gone:
        left_out = ", ".join(str(level) for level in gone)
        minutes = round(campaigns.expected_seconds(campaign, needs) / 60)
        print(
            f"Left out for time: sample {left_out}; the planned blocks of all sizes take {minutes} min here. "
            "To measure all: --minutes, or --samples.",
            file=sys.stderr,
        )
    return smaller


def _live_page(campaign: Campaign, asked: argparse.Namespace) -> LivePage | None:
    if asked.live is None:
        return None
    page = LivePage(campaign.folder, asked.live)
    print(f"Live page: {page.url}", file=sys.stderr)
    return page


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
    _check_turns(campaign)
    return campaign


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


def _check_turns(campaign: Campaign) -> None:
    """Refuse turns where servers can't be alive together, or would not share the core evenly."""
    if not campaign.profile.turn_ms:
        return
    if campaign.rig.distributed or not campaign.rig.one_host or not campaign.place.server_is_here:
        raise LabError("--turn-ms: servers take turns on this machine only; leave --rig and --injectors out.")
    factor = campaign.study.file.factors[windows_factor(campaign.study) or ""]
    for scenario in campaign.scenarios():
        if not campaign.loads_of(scenario) or (factor.apart and Skip(where=factor.apart).leaves_out(scenario)):
            raise LabError(f"--turn-ms: only loads of --{factor.option} that share a run are made in turns.")
        if above := [load for load in campaign.loads_of(scenario) if isinstance(load, int) and load > 100]:
            raise LabError(
                f"--turn-ms: at {above[0]} % of the capacity a server's queue outlasts its turn; expected loads of "
                f"--{factor.option} up to 100."
            )
    if any(share < 100 for share in campaign.server_cpu_shares()):
        raise LabError("--turn-ms: servers that take turns have the whole core in theirs; leave --server-cpu out.")
    for sut in campaign.systems:
        if sut.why_alone:
            raise LabError(f"{sut.folder / 'sut.toml'}: {sut.why_alone}, so it can't take turns; leave --turn-ms out.")


def _chosen_systems(study: Study, asked: argparse.Namespace) -> list[Sut]:
    suts = choose_systems(study, asked.systems, asked.stacks or ["current"], asked.settings or [])
    if asked.twice:
        suts = under_names(suts, ("name=a", "name=b"))
    return under_names(suts, (WATCHED, UNWATCHED)) if asked.observer else suts


def _how_often(profile: Profile, asked: argparse.Namespace, systems: int) -> Profile:
    """Return the profile with what the command line says: exactly so many repeats, or the least of them and a time."""
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
    factor = server_cpu_factor(study)
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


def _resumed(study: Study, asked: argparse.Namespace, place: Placement) -> Campaign:
    given = [name for name, value in vars(asked).items() if value is not None and value is not False]
    chosen = [name for name in given if name not in NOT_OF_THE_CAMPAIGN]
    if chosen:
        option = chosen[0].removeprefix("factor_").removeprefix("option_").replace("_", "-")
        raise LabError(f"--resume takes everything from the campaign it finishes; leave --{option} out.")
    place.set_up(study, [])
    campaign = campaigns.resume(study, place, asked.resume.resolve())
    obstacle = _why_no_limit(place) if campaign.server_cpu_shares()[-1] < 100 else None
    if obstacle:
        raise LabError(f"--resume {asked.resume}: the campaign began with a limit on the server's CPU, but {obstacle}.")
    place.set_up(study, campaign.all_systems())
    return campaign


def _announcement(campaign: Campaign, needs: Needs) -> str:
    shares = campaign.server_cpu_shares()
    limits = " or ".join(f"{share:g}" for share in shares if share < 100)
    where = " in some of the cells" if 100 in shares else ""
    return (
        f"{campaign.title}. Profile {campaign.profile_name}: {campaign.profile.title}.\n"
        + (f"The server gets {limits} % of its core{where}: steadiness may differ on a whole core.\n" if limits else "")
        + "".join(
            f"Bytes not verified: {sut.key} stores where nothing can be compared with what was sent.\n"
            for sut in campaign.systems
            if not sut.bytes_verified
        )
        + f"{_extent(campaign, needs)}; results in {campaign.folder}"
    )


def _extent(campaign: Campaign, needs: Needs) -> str:
    """Return how many runs there will be and how long they take."""
    runs = len(campaign.runs())
    expected = max(1, round(campaigns.expected_seconds(campaign, needs) / 60))
    given, repeats = campaign.profile.minutes, campaign.profile.repeats
    if given is None:
        return f"{runs} runs, about {expected} min"
    blocks = f"{repeats} blocks of each scenario"
    more = "more of everything" if campaign.profile.fills_time else "more where comparisons are open"
    then = f"then {more}, until {given:g} min are over"
    if expected > given:
        then = f"the fewest that can decide, though they take more than the {given:g} min given"
    return f"{runs} runs ({blocks}, about {expected} min), {then}"


def _plan_as_text(campaign: Campaign, needs: Needs) -> str:
    runs = campaign.runs()
    lines = [_announcement(campaign, needs), ""]
    counted = campaign.study.operations
    stores = any(needs.of(run.factors).upload_bytes for run in runs)
    stored = f"{'to store':>9}  " if stores else ""
    width = max(len(run.cell) for run in runs)
    lines += [f"{'run':>4}  {'block':>5}  {'cell':<{width}} {counted:>10}  {stored}{'load':>6}"]
    for run in runs:
        need = needs.of(run.factors)
        stored = f"{need.upload_bytes / 1e6:>6,.0f} MB  " if stores else ""
        load = f"{need.requests:>10,}  {stored}{need.seconds:>4.0f} s"
        lines.append(f"{run.order:>4}  {run.block:>5}  {run.cell:<{width}} {load}")
    if campaign.profile.minutes is not None and not campaign.profile.fills_time:
        lines += [
            "",
            "Then further blocks of the scenarios that have open comparisons, in random order, until all are decided, "
            f"{campaign.profile.minutes:g} min are over, or a scenario has {campaign.profile.most_repeats} blocks. "
            f"Decided: one is better, or they are equal within {campaign.profile.equal_margin_pct:g} %.",
            *_smallest_differences(campaign),
        ]
    if stores:
        to_write = sum(needs.of(run.factors).upload_bytes for run in runs)
        lines += [
            "",
            f"To write: {needs.input_bytes / 1e9:.2f} GB of input files, {to_write / 1e9:.2f} GB that servers store.",
        ]
    return "\n".join(lines)


def _smallest_differences(campaign: Campaign) -> list[str]:
    """Say which differences the time can decide, of the metrics that hold together; nothing where none do."""
    factor = windows_factor(campaign.study)
    loads = campaign.levels.get(factor or "", [])
    if SATURATED not in loads or not any(isinstance(load, int) for load in loads):
        return []
    scenarios = {tuple((name, of[name]) for name in of if name != factor) for of in campaign.scenarios()}
    compared = sum(not sut.noise for sut in campaign.systems)
    family = len(TYPICAL_SCATTER) * len(scenarios) * math.comb(compared, 2)
    most = campaign.profile.most_repeats
    blocks = max(campaign.profile.repeats, most - 1)
    found = {
        name: smallest_difference(
            scatter, blocks, most, family, len(scenarios), measured_twice=compared < len(campaign.systems)
        )
        for name, scatter in TYPICAL_SCATTER.items()
    }
    told = [f"{name} {100 * share:.0f} %" for name, share in found.items() if share is not None]
    if not family or not told:
        return []
    return [
        f"With {blocks} blocks each, the smallest differences that nine of ten such campaigns decide, where ratios "
        f"scatter as on two quiet cores: {', '.join(told)}."
    ]


def _shares(text: str) -> list[int]:
    """Return shares in per cent, each once; argparse says what is wrong with them."""
    return list(dict.fromkeys(map(whole_number(1, 100), listed(text))))


OPTION_KINDS: dict[str, Callable[[str], Path | str | int]] = {"path": Path, "text": str, "count": whole_number(1)}
"""What reads the value of a study's own option from the command line."""
