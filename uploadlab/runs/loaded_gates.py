"""The gates of a run whose load the driver makes: disk, the server's cores, every load generator's, clocks.

None is on what the server did badly: that is a result. They are on whether it was that server that was measured.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from uploadlab.hosts.local_collectors import recording
from uploadlab.runs.attempt import Attempt
from uploadlab.runs.gates import (
    Window,
    disk_gate,
    emulated_gate,
    injector_gates,
    recorder_gates,
    server_gates,
    server_limit_gate,
    without_limit,
    worst_of,
)

SeenBy = Callable[[str], Window]
"""Returns a window on the clock of a role's host."""


def loaded_gates(attempt: Attempt, upload_dir: Path, checked: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the gates of a run that the driver has `checked`, but for those of its windows.

    `upload_dir` is where the server stored; LabError where a recording cannot be read.
    """
    phases, least_pct = attempt.record["phases"], attempt.context.gates.disk_free_pct
    gates = [*checked["gates"]]
    if attempt.context.server_limit(attempt.run):  # else the server has its whole core
        gates.append(server_limit_gate(attempt.window("server")["start_ns"], phases.get("server_limited_ns")))
    if least_pct is not None:
        gates.append(disk_gate(attempt.place.server.describe_disk(upload_dir), least_pct))
    if attempt.sut.watched:
        gates += attempt.clock_gates()
    if not checked.get("windows"):  # all of it is one
        gates += window_gates(attempt, checked | {"start_ns": None, "end_ns": None})
    return [*gates, *([emulated_gate()] if attempt.place.rig.emulated else [])]


def window_gates(attempt: Attempt, window: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the gates that come from what nmon and the samplers recorded over a measured window."""
    if not attempt.sut.watched:
        return []

    def seen_by(role: str) -> Window:
        return attempt.window(role, window["start_ns"], window["end_ns"])

    with recording():
        of_server = server_gates(
            attempt.samples("server"),
            attempt.context.gates,
            **seen_by("server"),
            cores=len(attempt.place.cores("server")),
            beside=attempt.samples_beside("server"),
        )
        return [
            *([] if attempt.run.baseline else worst_of(_of_injectors(attempt, window, seen_by))),
            *(without_limit(of_server) if attempt.turn_ms else of_server),
            *worst_of(_of_recorders(attempt, seen_by)),
        ]


def _of_injectors(attempt: Attempt, window: dict[str, Any], seen_by: SeenBy) -> dict[str, list[dict[str, Any]]]:
    requests = {"injector": window["counts"]["requests"]} | window.get("requests_of", {})
    return {
        attempt.place.rig.roles[role].host: injector_gates(
            attempt.samples(role),
            attempt.context.gates,
            **seen_by(role),
            cores=len(attempt.place.cores(role)),
            requests=requests[role],
            active_ns=window.get("active_ns"),
            mean_ms=window["mean_ms"],
        )
        for role in attempt.place.rig.injectors
    }


def _of_recorders(attempt: Attempt, seen_by: SeenBy) -> dict[str, list[dict[str, Any]]]:
    rig, limits = attempt.place.rig, attempt.context.gates
    windows = {attempt.samples(role): seen_by(role) for role in ("server", "injector")}
    found = {"The server": recorder_gates(attempt.folder / "server.nmon", windows, limits, **seen_by("server"))}
    for role in rig.injectors if rig.distributed else ():
        nmon, window = attempt.folder / f"{role}.nmon", seen_by(role)
        found[rig.roles[role].host] = recorder_gates(nmon, {attempt.samples(role): window}, limits, **window)
    return found
