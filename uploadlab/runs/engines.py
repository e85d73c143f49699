"""The engines of a distributed load: the driver's verb `engine`, running on each host of the load generator."""

import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from uploadlab.errors import LabError
from uploadlab.hosts.host import Host
from uploadlab.planning import driver
from uploadlab.planning.campaign import Campaign
from uploadlab.planning.placement import Placement
from uploadlab.planning.study import Study

READY_S = 90.0


def make_credentials(campaign: Campaign) -> None:
    """Have the driver make what the engines of a campaign know each other by, in a folder for this user's eyes only.

    It is removed when the campaign ends, here and on the hosts it is brought to.
    """
    place = campaign.place
    if not place.rig.distributed or place.secrets is not None:
        return
    folder = place.processes.temporary(Path(tempfile.mkdtemp(prefix="upload-lab-secrets-")))
    driver.ask(place.here, campaign.study, "credentials", campaign.spec(place.here), folder)
    place.secrets = folder


class Engines:
    """The engines of one run."""

    def __init__(
        self,
        place: Placement,
        study: Study,
        spec: Callable[[Host], dict[str, Any]],
        there: Callable[[Host], Path],
        env: Mapping[str, str],
    ) -> None:
        """Start one on each host; `spec` and `there` give a run's spec and its folder on a host, `env` its secrets."""
        self._place = place
        self._loads = {
            role: driver.Load(
                host,
                study,
                spec(host) | {"role": role},
                there(host),
                place.cores(role),
                verb="engine",
                name=f"{role}.engine",
                env=env,
            )
            for role, host in place.injector_hosts.items()
        }

    def wait_until_ready(self, watch: Callable[[], None]) -> dict[str, list[int]]:
        """Return the pids of each engine once all are ready; LabError names the one that is not."""
        deadline = time.monotonic() + READY_S
        return {role: self._ready(role, deadline, watch) for role in self._loads}

    def _ready(self, role: str, deadline: float, watch: Callable[[], None]) -> list[int]:
        def look() -> None:
            watch()
            if time.monotonic() > deadline:
                raise LabError(f"The engine on {self._address(role)} was not ready within {READY_S:.0f} s.")

        pids: list[int] = []
        for message in self._loads[role].messages(look):
            if "process" in message:
                pids.append(message["process"]["pid"])
            if "ready" in message:
                return pids
        raise LabError(self._end_of(role))

    def watch(self) -> None:
        """Raise LabError when an engine has ended, or the connection to its host is lost."""
        for role, load in self._loads.items():
            if load.process.poll() is not None:
                raise LabError(self._end_of(role))

    def stop(self) -> dict[str, int]:
        """End the engines, and return their exit codes."""
        return {f"engine_{role}": load.stop() for role, load in self._loads.items()}

    def _end_of(self, role: str) -> str:
        load = self._loads[role]
        code = load.stop()
        return f"The engine on {self._address(role)} ended with code {code}: {load.last_words}"

    def _address(self, role: str) -> str:
        return self._place.rig.roles[role].host
