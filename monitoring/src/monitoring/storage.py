"""Which device and file system hold a path."""

import os
import re
from dataclasses import dataclass
from pathlib import Path

from monitoring.errors import MonitoringError


@dataclass(frozen=True, kw_only=True)
class Mount:
    """One line of /proc/self/mountinfo (see proc(5))."""

    point: Path
    filesystem: str
    source: str
    options: str


def _unescape(text: str) -> str:
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), text)


def read_mounts() -> list[Mount]:
    """Read the mounts this process sees, in the order they were made."""
    mounts = []
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        fields, _, rest = line.partition(" - ")
        _, _, _, _, point, options, *_ = fields.split(" ")
        filesystem, source, *_ = rest.split(" ")
        mounts.append(
            Mount(point=Path(_unescape(point)), filesystem=filesystem, source=_unescape(source), options=options)
        )
    return mounts


def mount_of(path: Path) -> Mount:
    """Return the mount that holds `path` (MonitoringError when `path` does not exist)."""
    try:
        real = path.resolve(strict=True)
    except OSError as error:
        raise MonitoringError(f"the disk of {path} cannot be found: {error.strerror}") from None
    holding = [mount for mount in read_mounts() if real.is_relative_to(mount.point)]
    deepest = max(len(mount.point.parts) for mount in holding)
    return [mount for mount in holding if len(mount.point.parts) == deepest][-1]  # a later mount hides an earlier


def device_number(path: Path) -> str:
    """Return the `major:minor` of the block device that holds `path`.

    Where the file system invents device numbers of its own (btrfs), the mount's source is taken; a file system without
    a device (tmpfs) gives a number no block device has. Raises MonitoringError when `path` does not exist.
    """
    mount = mount_of(path)
    number = path.stat().st_dev
    device = f"{os.major(number)}:{os.minor(number)}"
    if Path(f"/sys/dev/block/{device}").exists() or not mount.source.startswith("/dev/"):
        return device
    source = Path(mount.source)
    if not source.is_block_device():
        return device
    number = source.stat().st_rdev
    return f"{os.major(number)}:{os.minor(number)}"
