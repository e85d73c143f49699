"""The results folder: where a run's raw files lie and when they count."""

import hashlib
import json
import os
import shlex
from pathlib import Path
from typing import Any

import msgspec

from monitoring.whole_file import replacing
from uploadlab.errors import LabError
from uploadlab.planning.plan import AGAIN, PlannedRun
from uploadlab.planning.toml_files import read_text
from uploadlab.records import CampaignRecord, RunRecord, read_json

RUN_FILE = "run.json"
CAMPAIGN_FILE = "campaign.json"


def run_folder(campaign: Path, run: PlannedRun) -> Path:
    """Return the folder of one run's raw files: those of the baseline stand apart from the runs that are compared."""
    return campaign / ("baseline" if run.baseline else "runs") / run.cell / run.repeat


def status_of(folder: Path) -> str:
    """Return `complete`, `failed`, `interrupted` (begun, no run.json) or `absent`."""
    if not folder.exists():
        return "absent"
    if not (folder / RUN_FILE).exists():
        return "interrupted"
    return str(read_json(folder / RUN_FILE).get("status", "failed"))


def is_valid(folder: Path) -> bool:
    """Return whether a run is complete and passed its gates."""
    return status_of(folder) == "complete" and bool(read_json(folder / RUN_FILE)["valid"])


def has_valid(campaign: Path, run: PlannedRun) -> bool:
    """Return whether a planned run is valid, or the one that was made again in its place."""
    return any(is_valid(run_folder(campaign, one)) for one in (run, run.made_again()))


def tries(cell: Path) -> list[Path]:
    """Return the folders of a cell's runs, those made again among them; what was set aside is none."""
    return [path for kind in ("", AGAIN) for path in cell.glob(f"[0-9][0-9]{kind}")]


def records(campaign: Path) -> list[dict[str, Any]]:
    """Return the content of each run.json of a campaign, the baseline's and those set aside among them."""
    return [read_json(path) for kind in ("runs", "baseline") for path in campaign.glob(f"{kind}/*/*/{RUN_FILE}")]


def set_aside(folder: Path, why: str) -> None:
    """Rename what an earlier try left to `<repeat>-<why>-N`; raw files are never overwritten or deleted."""
    number = 1
    while (target := folder.with_name(f"{folder.name}-{why}-{number}")).exists():
        number += 1
    folder.rename(target)


def read_json_lines(path: Path) -> list[dict[str, Any]]:
    """Return the objects of a file of JSON lines, none where there is no file; LabError names the file."""
    if not path.exists():
        return []
    whole, _, _ = read_text(path).rpartition("\n")  # the rest is a line that the lab was killed in
    try:
        return msgspec.json.Decoder(dict[str, Any]).decode_lines(whole)
    except msgspec.DecodeError as error:
        raise LabError(f"{path}: a line is not valid JSON: {error}.") from error


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Write a JSON file so that it is there whole or not at all, also after a crash."""
    with replacing(path) as new, new.open("w", encoding="utf-8") as file:
        json.dump(content, file, indent=1)
        file.write("\n")
        file.flush()
        os.fsync(file.fileno())


def write_record(path: Path, content: dict[str, Any], kind: type[RunRecord] | type[CampaignRecord]) -> None:
    """Write a record that holds the schema by which it is read."""
    msgspec.convert(content, kind)
    write_json(path, content)


def inventory(folder: Path) -> dict[str, dict[str, Any]]:
    """Return size and SHA-256 of each raw file of a run."""
    result = {}
    for path in sorted(folder.iterdir()):
        if path.is_file() and path.name != RUN_FILE:
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
            result[path.name] = {"bytes": path.stat().st_size, "sha256": digest}
    return result


def continue_command(folder: Path) -> str:
    """Return the command that goes on with the campaign in a folder."""
    return f"{read_json(folder / CAMPAIGN_FILE).get('continue_with', './lab run --resume')} {shlex.quote(str(folder))}"
