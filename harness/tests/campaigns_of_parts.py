"""Campaigns of studies of conducted parts, run as a user runs them."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb

REPOSITORY = Path(__file__).parents[2]
ECHO, MEMBERS = REPOSITORY / "docs" / "echo-study", REPOSITORY / "harness" / "tests" / "three_members"


def start(study: Path, *arguments: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "harness", "--study", str(study), "run", *arguments]
    return subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def lab(study: Path, *arguments: str) -> str:
    """Run a campaign to its end, prove that no records are left in memory, and return what was said."""
    running = start(study, *arguments)
    said = running.communicate(timeout=300)[1]
    assert not memory_of(running).exists()
    return said


def memory_of(lab: "subprocess.Popen[str]") -> Path:
    return Path(f"/dev/shm/upload-lab-{lab.pid}-records")


def runs(out: Path) -> list[tuple[Path, dict[str, Any]]]:
    return [(path.parent, json.loads(path.read_text())) for path in sorted(out.glob("runs/*/*/run.json"))]


def kinds(folder: Path, part: str) -> dict[str, int]:
    return dict(
        duckdb.connect()
        .execute("SELECT kind, count(*) FROM read_parquet(?) GROUP BY kind", [f"{folder}/{part}.records.parquet"])
        .fetchall()
    )
