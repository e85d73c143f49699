"""A campaign's tables and report, and which of its comparisons are open, by the analysis."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from uploadlab.campaigns.schedule import Comparison
from uploadlab.errors import LabError
from uploadlab.last_line import last_line
from uploadlab.planning.results import continue_command
from uploadlab.planning.study import Study

COULD_NOT = 2
MADE = (0, 1, 3)
"""How the analysis ends once there is a report; 1: runs are invalid or a requirement failed; 3: one can't be told."""


def report(folder: Path, options: Sequence[str] = (), *, quiet: bool = False) -> int:
    """Recompute a campaign's report, its summary on the terminal unless `quiet`; return how that ended."""
    command = [sys.executable, "-m", "uploadlab.analysis", "report", str(folder), *options]
    return subprocess.run(command, capture_output=quiet, check=False).returncode


class _Decisions(msgspec.Struct, frozen=True):
    comparisons: list[Comparison]


def decisions(study: Study, folder: Path) -> list[Comparison]:
    """Ask which comparisons of a campaign are decided by the runs there are; LabError when there is no answer."""
    own = study.file.study.decisions
    command = [str(study.folder / own)] if own else [sys.executable, "-m", "uploadlab.analysis", "decisions"]
    try:
        done = subprocess.run([*command, str(folder)], capture_output=True, text=True, check=False)
    except OSError as error:
        raise _undecided(folder, f"{command[0]}: {error.strerror}") from error
    if done.returncode:
        raise _undecided(folder, last_line(done.stderr, f"it ended with code {done.returncode}"))
    try:
        return msgspec.json.decode(done.stdout.encode(), type=_Decisions).comparisons
    except msgspec.DecodeError as error:
        raise _undecided(folder, f"its answer has an unexpected form: {error}") from error


def _undecided(folder: Path, reason: str) -> LabError:
    return LabError(
        f"The analysis could not say which comparisons are open: {reason.rstrip('.')}. "
        f"The runs are kept; continue with: {continue_command(folder)}"
    )
