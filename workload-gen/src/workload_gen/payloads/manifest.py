"""The manifest of a folder of generated files: what it was made from, and every file with its SHA-256."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from workload_gen.lists.size_list import ListSummary

MANIFEST_NAME = "manifest.json"
_SCHEMA = 1


@dataclass(frozen=True, kw_only=True)
class FileRecord:
    """A file as it was written: its size, SHA-256 and modification time."""

    bytes: int
    sha256: str
    mtime_ns: int


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """What the files were made from, what the list amounts to, and the files by their path in the folder."""

    made_from: Mapping[str, Any]
    reached: ListSummary
    files: Mapping[str, FileRecord]


def write_manifest(manifest: Manifest, folder: Path) -> None:
    """Write the manifest into the folder in one step."""
    document = {
        "schema": _SCHEMA,
        "made_from": manifest.made_from,
        "reached": asdict(manifest.reached),
        "files": {name: [f.bytes, f.sha256, f.mtime_ns] for name, f in manifest.files.items()},
    }
    partial = folder / f".{MANIFEST_NAME}.partial"
    partial.write_text(json.dumps(document, indent=0) + "\n")
    partial.replace(folder / MANIFEST_NAME)


def read_manifest(folder: Path) -> Manifest | None:
    """The manifest of a folder; None where there is none that can be read."""
    try:
        document = json.loads((folder / MANIFEST_NAME).read_text())
        if document["schema"] != _SCHEMA:
            return None
        return Manifest(
            made_from=document["made_from"],
            reached=ListSummary(**document["reached"]),
            files={n: FileRecord(bytes=f[0], sha256=f[1], mtime_ns=f[2]) for n, f in document["files"].items()},
        )
    except (OSError, ValueError, KeyError, TypeError, IndexError):
        return None


def sha256_of(path: Path) -> str:
    """SHA-256 of a file's content, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check_files(manifest: Manifest, folder: Path, *, hash_all: bool) -> tuple[list[str], Manifest]:
    """Compare the files with the manifest.

    A file whose size and modification time are as recorded is taken as unchanged unless `hash_all`; any other is
    hashed.

    Returns
    -------
    the names of missing and changed files, and the manifest with the modification times of unchanged files as they
    are now (copying a folder changes them)
    """
    on_disk = {**_stat_all(folder), **_stat_all(folder / "payloads", "payloads/")}
    changed = []
    files = dict(manifest.files)
    for name, record in manifest.files.items():
        found = on_disk.get(name)
        if found is None or found[0] != record.bytes:
            changed.append(name)
        elif hash_all or found[1] != record.mtime_ns:
            if sha256_of(folder / name) == record.sha256:
                files[name] = replace(record, mtime_ns=found[1])
            else:
                changed.append(name)
    return changed, replace(manifest, files=files)


def _stat_all(folder: Path, prefix: str = "") -> dict[str, tuple[int, int]]:
    """Size and modification time in nanoseconds of every regular file directly in the folder."""
    try:
        with os.scandir(folder) as entries:
            stats = [(e.name, e.stat(follow_symlinks=False)) for e in entries if e.is_file(follow_symlinks=False)]
    except OSError:
        return {}
    return {prefix + name: (s.st_size, s.st_mtime_ns) for name, s in stats}
