"""A user's own sizes: read from a folder of files, or from a text or CSV list."""

import codecs
import csv
import gzip
import hashlib
import io
import itertools
import os
import zlib
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workload_gen.errors import WorkloadError
from workload_gen.lists.size_list import chunks

LARGEST_MEASURED = 2**53 - 1
"""Above this a size is no longer exact as a floating-point number; no file is this large."""

_BLOCK_BYTES = 1024 * 1024
_ROWS_AT_A_TIME = 250_000
_ANY_LINE = "Each line must be one size: a whole number of bytes from 1"


@dataclass(frozen=True, kw_only=True, eq=False)
class MeasuredSizes:
    """Sizes in bytes in the order they were found, shape (n,), all from 1; where they came from.

    Whole numbers of 32 bits where every size fits, which holds ten million of them in 40 MB; else of 64 bits.
    """

    sizes: NDArray[np.integer]
    origin: str
    notes: tuple[str, ...] = ()
    """What a user should know: lines or files that were left out."""


def read_sizes(path: Path, *, column: str | None = None) -> MeasuredSizes:
    """The sizes of the regular files below a folder (each folder's by name), or of a list: one size a line, or a column
    of a CSV file.

    In a list, lines that are empty or start with # (of a CSV file, those above the heading) are left out, a first line
    that is no number is taken as a heading, and a name that ends in .gz is unpacked. Below a folder symbolic links are
    not followed and empty files are left out.

    Raises
    ------
    WorkloadError
        Names the file and the line, when something is not a size or nothing can be read.
    """
    try:
        if path.is_dir():
            measured = _read_folder(path)
        else:
            measured = _read_list(path) if column is None else _read_column(path, column)
    except OSError as error:
        raise WorkloadError(f"{error.filename or path}: cannot be read: {error.strerror or error}.") from error
    except zlib.error as error:
        raise WorkloadError(f"{path}: is damaged: {error}.") from error
    except (UnicodeDecodeError, EOFError) as error:
        raise WorkloadError(f"{path}: is not a text file: {error}.") from error
    if measured.sizes.size == 0:
        raise WorkloadError(f"{path}: there are no sizes in it.")
    return measured


def _read_folder(folder: Path) -> MeasuredSizes:
    sizes = array("q")
    folders: list[str | Path] = [folder]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in sorted(entries, key=lambda entry: entry.name):
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                elif entry.is_file(follow_symlinks=False):
                    sizes.append(entry.stat(follow_symlinks=False).st_size)
    found = np.frombuffer(sizes, dtype=np.int64)
    empty = int((found == 0).sum())
    notes = (f"Empty files left out: {empty}.",) if empty else ()
    return MeasuredSizes(sizes=_narrow(found[found > 0]), origin=str(folder), notes=notes)


def _narrow(sizes: NDArray[np.int64]) -> NDArray[np.integer]:
    """The sizes in 32 bits where they fit."""
    return sizes.astype(np.uint32) if sizes.max(initial=0) < 2**32 else sizes


def _joined(parts: list[NDArray[np.integer]]) -> NDArray[np.integer]:
    return np.concatenate([np.empty(0, dtype=np.uint32), *parts])


def _open(path: Path) -> gzip.GzipFile | io.BufferedReader:
    return gzip.GzipFile(path) if path.suffix == ".gz" else path.open("rb")


def _read_list(path: Path) -> MeasuredSizes:
    parts: list[NDArray[np.integer]] = []
    notes: list[str] = []
    line = 1
    with _open(path) as file:
        while block := file.read(_BLOCK_BYTES):
            block += file.readline()
            parts.append(_parse_block(path, line, block.removeprefix(codecs.BOM_UTF8), notes))
            line += block.count(b"\n")
    return MeasuredSizes(sizes=_joined(parts), origin=str(path), notes=tuple(notes))


