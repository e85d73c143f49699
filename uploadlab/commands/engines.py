"""`./lab engines`: a server and the engines of a distributed load, kept ready for a load generator of one's own."""

import argparse
import contextlib
import sys
import time
from collections.abc import Callable

import msgspec

from uploadlab.campaigns.execute import prepare
from uploadlab.commands import Commands
from uploadlab.commands.campaign_options import add_choices
from uploadlab.commands.chosen_campaign import new_campaign, placed
from uploadlab.errors import LabError
from uploadlab.paths import STATE
from uploadlab.planning import driver, results
from uploadlab.planning.needs import needs_of
from uploadlab.planning.space import check_space
from uploadlab.planning.study import Study
from uploadlab.runs.attempt import Attempt, RunContext
from uploadlab.runs.loaded_run import LoadedRun

FOLDER = STATE.parent / "engines"


def add_to(commands: Commands, study: Study) -> None:
    """Declare the command."""
    parser = commands.add_parser("engines", help="keep a server and the engines of --injectors ready until Ctrl-C")
    add_choices(parser, study)
    parser.set_defaults(action=run, repeats=None, minutes=None, out=None, baseline_repeats=0)


def run(study: Study, asked: argparse.Namespace) -> int:
    """Start the first system that was chosen and the engines for its first scenario, and keep them until Ctrl-C."""
    if asked.injectors is None:
        raise LabError("./lab engines: name the hosts with --injectors HOST,...")
    if asked.server_cpu:
        raise LabError("--server-cpu: ./lab engines keeps the server ready on its whole core; leave it out.")
    with placed(asked) as place:
        campaign = msgspec.structs.replace(new_campaign(study, asked, place), folder=place.processes.temporary(FOLDER))
        needs = needs_of(campaign)
        check_space(campaign, needs)
        place.set_up(study, campaign.systems)
        prepare(campaign)
        first = campaign.runs()[0]
        sut = next(sut for sut in campaign.systems if sut.key == first.key)
        attempt = Attempt(
            context=RunContext(campaign=campaign, needs=needs),
            run=first,
            sut=sut,
            folder=results.run_folder(campaign.folder, first),
            record={"phases": {}, "processes": {}, "gates": []},
            report=lambda _: None,
        )
        EnginesOnly(attempt).keep_ready(lambda said: print(said, file=sys.stderr, flush=True))
    return 0


class EnginesOnly(LoadedRun):
    """A run of which only the server and the engines are started."""

    def keep_ready(self, say: Callable[[str], None]) -> None:
        """Start them, say where the spec of the load is, and watch them; Interrupted or LabError ends it."""
        self._make_folders()
        with contextlib.ExitStack() as stack:
            stack.callback(self.place.stop_all)
            server = self._start()
            engines = self._engines(server)
            engines.wait_until_ready(lambda: self._watch(server))
            host = self.place.controller
            spec = driver.write_spec(host, self.attempt.there(host), "load", self._spec(host, server))
            engines_ready = f"{len(self.place.rig.injectors)} engines are ready"
            say(f"{self.sut.key} listens at {server.url}; {engines_ready}, until Ctrl-C: {spec}")
            while True:
                self._watch(server, engines)
                time.sleep(driver.POLL_S)
