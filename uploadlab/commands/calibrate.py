"""`./lab calibrate`: the load at which each server keeps 20 % of its CPU, for the profile `corrected`."""

import argparse
import sys
from pathlib import Path

from uploadlab.campaigns import calibrate
from uploadlab.commands import Commands
from uploadlab.commands.campaign_options import add_choices
from uploadlab.commands.chosen_campaign import new_campaign, placed
from uploadlab.errors import LabError
from uploadlab.hosts import deletions
from uploadlab.hosts.local_host import existing
from uploadlab.paths import STATE
from uploadlab.planning.campaign import Campaign
from uploadlab.planning.study import Level, Study
from uploadlab.planning.system import Sut


def add_to(commands: Commands, study: Study) -> None:
    """Declare the command where a profile of the study wants it."""
    wanting = [name for name, profile in study.file.profiles.items() if profile.calibrate]
    if not wanting:
        return
    parser = commands.add_parser("calibrate", help="find the load that leaves each server 20 %% of its CPU")
    add_choices(parser, study, wanting[0])
    parser.add_argument(
        "--file", type=Path, default=calibrate.FILE, help="where the rates are kept (default: results/calibration.json)"
    )
    parser.add_argument("--missing", action="store_true", help="only the cells without a valid calibration")
    parser.set_defaults(action=run, default_profile=wanting[0])
    parser.set_defaults(repeats=None, minutes=None, out=None, baseline_repeats=0)


def run(study: Study, asked: argparse.Namespace) -> int:
    """Calibrate the cells that were asked for; return 0."""
    asked.profile = asked.profile or asked.default_profile
    with placed(asked) as place:
        campaign = new_campaign(study, asked, place)
        if campaign.profile.calibrate is None:
            raise LabError(f"The profile '{asked.profile}' has no open arrivals, so there is no rate to calibrate.")
        place.set_up(study, campaign.systems)
        path = asked.file.resolve()
        if asked.missing:
            todo = [(sut, factors) for sut, factors, _ in calibrate.uncalibrated(campaign, path)]
        else:
            todo = [(sut, factors) for factors in campaign.scenarios() for sut in campaign.systems]
        if todo:
            _calibrate(campaign, todo, path)
        print(f"The rates are in {path}; next: ./lab run --profile {asked.profile}", file=sys.stderr)
    return 0


def _calibrate(campaign: Campaign, todo: list[tuple[Sut, dict[str, Level]]], path: Path) -> None:
    """Calibrate cells; what the short runs stored is removed next, which the next campaign on that disk must know."""
    try:
        calibrate.calibrate(campaign, todo, path)
    finally:
        if campaign.place.server_is_here:
            stored = [folder for _, factors in todo if (folder := campaign.stores_in(factors))]
            deletions.note(STATE, [existing(folder) for folder in stored])
