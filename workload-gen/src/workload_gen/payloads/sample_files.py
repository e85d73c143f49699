"""A sample on disk: its size list, its payload files and their manifest, made once and checked on every use.

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
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from workload_gen.errors import WorkloadError
from workload_gen.lists.size_list import ListSummary, summarise, unique_sizes, write_size_list
from workload_gen.lists.table1_list import table1_sizes
from workload_gen.models.distribution import Sizes
from workload_gen.payloads.manifest import MANIFEST_NAME, FileRecord, Manifest, check_files, read_manifest, sha256_of
from workload_gen.payloads.manifest import write_manifest as _write_manifest
from workload_gen.payloads.payload_files import payload_name, write_payload, write_payloads
from workload_gen.table1 import SAMPLES_DIR, table1_sample

GENERATOR = 1
"""Raised when the same settings would give other lists or payloads, so that old folders are made again."""

MAX_FILE_BYTES = 200 * 1024 * 1024
"""The upload contract's limit for one file."""

SIZES_NAME = "sizes.csv"
PAYLOADS_NAME = "payloads"

Verify = Literal["stat", "hash"]
Say = Callable[[str], None]


def say_on_stderr(sentence: str) -> None:
    """Tell the user on standard error."""
    print(sentence, file=sys.stderr, flush=True)


@dataclass(frozen=True, kw_only=True)
class SampleFiles:
    """A sample's files, verified. Byte figures are of the list (each upload counted), not of the unique payloads."""

    folder: Path
    sizes_csv: Path
    payload_dir: Path
    manifest: Path
    count: int
    unique: int
    bytes_total: int
    mean_bytes: float
    sd_bytes: float
    min_bytes: int
    max_bytes: int


@dataclass(frozen=True, kw_only=True)
class SamplePlan:
    """What making a sample takes. `sizes` is the list in upload order, uint32, shape (count,)."""

    folder: Path
    sizes: Sizes
    summary: ListSummary
    payload_bytes: int
    """Content of the payload files, each unique size once."""
    disk_bytes: int
    """What they and the list take on this file system, whole blocks."""
    present: bool
    """Whether the folder is there already (not verified)."""


@dataclass(frozen=True, kw_only=True)
class ListSource:
    """A list that can be made on disk: the folder it gets, what decides its content, and how to draw it."""

    folder_name: str
    made_from: Mapping[str, Any]
    draw: Callable[[], Sizes]


def sample_source(sample: int, *, count: int, seed: int) -> ListSource:
    """The list of a Table 1 sample."""
    row = table1_sample(sample)
    if seed < 0:
        raise WorkloadError(f"The seed must be a whole number from 0, not {seed}.")
    return ListSource(
        folder_name=f"sample-{sample:02d}-n{count}-seed{seed}",
        made_from={
            "generator": GENERATOR,
            "sample": sample,
            "count": count,
            "seed": seed,
            "mean_bytes": row.mean_bytes,
            "sd_bytes": row.sd_bytes,
            "pareto_k": row.pareto_k,
            "alpha": row.alpha,
        },
        draw=lambda: table1_sizes(row, count=count, seed=seed),
    )


def plan_sample(sample: int, *, count: int, seed: int, root: Path = SAMPLES_DIR) -> SamplePlan:
    """The list of a Table 1 sample and the disk its files need; nothing is written."""
    return plan_list(sample_source(sample, count=count, seed=seed), root)


def ensure_sample(
    sample: int,
    *,
    count: int,
    seed: int,
    root: Path = SAMPLES_DIR,
    verify: Verify = "stat",
    say: Say = say_on_stderr,
) -> SampleFiles:
    """The files of a Table 1 sample: made if they are not there, verified if they are, repaired if they are damaged.

    Parameters
    ----------
    sample : number in Table 1
    count : sizes in the list
    seed : of the list
    root : the folder that holds the samples' folders
    verify : "stat" compares size and modification time with the manifest and hashes only files that differ;
        "hash" hashes every file
    say : gets a sentence for the user when files are made or repaired

    Raises
    ------
    WorkloadError
        When the settings are impossible, the folder cannot be written, or the disk is too full.
    """
    return ensure_list(sample_source(sample, count=count, seed=seed), root, verify=verify, say=say)


