"""The gates of a run whose parts were conducted: the driver's, and those on the cores of every measured role."""

from pathlib import Path
from typing import Any

from harness.errors import LabError
from harness.runs import driver
from harness.runs.attempt import Attempt
from harness.runs.gates import emulated_gate, recorder_gates, server_gates, worst_of
from monitoring.errors import RecordingError


def check(attempt: Attempt, counted: dict[str, dict[str, Any]]) -> None:
    """Have the driver check a run, and judge it; `counted` is what there is of each part's records."""
    checked = driver.ask(attempt.place.here, attempt.study, "check", _spec(attempt, counted), attempt.folder)
    attempt.record["phases"] |= checked["phases"]
    attempt.record["counts"] = checked["counts"]
    attempt.record["load"] = checked.get("load", attempt.load)
    attempt.record["settled"] = checked.get("settled")
    attempt.record["gates"] += [
        *checked["gates"],
        *(_recorded_gates(attempt) if attempt.sut.watched else []),
        *([emulated_gate()] if attempt.place.rig.emulated else []),
    ]


def _spec(attempt: Attempt, counted: dict[str, dict[str, Any]]) -> dict[str, Any]:
    return {
        "factors": attempt.run.factors,
        "load": attempt.load,
        "seed": attempt.campaign.seed,
        "campaign": attempt.campaign.folder.name,
        "system": attempt.run.system,
        "cell": attempt.run.cell,
        "repeat": f"{attempt.run.block:02}",  # a run made again sends what its counterpart got
        "baseline": attempt.run.baseline,
        "watched": attempt.sut.watched,
        "gates": attempt.study.file.gates,
        "driver": attempt.study.file.driver,
        "roles": attempt.study.declared.get("roles", {}),
        "operation": attempt.study.file.operation,
        "parts": attempt.record["parts"],
        "records": counted,
        "phases": attempt.record["phases"],
    }


def _recorded_gates(attempt: Attempt) -> list[dict[str, Any]]:
    """Return the gates on the cores of every measured role, from what was recorded over the measured window."""
    roles, processes = attempt.study.file.roles, attempt.record["processes"]
    try:
        of_roles = {f"The {role}": _gates_of(attempt, role) for role in processes if roles[role].measured}
        of_hosts = {host.name: _gates_of_recorders(attempt, where) for where, host in attempt.place.hosts.items()}
        return [
            *worst_of(of_roles),
            *worst_of(of_hosts),
            *([] if attempt.place.rig.one_host else [attempt.clock_gate()]),
        ]
    except RecordingError as error:
        raise LabError(str(error)) from error


def _gates_of(attempt: Attempt, role: str) -> list[dict[str, Any]]:
    """Return the gates on the cores of a role; another role that shares some of them is no stranger there."""
    processes = attempt.record["processes"]
    mine = processes[role]
    beside = [
        _samples(attempt, other)
        for other, its in processes.items()
        if other != role and _where(attempt, other) == _where(attempt, role) and set(its["cores"]) & set(mine["cores"])
    ]
    window = _window(attempt, _where(attempt, role))
    return server_gates(
        _samples(attempt, role),
        attempt.context.gates,
        start_ns=window["start_ns"],
        end_ns=window["end_ns"],
        cores=len(set(mine["cores"])),
        beside=beside,
        whose=role,
    )


def _gates_of_recorders(attempt: Attempt, where: str) -> list[dict[str, Any]]:
    window = _window(attempt, where)
    there = [role for role in attempt.record["processes"] if _where(attempt, role) == where]
    samples = {_samples(attempt, role): window for role in there}
    nmon = attempt.folder / f"{where}.nmon"
    return recorder_gates(nmon, samples, attempt.context.gates, **window)


def _where(attempt: Attempt, role: str) -> str:
    """Return by which role of the rig the host of a role's parts is known."""
    where = str(attempt.record["processes"][role]["place"])
    return where if where in attempt.place.hosts else "server"


def _window(attempt: Attempt, where: str) -> dict[str, int]:
    """Return the measured window on the clock of a host; it was measured on that of the injector's."""
    phases, clocks = attempt.record["phases"], attempt.alignment(where)
    return {f"{edge}_ns": clocks.on_server(phases[f"measure_{edge}_ns"]) for edge in ("start", "end")}


def _samples(attempt: Attempt, role: str) -> Path:
    return attempt.folder / f"{role}.samples.csv"
