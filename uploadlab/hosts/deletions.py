"""Remember when a campaign's files were deleted: for minutes after, creating files is dearer on that file system.

ext4 passes over inodes that were freed within the last minutes when it looks for a free one; after tens of thousands of
files were deleted, creating one was seen to cost several times the CPU.
"""

import contextlib
import json
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from monitoring import machine

AFTERMATH_S = 300.0
RECORD = "uploads-deleted"


def note(state_dir: Path, folders: Iterable[Path]) -> None:
    """Keep the time and the devices when folders are about to be deleted; those that are empty leave no trace."""
    _keep(state_dir, devices_of(used(folders)))


@contextlib.contextmanager
def noted(state_dir: Path, folders: Iterable[Path]) -> Iterator[None]:
    """Keep the time and the devices when folders are deleted, and the time anew when they are: it may take minutes."""
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
    """Return the devices of the folders, without those in memory, where deleting leaves no trace."""
    return sorted({path.stat().st_dev for path in folders if machine.describe_disk(path)["filesystem"] != "tmpfs"})


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