def plan_list(source: ListSource, root: Path) -> SamplePlan:
    """The list and the disk its files need; nothing is written."""
    sizes = source.draw()
    if int(sizes.max()) > MAX_FILE_BYTES:
        raise WorkloadError(
            f"The list has a size of {int(sizes.max())} bytes, above the upload limit of {MAX_FILE_BYTES}; "
            "give the model a cap or take the size out of the list."
        )
    unique = unique_sizes(sizes)
    block = _block_bytes(root)
    blocks = int((-(-unique.astype("int64") // block)).sum())
    list_bytes = 11 * sizes.size + 160 * unique.size
    return SamplePlan(
        folder=root / source.folder_name,
        sizes=sizes,
        summary=summarise(sizes),
        payload_bytes=int(unique.sum(dtype="uint64")),
        disk_bytes=blocks * block + -(-list_bytes // block) * block,
        present=(root / source.folder_name / MANIFEST_NAME).exists(),
    )


def ensure_list(source: ListSource, root: Path, *, verify: Verify = "stat", say: Say = say_on_stderr) -> SampleFiles:
    """`ensure_sample` for any list."""
    folder = root / source.folder_name
    try:
        root.mkdir(parents=True, exist_ok=True)
        with _only_one(root):
            _remove_leftovers(folder)
            manifest = read_manifest(folder)
            if manifest is None or dict(manifest.made_from) != dict(source.made_from):
                manifest = _build(source, root, say)
            else:
                manifest = _verified(source, manifest, folder, hash_all=verify == "hash", say=say)
    except OSError as error:
        reason = "the disk is full; free some space" if error.errno == errno.ENOSPC else error.strerror
        raise WorkloadError(f"{folder}: cannot be written: {reason}.") from error
    return _sample_files(folder, manifest.reached)


def _sample_files(folder: Path, reached: ListSummary) -> SampleFiles:
    return SampleFiles(
        folder=folder,
        sizes_csv=folder / SIZES_NAME,
        payload_dir=folder / PAYLOADS_NAME,
        manifest=folder / MANIFEST_NAME,
        count=reached.count,
        unique=reached.unique,
        bytes_total=reached.bytes_total,
        mean_bytes=reached.mean_bytes,
        sd_bytes=reached.sd_bytes,
        min_bytes=reached.min_bytes,
        max_bytes=reached.max_bytes,
    )


@contextmanager
def _only_one(root: Path) -> Iterator[None]:
    """Hold the lock of this root: two processes never build or repair the same folder at once."""
    with (root / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _partial(folder: Path) -> Path:
    return folder.with_name(f".{folder.name}.partial")


def _replaced(folder: Path) -> Path:
    return folder.with_name(f".{folder.name}.replaced")


def _remove_leftovers(folder: Path) -> None:
    """Remove what a process that was killed left of this folder."""
    for leftover in (_partial(folder), _replaced(folder)):
        if leftover.exists():
            shutil.rmtree(leftover)


def _build(source: ListSource, root: Path, say: Say) -> Manifest:
    plan = plan_list(source, root)
    free = shutil.disk_usage(root).free
    needed = f"{plan.summary.unique} payloads, {_human(plan.disk_bytes)} of disk ({_human(free)} free)"
    if plan.disk_bytes > free:
        raise WorkloadError(f"Not enough disk for {plan.folder.name}: {needed}; free some, or ask for a smaller count.")
    say(f"Making {plan.folder}: {plan.summary.count} sizes, {needed}.")
    partial = _partial(plan.folder)
    try:
        manifest = _fill(partial, source, plan)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise
    if plan.folder.exists():
        plan.folder.rename(_replaced(plan.folder))
    partial.rename(plan.folder)
    _remove_leftovers(plan.folder)
    return manifest


def _fill(folder: Path, source: ListSource, plan: SamplePlan) -> Manifest:
    (folder / PAYLOADS_NAME).mkdir(parents=True)
    write_size_list(plan.sizes, folder / SIZES_NAME)
    payloads = write_payloads(folder / PAYLOADS_NAME, unique_sizes(plan.sizes).tolist())
    files = {SIZES_NAME: _record(folder / SIZES_NAME)}
    files |= {f"{PAYLOADS_NAME}/{payload_name(size)}": record for size, record in payloads.items()}
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


def _block_bytes(root: Path) -> int:
    """Block size of the file system that holds, or will hold, this folder."""
    there = next(p for p in (root.absolute(), *root.absolute().parents) if p.exists())
    return os.statvfs(there).f_frsize


def _human(count: int) -> str:
    """A byte count for people."""
    value = float(count)
    for unit in ("B", "kB", "MB"):
        if value < 1000:
            return f"{value:.3g} {unit}"
        value /= 1000
    return f"{value:.3g} GB"
