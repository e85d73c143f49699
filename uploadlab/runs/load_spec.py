"""What a study's driver is told of a run whose load it makes."""

from pathlib import Path
from typing import Any

import msgspec

from uploadlab.hosts.host import Host
from uploadlab.planning.rig import address_towards
from uploadlab.runs.attempt import Attempt
from uploadlab.runs.server import Server


def load_spec(
    attempt: Attempt,
    upload_dir: Path,
    host: Host,
    server: Server,
    verified: dict[str, Any] | None = None,
    verified_after: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the run spec as the driver reads it on a host; `verified` is what it printed of the contract."""
    return {
        **attempt.spec(),
        "load": attempt.campaign.given(attempt.load, host),
        "heap_mib": attempt.place.rig.roles["injector"].heap_mib,
        "gates": {} if attempt.run.baseline else msgspec.to_builtins(attempt.context.gates),
        "server": {"host": server.host, "port": server.port, "upload": attempt.sut.system.upload},
        "server_cpu_pct": attempt.campaign.server_cpu_pct(attempt.run.factors),
        "upload_dir": str(upload_dir),
        "clock": attempt.record.get("clock", {}),
        "verified": verified,
        "verified_after": verified_after,
        **_distributed(attempt, host),
    }


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
