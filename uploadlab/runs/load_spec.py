"""What a study's driver is told of a run whose load it makes."""

from pathlib import Path
from typing import Any

import msgspec

from uploadlab.hosts.host import Host
from uploadlab.planning.rig import address_towards
from uploadlab.planning.system import Sut
from uploadlab.runs.attempt import Attempt
from uploadlab.runs.server import Server


def load_spec(
    attempt: Attempt,
    stored_in: Path | None,
    host: Host,
    server: Server,
    verified: dict[str, Any] | None = None,
    verified_after: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the run spec as the driver reads it on a host.

    `stored_in` is where the server's files can be checked, `verified` what the driver printed of the contract.
    """
    return {
        **attempt.spec(),
        "load": attempt.campaign.given(attempt.load, host),
        "heap_mib": attempt.place.rig.roles["injector"].heap_mib,
        "gates": {} if attempt.run.baseline else msgspec.to_builtins(attempt.context.gates),
        "server": {"host": server.host, "port": server.port, "upload": _told(attempt.sut)},
        "server_cpu_pct": attempt.campaign.server_cpu_pct(attempt.run.factors),
        "stored_in": stored_in and str(stored_in),
        "clock": attempt.record.get("clock", {}),
        "background_work": attempt.record.get("background_work", []),
        "turn_ms": attempt.turn_ms,
        "verified": verified,
        "verified_after": verified_after,
        **_distributed(attempt, host),
    }


def _told(sut: Sut) -> dict[str, Any] | None:
    """Return what the driver is told of where files go: all but the folder, which the harness has found."""
    upload = msgspec.to_builtins(sut.system.upload)
    return upload and {name: value for name, value in upload.items() if name != "stored_in"}


def _distributed(attempt: Attempt, host: Host) -> dict[str, Any]:
    """Return what the driver is told of the engines that make the load together; nothing of a plain load."""
    place = attempt.place
    if not place.rig.distributed:
        return {}
    assert place.secrets is not None  # made when the campaign was prepared
    addresses = {role: place.rig.roles[role].host for role in place.rig.injectors}
    return {
        "engines": [{"role": role, "address": address} for role, address in addresses.items()],
        "controller": address_towards(addresses["injector"]),
        "secrets": None if host is place.server else str(host.given(place.secrets)),
    }
