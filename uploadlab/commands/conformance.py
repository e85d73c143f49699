"""`./lab conformance URL|SYSTEM`: what does an upload endpoint do with good, broken and hostile requests?"""

import argparse
from collections.abc import Mapping

from uploadlab.commands import Commands
from uploadlab.commands.choice import choose_systems
from uploadlab.conformance.command import add_options, run
from uploadlab.interruption import interruptible
from uploadlab.planning.study import Study
from uploadlab.planning.system import Sut


def add_to(commands: Commands) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "conformance", help="what does an upload endpoint do with good, broken and hostile requests?"
    )
    add_options(parser)
    parser.set_defaults(action=_conformance)


def _conformance(study: Study, asked: argparse.Namespace) -> int:
    def find(name: str) -> tuple[Sut, Mapping[str, int]]:
        return choose_systems(study, [name], ["current"], [])[0], study.file.limits

    with interruptible():
        return run(asked, find)
