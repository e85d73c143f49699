"""A user's own sizes: read from a folder of files, or from a text or CSV list."""

from __future__ import annotations

import codecs
import csv
import gzip
import hashlib
import io
import itertools
import math
import os
import zlib
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
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
        measured = _read_folder(path) if path.is_dir() else _read_list(path, column)
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


def _read_list(path: Path, column: str | None) -> MeasuredSizes:
    if column is not None:
        return _read_column(path, column)
    with _open(path) as file:
        parts = [_parse_block(path, first_line, block) for first_line, block in _blocks(file)]
    heading = tuple(note for _, note in parts if note)
    return MeasuredSizes(sizes=_joined([sizes for sizes, _ in parts]), origin=str(path), notes=heading)


def _joined(parts: list[NDArray[np.integer]]) -> NDArray[np.integer]:
    """The parts in one array; each is freed as it is copied, so that memory holds the list once."""
    wide = any(part.dtype != np.uint32 for part in parts)
    total = sum(part.size for part in parts)
    whole: NDArray[np.integer] = np.empty(total, dtype=np.int64) if wide else np.empty(total, dtype=np.uint32)
    end = whole.size
    while parts:
        part = parts.pop()
        whole[end - part.size : end] = part
        end -= part.size
    return whole


def _narrow(sizes: NDArray[np.int64]) -> NDArray[np.integer]:
    """The sizes in 32 bits where they fit."""
    return sizes.astype(np.uint32) if sizes.size == 0 or sizes.max() < 2**32 else sizes


def _open(path: Path) -> gzip.GzipFile | io.BufferedReader:
    return gzip.GzipFile(path) if path.suffix == ".gz" else path.open("rb")


def _blocks(file: gzip.GzipFile | io.BufferedReader) -> Iterator[tuple[int, bytes]]:
    """Whole lines, some megabytes at a time, with the number of the first of them; a byte order mark is left out."""
    line = 1
    while block := file.read(_BLOCK_BYTES):
        block += file.readline()
        yield line, block.removeprefix(codecs.BOM_UTF8) if line == 1 else block
        line += block.count(b"\n")


def _parse_block(path: Path, first_line: int, block: bytes) -> tuple[NDArray[np.integer], str]:
    """The sizes in a block; by numpy where every line is a plain number, else line by line."""
    if not block.translate(None, b"0123456789\r\n"):
        lines = block.split()
        if max(map(len, lines), default=0) <= 15:
            sizes = np.array(lines, dtype="S15").astype(np.int64)
            if sizes.size == 0 or sizes.min() > 0:
                return _narrow(sizes), ""
    return _parse_lines(path, first_line, block)


def _parse_lines(path: Path, first_line: int, block: bytes) -> tuple[NDArray[np.integer], str]:
    sizes: list[int] = []
    heading = ""
    content_seen = first_line > 1
    for number, line in enumerate(block.decode().splitlines(), first_line):
        text = line.strip().rstrip(",").strip('"')
        if not text or text.startswith("#"):
            continue
        if not content_seen and not _looks_numeric(text):
            heading = f"Line {number} ({text!r}) was taken as a heading."
        else:
            sizes.append(parse_size(text, f"{path}, line {number}"))
        content_seen = True
    return _narrow(np.array(sizes, dtype=np.int64)), heading


def _looks_numeric(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return text[:1] in "+-.0123456789"
    return True


def _read_column(path: Path, column: str) -> MeasuredSizes:
    with io.TextIOWrapper(_open(path), encoding="utf-8-sig", newline="") as file:
        sizes = _column_of(path, file, column)
        parts = []
        while part := array("q", itertools.islice(sizes, _ROWS_AT_A_TIME)):
            parts.append(_narrow(np.frombuffer(part, dtype=np.int64)))
    return MeasuredSizes(sizes=_joined(parts), origin=f"{path}, column {column}")


def _column_of(path: Path, file: io.TextIOWrapper, column: str) -> Iterator[int]:
    rows = csv.reader(_without_opening_comments(file))
    try:
        heading = next(filter(None, rows), [])
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


def _without_opening_comments(lines: io.TextIOWrapper) -> Iterator[str]:
    """Comment lines above the heading emptied, so that the line numbers stay right; below it, # may begin a name."""
    for line in lines:
        if line.startswith("#"):
            yield "\n"
            continue
        yield line
        if line.strip():
            break
    yield from lines


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
    return MeasuredSizes(sizes=kept, origin=measured.origin, notes=(*measured.notes, *notes))


def _number(text: str) -> float:
    """As float, which also takes 1_000 and digits of any script; these are ValueErrors here."""
    if "_" in text or not text.isascii():
        raise ValueError
    return float(text)


def parse_size(text: str, where: str) -> int:
    """A size from text; `where` names the file and line for the error."""
    try:
        value = _number(text)
    except ValueError:
        hint = " (for one column of several, name it with --column)" if "," in text else ""
        raise WorkloadError(f"{where}: {text[:60]!r} is not a number. {_ANY_LINE}{hint}.") from None
    if math.isnan(value) or value < 1 or value > LARGEST_MEASURED or value != math.floor(value):
        raise WorkloadError(f"{where}: {text[:60]!r} is not a size. {_ANY_LINE} to {LARGEST_MEASURED}.")
    return int(value)
