"""Commands that other components carry out: the analysis's, the monitors', and those of the study itself."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from harness.choice import choose_systems
from harness.setup import set_up_load, set_up_systems
from harness.study import Study

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]


def add_to(commands: "Commands") -> None:
    """Declare `report`, `compare` and `nmon`."""
    report = commands.add_parser("report", help="recompute a campaign's tables and report from its raw files")
    report.add_argument("folder", type=Path, metavar="DIR", help="a campaign's results folder")
    report.set_defaults(action=lambda _, asked: _python("analysis", "report", str(asked.folder)))
    compare = commands.add_parser("compare", help="set two campaigns side by side", add_help=False)
    compare.add_argument("rest", nargs=argparse.REMAINDER, metavar="BEFORE AFTER")
    compare.set_defaults(action=lambda _, asked: _python("analysis", "compare", *asked.rest))
    nmon = commands.add_parser("nmon", help="turn any nmon recording into tables and a page of charts", add_help=False)
    nmon.add_argument("rest", nargs=argparse.REMAINDER, metavar="FILE...")
    nmon.set_defaults(action=lambda _, asked: _python("monitoring", "nmon", *asked.rest))


def study_command(study: Study, name: str, rest: Sequence[str]) -> int:
    """Become a command that the study declares, after its set-up."""
    command = study.file.commands[name]
    if command.setup in ("load", "everything"):
        set_up_load(study)
    if command.setup == "everything":
        set_up_systems(choose_systems(study, None, ["current"], []))
    program = (study.folder / command.command[0]).absolute()
    os.execv(program, [str(program), *command.command[1:], *rest])


def _python(module: str, *arguments: str) -> int:
    os.execv(sys.executable, [sys.executable, "-m", module, *arguments])
