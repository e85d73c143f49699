"""Analysed runs kept beside the tables, so that a second report of a campaign reads only what is new.

A kept run counts only while its raw files have the same size and time of change, its ``run.json`` the same content,
and the code that analysed it is the same.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import monitoring
from monitoring.whole_file import replacing
from uploadlab.metrics.result import RunResult, analyse_run
from uploadlab.metrics.slow_requests import Met
from uploadlab.metrics.variance import WithinRun
from uploadlab.raw.operations import EVENTS_SUFFIX, SUFFIX
from uploadlab.raw.runtime import RUNTIME_FILES
from uploadlab.raw.wire import WIRE_FILE
from uploadlab.results.campaign import Run
from uploadlab.statistics.distribution import Distribution

RAW_FILES = ("requests.jtl", "server.nmon", *RUNTIME_FILES, WIRE_FILE)
OF_ROLES = ("*.samples.csv", f"*{SUFFIX}", f"*{EVENTS_SUFFIX}")
"""Raw files of which each role or part has one."""
SOURCE = (".py", ".j2", ".css", ".js", ".toml", ".csv")
REPORTING = frozenset({"report", "jtl", "nmon_report", "pages"})
"""Folders of code that pages and sentences are made by, no figures."""


def analyse_run_once(run: Run, folder: Path, declared: Mapping[str, Any]) -> RunResult:
    """Return an analysed run: the one kept in ``folder`` while it still is the same, else analysed now and kept.

    Raises LabError when its request file cannot be used.
    """
    path = folder / f"{run.cell}-{run.repeat}.json"
    state = _state(run) | ({"declared": declared} if run.conducted else {})
    kept = _read(path, state, run)
    if kept is not None:
        return kept
    result = analyse_run(run, declared)
    folder.mkdir(parents=True, exist_ok=True)
    with replacing(path) as new:
        new.write_text(json.dumps({"state": state, **_to_json(result)}, separators=(",", ":")), encoding="utf-8")
    return result


def _state(run: Run) -> dict[str, Any]:
    paths = [*map(run.folder.joinpath, RAW_FILES), *(path for kind in OF_ROLES for path in run.folder.glob(kind))]
    stats = {path.name: path.stat() for path in paths if path.is_file()}
    return {
        "code": code_digest(),
        "record": hashlib.sha256((run.folder / "run.json").read_bytes()).hexdigest(),
        "raw": {name: [stat.st_size, stat.st_mtime_ns] for name, stat in stats.items()},
    }


@cache
def code_digest() -> str:
    """Return a digest of the source that figures are made by: this package, and the readers it uses."""
    digest = hashlib.sha256()
    for package in (Path(__file__).parents[1], Path(str(monitoring.__file__)).parent):
        for path in sorted(package.rglob("*")):
            if path.suffix in SOURCE and REPORTING.isdisjoint(path.relative_to(package).parts):
                digest.update(path.read_bytes())
    return digest.hexdigest()


def _read(path: Path, state: Mapping[str, Any], run: Run) -> RunResult | None:
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        return _from_json(kept, run) if kept["state"] == state else None
    except (OSError, ValueError, KeyError, TypeError):
        return None  # nothing usable is kept: the raw files decide


def _to_json(result: RunResult) -> dict[str, Any]:
    return {
        "figures": dict(result.figures),
        "values": result.distribution.values.tolist(),
        "counts": result.distribution.counts.tolist(),
        "timeline": _columns(result.timeline),
        "within": asdict(result.within),
        "problems": list(result.problems),
        "rounds": result.rounds,
        "met": result.met and [asdict(met) for met in result.met],
    }


def _from_json(kept: Mapping[str, Any], run: Run) -> RunResult:
    return RunResult(
        run=run,
        figures=kept["figures"],
        distribution=Distribution.of(kept["values"], kept["counts"]),
        timeline=_rows(kept["timeline"]),
        within=WithinRun(**kept["within"]),
        problems=tuple(kept["problems"]),
        rounds=kept["rounds"],
        met=kept["met"] and (Met(**kept["met"][0]), Met(**kept["met"][1])),
    )


def _columns(rows: list[dict[str, Any]]) -> dict[str, list[Any]]:
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


def _rows(columns: Mapping[str, list[Any]]) -> list[dict[str, Any]]:
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
