"""Arrival schedules for open load: when each upload starts, whatever the server does.

The processes are those of the paper's Quadro 1 (after Krishnamurthy and Rexford 2001): exponential times between
session starts, Pareto times between the requests of a session, Pareto numbers of files in a session; and the
Poisson and lognormal processes that load generators usually offer.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from monitoring.whole_file import replacing
from workload_gen.errors import WorkloadError
from workload_gen.lists.size_list import chunks
from workload_gen.models.distribution import Distribution, Floats, sizes_from, special
from workload_gen.models.heavy_tailed import Lognormal, Pareto
from workload_gen.models.simple import Exponential

PARETO_ALPHA = 1.5
"""SURGE's alpha for the time between the requests of a user (Barford and Crovella 1998)."""

LOGNORMAL_SIGMA = 1.0

SESSION_FILES_ALPHA = 2.43
"""SURGE's alpha for the number of files that belong to one page; here, files a session uploads."""

SESSION_GAP_S = 1.0
"""SURGE's shortest time between the requests of a user, in seconds."""

GAPS: dict[str, Callable[[float], Distribution]] = {
    "poisson": lambda mean_s: Exponential(scale=mean_s),
    "pareto": lambda mean_s: Pareto(alpha=PARETO_ALPHA, x_min=mean_s * (PARETO_ALPHA - 1) / PARETO_ALPHA),
    "lognormal": lambda mean_s: Lognormal(mu=math.log(mean_s) - LOGNORMAL_SIGMA**2 / 2, sigma=LOGNORMAL_SIGMA),
}
"""The gaps between the arrivals of a process, by their mean in seconds."""

PROCESSES = (*GAPS, "sessions")

_MOST_ARRIVALS = 50_000_000


@dataclass(frozen=True, kw_only=True, eq=False)
class Schedule:
    """Arrivals in time order: seconds from the start, and the session each belongs to (from 1), shape (n,)."""

    start_s: Floats
    session: NDArray[np.int64]


def draw_schedule(process: str, *, rate_per_s: float, duration_s: float, seed: int) -> Schedule:
    """A schedule of arrivals at a mean rate.

    Parameters
    ----------
    process : "poisson" (exponential gaps), "pareto" (gaps of alpha 1.5: bursts and silences), "lognormal" (gaps of
        sigma 1), or "sessions" (Poisson session starts; each uploads a Pareto number of files, Pareto gaps between
        them; a session that is under way when the time is up loses the rest, so short schedules stay below the rate)
    rate_per_s : uploads a second in the long run
    duration_s : seconds; no upload starts at or after it

    Raises
    ------
    WorkloadError
        When a setting is impossible or the schedule has no arrival.
    """
    for name, value in (("rate", rate_per_s), ("duration", duration_s)):
        if not 0 < value < math.inf:
            raise WorkloadError(f"The {name} must be a finite number above 0, not {value}.")
    if rate_per_s * duration_s > _MOST_ARRIVALS:
        raise WorkloadError(
            f"{rate_per_s:g} uploads a second for {duration_s:g} s are more than {_MOST_ARRIVALS} arrivals; "
            "lower the rate or the duration."
        )
    rng = np.random.default_rng(seed)
    if process == "sessions":
        schedule = _sessions(rate_per_s, duration_s, rng)
    else:
        start_s = _renewal(GAPS[process](1 / rate_per_s), duration_s, rng)
        schedule = Schedule(start_s=start_s, session=np.arange(1, start_s.size + 1))
    if schedule.start_s.size == 0:
        raise WorkloadError(
            f"No upload starts within {duration_s:g} s at {rate_per_s:g} a second with seed {seed}; "
            "raise the rate or the duration."
        )
    return schedule


def _renewal(gaps: Distribution, duration_s: float, rng: np.random.Generator) -> Floats:
    """Arrival times before the duration ends, with independent gaps."""
    times: list[Floats] = []
    reached = 0.0
    at_once = int(max(duration_s / gaps.mean(), 1.0) * 1.1) + 100
    while reached < duration_s:
        times.append(reached + np.cumsum(gaps.sample(at_once, rng)))
        reached = float(times[-1][-1])
    joined = np.concatenate(times)
    return joined[joined < duration_s]


def _sessions(rate_per_s: float, duration_s: float, rng: np.random.Generator) -> Schedule:
    mean_files = 1 + float(special().zeta(SESSION_FILES_ALPHA, 1.5))
    starts = _renewal(Exponential(scale=mean_files / rate_per_s), duration_s, rng)
    counts = sizes_from(Pareto(alpha=SESSION_FILES_ALPHA, x_min=1.0).sample(starts.size, rng)).astype(np.int64)
    session = np.repeat(np.arange(1, starts.size + 1), counts)
    steps = Pareto(alpha=PARETO_ALPHA, x_min=SESSION_GAP_S).sample(session.size, rng)
    first = np.cumsum(counts) - counts
    steps[first] = 0.0
    since_all = np.cumsum(steps)
    start_s = np.repeat(starts, counts) + since_all - np.repeat(since_all[first], counts)
    order = np.argsort(start_s, kind="stable")
    order = order[start_s[order] < duration_s]
    return Schedule(start_s=start_s[order], session=session[order])


def write_schedule(schedule: Schedule, path: Path) -> None:
    """Write `start_ms,session` with a heading, one arrival a line, as the plan of open arrivals reads it.

    Times are whole milliseconds, the part below cut off: JMeter's timers know no smaller unit.
    """
    with replacing(path) as new, new.open("w") as file:
        file.write("start_ms,session\n")
        for part in chunks(schedule.start_s.size):
            start_ms = np.floor(schedule.start_s[part] * 1000).astype(np.int64)
            rows = zip(start_ms.tolist(), schedule.session[part].tolist(), strict=True)
            file.writelines(f"{start},{session}\n" for start, session in rows)
