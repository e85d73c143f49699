"""Commands that other components carry out: the analysis's, the monitors', and those of the study itself."""

import os
import sys
from collections.abc import Sequence

from uploadlab.commands.choice import set_up_everything
from uploadlab.errors import LabError
from uploadlab.planning.install import set_up_load
from uploadlab.planning.study import Study

# Command, the module that carries it out, and what the list of commands says of it.
COMPONENT_COMMANDS = {
    "report": ("uploadlab.analysis", "recompute a campaign's tables and report from its raw files"),
    "compare": ("uploadlab.analysis", "set two campaigns side by side"),
    "history": ("uploadlab.analysis", "campaigns one after the other: a row each, a chart, and where they changed"),
    "studies": ("uploadlab.analysis", "what became of each study's claims, in the campaigns there are"),
    "jtl": ("uploadlab.analysis", "turn any JMeter result files into figures, tables and a page of charts"),
    "nmon": ("monitoring", "turn any nmon recording into tables and a page of charts"),
}


def component_command(name: str, rest: Sequence[str]) -> int:
    """Become a component's program for one of COMPONENT_COMMANDS."""
    module, _ = COMPONENT_COMMANDS[name]
    os.execv(sys.executable, [sys.executable, "-m", module, name, *rest])


def study_command(study: Study, name: str, rest: Sequence[str]) -> int:
    """Become a command that the study declares, after its set-up."""
    command = study.file.commands[name]
    if command.setup == "load":
        set_up_load(study)
    if command.setup == "everything":
        set_up_everything(study)
    program = (study.folder / command.command[0]).absolute()
    if not os.access(program, os.X_OK):
        raise LabError(f"{study.folder / 'study.toml'}: the command '{name}' is {program}; expected a program.")
    os.execv(program, [str(program), *command.command[1:], *rest])