def _parse_block(path: Path, first_line: int, block: bytes, notes: list[str]) -> NDArray[np.integer]:
    """The sizes in whole lines; by numpy where every line is a plain number, else line by line."""
    if not block.translate(None, b"0123456789\r\n"):
        lines = block.split()
        if max(map(len, lines), default=0) <= 15:
            sizes = np.array(lines, dtype="S15").astype(np.int64)
            if sizes.min(initial=1) > 0:
                return _narrow(sizes)
    return _narrow(np.array(_parse_lines(path, first_line, block, notes), dtype=np.int64))


def _parse_lines(path: Path, first_line: int, block: bytes, notes: list[str]) -> list[int]:
    sizes: list[int] = []
    content_seen = first_line > 1
    for number, line in enumerate(block.decode().splitlines(), first_line):
        text = line.strip().rstrip(",").strip('"')
        if not text or text.startswith("#"):
            continue
        if content_seen or text[0] in "+-.0123456789":
            sizes.append(parse_size(text, f"{path}, line {number}"))
        else:
            notes.append(f"Line {number} ({text!r}) was taken as a heading.")
        content_seen = True
    return sizes


def _read_column(path: Path, column: str) -> MeasuredSizes:
    parts = []
    with io.TextIOWrapper(_open(path), encoding="utf-8-sig", newline="") as file:
        sizes = _column_of(path, file, column)
        while part := array("q", itertools.islice(sizes, _ROWS_AT_A_TIME)):
            parts.append(_narrow(np.frombuffer(part, dtype=np.int64)))
    return MeasuredSizes(sizes=_joined(parts), origin=f"{path}, column {column}")


def _column_of(path: Path, file: io.TextIOWrapper, column: str) -> Iterator[int]:
    rows = csv.reader(file)
    try:
        heading = next((row for row in rows if row and not row[0].startswith("#")), [])
        if column not in heading:
            there = ", ".join(heading) or "none"
            raise WorkloadError(f"{path}: there is no column {column!r}; its columns are: {there}.")
        place = heading.index(column)
        for row in filter(None, rows):
            where = f"{path}, line {rows.line_num}"
            if len(row) <= place:
                raise WorkloadError(f"{where}: has {len(row)} columns; the heading has {len(heading)}.")
            yield parse_size(row[place].strip(), where)
    except csv.Error as error:
        raise WorkloadError(f"{path}, line {rows.line_num}: {error}; expected CSV (is a quote left open?).") from error


def sha256_of_sizes(sizes: NDArray[np.integer]) -> str:
    """SHA-256 of a list, whatever the width of its numbers in memory."""
    digest = hashlib.sha256()
    for part in chunks(sizes.size):
        digest.update(sizes[part].astype("<i8").tobytes())
    return digest.hexdigest()


def without_larger(measured: MeasuredSizes, cap: float) -> MeasuredSizes:
    """The sizes up to the cap, with a note of how many were left out."""
    kept = measured.sizes[measured.sizes <= cap]
    left_out = measured.sizes.size - kept.size
    if kept.size == 0:
        raise WorkloadError(f"{measured.origin}: every size is above the cap of {cap:g} bytes; raise the cap.")
    notes = (f"{left_out} sizes above the cap of {cap:g} bytes were left out.",) if left_out else ()
    return replace(measured, sizes=kept, notes=(*measured.notes, *notes))


def parse_size(text: str, where: str) -> int:
    """A size from text; `where` names the file and line for the error."""
    try:
        if "_" in text or not text.isascii():
            raise ValueError("float takes 1_000 and digits of any script")
        value = float(text)
    except ValueError:
        hint = " (for one column of several, name it with --column)" if "," in text else ""
        raise WorkloadError(f"{where}: {text[:60]!r} is not a number. {_ANY_LINE}{hint}.") from None
    if not (1 <= value <= LARGEST_MEASURED and value.is_integer()):
        raise WorkloadError(f"{where}: {text[:60]!r} is not a size. {_ANY_LINE} to {LARGEST_MEASURED}.")
    return int(value)
