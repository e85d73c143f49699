"""What each engine of a distributed load gets: its users, and the requests they send.

By itself every JMeter engine runs all users and begins at the first row of the list. Here the requests are dealt to the
users in turn, the users to the engines in turn; an engine's list has the rows of its users' requests, so that all
engines together send what one JMeter alone would.
"""

from collections.abc import Sequence
from typing import TypeVar

from upload_study.scenario import ResolvedLoad
from upload_study.spec import DriverError
from workload_gen import Schedule

Row = TypeVar("Row")


def users_of(engine: int, engines: int, users: int) -> int:
    """Return how many of the users are an engine's; engines are counted from 0."""
    if users < engines:
        raise DriverError(f"{users} users cannot be shared by {engines} engines: each needs at least one.")
    return users // engines + (engine < users % engines)


def sizes_of(engine: int, engines: int, load: ResolvedLoad, requests: int, sizes: Sequence[Row]) -> list[Row]:
    """Return the rows an engine's users send, in their order, of a load that sends so many requests.

    Closed loops without an end (`requests` is 0) have every row once, then begin again.
    """
    dealt_to = engines if load.arrivals == "open" else load.threads
    mine = (k for k in range(requests or len(sizes)) if k % dealt_to % engines == engine)
    return [sizes[k % len(sizes)] for k in mine]


def arrivals_of(engine: int, engines: int, schedule: Schedule) -> Schedule:
    """Return the arrivals that an engine's users send: every one goes to one engine, in turn."""
    mine = slice(engine, None, engines)
    return Schedule(start_s=schedule.start_s[mine], session=schedule.session[mine])
