"""A list on disk: its sizes, its payload files and their manifest, made once and checked on every use.

A folder is built beside its final place and renamed into it, so it is whole or not there, whenever the process ends.
"""

import errno
import fcntl
import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from workload_gen.errors import WorkloadError
from workload_gen.lists.size_list import ListSummary, summarise, unique_sizes, write_size_list
from workload_gen.lists.sources import ListSource, check_within_limit
from workload_gen.lists.table1 import SAMPLES_DIR
from workload_gen.payloads.manifest import Manifest, check_files, read_manifest, record_of, write_manifest
from workload_gen.payloads.payload_files import payload_name, write_payloads

SIZES_NAME = "sizes.csv"
PAYLOADS_NAME = "payloads"

_LIST_LINE_BYTES = 11
_MANIFEST_ENTRY_BYTES = 160

Verify = Literal["stat", "hash"]


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
    summary: ListSummary
    disk_bytes: int
    """What its files take on this file system, whole blocks."""
    present: bool
    """Whether the folder is there already (not verified)."""


def plan_list(source: ListSource, root: Path = SAMPLES_DIR) -> SamplePlan:
    """The list and the disk its files need; nothing is written. For a list that is there its manifest says it all."""
    folder = root / source.folder_name
    manifest = _manifest_of(source, folder)
    if manifest is None:
        check_within_limit(source.sizes)
        summary, payloads = summarise(source.sizes), unique_sizes(source.sizes)
    else:
        summary = manifest.reached
        payloads = np.array([record.bytes for name, record in manifest.files.items() if name != SIZES_NAME])
    others = (_LIST_LINE_BYTES * summary.count, _MANIFEST_ENTRY_BYTES * summary.unique)
    there = next(parent for parent in folder.absolute().parents if parent.exists())
    block = os.statvfs(there).f_frsize
    return SamplePlan(
        folder=folder,
        made_from=source.made_from,
        summary=summary,
        disk_bytes=int((-(-np.append(payloads.astype(np.int64), others) // block)).sum()) * block,
        present=manifest is not None,
    )


def _manifest_of(source: ListSource, folder: Path) -> Manifest | None:
    """The manifest of the folder, where it was made from this source; else None."""
    manifest = read_manifest(folder)
    return None if manifest is None or manifest.made_from != source.made_from else manifest


def ensure_list(source: ListSource, root: Path = SAMPLES_DIR, *, verify: Verify = "stat") -> SampleFiles:
    """The files of a list: made if they are not there, or made again if one of them is damaged.

    Parameters
    ----------
    root : the folder that holds the lists' folders
    verify : "stat" compares size and modification time with the manifest and hashes only files that differ;
        "hash" hashes every file

    Raises
    ------
    WorkloadError
        When the folder cannot be written, or the disk is too full.
    """
    folder = root / source.folder_name
    try:
        root.mkdir(parents=True, exist_ok=True)
        with _only_one(root):
            manifest = _manifest_of(source, folder)
            if manifest is not None:
                manifest = _verified(manifest, folder, hash_all=verify == "hash")
            if manifest is None:
                manifest = _build(source, root)
    except OSError as error:
        reason = "the disk is full; free some space" if error.errno == errno.ENOSPC else error.strerror
        raise WorkloadError(f"{folder}: cannot be written: {reason}.") from error
    return SampleFiles(
        folder=folder, sizes_csv=folder / SIZES_NAME, payload_dir=folder / PAYLOADS_NAME, **asdict(manifest.reached)
    )


@contextmanager
def _only_one(root: Path) -> Iterator[None]:
    """Hold the lock of this root: two processes never build the same folder at once. Removes what killed ones left."""
    with (root / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for leftover in root.glob(".*.partial"):
            shutil.rmtree(leftover)
        yield


def _verified(manifest: Manifest, folder: Path, *, hash_all: bool) -> Manifest | None:
    """The manifest with today's modification times; of a damaged folder, which is removed then, None."""
    changed, current = check_files(manifest, folder, hash_all=hash_all)
    if changed:
        more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
        say_on_stderr(f"{folder}: {changed[0]}{more} had changed or was missing; the folder is made again.")
        shutil.rmtree(folder)
        return None
    if current != manifest:
        write_manifest(current, folder)
    return current


def _build(source: ListSource, root: Path) -> Manifest:
    plan = plan_list(source, root)
    free = shutil.disk_usage(root).free
    needed = f"{plan.summary.unique} payloads, {human_bytes(plan.disk_bytes)} of disk ({human_bytes(free)} free)"
    if plan.disk_bytes > free:
        raise WorkloadError(f"Not enough disk for {plan.folder.name}: {needed}; free some, or ask for a smaller count.")
    say_on_stderr(f"Making {plan.folder}: {plan.summary.count} sizes, {needed}.")
    partial = plan.folder.with_name(f".{plan.folder.name}.partial")
    try:
        manifest = _fill(partial, source, plan.summary)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise
    if plan.folder.exists():
        shutil.rmtree(plan.folder)
    partial.rename(plan.folder)
    return manifest


def _fill(folder: Path, source: ListSource, summary: ListSummary) -> Manifest:
    payload_dir = folder / PAYLOADS_NAME
    payload_dir.mkdir(parents=True)
    write_size_list(source.sizes, folder / SIZES_NAME)
    sizes = unique_sizes(source.sizes).tolist()
    records = write_payloads(payload_dir, sizes)
    payloads = {f"{PAYLOADS_NAME}/{payload_name(size)}": record for size, record in zip(sizes, records, strict=True)}
    files = {SIZES_NAME: record_of(folder / SIZES_NAME), **payloads}
    manifest = Manifest(made_from=dict(source.made_from), reached=summary, files=files)
    write_manifest(manifest, folder)
    return manifest


def human_bytes(count: int) -> str:
    """A byte count for people."""
    value = float(count)
    for unit in ("B", "kB", "MB"):
        if value < 1000:
            return f"{value:.3g} {unit}"
        value /= 1000
    return f"{value:.3g} GB"
