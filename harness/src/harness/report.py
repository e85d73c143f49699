"""A campaign's tables and report, recomputed by the analysis."""

import subprocess
import sys
from pathlib import Path

COULD_NOT = 2


def report(folder: Path, *, quiet: bool = False) -> bool:
    """Recompute a campaign's report, its summary on the terminal unless `quiet`; return whether there is one."""
    command = [sys.executable, "-m", "analysis", "report", str(folder)]
    return subprocess.run(command, capture_output=quiet, check=False).returncode != COULD_NOT
