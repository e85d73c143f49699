"""`uploadlab`, as the wheel brings it: the commands that need no server of ours, no JMeter and no Maven."""

import argparse
import sys
from collections.abc import Mapping, Sequence
from typing import NoReturn

from monitoring.program import run_program
from uploadlab.commands.passing_on import COMPONENT_COMMANDS, component_command
from uploadlab.conformance.command import add_options, run
from uploadlab.errors import LabError
from uploadlab.planning.system import Sut

COMMANDS = [name for name in COMPONENT_COMMANDS if name != "studies"]
COULD_NOT = 2


def program() -> NoReturn:
    """Run the command line, and end."""
    sys.exit(run_program(main))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; what an exit code means is as of ./lab."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given and given[0] in COMMANDS:
        return component_command(given[0], given[1:])
    parser = argparse.ArgumentParser(
        prog="uploadlab", description="Any JMeter result, any nmon recording, any upload endpoint, any campaign."
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name in COMMANDS:
        commands.add_parser(name, help=COMPONENT_COMMANDS[name][1], add_help=False)
    add_options(
        commands.add_parser("conformance", help="what an upload endpoint does with broken and hostile requests")
    )
    try:
        return run(parser.parse_args(given), _no_system)
    except LabError as error:
        print(error, file=sys.stderr)
        return COULD_NOT


def _no_system(name: str) -> tuple[Sut, Mapping[str, int]]:
    raise LabError(f"{name}: expected http://HOST:PORT/PATH; a checkout of Upload Lab also starts systems.")
