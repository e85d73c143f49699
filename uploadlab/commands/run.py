"""`./lab run`: a campaign, then its report."""

import argparse
import contextlib
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from uploadlab import requirements
from uploadlab.campaigns import explain
from uploadlab.campaigns.capacity import with_capacities
from uploadlab.campaigns.execute import execute
from uploadlab.campaigns.live import LivePage
from uploadlab.campaigns.report import COULD_NOT, MADE
from uploadlab.commands import Commands
from uploadlab.commands.campaign_options import add_choices
from uploadlab.commands.choice import (
    above_zero,
    whole_number,
)
from uploadlab.commands.chosen_campaign import new_campaign, placed, resumed_campaign
from uploadlab.commands.plan_file import FromPlan
from uploadlab.commands.plan_text import announcement, plan_text
from uploadlab.hosts import deletions
from uploadlab.hosts.local_host import existing
from uploadlab.paths import STATE
from uploadlab.planning import kept_campaign
from uploadlab.planning.campaign import Campaign
from uploadlab.planning.needs import (
    Needs,
    check_inputs,
    expected_seconds,
    needs_of,
    with_sizes_that_fit,
    within_its_time,
)
from uploadlab.planning.placement import Placement
from uploadlab.planning.space import check_space, runs_at_once
from uploadlab.planning.study import Study
from uploadlab.planning.system import Sut

MOST_ASKED_FOR = 90
"""Repeats: the folders of runs have two digits, and some are left to those that are made again."""
SERVER_BYTES = 1_000_000_000
"""More memory than a server comes to, with what Linux keeps for its files and connections."""
LITTLE_STORED_BYTES = 500_000_000
"""Of a run: so little finds memory that the machine has."""


def add_to(commands: Commands, study: Study) -> None:
    """Declare the command and its options."""
    parser = commands.add_parser("run", help="measure: a campaign, then its report")
    add_choices(parser, study)
    _add_how_long(parser.add_argument_group("how long"))
    _add_what_is_kept(parser.add_argument_group("the campaign and its report"))
    parser.set_defaults(action=measure)


def _add_how_long(group: argparse._ArgumentGroup) -> None:
    often = group.add_mutually_exclusive_group()
    often.add_argument(
        "--minutes",
        type=above_zero("minutes"),
        metavar="N",
        help="repeat what is not decided yet until it is, or until this many minutes have passed "
        "(default: the profile's minutes, or its repeats)",
    )
    often.add_argument(
        "--repeats",
        type=whole_number(1, MOST_ASKED_FOR),
        help="this many repeats of each cell; invalid ones are made again",
    )
    group.add_argument(
        "--baseline-repeats",
        type=whole_number(0),
        metavar="N",
        help="runs of each scenario with a no-op server, for the load generator's own share (default: the profile's)",
    )


