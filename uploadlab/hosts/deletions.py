"""Remember when a campaign's files were deleted: for minutes after, creating files is dearer on ext4 without a journal.

It passes over inodes that were freed within the last minutes when it looks for a free one (`recently_deleted` in the
kernel's fs/ext4/ialloc.c); after tens of thousands of files were deleted, creating one costs up to ten times the CPU.
"""

import contextlib
import json
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from monitoring import machine

AFTERMATH_S = 360.0
"""For so long after a deletion ext4 does that: a minute, and five more where the freed inode is not written yet."""
RECORD = "uploads-deleted"


@contextlib.contextmanager
def noted(state_dir: Path, folders: Iterable[Path]) -> Iterator[None]:
    """Keep the time and the devices when folders are deleted, and the time anew when they are: it may take minutes.

    Those that are empty leave no trace.
    """
    devices = devices_of(used(folders))
    _keep(state_dir, devices)
    yield
    _keep(state_dir, devices)


def used(folders: Iterable[Path]) -> list[Path]:
    """Return the folders that there are and that have something in them."""
    return [folder for folder in folders if folder.is_dir() and any(folder.iterdir())]


def _keep(state_dir: Path, devices: list[int]) -> None:
    if devices:
        kept = {"time_s": time.time(), "devices": devices}
        (state_dir / RECORD).write_text(json.dumps(kept), encoding="ascii")


def devices_of(folders: Iterable[Path]) -> list[int]:
    """Return the devices of the folders on whose file systems deleting leaves a trace."""
    return sorted({path.stat().st_dev for path in folders if passes_over_freed_inodes(path)})


def passes_over_freed_inodes(path: Path) -> bool:
    """Return whether a path is on ext4 without a journal."""
    options = machine.read_text(f"/proc/fs/ext4/{machine.describe_disk(path)['device']}/options")
    return options is not None and not any(option.startswith("data=") for option in options.split())


def warning(state_dir: Path, folders: Iterable[Path]) -> str | None:
    """Return a sentence when files were deleted on the folders' file system a short while ago."""
    with contextlib.suppress(OSError, json.JSONDecodeError, KeyError, TypeError):
        kept = json.loads((state_dir / RECORD).read_text(encoding="ascii"))
        since_s = time.time() - kept["time_s"]
        if 0 <= since_s < AFTERMATH_S and set(kept["devices"]) & set(devices_of(folders)):
            return (
                f"The last campaign's files were deleted {since_s:.0f} s ago: for some minutes creating files takes "
                f"longer on that disk, for every server. For figures that can be compared with other campaigns', wait "
                f"{AFTERMATH_S - since_s:.0f} s, or store in memory (tmpfs)."
            )
    return None
