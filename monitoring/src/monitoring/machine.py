"""What this machine is, as far as it decides what a measurement on it means."""

import os
import platform
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from monitoring.role_counters import kernel_tells_wait
from monitoring.storage import device_number, mount_of
from monitoring.taskstats import Taskstats


def describe(disks: Mapping[str, Path] | None = None) -> dict[str, Any]:
    """Describe the machine as JSON-ready data; what cannot be read is None, never a guess.

    `disks` are paths by label; each is described under `disks` (MonitoringError for one that does not exist).
    """
    load_1m, load_5m, load_15m = os.getloadavg()
    return {
        "host": platform.node(),
        "operating_system": _operating_system(),
        "kernel": platform.release(),
        "architecture": platform.machine(),
        "cpu": _cpu(),
        "memory_bytes": memory_bytes("MemTotal"),
        "swap_bytes": memory_bytes("SwapTotal"),
        "virtual_machine": virtual_machine(),
        "container": _virtualisation("--container"),
        "clock_source": read_text("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
        "load_1m": load_1m,
        "load_5m": load_5m,
        "load_15m": load_15m,
        "temperature_c": temperature_c(),
        "can_measure": {
            "pressure": read_text("/proc/pressure/cpu") is not None,
            "run_queue_wait": kernel_tells_wait(),
            "switches_every_tick": _has_taskstats(),
        },
        "disks": {label: describe_disk(path) for label, path in (disks or {}).items()},
    }


def describe_disk(path: Path) -> dict[str, Any]:
    """Describe what holds `path`: device, file system, mount options, whether it turns, and the space.

    `device` and `rotational` are None on a file system without a block device. Raises MonitoringError when `path` does
    not exist.
    """
    mount = mount_of(path)
    device = Path(f"/sys/dev/block/{device_number(path)}")
    usage = shutil.disk_usage(path)
    # A partition has no queue of its own; its disk, one folder up, has.
    rotational = read_text(device / "queue/rotational") or read_text(device / "../queue/rotational")
    return {
        "path": str(path.resolve()),
        "device": device.resolve().name if device.exists() else None,
        "filesystem": mount.filesystem,
        "mount_point": str(mount.point),
        "mount_options": mount.options,
        "rotational": None if rotational is None else rotational == "1",
        "size_bytes": usage.total,
        "free_bytes": usage.free,
    }


def read_text(path: str | Path) -> str | None:
    """Return what a file of the kernel says, None where it does not."""
    try:
        return Path(path).read_text().strip()
    except OSError:
        return None


def _operating_system() -> str | None:
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME")
    except OSError:
        return None


def _cpu() -> dict[str, Any]:
    cores = sorted(os.sched_getaffinity(0))
    limits = {"minimum": "min", "maximum": "max", "now": "cur"}
    siblings = {core: read_text(f"/sys/devices/system/cpu/cpu{core}/topology/thread_siblings_list") for core in cores}
    return {
        "model": _cpu_model(),
        "cores": cores,
        "cores_online": os.cpu_count(),
        "hyperthread_siblings": sorted({text for text in siblings.values() if text is not None}),
        "governor": frequency(cores[0], "scaling_governor"),
        "frequency_khz": {limit: frequency_khz(cores[0], name) for limit, name in limits.items()},
    }


def frequency(core: int, name: str) -> str | None:
    """Return what the kernel says of a core's frequency."""
    return read_text(f"/sys/devices/system/cpu/cpu{core}/cpufreq/{name}")


def frequency_khz(core: int, which: str) -> int | None:
    """Return a frequency of a core: `min`, `max` or `cur`."""
    text = frequency(core, f"scaling_{which}_freq")
    return int(text) if text and text.isdecimal() else None


def _cpu_model() -> str | None:
    for line in (read_text("/proc/cpuinfo") or "").splitlines():
        name, _, value = line.partition(":")
        if name.strip() in ("model name", "Model", "cpu model"):
            return value.strip()
    return platform.processor() or None


def memory_bytes(name: str) -> int | None:
    """Return a figure of /proc/meminfo, None where it is not known."""
    for line in (read_text("/proc/meminfo") or "").splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) * 1024
    return None


def virtual_machine() -> str | None:
    """Return the hypervisor, "none" on bare metal, None where nobody can tell."""
    return _virtualisation("--vm")


def _virtualisation(kind: str) -> str | None:
    """Return what systemd-detect-virt finds ("none" for nothing); without it, only the CPU's own flag can tell."""
    program = shutil.which("systemd-detect-virt")
    if program is not None:
        answer = subprocess.run([program, kind], capture_output=True, text=True, check=False, timeout=10)
        return answer.stdout.strip() or None
    if kind == "--vm" and " hypervisor" in (read_text("/proc/cpuinfo") or ""):
        return "unknown"
    return None


def temperature_c() -> float | None:
    """Return the temperature of the warmest sensor, None where there is none."""
    readings = [read_text(path) for path in Path("/sys/class/thermal").glob("thermal_zone*/temp")]
    celsius = [int(text) / 1000 for text in readings if text is not None and text.lstrip("-").isdecimal()]
    return max(celsius, default=None)


def _has_taskstats() -> bool:
    try:
        Taskstats().close()
    except OSError:
        return False
    return True
