"""A disk of this machine that is as slow as a hard disk: an image whose reads and writes QEMU throttles.

QEMU's storage daemon offers the image as a file that lets so many operations and bytes a second through, whoever asks;
a loop device and XFS stand on it. The page cache would still swallow a run whole, so the kernel lets only a little wait
to be written to this device. Everything of it is in one folder, by which it is found and removed.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

from uploadlab.errors import LabError
from uploadlab.last_line import last_line

IOPS = 120
BYTES_PER_S = 60_000_000
"""Below IOPS times 512 KiB: the loop device cuts what does not lie together in memory into pieces of 128 pages, and
each piece is an operation. A higher limit would be kept or not as memory happens to be."""
DIRTY_BYTES = 64 * 2**20
"""What may wait in the page cache to be written to it; the machine's other devices are not touched."""
SIZE_BYTES = 64 * 2**30
"""Of the image at most; it takes the room of what is stored only."""
SHARE_OF_FREE = 0.8
ALIGNMENT = 2**20
LEAST_BYTES = 2 * 2**30
LABEL = "emulated HDD"
SYNC, SMALL_DIRTY = "sync", "small-dirty"
"""How durable a write is when it returns: on the disk, or among the little that waits for it in the page cache."""
PROGRAMS = {
    "qemu-storage-daemon": "qemu-system-common",
    "mkfs.xfs": "xfsprogs",
    "losetup": "mount",
    "mount": "mount",
    "umount": "mount",
}
DAEMON = "qemu-storage-daemon"
WAIT_S = 10.0


def facts(durability: str) -> dict[str, Any]:
    """Return what campaign.json says of it."""
    return {
        "emulated": True,
        "durability": durability,
        "iops": IOPS,
        "bytes_per_s": BYTES_PER_S,
        "dirty_bytes": DIRTY_BYTES,
    }


def why_not() -> str | None:
    """Return why no such disk can be made here, or None."""
    if os.geteuid() != 0:
        return "an emulated HDD needs root: a loop device, a file system and a limit on its page cache"
    missing = sorted({package for program, package in PROGRAMS.items() if shutil.which(program) is None})
    if missing:
        return f"an emulated HDD needs the packages {', '.join(missing)}: sudo apt-get install {' '.join(missing)}"
    for device in ("/dev/fuse", "/dev/loop-control"):
        if not Path(device).exists():
            return f"an emulated HDD needs {device}, which this machine does not have"
    if not any(Path("/sys/class/bdi").glob("*/strict_limit")):
        return "an emulated HDD needs a limit on a device's page cache (Linux 6.2 or newer)"
    return None


def stored_in(folder: Path) -> Path:
    """Return where files on the disk of a folder are stored."""
    return folder / "files"


def size_on(free_bytes: int) -> int:
    """Return the bytes that the disk would have on a disk with so many free."""
    return int(min(SIZE_BYTES, SHARE_OF_FREE * free_bytes)) // ALIGNMENT * ALIGNMENT


def make(folder: Path, durability: str = SMALL_DIRTY) -> Path:
    """Make the disk in a folder and return where files on it are stored.

    With the durability `sync` each write waits until it is on the disk, without the program asking for it.

    Raises LabError when it cannot be made; what there is of it then is removed by `remove`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    size = size_on(shutil.disk_usage(folder).free)
    if size < LEAST_BYTES:
        raise LabError(
            f"{folder}: an emulated HDD needs at least {LEAST_BYTES / 1e9:.1f} GB; {size / 1e9:.1f} GB are free for it."
        )
    image, throttled, files = folder / "image", folder / "throttled", stored_in(folder)
    with image.open("wb") as file:
        file.truncate(size)
    throttled.touch()
    files.mkdir(exist_ok=True)
    _run(
        *(DAEMON, "--daemonize", "--pidfile", str(folder / "pid")),
        *("--object", f"throttle-group,id=limits,x-iops-total={IOPS},x-bps-total={BYTES_PER_S}"),
        *("--blockdev", f"file,node-name=image,filename={image},cache.direct=on"),
        *("--blockdev", "throttle,node-name=disk,file=image,throttle-group=limits"),
        *("--export", f"fuse,id=out,node-name=disk,mountpoint={throttled},writable=on"),
    )
    loop = _run("losetup", "--find", "--show", "--direct-io=on", str(throttled))
    _run("mkfs.xfs", "-q", loop)
    _run("mount", *(("-o", "sync") if durability == SYNC else ()), loop, str(files))
    device = files.stat().st_dev
    limits = Path(f"/sys/class/bdi/{os.major(device)}:{os.minor(device)}")
    try:
        (limits / "strict_limit").write_text("1")
        (limits / "max_bytes").write_text(str(DIRTY_BYTES))
    except OSError as error:
        raise LabError(f"{limits}: the page cache of an emulated HDD cannot be limited: {error.strerror}.") from error
    return files


def remove(folder: Path) -> bool:
    """Remove the disk of a folder, whole or half-made, and the folder.

    False where it stays, as somebody still uses it: whoever asked must remember it, for the next start.
    """
    if not _unmounted(stored_in(folder)):
        return False
    for loop in _loops_on(folder / "throttled"):
        subprocess.run(["losetup", "--detach", loop], capture_output=True, check=False)
    _end_daemon(folder)
    subprocess.run(["umount", str(folder / "throttled")], capture_output=True, check=False)
    shutil.rmtree(folder, ignore_errors=True)
    return True


def _unmounted(files: Path) -> bool:
    """Unmount a file system; the kernel refuses as long as a process has a file of it open, or works in it."""
    deadline = time.monotonic() + WAIT_S
    while os.path.ismount(files):
        subprocess.run(["umount", str(files)], capture_output=True, check=False)
        if time.monotonic() > deadline:
            return not os.path.ismount(files)
        time.sleep(0.02)
    return True


def _loops_on(file: Path) -> list[str]:
    """Return the loop devices that stand on a file (asking losetup would read the file, whose server may be dead)."""
    found = []
    for backing in Path("/sys/block").glob("loop*/loop/backing_file"):
        with contextlib.suppress(OSError):
            if backing.read_text(encoding="utf-8").strip() == str(file):
                found.append(f"/dev/{backing.parts[3]}")
    return found


def _end_daemon(folder: Path) -> None:
    """End the storage daemon of a folder, known by its pid file and, as numbers are used again, by its command line."""
    try:
        pid = int((folder / "pid").read_text(encoding="ascii"))
        command = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\0")
    except (OSError, ValueError):
        return
    if Path(command[0]).name != DAEMON or str(folder / "pid") not in command:
        return
    deadline = time.monotonic() + WAIT_S
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGTERM)
        while time.monotonic() < deadline:
            os.kill(pid, 0)
            time.sleep(0.02)
        os.kill(pid, signal.SIGKILL)


def _run(*command: str) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise LabError(f"The emulated HDD could not be made: {command[0]}: {error.strerror}.") from error
    if done.returncode:
        why = last_line(done.stderr, "no reason given")
        raise LabError(f"The emulated HDD could not be made: {command[0]}: {why}.")
    return done.stdout.strip()
