"""The gates of a run whose parts were conducted: the driver's, and those on the cores of every measured role."""

from typing import Any

from uploadlab.hosts.local_collectors import recording
from uploadlab.planning import driver
from uploadlab.runs.attempt import Attempt
from uploadlab.runs.gates import emulated_gate, recorder_gates, server_gates, worst_of


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
        **attempt.spec(),
        "system": attempt.run.system,
        "baseline": attempt.run.baseline,
        "gates": attempt.study.file.gates,
        "roles": attempt.study.declared.get("roles", {}),
        "operation": attempt.study.declared.get("operation", {}),
        "parts": attempt.record["parts"],
        "records": counted,
        "phases": attempt.record["phases"],
    }


LEAST_ROWS = 10
"""Of a sampler in the measured window. The gates `server_alone`, `server_steal`, `sampler_cpu` and `nmon_complete` are
not applied to less: what lies between two rows would be most of what they judge, as of calls that take 3 ms in all."""


def _recorded_gates(attempt: Attempt) -> list[dict[str, Any]]:
    """Return the gates on the cores of every measured role, from what was recorded over the measured window."""
    phases, interval_ns = attempt.record["phases"], 1_000_000 * attempt.study.file.sampler_interval_ms
    if phases["measure_end_ns"] - phases["measure_start_ns"] < LEAST_ROWS * interval_ns:
        return attempt.clock_gates()
    roles, processes = attempt.study.file.roles, attempt.record["processes"]
    with recording():
        of_roles = {f"The {role}": _gates_of(attempt, role) for role in processes if roles[role].measured}
        of_hosts = {host.name: _gates_of_recorders(attempt, where) for where, host in attempt.place.hosts.items()}
        return [*worst_of(of_roles), *worst_of(of_hosts), *attempt.clock_gates()]


def _gates_of(attempt: Attempt, role: str) -> list[dict[str, Any]]:
    """Return the gates on the cores of a role; another role that shares some of them is no stranger there."""
    processes = attempt.record["processes"]
    mine = processes[role]
    beside = [
        attempt.samples(other)
        for other, its in processes.items()
        if other != role and _where(attempt, other) == _where(attempt, role) and set(its["cores"]) & set(mine["cores"])
    ]
    return server_gates(
        attempt.samples(role),
        attempt.context.gates,
        **attempt.window(_where(attempt, role)),
        cores=len(set(mine["cores"])),
        beside=beside,
        whose=role,
    )


def _gates_of_recorders(attempt: Attempt, where: str) -> list[dict[str, Any]]:
    window = attempt.window(where)
    there = [role for role in attempt.record["processes"] if _where(attempt, role) == where]
    samples = {attempt.samples(role): window for role in there}
    return recorder_gates(attempt.folder / f"{where}.nmon", samples, attempt.context.gates, **window)


def _where(attempt: Attempt, role: str) -> str:
    """Return by which role of the rig the host of a role's parts is known."""
    where = str(attempt.record["processes"][role]["place"])
    return where if where in attempt.place.hosts else "server"
