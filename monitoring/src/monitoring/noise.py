"""How quiet a host is, and how fast its cores are, before something is measured on it.

A virtual machine is not told the frequency of its host's processor, nor what runs on a core's other thread. Both make
the same work cost more: what a server costs can then be compared only with what was measured at about the same speed.
"""

import os
import statistics
import time
import zlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from monitoring.machine import frequency, frequency_khz, temperature_c

STAT = Path("/proc/stat")
IDLE, IOWAIT, GUEST = 3, 4, 8
"""Fields of a line cpuN: idle, waiting for a disk; guest time, from the last on, is in user time already."""
_TEXT = b" ".join(str(number * number).encode() for number in range(16_000))
_SECONDS = 0.2
_FEWEST = 3


def host_noise(cores: Sequence[int], seconds: float = 0.4) -> dict[str, Any]:
    """Watch cores for some time and return what could disturb a measurement, JSON-ready; None is what cannot be read.

    `busy_pct` maps each core to how busy it was; `load_1m`; `governors` and `frequencies_khz` of those cores;
    `temperature_c` of the warmest sensor.
    """
    before = _times(cores)
    time.sleep(seconds)
    after = _times(cores)
    return {
        "busy_pct": {str(core): round(_busy_pct(before[core], after[core]), 1) for core in cores},
        "load_1m": round(os.getloadavg()[0], 2),
        "governors": sorted({text for core in cores if (text := frequency(core, "scaling_governor"))}),
        "frequencies_khz": {str(core): khz for core in cores if (khz := frequency_khz(core, "cur")) is not None},
        "temperature_c": temperature_c(),
    }


def _times(cores: Sequence[int]) -> dict[int, list[int]]:
    lines = (line.split() for line in STAT.read_text(encoding="ascii").splitlines() if line.startswith("cpu"))
    times = {fields[0]: [int(field) for field in fields[1 : 1 + GUEST]] for fields in lines}
    return {core: times[f"cpu{core}"] for core in cores}


def _busy_pct(before: list[int], after: list[int]) -> float:
    grew = [later - earlier for earlier, later in zip(before, after, strict=True)]
    total = sum(grew)
    return 100 * (1 - (grew[IDLE] + grew[IOWAIT]) / total) if total > 0 else 0.0


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
