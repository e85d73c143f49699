"""The manifest of a folder of generated files: what it was made from, and every file with its SHA-256."""

import hashlib
import os
from pathlib import Path
from typing import Any, Literal

import msgspec

from monitoring.whole_file import replacing
from workload_gen.lists.size_list import ListSummary

MANIFEST_NAME = "manifest.json"


class FileRecord(msgspec.Struct, frozen=True, array_like=True):
    """A file as it was written: its size, SHA-256 and modification time."""

    bytes: int
    sha256: str
    mtime_ns: int


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """What the files were made from, what the list amounts to, and the files by their path in the folder."""

    schema: Literal[1] = 1
    made_from: dict[str, Any]
    reached: ListSummary
    files: dict[str, FileRecord]


def write_manifest(manifest: Manifest, folder: Path) -> None:
    """Write the manifest into the folder in one step."""
    with replacing(folder / MANIFEST_NAME) as new:
        new.write_bytes(msgspec.json.format(msgspec.json.encode(manifest), indent=1))


def read_manifest(folder: Path) -> Manifest | None:
    """The manifest of a folder; None where there is none that can be read."""
    try:
        return msgspec.json.decode((folder / MANIFEST_NAME).read_bytes(), type=Manifest)
    except (OSError, msgspec.DecodeError):
        return None


def record_of(path: Path) -> FileRecord:
    """What is known of a file once its content was read."""
    with path.open("rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        status = os.fstat(file.fileno())
    return FileRecord(bytes=status.st_size, sha256=sha256, mtime_ns=status.st_mtime_ns)


def check_files(manifest: Manifest, folder: Path, *, hash_all: bool) -> tuple[list[str], Manifest]:
    """Compare the files with the manifest.

    A file whose size and modification time are as recorded is taken as unchanged unless `hash_all`; any other is
    hashed.

    Returns
    -------
    the names of missing and changed files, and the manifest with the modification times of unchanged files as they
    are now (copying a folder changes them)
    """
    changed, files = [], {}
    for name, record in manifest.files.items():
        found = _found(folder, name, record, hash_all=hash_all)
        if found is None or found.sha256 != record.sha256:
            changed.append(name)
        else:
            files[name] = found
    return changed, msgspec.structs.replace(manifest, files=files)


def _found(folder: Path, name: str, record: FileRecord, *, hash_all: bool) -> FileRecord | None:
    """The file as it is now; None where it is not there, or no file."""
    path = f"{folder}/{name}"
    try:
        status = os.lstat(path)
    except OSError:
        return None
    if status.st_size != record.bytes:
        return None
    return record_of(Path(path)) if hash_all or status.st_mtime_ns != record.mtime_ns else record
