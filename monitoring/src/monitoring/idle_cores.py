"""Keep the idle cores of a virtual machine awake while something is measured.

A core that has nothing to do sleeps until another wakes it. In a virtual machine both go through the hypervisor: the
core that wakes another pays for that, and the one that wakes up is late. While a process holds 0 in
/dev/cpu_dma_latency, idle cores poll instead (Linux, admin-guide/pm/cpuidle, "Power Management Quality of Service for
CPUs"); the kernel forgets the request when the file is closed, however the process ends.
"""

import os
from pathlib import Path
from typing import BinaryIO

from monitoring.machine import read_text, virtual_machine

DEVICE = Path("/dev/cpu_dma_latency")
LIGHTEST_STATE = Path("/sys/devices/system/cpu/cpu0/cpuidle/state0/name")
"""What a core that may not take any time to wake up does while it is idle."""
WAKING_UP_US = (0).to_bytes(4, "little")
"""How long a core may take to wake up, as the device reads it."""


def why_asleep() -> str | None:
    """Return why idle cores sleep here while something is measured, or None where `keep_awake` can keep them awake."""
    if virtual_machine() in (None, "none"):
        return "this is no virtual machine, and a core wakes up without a hypervisor"
    if read_text(LIGHTEST_STATE) != "POLL":
        return "the kernel has no idle state that polls"
    if not os.access(DEVICE, os.W_OK):
        return f"this user may not write {DEVICE}"
    return None


def keep_awake() -> BinaryIO:
    """Return a file that keeps idle cores polling until it is closed; OSError where the kernel does not let us."""
    held = DEVICE.open("wb", buffering=0)
    held.write(WAKING_UP_US)
    return held
