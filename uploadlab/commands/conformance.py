"""`./lab conformance URL|SYSTEM`: what does an upload endpoint do with good, broken and hostile requests?"""

import argparse

from uploadlab.commands import Commands
from uploadlab.conformance.command import add_options, run
from uploadlab.planning.study import Study


def add_to(commands: Commands) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "conformance", help="what does an upload endpoint do with good, broken and hostile requests?"
    )
    add_options(parser)
    parser.set_defaults(action=_conformance)


def _conformance(study: Study, asked: argparse.Namespace) -> int:
    return run(asked)
