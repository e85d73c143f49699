"""`./lab setup`: make everything ready that a campaign needs on this machine, without measuring."""

import argparse
from typing import TYPE_CHECKING

from harness.campaigns.setup import set_up_load, set_up_systems
from harness.commands.choice import choose_systems
from harness.planning.study import Study

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]


def add_to(commands: "Commands") -> None:
    """Declare the command."""
    parser = commands.add_parser("setup", help="make everything ready, without measuring")
    parser.set_defaults(action=make_ready)


def make_ready(study: Study, _: argparse.Namespace) -> int:
    """Install and build the load generator and the study's systems; what is ready is left alone."""
    set_up_load(study)
    set_up_systems(choose_systems(study, None, ["current"], []))
    return 0
