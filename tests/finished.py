"""A campaign that was made to its end, and the tables of one, as tests read them."""

import csv
import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from uploadlab.paths import REPOSITORY
from uploadlab.planning.study import Gates
from uploadlab.runs.gates import all_gates

NOISE_OF_ANY = {"host_noise", "server_alone", "server_steal", "nmon_complete", "sampler_cpu"}
"""The gates that a noisy machine may fail in any study; another that fails is an error of ours."""


def copy_of_upload_study(folder: Path, gates: Callable[[str], str]) -> Path:
    """Return a copy of the upload study in which what study.toml says under [gates] was changed."""
    shutil.copytree(REPOSITORY / "studies" / "upload", folder)
    for name in ("study.toml", "driver"):
        text = (folder / name).read_text().replace("$here/../..", str(REPOSITORY))
        text = text.replace('"../../', f'"{REPOSITORY}/').replace('"../', f'"{REPOSITORY}/studies/')
        (folder / name).write_text(text)
    declared = (folder / "study.toml").read_text()
    begin, end = declared.index("[gates]"), declared.index("[profiles.smoke]")
    (folder / "study.toml").write_text(declared[:begin] + gates(declared[begin:end]) + declared[end:])
    return folder


def without_extra_repeats(gates: str) -> str:
    """Return gates that have no run made again: for who does not need valid ones."""
    assert gates.count("extra_repeats = 2") == 1
    return gates.replace("extra_repeats = 2", "extra_repeats = 0")


def open_gates(_: str) -> str:
    """Return gates that nothing fails: for who needs valid runs, whatever else the machine does."""
    names = [name for name in Gates.__struct_fields__ if name.endswith("_pct") and name != "disk_free_pct"]
    return "[gates]\n" + "".join(f"{name} = 100000.0\n" for name in names) + "extra_repeats = 2\n\n"


def make_campaign(folder: Path, *options: str, study: Path | str = "upload") -> Path:
    """Make a campaign, of the upload study if not told otherwise, and return its folder; runs may be invalid."""
    command = ["./lab", "--study", str(study), "run", *options, "--out", str(folder)]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False, timeout=900)
    assert done.returncode in (0, 1), done.stderr
    assert done.stdout.strip().splitlines()[-1].endswith("report/index.html")
    return folder


def runs_of(campaign: Path) -> list[tuple[Path, dict[str, Any]]]:
    """Return the folder and the record of each run."""
    return [(path.parent, json.loads(path.read_text())) for path in sorted(campaign.glob("runs/*/*/run.json"))]


def gates_of(record: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the gates of a run of one load, by their names."""
    return {gate["name"]: gate for gate in all_gates(record)}


def failed_gates(record: dict[str, Any]) -> set[str]:
    """Return the names of the gates that a run failed, or one of its loads."""
    return {gate["name"] for gate in all_gates(record) if not gate["passed"]}


def read_rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file."""
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def read_table(campaign: Path, name: str) -> list[dict[str, str]]:
    """Return the rows of a table of the analysis."""
    return read_rows(campaign / "analysis" / f"{name}.csv")
