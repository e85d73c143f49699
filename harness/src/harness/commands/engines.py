"""`./lab engines`: a server and the engines of a distributed load, kept ready for a load generator of one's own."""

import argparse
import sys

import msgspec

from harness.campaigns import campaign as campaigns
from harness.campaigns import results
from harness.campaigns.execute import interruptible, prepare
from harness.commands import Commands
from harness.commands import run as run_command
from harness.errors import LabError
from harness.paths import STATE
from harness.planning.study import Study
from harness.runs.attempt import Attempt
from harness.runs.engines_only import EnginesOnly
from harness.runs.run_context import RunContext

FOLDER = STATE.parent / "engines"


def add_to(commands: Commands, study: Study) -> None:
    """Declare the command."""
    parser = commands.add_parser("engines", help="keep a server and the engines of --injectors ready until Ctrl-C")
    run_command.add_choices(parser, study, run_command.DEFAULT_PROFILE)
    parser.set_defaults(action=run, repeats=None, minutes=None, out=None, baseline_repeats=0)


def run(study: Study, asked: argparse.Namespace) -> int:
    """Start the first system that was chosen and the engines for its first scenario, and keep them until Ctrl-C."""
    if asked.injectors is None:
        raise LabError("./lab engines: name the hosts with --injectors HOST,...")
    if asked.server_cpu:
        raise LabError("--server-cpu: ./lab engines keeps the server ready on its whole core; leave it out.")
    with run_command.placed(asked) as place:
        campaign = msgspec.structs.replace(
            run_command.new_campaign(study, asked, place), folder=place.processes.temporary(FOLDER)
        )
        campaigns.check_space(campaign, campaigns.needs_of(campaign))
        place.set_up(study, campaign.systems)
        with interruptible():
            prepare(campaign)
            first = campaign.runs()[0]
            sut = next(sut for sut in campaign.systems if sut.key == first.key)
            attempt = Attempt(
                context=RunContext(campaign=campaign, gates=study.gates),
                run=first,
                sut=sut,
                load=campaign.profile.load_of(first.factors),
                folder=results.run_folder(campaign.folder, first),
                record={"phases": {}, "processes": {}, "gates": []},
                report=lambda _: None,
            )
            EnginesOnly(attempt).keep_ready(lambda said: print(said, file=sys.stderr, flush=True))
    return 0
