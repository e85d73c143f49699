"""A list on disk: its sizes, its payload files and their manifest, made once and checked on every use.

A folder is built beside its final place and renamed into it, so it is whole or not there, whenever the process ends.
"""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from workload_gen.errors import WorkloadError
from workload_gen.lists.size_list import ListSummary, summarise, unique_sizes, write_size_list
from workload_gen.lists.sources import ListSource, check_within_limit
from workload_gen.models.distribution import Sizes
from workload_gen.payloads.manifest import FileRecord, Manifest, check_files, read_manifest, sha256_of
from workload_gen.payloads.manifest import write_manifest as _write_manifest
from workload_gen.payloads.payload_files import payload_name, write_payload, write_payloads

SIZES_NAME = "sizes.csv"
PAYLOADS_NAME = "payloads"

_LIST_LINE_BYTES = 11
_MANIFEST_ENTRY_BYTES = 160

Verify = Literal["stat", "hash"]
Say = Callable[[str], None]


def say_on_stderr(sentence: str) -> None:
    """Tell the user on standard error."""
    print(sentence, file=sys.stderr, flush=True)


@dataclass(frozen=True, kw_only=True)
class SampleFiles(ListSummary):
    """A sample's files, verified. Byte figures are of the list (each upload counted), not of the unique payloads."""

    folder: Path
    sizes_csv: Path
    payload_dir: Path


@dataclass(frozen=True, kw_only=True)
class SamplePlan:
    """What making a sample takes."""

    folder: Path
    made_from: Mapping[str, Any]
    """What decides the list, as the manifest keeps it: a model with its parameters, or the SHA-256 of a user's list."""
    draw: Callable[[], Sizes]
    summary: ListSummary
    disk_bytes: int
    """What they and the list take on this file system, whole blocks."""
    present: bool
    """Whether the folder is there already (not verified)."""

    @cached_property
    def sizes(self) -> Sizes:
        """The list in upload order, uint32, shape (count,); of a list that is there, drawn when first asked for."""
        return self.draw()


def plan_list(source: ListSource, root: Path) -> SamplePlan:
    """The list and the disk its files need; nothing is written. For a list that is there its manifest says it all."""
    folder = root / source.folder_name
    manifest = _manifest_of(source, folder)
    if manifest is not None:
        payloads = [record.bytes for name, record in manifest.files.items() if name != SIZES_NAME]
        return _plan(source, folder, np.array(payloads, dtype=np.int64), manifest.reached, present=True)
    sizes = source.draw()
    check_within_limit(sizes)
    plan = _plan(source, folder, unique_sizes(sizes).astype(np.int64), summarise(sizes), present=False)
    return replace(plan, draw=lambda: sizes)


def _plan(
    source: ListSource, folder: Path, payload_sizes: NDArray[np.int64], summary: ListSummary, *, present: bool
) -> SamplePlan:
    return SamplePlan(
        folder=folder,
        made_from=source.made_from,
        draw=source.draw,
        summary=summary,
        disk_bytes=disk_bytes_of(payload_sizes, summary, _block_bytes(folder.parent)),
        present=present,
    )


def _manifest_of(source: ListSource, folder: Path) -> Manifest | None:
    """The manifest of the folder, where it was made from this source; else None."""
    manifest = read_manifest(folder)
    return None if manifest is None or dict(manifest.made_from) != dict(source.made_from) else manifest


def ensure_list(source: ListSource, root: Path, *, verify: Verify = "stat", say: Say = say_on_stderr) -> SampleFiles:
    """The files of a list: made if they are not there, verified if they are, repaired if they are damaged.

    Parameters
    ----------
    root : the folder that holds the lists' folders
    verify : "stat" compares size and modification time with the manifest and hashes only files that differ;
        "hash" hashes every file
    say : gets a sentence for the user when files are made or repaired

    Raises
    ------
    WorkloadError
        When the folder cannot be written, or the disk is too full.
    """
    folder = root / source.folder_name
    try:
        root.mkdir(parents=True, exist_ok=True)
        with _only_one(root):
            _remove_leftovers(root)
            manifest = _manifest_of(source, folder)
            if manifest is None:
                manifest = _build(source, root, say)
            else:
                manifest = _verified(source, manifest, folder, hash_all=verify == "hash", say=say)
    except OSError as error:
        reason = "the disk is full; free some space" if error.errno == errno.ENOSPC else error.strerror
        raise WorkloadError(f"{folder}: cannot be written: {reason}.") from error
    return SampleFiles(
        folder=folder, sizes_csv=folder / SIZES_NAME, payload_dir=folder / PAYLOADS_NAME, **asdict(manifest.reached)
    )


