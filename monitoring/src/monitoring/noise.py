"""How quiet a host is before something is measured on it."""

import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from monitoring.machine import read_text, temperature_c

STAT = Path("/proc/stat")
IDLE, IOWAIT, GUEST = 3, 4, 8
"""Fields of a line cpuN: idle, waiting for a disk; guest time, from the last on, is in user time already."""


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
        "governors": sorted({text for core in cores if (text := _frequency(core, "scaling_governor"))}),
        "frequencies_khz": {
            str(core): int(text) for core in cores if (text := _frequency(core, "scaling_cur_freq")) and text.isdigit()
        },
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


def _frequency(core: int, name: str) -> str | None:
    return read_text(f"/sys/devices/system/cpu/cpu{core}/cpufreq/{name}")
