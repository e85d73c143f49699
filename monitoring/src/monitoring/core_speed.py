"""How fast cores are now.

A virtual machine is not told the frequency of its host's processor, nor what runs on a core's other thread. Both make
the same work cost more: what a server costs can then be compared only with what was measured at about the same speed.
"""

import os
import statistics
import time
import zlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

_TEXT = b" ".join(str(number * number).encode() for number in range(16_000))
_SECONDS = 0.2
_FEWEST = 3


def work_ms(cores: Sequence[int]) -> dict[int, float | None]:
    """Return the CPU time in ms that each of `cores` needs for a fixed piece of work: the mean over 0.2 s.

    The work is to compress 145 KB of text. All cores do it at the same time, as server and load generator will: two of
    them may be threads of one. None where this process may not run on a core.
    """
    with ThreadPoolExecutor(len(cores)) as workers:  # only the threads that ask for it are moved to other cores
        return dict(zip(cores, workers.map(_work_ms, cores), strict=True))


def _work_ms(core: int) -> float | None:
    try:
        os.sched_setaffinity(0, {core})
    except OSError:
        return None
    times_ns: list[int] = []
    end_s = time.monotonic() + _SECONDS
    while len(times_ns) < _FEWEST or time.monotonic() < end_s:
        start_ns = time.thread_time_ns()
        zlib.compress(_TEXT)
        times_ns.append(time.thread_time_ns() - start_ns)
    return round(statistics.fmean(times_ns) / 1e6, 3)
