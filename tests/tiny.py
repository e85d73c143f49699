"""The study `tiny_study`, its two systems, a campaign of it on this host, and the lab that makes one."""

import contextlib
import io
import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from uploadlab.cli import main
from uploadlab.hosts.processes import Processes
from uploadlab.hosts.role import Role
from uploadlab.planning.campaign import Campaign
from uploadlab.planning.placement import Placement
from uploadlab.planning.rig import Disk, Rig
from uploadlab.planning.study import load_study
from uploadlab.planning.system import Sut, choose

TINY = Path(__file__).parent / "tiny_study"
LAB = [sys.executable, "-m", "uploadlab", "--study"]
RIG = Rig(
    name="local",
    roles={"server": Role(host="local", cores=[0]), "injector": Role(host="local", cores=[0])},
    disks={"local": Disk(label="here"), "tmpfs": Disk(label="memory", folder=Path("/dev/shm"))},
)


def two_systems() -> list[Sut]:
    return [choose(TINY / name, "current", {}) for name in ("alpha", "beta")]


def campaign(folder: Path, profile_name: str, **other: Any) -> Campaign:
    study = load_study(TINY)
    given = {
        "study": study,
        "profile": study.profile(profile_name),
        "levels": {"size": [1, 2], "disk": ["local"]},
        "server_cpu_limit_pct": None,
        **other,
    }
    place = Placement(RIG, Processes(folder / "state"))
    return Campaign(profile_name=profile_name, systems=two_systems(), place=place, seed=1, folder=folder, **given)


def copy_of_tiny(folder: Path) -> Path:
    """Return a copy of the tiny study, so that a test may change it, without what a run by hand has made there."""
    return Path(shutil.copytree(TINY, folder / "tiny", ignore=shutil.ignore_patterns("made.txt")))


def run_lab(
    study: Path | str, *arguments: str | Path, expect: int, lab: Sequence[str] = LAB
) -> "subprocess.CompletedProcess[str]":
    """Run the lab to its end, and hold it to a code."""
    done = subprocess.run([*lab, study, *arguments], capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == expect, done.stderr + done.stdout
    assert "Traceback" not in done.stderr
    return done


def lab_here(study: Path | str, *arguments: str, expect: int) -> "subprocess.CompletedProcess[str]":
    """Run the lab in this process: as good where it only plans or refuses, and much sooner done."""
    with contextlib.redirect_stdout(io.StringIO()) as said, contextlib.redirect_stderr(io.StringIO()) as errors:
        try:
            code = main(["--study", str(study), *arguments])
        except SystemExit as refused:  # argparse's
            code = int(str(refused.code))
    assert code == expect, errors.getvalue() + said.getvalue()
    return subprocess.CompletedProcess(arguments, code, said.getvalue(), errors.getvalue())


def refused(study: Path | str, *arguments: str) -> str:
    """Return the sentence with which the lab refuses something."""
    return lab_here(study, *arguments, expect=2).stderr.strip().splitlines()[-1]


def records_of(out: Path) -> dict[str, dict[str, Any]]:
    """Map `cell/repeat` to the content of each run.json of a campaign."""
    return {
        str(path.parent.relative_to(out / "runs")): json.loads(path.read_text())
        for path in (out / "runs").glob("*/*/run.json")
    }
