"""What a run needs that is the same for the whole campaign."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from uploadlab.hosts.cpu_limit import CpuLimit
from uploadlab.planning.campaign import DEFAULT_RECORDS, Campaign
from uploadlab.planning.plan import PlannedRun
from uploadlab.planning.study import Gates

Report = Callable[[dict[str, Any]], None]


class RunContext(msgspec.Struct, frozen=True, kw_only=True):
    """Everything a run needs that is the same for the whole campaign."""

    campaign: Campaign
    gates: Gates
    server_limits: Mapping[float, CpuLimit] = {}
    """What holds the server to each share of its cores, in per cent, that the campaign wants."""
    records_of: Callable[[dict[str, Any]], int] = lambda _: DEFAULT_RECORDS
    """How many records a part has room for in a run of a scenario, where the parts of a system record."""
    seconds_of: Callable[[dict[str, Any]], float] = lambda _: 60.0
    """How long a run of a scenario takes, by the driver's reckoning."""

    def server_limit(self, run: PlannedRun) -> CpuLimit | None:
        """Return what holds a run's server to its share; None: it has its whole cores.

        So has the server that does nothing: it is to be as fast as it can, as the load generator is what it measures.
        """
        return None if run.baseline else self.server_limits.get(self.campaign.server_cpu_pct(run.factors))


def server_limits(campaign: Campaign) -> dict[float, CpuLimit]:
    """Make a control group for each share of its cores that the server is held to; LabError says why it can't be."""
    cores = len(campaign.rig.roles["server"].cores)
    register = campaign.place.processes.control_group
    return {pct: CpuLimit(register, pct, cores) for pct in campaign.server_cpu_shares() if pct < 100}
