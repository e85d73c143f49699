"""The command line: what `./lab` understands."""

import argparse
import errno
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import shtab

from uploadlab.commands import (
    aa,
    conformance,
    doctor,
    engines,
    judge,
    league,
    passing_on,
    run,
    serve,
    suite,
)
from uploadlab.commands.choice import listed, set_up_everything
from uploadlab.errors import Interrupted, LabError
from uploadlab.paths import STUDIES
from uploadlab.planning.study import Study, load_study

DEFAULT_STUDY = "upload"
DONE, FAILED, IMPOSSIBLE = 0, 1, 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return 0 done and valid, 1 done but a gate, a requirement or a test failed, 2 could not be done.

    3: the data can't tell whether a requirement holds.

    Every failure ends with one sentence as the last line on standard error.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        study, given = _study_and_rest(given)
        if given and given[0] in study.file.commands:
            return passing_on.study_command(study, given[0], given[1:])
        if given and given[0] in passing_on.COMPONENT_COMMANDS:
            return passing_on.component_command(given[0], given[1:])
        asked = _parser(study).parse_args(given)
        action: Callable[[Study, argparse.Namespace], int] = asked.action
        return action(study, asked)
    except LabError as error:
        print(error, file=sys.stderr)
        return IMPOSSIBLE
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        print(f"{error.filename or 'A file of the lab'}: cannot be written: {error.strerror}.", file=sys.stderr)
        return IMPOSSIBLE
    except (Interrupted, KeyboardInterrupt):
        print("Interrupted; nothing was left running.", file=sys.stderr)
        return 130


def _study_and_rest(given: list[str]) -> tuple[Study, list[str]]:
    """Read the study first: it declares options and commands of its own."""
    first = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    first.add_argument("--study", default=DEFAULT_STUDY)
    if given[:1] != ["--study"] and not (given and given[0].startswith("--study=")):
        return load_study(STUDIES / DEFAULT_STUDY), given
    asked, rest = first.parse_known_args(given)
    named = STUDIES / asked.study
    return load_study(named if named.is_dir() else Path(asked.study).resolve()), rest


def _parser(study: Study) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="./lab", description=f"{study.file.study.title}. Which is faster, steadier, cheaper on CPU, and why?"
    )
    parser.add_argument(
        "--study", default=DEFAULT_STUDY, help="a study's name or folder (default: upload); comes first"
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    run.add_to(commands, study)
    aa.add_to(commands, study)
    if not study.file.roles:
        judge.add_to(commands, study)
    if study.file.study.further:
        league.add_to(commands, study)
    engines.add_to(commands, study)
    for name, (_, describe) in passing_on.COMPONENT_COMMANDS.items():
        commands.add_parser(name, help=describe, add_help=False)
    serve.add_to(commands)
    conformance.add_to(commands)
    setup = commands.add_parser("setup", help="make everything ready, without measuring")
    setup.add_argument("--stacks", type=listed, default=["current"], help="pinned versions (default: current)")
    setup.set_defaults(action=_set_up)
    doctor.add_to(commands)
    suite.add_to(commands)
    completion = commands.add_parser("completion", help="print a script that completes ./lab in your shell")
    completion.add_argument("shell", choices=shtab.SUPPORTED_SHELLS)
    completion.set_defaults(action=_print_completion)
    for name, command in study.file.commands.items():
        commands.add_parser(name, help=command.describe, add_help=False)
    return parser


def _print_completion(study: Study, asked: argparse.Namespace) -> int:
    print(shtab.complete(_parser(study), asked.shell))
    return DONE


def _set_up(study: Study, asked: argparse.Namespace) -> int:
    set_up_everything(study, asked.stacks)
    return DONE
