"""Campaigns of studies of conducted parts, run as a user runs them."""

import subprocess
import sys
from contextlib import AbstractContextManager
from pathlib import Path

import duckdb
from waiting import running

from uploadlab.paths import REPOSITORY

ECHO, MEMBERS = REPOSITORY / "docs" / "echo-study", REPOSITORY / "tests" / "three_members"


def start(study: Path, *arguments: str) -> AbstractContextManager["subprocess.Popen[str]"]:
    return running([sys.executable, "-m", "uploadlab", "--study", str(study), "run", *arguments], cwd=REPOSITORY)


def lab(study: Path, *arguments: str) -> str:
    """Run a campaign to its end, prove that no records are left in memory, and return what was said."""
    with start(study, *arguments) as lab:
        said = lab.communicate(timeout=300)[1]
    assert not memory_of(lab).exists()
    return said


def memory_of(lab: "subprocess.Popen[str]") -> Path:
    return Path(f"/dev/shm/upload-lab-{lab.pid}-records")


def kinds(folder: Path, part: str) -> dict[str, int]:
    return dict(
        duckdb.connect()
        .execute("SELECT kind, count(*) FROM read_parquet(?) GROUP BY kind", [f"{folder}/{part}.records.parquet"])
        .fetchall()
    )
