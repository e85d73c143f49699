"""Payload files on disk: written fast, hashed while written."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import signal
import sys
import warnings
from collections.abc import Sequence
from multiprocessing.connection import Connection
from multiprocessing.context import ForkProcess
from pathlib import Path

from workload_gen.payloads.manifest import FileRecord
from workload_gen.payloads.payload import payload_parts

_MOST_WORKERS = 4
_ALONE_BELOW_BYTES = 32 * 1024 * 1024
"""Less than this is written sooner than a second process is started."""


def payload_name(size: int) -> str:
    """The file name of the payload of this size, as the paper's script named it."""
    return f"{size}.split"


def write_payload(folder: Path, size: int) -> FileRecord:
    """Write the payload of `size` bytes into the folder; whatever had its name is replaced in one step."""
    path = folder / payload_name(size)
    partial = folder / f".{payload_name(size)}.partial"
    record = _write(str(partial), size)
    partial.replace(path)
    return record


def write_payloads(folder: Path, sizes: Sequence[int]) -> dict[int, FileRecord]:
    """Write the payloads of these different sizes into an empty folder that nobody reads yet.

    Hashing takes as long as writing, so the work is shared by a process for each core, up to four. (Threads would
    spend the gain on handing the interpreter lock back and forth, several times a file.)
    """
    workers = min(_MOST_WORKERS, len(os.sched_getaffinity(0)))
    if workers == 1 or sum(sizes) < _ALONE_BELOW_BYTES:
        return dict(_write_share(folder, sizes))
    helpers = [_Helper(folder, sizes[first::workers]) for first in range(1, workers)]
    try:
        records = dict(_write_share(folder, sizes[0::workers]))
        for helper in helpers:
            records.update(helper.records())
    finally:
        for helper in helpers:
            helper.end()
    return records


class _Helper:
    """A process that writes a share of the payloads, and ends when the process that started it has gone."""

    def __init__(self, folder: Path, sizes: Sequence[int]) -> None:
        context = multiprocessing.get_context("fork")
        self._results, sender = context.Pipe(duplex=False)
        self._process: ForkProcess = context.Process(
            target=_help, args=(sender, folder, sizes, os.getpid()), daemon=True
        )
        # The child keeps what is blocked when it begins: Ctrl-C reaches the parent, which ends it.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            with warnings.catch_warnings():
                # numpy's idle threads make Python 3.12 warn of forking; the child calls nothing that uses them.
                warnings.simplefilter("ignore", DeprecationWarning)
                self._process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        sender.close()

    def records(self) -> list[tuple[int, FileRecord]]:
        """What it wrote; raises what stopped it."""
        try:
            result: list[tuple[int, FileRecord]] | OSError = self._results.recv()
        except EOFError:
            raise OSError(0, "a process that wrote payloads ended early") from None
        if isinstance(result, OSError):
            raise result
        return result

    def end(self) -> None:
        """Stop it if it is still running."""
        self._process.kill()
        self._process.join()
        self._results.close()


def _help(results: Connection, folder: Path, sizes: Sequence[int], parent: int) -> None:
    """The helper's own work, in its own process."""
    try:
        results.send(_write_share(folder, sizes, parent))
    except OSError as error:
        results.send(error)


def _write_share(folder: Path, sizes: Sequence[int], parent: int | None = None) -> list[tuple[int, FileRecord]]:
    prefix = f"{folder}/"
    records = []
    for size in sizes:
        if parent is not None and os.getppid() != parent:
            sys.exit(1)
        records.append((size, _write(prefix + payload_name(size), size)))
    return records


def _write(path: str, size: int) -> FileRecord:
    digest = hashlib.sha256()
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    try:
        for parts in payload_parts(size):
            for part in parts:
                digest.update(part)
            _write_all(descriptor, parts)
        mtime_ns = os.fstat(descriptor).st_mtime_ns
    finally:
        os.close(descriptor)
    return FileRecord(bytes=size, sha256=digest.hexdigest(), mtime_ns=mtime_ns)


def _write_all(descriptor: int, parts: list[bytes | memoryview]) -> None:
    """Write all parts in order, however often the kernel stops short."""
    left = sum(len(p) for p in parts)
    written = os.writev(descriptor, parts)
    if written == left:
        return
    rest = memoryview(b"".join(parts))[written:]
    while rest:
        rest = rest[os.write(descriptor, rest) :]