def _add_what_is_kept(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--dry-run", action="store_true", help="print the plan and the time it will take, and stop")
    group.add_argument(
        "--out", type=Path, metavar="DIR", help="the campaign's own folder (default: a new one in results/)"
    )
    group.add_argument("--resume", type=Path, metavar="DIR", help="finish the campaign in this folder")
    group.add_argument(
        "--plan",
        action=FromPlan,
        metavar="FILE",
        help="take options from a TOML file: minutes = 10, samples = [1, 5]; later ones override it",
    )
    group.add_argument(
        "--live",
        type=whole_number(0, 65535),
        metavar="PORT",
        help="show the progress and the report so far on a page of this machine; 0: any free port",
    )
    group.add_argument(
        "--explain",
        action="store_true",
        help="profile a further run of each cell at the end, and say where the CPU time of a request goes",
    )
    requirements.add_to(group)


def parse_options(study: Study, told: Sequence[str]) -> argparse.Namespace:
    """Return what the command line `./lab run` with these options asks for."""
    parser = argparse.ArgumentParser(prog="./lab")
    add_to(parser.add_subparsers(), study)
    return parser.parse_args(["run", *told])


def measure(study: Study, asked: argparse.Namespace, suts: list[Sut] | None = None) -> int:
    """Make a new campaign, or finish one, and report it; return the exit code.

    It is of the systems given, else of those that the command line names.
    """
    for text in asked.require:
        requirements.parse(text)  # before anything is measured
    with placed(asked) as place:
        return _run(study, asked, place, suts)


def _run(study: Study, asked: argparse.Namespace, place: Placement, suts: list[Sut] | None) -> int:
    if asked.explain and not asked.dry_run:
        explain.make_ready(study, place)
    if asked.resume:
        campaign = resumed_campaign(study, asked, place)
    else:
        campaign = new_campaign(study, asked, place, suts)
        if asked.dry_run:
            print(plan_text(*_planned(campaign, asked)))
            return 0
        kept_campaign.check_folder(campaign.folder)
    with _live_page(campaign, asked) as page:
        campaign, needs = _continued(campaign) if asked.resume else _created(campaign, asked)
        return _execute(campaign, needs, asked, page)


def _continued(campaign: Campaign) -> tuple[Campaign, Needs]:
    """Make what a kept campaign needs ready again."""
    needs = needs_of(campaign)
    check_inputs(campaign, needs)
    _warn_of_deletions(campaign)
    _keep_memory(campaign, needs)
    _make_place(campaign)
    return campaign, needs


def _created(campaign: Campaign, asked: argparse.Namespace) -> tuple[Campaign, Needs]:
    """Plan a new campaign, set everything up for it, and write down what was planned."""
    _warn_of_deletions(campaign)
    _keep_memory(campaign, needs_of(campaign))
    campaign, needs = _planned(campaign, asked)
    check_space(campaign, needs)
    campaign.place.set_up(campaign.study, campaign.all_systems())
    _make_place(campaign)
    kept_campaign.create(campaign, needs, ["./lab", *sys.argv[1:]], _hosts_named(asked))
    return campaign, needs


def _planned(campaign: Campaign, asked: argparse.Namespace) -> tuple[Campaign, Needs]:
    """Return a campaign with its rates, and with the sizes and the blocks that fit into its time."""
    campaign = with_capacities(campaign, lambda one: _that_fits(one, asked), dry_run=asked.dry_run)
    campaign = _with_sizes_that_fit(campaign, asked)
    needs = needs_of(campaign)
    return within_its_time(campaign, needs), needs


def _make_place(campaign: Campaign) -> None:
    campaign.place.make_disks(campaign.disks_used())
    campaign.place.try_links(campaign.links_used())


def _execute(campaign: Campaign, needs: Needs, asked: argparse.Namespace, page: LivePage | None) -> int:
    """Make the runs and the report; return the exit code."""
    print(announcement(campaign, needs), file=sys.stderr)
    options = [f"--require={text}" for text in asked.require] + ([f"--junit={asked.junit}"] if asked.junit else [])
    valid, code = execute(campaign, needs, page, explain=asked.explain, of_report=options)
    if code not in MADE:
        print(f"There is no report; the runs are kept. Try again with: ./lab report {campaign.folder}", file=sys.stderr)
        return COULD_NOT
    if not valid:
        print("Not every cell has its planned number of valid runs; the report names the reasons.", file=sys.stderr)
        return 1
    return code if asked.require else 0


def _hosts_named(asked: argparse.Namespace) -> list[str]:
    """Return the options that name the hosts."""
    named = {"--rig": asked.rig, "--injectors": ",".join(asked.injectors or [])}
    return [word for option, value in named.items() if value for word in (option, value)]


def _warn_of_deletions(campaign: Campaign) -> None:
    """Say before anything is measured where files that were deleted a short while ago make new ones dearer."""
    used = [existing(folder) for run in campaign.runs() if (folder := campaign.stores_in(run.factors))]
    if campaign.place.server_is_here and (aftermath := deletions.warning(STATE, used)):
        print(aftermath, file=sys.stderr)


def _keep_memory(campaign: Campaign, needs: Needs) -> None:
    """Keep the memory that runs fill where the server is: with what they store, until that is on the disk."""
    if (stored := max(need.upload_bytes for need in needs.scenarios)) > LITTLE_STORED_BYTES:
        campaign.place.server.keep_memory(runs_at_once(campaign) * (stored + SERVER_BYTES))


def _with_sizes_that_fit(campaign: Campaign, asked: argparse.Namespace) -> Campaign:
    """Leave sizes out that the profile names and its time has no room for; those that the command line names stay."""
    needs = needs_of(campaign)
    if any(
        getattr(asked, f"factor_{name}", None) for name, factor in campaign.study.file.factors.items() if factor.size
    ):
        return campaign
    smaller, gone = with_sizes_that_fit(campaign, needs)
    if gone:
        left_out = ", ".join(str(level) for level in gone)
        minutes = round(expected_seconds(campaign, needs) / 60)
        print(
            f"Left out for time: sample {left_out}; the planned blocks of all sizes take {minutes} min here. "
            "To measure all: --minutes, or --samples.",
            file=sys.stderr,
        )
    return smaller


def _that_fits(campaign: Campaign, asked: argparse.Namespace) -> Campaign:
    """Return the campaign that fits into its time; LabError where it does not fit on the disks."""
    smaller = _with_sizes_that_fit(campaign, asked)
    check_space(smaller, needs_of(smaller))
    return smaller


@contextlib.contextmanager
def _live_page(campaign: Campaign, asked: argparse.Namespace) -> Iterator[LivePage | None]:
    """Serve the page that was asked for until the campaign ends, however it ends."""
    if asked.live is None:
        yield None
        return
    with contextlib.closing(LivePage(campaign.folder, asked.live)) as page:
        print(f"Live page: {page.url}", file=sys.stderr)
        yield page
