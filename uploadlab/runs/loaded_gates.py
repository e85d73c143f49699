"""The gates of a run whose load the driver makes: errors, disk, the server's cores, every load generator's, clocks."""

from pathlib import Path
from typing import Any

from uploadlab.hosts.local_collectors import recording
from uploadlab.runs.attempt import Attempt
from uploadlab.runs.gates import (
    disk_gate,
    emulated_gate,
    gate,
    injector_gates,
    recorder_gates,
    server_gates,
    server_limit_gate,
    worst_of,
)


def loaded_gates(attempt: Attempt, upload_dir: Path, checked: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the gates of a run that the driver has `checked`; LabError where a recording cannot be read.

    `upload_dir` is where the server stored; the measured window is among the phases of the run's record.
    """
    phases, least_pct = attempt.record["phases"], attempt.context.gates.disk_free_pct
    gates = [*checked["gates"]]
    if attempt.context.server_limit(attempt.run):  # else the server has its whole core
        gates.append(server_limit_gate(attempt.window("server")["start_ns"], phases.get("server_limited_ns")))
    gates.append(_of_errors(checked["counts"], attempt.context.gates.error_pct))
    if least_pct is not None:
        gates.append(disk_gate(attempt.place.server.describe_disk(upload_dir), least_pct))
    if attempt.sut.watched:
        with recording():
            gates += _of_recordings(attempt, checked)
    return [*gates, *([emulated_gate()] if attempt.place.rig.emulated else [])]


def _of_errors(counts: dict[str, Any], limit: float) -> dict[str, Any]:
    error_pct = 100 * counts["errors"] / counts["requests"]
    sentence = f"{error_pct:.2f} % of the requests failed (at most {limit:g} %)."
    return gate("error_rate", error_pct <= limit, round(error_pct, 4), "% of requests", limit, sentence)


def _of_recordings(attempt: Attempt, checked: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the gates that come from what nmon and the samplers recorded over the measured window."""
    cores = len(attempt.place.cores("server"))
    return [
        *([] if attempt.run.baseline else worst_of(_of_injectors(attempt, checked))),
        *server_gates(attempt.samples("server"), attempt.context.gates, **attempt.window("server"), cores=cores),
        *worst_of(_of_recorders(attempt)),
        *attempt.clock_gates(),
    ]


def _of_injectors(attempt: Attempt, checked: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    requests = checked.get("requests_of") or {"injector": checked["counts"]["requests"]}
    return {
        attempt.place.rig.roles[role].host: injector_gates(
            attempt.samples(role),
            attempt.context.gates,
            **attempt.window(role),
            cores=len(attempt.place.cores(role)),
            requests=requests[role],
            mean_ms=checked["mean_ms"],
        )
        for role in attempt.place.rig.injectors
    }


def _of_recorders(attempt: Attempt) -> dict[str, list[dict[str, Any]]]:
    rig, limits = attempt.place.rig, attempt.context.gates
    windows = {attempt.samples(role): attempt.window(role) for role in ("server", "injector")}
    found = {"The server": recorder_gates(attempt.folder / "server.nmon", windows, limits, **attempt.window("server"))}
    for role in rig.injectors if rig.distributed else ():
        nmon, window = attempt.folder / f"{role}.nmon", attempt.window(role)
        found[rig.roles[role].host] = recorder_gates(nmon, {attempt.samples(role): window}, limits, **window)
    return found
