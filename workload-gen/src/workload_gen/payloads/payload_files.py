"""Payload files on disk: written fast, hashed while written."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from workload_gen.payloads.manifest import FileRecord
from workload_gen.payloads.payload import payload_parts

_BATCH = 64


def payload_name(size: int) -> str:
    """The file name of the payload of this size, as the paper's script named it."""
    return f"{size}.split"


def write_payload(folder: Path, size: int) -> FileRecord:
    """Write the payload of `size` bytes into the folder; whatever had its name is replaced in one step."""
    path = folder / payload_name(size)
    partial = folder / f".{payload_name(size)}.partial"
    record = _write(partial, size)
    partial.replace(path)
    return record


def write_payloads(folder: Path, sizes: Iterable[int], *, workers: int = 2) -> dict[int, FileRecord]:
    """Write the payloads of these different sizes into an empty folder, nobody else's to read yet."""
    ordered = list(sizes)
    batches = [ordered[i : i + _BATCH] for i in range(0, len(ordered), _BATCH)]
    prefix = f"{folder}/"

    def write_batch(batch: list[int]) -> list[tuple[int, FileRecord]]:
        return [(size, _write(prefix + payload_name(size), size)) for size in batch]

    with ThreadPoolExecutor(workers) as pool:
        return {size: record for done in pool.map(write_batch, batches) for size, record in done}


def _write(path: Path | str, size: int) -> FileRecord:
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