@contextmanager
def _only_one(root: Path) -> Iterator[None]:
    """Hold the lock of this root: two processes never build or repair the same folder at once."""
    with (root / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _remove_leftovers(root: Path) -> None:
    """Remove what processes that were killed left; call it with the lock held."""
    for pattern in (".*.partial", ".*.replaced"):
        for leftover in root.glob(pattern):
            shutil.rmtree(leftover)


def _build(source: ListSource, root: Path, say: Say) -> Manifest:
    plan = plan_list(source, root)
    free = shutil.disk_usage(root).free
    needed = f"{plan.summary.unique} payloads, {human_bytes(plan.disk_bytes)} of disk ({human_bytes(free)} free)"
    if plan.disk_bytes > free:
        raise WorkloadError(f"Not enough disk for {plan.folder.name}: {needed}; free some, or ask for a smaller count.")
    say(f"Making {plan.folder}: {plan.summary.count} sizes, {needed}.")
    partial = plan.folder.with_name(f".{plan.folder.name}.partial")
    try:
        manifest = _fill(partial, source, plan)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise
    if plan.folder.exists():
        plan.folder.rename(plan.folder.with_name(f".{plan.folder.name}.replaced"))
    partial.rename(plan.folder)
    _remove_leftovers(root)
    return manifest


def _fill(folder: Path, source: ListSource, plan: SamplePlan) -> Manifest:
    payload_dir = folder / PAYLOADS_NAME
    payload_dir.mkdir(parents=True)
    write_size_list(plan.sizes, folder / SIZES_NAME)
    payloads = write_payloads(payload_dir, unique_sizes(plan.sizes).tolist())
    files = {SIZES_NAME: _record(folder / SIZES_NAME)}
    files |= {f"{PAYLOADS_NAME}/{payload_name(size)}": payloads[size] for size in sorted(payloads)}
    manifest = Manifest(made_from=source.made_from, reached=plan.summary, files=files)
    _write_manifest(manifest, folder)
    return manifest


def _record(path: Path) -> FileRecord:
    stat = path.stat()
    return FileRecord(bytes=stat.st_size, sha256=sha256_of(path), mtime_ns=stat.st_mtime_ns)


def _verified(source: ListSource, manifest: Manifest, folder: Path, *, hash_all: bool, say: Say) -> Manifest:
    changed, current = check_files(manifest, folder, hash_all=hash_all)
    if changed:
        current = _repair(source, current, folder, changed)
        first, more = changed[0], f" and {len(changed) - 1} more" if len(changed) > 1 else ""
        say(f"{folder}: {first}{more} had changed or was missing, and was made again.")
    if current.files != manifest.files:
        _write_manifest(current, folder)
    return current


def _repair(source: ListSource, manifest: Manifest, folder: Path, changed: list[str]) -> Manifest:
    files = dict(manifest.files)
    (folder / PAYLOADS_NAME).mkdir(exist_ok=True)
    for name in changed:
        if name == SIZES_NAME:
            partial = folder / f".{SIZES_NAME}.partial"
            write_size_list(source.draw(), partial)
            partial.replace(folder / SIZES_NAME)
            files[name] = _record(folder / SIZES_NAME)
        else:
            size = int(Path(name).name.removesuffix(".split"))
            files[name] = write_payload(folder / PAYLOADS_NAME, size)
        if files[name].sha256 != manifest.files[name].sha256:
            raise WorkloadError(
                f"{folder / name} cannot be made again as it was (this version of the generator writes other bytes); "
                f"remove the folder {folder} and generate it again."
            )
    return replace(manifest, files=files)


def disk_bytes_of(payload_sizes: NDArray[np.int64], summary: ListSummary, block_bytes: int) -> int:
    """What these payloads, the list and the manifest take on a file system, whole blocks."""
    blocks = int((-(-payload_sizes // block_bytes)).sum())
    list_blocks = -(-_LIST_LINE_BYTES * summary.count // block_bytes)
    manifest_blocks = -(-_MANIFEST_ENTRY_BYTES * summary.unique // block_bytes)
    return (blocks + list_blocks + manifest_blocks) * block_bytes


def _block_bytes(root: Path) -> int:
    """Block size of the file system that holds, or will hold, this folder."""
    there = next(p for p in (root.absolute(), *root.absolute().parents) if p.exists())
    return os.statvfs(there).f_frsize


def human_bytes(count: int) -> str:
    """A byte count for people."""
    value = float(count)
    for unit in ("B", "kB", "MB"):
        if value < 1000:
            return f"{value:.3g} {unit}"
        value /= 1000
    return f"{value:.3g} GB"
