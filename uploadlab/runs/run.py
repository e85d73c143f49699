"""Make one run, of either kind of load, and write down how it went."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from uploadlab.errors import LabError
from uploadlab.planning import results
from uploadlab.planning.plan import PlannedRun
from uploadlab.planning.system import Sut
from uploadlab.records import RunRecord
from uploadlab.runs.attempt import Attempt, Report, RunContext
from uploadlab.runs.conducted_run import ConductedRun
from uploadlab.runs.gates import all_gates
from uploadlab.runs.loaded_run import LoadedRun
from uploadlab.runs.turns import Steps, StoppedBeside, in_turns


def make_run(context: RunContext, run: PlannedRun, sut: Sut, folder: Path | None = None) -> dict[str, Any]:
    """Make one run and write its run.json, into a folder of its own if one is given; return its content.

    A run that fails is recorded with the reason; only an interruption (Ctrl-C, SIGTERM) leaves no run.json.
    """
    folder = folder or results.run_folder(context.campaign.folder, run)
    return in_turns([steps_of_run(context, run, sut, lambda _: None, folder)])[0]


def steps_of_run(
    context: RunContext,
    run: PlannedRun,
    sut: Sut,
    report: Report,
    folder: Path,
    beside: Sequence[Path] = (),
) -> Steps:
    """Make one run as `make_run` does, step by step; `beside` are the folders of those that it takes turns with."""
    folder.mkdir(parents=True)
    record: dict[str, Any] = {
        "schema": 1,
        **msgspec.to_builtins(run),
        "load": context.campaign.load_of(run.factors),
        "settings": sut.settings,
        "status": "failed",
        "reason": "",
        "valid": False,
        "gates": [],
        "phases": {"run_start_ns": time.time_ns()},
        "counts": {},
        "processes": {},
        "exit_codes": {},
        "watched": sut.watched,
    }
    try:
        attempt = Attempt(context=context, run=run, sut=sut, folder=folder, record=record, report=report, beside=beside)
        if attempt.study.file.roles:
            ConductedRun(attempt).carry_out()
        else:
            yield from LoadedRun(attempt).steps()
        record["status"] = "complete"
        record["valid"] = all(entry["passed"] for entry in all_gates(record))
    except (LabError, StoppedBeside) as error:
        record["reason"] = str(error)
    record["files"] = results.inventory(folder)
    record["phases"]["run_end_ns"] = time.time_ns()
    results.write_record(folder / results.RUN_FILE, record, RunRecord)
    return record
