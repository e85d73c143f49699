"""What each engine of a distributed load gets: its users, and the requests they send.

By itself every JMeter engine runs all users and begins at the first row of the list. Here every request of the load is
one engine's, with its row and its arrival, so that all engines together send what one JMeter alone would.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from upload_study.scenario import ResolvedLoad
from upload_study.spec import DriverError
from workload_gen import Schedule

Owners = NDArray[np.int64]


def users_of(engine: int, engines: int, users: int) -> int:
    """Return how many of the users are an engine's; engines are counted from 0."""
    if users < engines:
        raise DriverError(f"{users} users cannot be shared by {engines} engines: each needs at least one.")
    return users // engines + (engine < users % engines)


def owners(load: ResolvedLoad, engines: int, requests: int, seed: int) -> Owners:
    """Return the engine of each request of a load, shape (requests,).

    Closed loops: requests are dealt to the users in turn, users to the engines in turn. Open arrivals: by lot, so that
    each engine's arrivals are a Poisson process of its own, and those of all together are one even where the engines
    do not begin at the same moment.
    """
    if load.arrivals == "open":
        return np.random.default_rng([seed, engines]).integers(engines, size=requests)
    return np.arange(requests) % load.threads % engines


def sizes_of(engine: int, owner: Owners, sizes: Sequence[str]) -> list[str]:
    """Return the rows of the list that an engine's requests take; at the list's end it begins again."""
    return [sizes[k % len(sizes)] for k in np.flatnonzero(owner == engine).tolist()]


def arrivals_of(engine: int, owner: Owners, schedule: Schedule) -> Schedule:
    """Return the arrivals that are an engine's."""
    mine = owner == engine
    return Schedule(start_s=schedule.start_s[mine], session=schedule.session[mine])
