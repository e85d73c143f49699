"""What a run needs that is the same for the whole campaign."""

from collections.abc import Callable
from typing import Any

import msgspec

from harness.campaign import Campaign
from harness.cpu_limit import CpuLimit
from harness.study import Gates

Report = Callable[[dict[str, Any]], None]


class RunContext(msgspec.Struct, frozen=True, kw_only=True):
    """Everything a run needs that is the same for the whole campaign."""

    campaign: Campaign
    gates: Gates
    server_limit: CpuLimit | None
    records_of: Callable[[dict[str, Any]], int] = lambda _: DEFAULT_RECORDS
    """How many records a part has room for in a run of a scenario, where the parts of a system record."""
    seconds_of: Callable[[dict[str, Any]], float] = lambda _: 60.0
    """How long a run of a scenario takes, by the driver's reckoning."""


DEFAULT_RECORDS = 2_000_000
