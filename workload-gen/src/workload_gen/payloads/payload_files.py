"""Payload files on disk: written fast, hashed while written."""

import ctypes
import hashlib
import multiprocessing
import os
import signal
import warnings
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from pathlib import Path

from workload_gen.payloads.manifest import FileRecord
from workload_gen.payloads.payload import payload_parts

_MOST_WORKERS = 4
_ALONE_BELOW_BYTES = 32 * 1024 * 1024
"""Less than this is written sooner than a second process is started."""
_FILES_AT_A_TIME = 8
_PR_SET_PDEATHSIG = 1  # linux/prctl.h


def payload_name(size: int) -> str:
    """The file name of the payload of this size, as the paper's script named it."""
    return f"{size}.split"


def write_payloads(folder: Path, sizes: Sequence[int]) -> list[FileRecord]:
    """Write the payloads of these different sizes into an empty folder that nobody reads yet.

    Hashing takes as long as writing, so the work is shared by a process for each core, up to four. (Threads would
    spend the gain on handing the interpreter lock back and forth, several times a file.)
    """
    write = partial(_write, folder)
    workers = min(_MOST_WORKERS, len(os.sched_getaffinity(0)))
    if workers == 1 or sum(sizes) < _ALONE_BELOW_BYTES:
        return [write(size) for size in sizes]
    with ProcessPoolExecutor(workers, multiprocessing.get_context("fork"), _end_with, (os.getpid(),)) as pool:
        # What is blocked now stays so in the processes: Ctrl-C reaches this one, which ends them.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            with warnings.catch_warnings():
                # numpy's idle threads make Python 3.12 warn of forking; the processes call nothing that uses them.
                warnings.simplefilter("ignore", DeprecationWarning)
                records = pool.map(write, sizes, chunksize=_FILES_AT_A_TIME)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        try:
            return list(records)
        except BrokenProcessPool:
            raise OSError(0, "a process that wrote payloads ended early") from None


def _end_with(parent: int) -> None:
    """Have this process killed when the one that started it has gone."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def _write(folder: Path, size: int) -> FileRecord:
    path, digest = folder / payload_name(size), hashlib.sha256()
    with path.open("wb") as file:
        for part in payload_parts(size):
            digest.update(part)
            file.write(part)
    return FileRecord(bytes=size, sha256=digest.hexdigest(), mtime_ns=path.stat().st_mtime_ns)
