"""A campaign that was made to its end, and the tables of one, as tests read them."""

import csv
import subprocess
from pathlib import Path

REPOSITORY = Path(__file__).parents[1]


def make_campaign(folder: Path, *options: str) -> Path:
    """Make a campaign of the upload study and return its folder; on a noisy machine some runs may be invalid."""
    command = ["./lab", "run", *options, "--out", str(folder)]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False, timeout=900)
    assert done.returncode in (0, 1), done.stderr
    assert done.stdout.strip().splitlines()[-1].endswith("report/index.html")
    return folder


def read_rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file."""
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def read_table(campaign: Path, name: str) -> list[dict[str, str]]:
    """Return the rows of a table of the analysis."""
    return read_rows(campaign / "analysis" / f"{name}.csv")
