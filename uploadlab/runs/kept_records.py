"""What the parts of a run recorded, kept: their records as Parquet, and the counters among their events."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from monitoring.written import Written
from uploadlab.errors import LabError
from uploadlab.planning.toml_files import read_text
from uploadlab.runs.attempt import Attempt
from uploadlab.runs.parts import RunningPart


def keep_records(attempt: Attempt, running: Sequence[RunningPart], memory: Path) -> dict[str, dict[str, Any]]:
    """Write each part's records beside its log, on one clock, and return what there is of each part.

    `memory` holds the files that the parts recorded to, on each host. The one clock is that of the injector's host, as
    a load generator's is. Raises LabError where a file is missing, full or another's.
    """
    ahead_ns = {where: _ahead_ns(attempt, where) for where in attempt.place.hosts}
    attempt.record["clock_ahead_ns"] = ahead_ns
    kept: dict[str, Written] = {}
    for one in running:
        name, records = one.part.name, memory / f"{one.part.name}.records"
        if not one.part.start.conducted:
            continue
        where = one.part.place if one.part.place in ahead_ns else "server"
        out = attempt.there(one.host) / f"{name}.records.parquet"
        written = one.host.keep_records(records, out, ahead_ns[where])
        if written is not None:
            kept[name] = written
        elif attempt.study.file.roles[one.part.role].sends:  # a part that only answers may leave no record
            raise LabError(f"{name} wrote no records: expected a file of them at the path in RECORDS_FILE.")
    attempt.fetch()
    for one in running:
        if one.part.start.conducted and (lost := _lost_records(attempt.folder, one)):
            raise LabError(f"{one.part.name}: its file of records was full, {lost} records were lost.")
    if spans := [stamp for one in kept.values() for stamp in (one.first_ns, one.last_ns) if stamp is not None]:
        attempt.record["clock_span_ns"] = [min(spans), max(spans)]
    return {name: {"records": written.rows} for name, written in kept.items()}


def _ahead_ns(attempt: Attempt, where: str) -> int:
    """Return what is added to the monotonic clock of a rig role's host to have the time of the injector's host."""
    ahead_ns = attempt.place.hosts[where].epoch_ahead_ns()
    clock = attempt.record.get("clock")
    if not clock:
        return ahead_ns
    offsets_ns: dict[str, int] = {
        role: sum(clock[role][when]["offset_ns"] for when in ("before", "after")) // 2 for role in clock
    }
    return ahead_ns - (offsets_ns[where] - offsets_ns["injector"])


def _lost_records(folder: Path, one: RunningPart) -> int:
    """Return how many a part could not keep; LabError where its events are not its own, or cannot be read."""
    path, lost = folder / f"{one.part.name}.events.jsonl", 0
    lines = read_text(path).splitlines()
    for number, line in enumerate(lines, start=1):
        try:
            event = json.loads(line)
        except json.JSONDecodeError as error:
            raise LabError(f"{path}, line {number}: not valid JSON: {error.msg}.") from error
        if event.get("event") == "started" and event.get("pid") not in (None, one.process.pid):
            raise LabError(
                f"{path}, line {number}: the events of process {event['pid']}; {one.part.name} was process "
                f"{one.process.pid}."
            )
        if event.get("event") == "counters":
            lost += int(event.get("lost_records", 0))
    return lost
