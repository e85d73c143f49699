"""Request files as text that a CSV reader can take: whole records, in UTF-8, with one kind of line end.

A file that is so already is read where it lies. Any other (gzip, UTF-16, Latin-1, mixed line ends or lone carriage
returns, a last line that was cut) is written once to a temporary file.
"""

import codecs
import gzip
import os
import shutil
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from uploadlab.errors import LabError

CHUNK_BYTES = 1 << 22
_GZIP = b"\x1f\x8b"
_OTHER_PACKERS = {b"(\xb5/\xfd": "Zstandard", b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz", b"PK\x03\x04": "ZIP"}
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True, kw_only=True)
class RequestText:
    """A request file as plain text in `path`, and what was done to it."""

    path: Path
    encoding: str = "utf-8"
    """What the file itself is written in."""
    cut: bool = False
    """Whether the end was cut: the last line has no line end, or a packed file ends too early."""
    left_out: str = ""
    """The cut last record, which is not in `path`."""


@dataclass(frozen=True, kw_only=True)
class _Scan:
    """What one pass over a file finds."""

    utf8: bool
    mixed_ends: bool
    only_cr: bool
    """Whether there are carriage returns and no line feed at all."""
    whole_bytes: int
    """How many bytes whole records have."""
    size: int


@contextmanager
def literal_path(path: Path) -> Iterator[str]:
    """Give a name of a file that means this very file: a library takes `*`, `?` and `[` in a path for a pattern.

    Raises LabError when it cannot be opened.
    """
    with _opened(path) as file:
        yield f"/dev/fd/{file.fileno()}"


@contextmanager
def request_text(path: Path) -> Iterator[RequestText]:
    """Give the text of a request file (CSV or XML, packed by gzip or not); what was made for it is removed after.

    Raises LabError when the file is missing, cannot be read, or is packed otherwise.
    """
    with tempfile.TemporaryDirectory(prefix="requests-") as folder:
        plain, broken = path, False
        with _opened(path) as file:
            if not path.is_file():  # a pipe can be read once only
                plain = Path(folder) / "piped"
                with plain.open("wb") as target:
                    shutil.copyfileobj(file, target, CHUNK_BYTES)
        with plain.open("rb") as file:
            opening = file.read(8)
        for mark, packer in _OTHER_PACKERS.items():
            if opening.startswith(mark):
                raise LabError(f"{path} is compressed with {packer}; expected plain text or gzip.")
        if not opening:
            raise LabError(f"{path} is empty; expected a header line and one line a request.")
        if opening.startswith(_GZIP):
            packed, plain = plain, Path(folder) / "unpacked"
            broken = _unpack(packed, plain, path)
        if opening.startswith(_UTF_16) or _begins(plain, _UTF_16):
            yield _rewritten(path, plain, Path(folder) / "text", "utf-16", broken)
            return
        if _begins(plain, (b"<", codecs.BOM_UTF8 + b"<")):
            yield RequestText(path=plain, cut=broken)  # XML says itself what it is written in
            return
        scan = _scan(plain)
        encoding = "utf-8" if scan.utf8 else "latin-1"
        if scan.only_cr:
            yield _rewritten(path, plain, Path(folder) / "text", encoding, broken, line_end="\r")
        elif scan.utf8 and not scan.mixed_ends and scan.whole_bytes == scan.size:
            yield RequestText(path=plain, cut=broken)
        else:
            yield _rewritten(path, plain, Path(folder) / "text", encoding, broken, scan)


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    try:
        if path.is_dir():
            raise LabError(f"{path} is a folder; expected a request file.")
        file = path.open("rb")
    except FileNotFoundError:
        raise LabError(f"{path} is missing.") from None
    except (OSError, ValueError) as error:
        raise LabError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}.") from None
    with file:
        yield file


def _begins(path: Path, marks: tuple[bytes, ...]) -> bool:
    with path.open("rb") as file:
        return file.read(512).lstrip().startswith(marks)


def _unpack(packed: Path, plain: Path, name: Path) -> bool:
    """Unpack a gzip file; return whether it ends too early."""
    with gzip.open(packed, "rb") as source, plain.open("wb") as target:
        try:
            while chunk := source.read1(CHUNK_BYTES):  # read() would lose what comes before an early end
                target.write(chunk)
        except EOFError:
            if target.tell() == 0:
                raise LabError(f"{name} is not a complete gzip file: nothing in it can be decompressed.") from None
            return True
        except (gzip.BadGzipFile, zlib.error) as error:
            if target.tell() == 0:
                raise LabError(f"{name} is not a gzip file that can be decompressed: {error}.") from None
            raise LabError(f"{name} is damaged: {error} after {target.tell()} decompressed bytes.") from None
    return False


def _scan(path: Path) -> _Scan:
    decoder = codecs.getincrementaldecoder("utf-8")()
    utf8, cr, lf, crlf, quotes, size = True, 0, 0, 0, 0, 0
    starts: list[tuple[int, int]] = []  # of each chunk: its offset, and how many quotes came before it
    last = b""
    with path.open("rb") as file:
        while chunk := file.read(CHUNK_BYTES):
            starts.append((size, quotes))
            if utf8:
                try:
                    decoder.decode(chunk)
                except UnicodeDecodeError:
                    utf8 = False
            cr += chunk.count(b"\r")
            lf += chunk.count(b"\n")
            crlf += chunk.count(b"\r\n") + (last == b"\r" and chunk.startswith(b"\n"))
            quotes += chunk.count(b'"')
            size += len(chunk)
            last = chunk[-1:]
        whole = size if last == b"\n" else _end_of_records(file, starts)
    return _Scan(utf8=utf8, mixed_ends=0 < crlf < lf, only_cr=cr > 0 and lf == 0, whole_bytes=whole, size=size)


def _end_of_records(file: IO[bytes], starts: list[tuple[int, int]]) -> int:
    """Return where the last record ends that has a line end: the last line feed outside quotes."""
    for offset, quotes_before in reversed(starts):
        file.seek(offset)
        chunk = file.read(CHUNK_BYTES)
        end = chunk.rfind(b"\n")
        while end >= 0:
            if (quotes_before + chunk.count(b'"', 0, end)) % 2 == 0:
                return offset + end + 1
            end = chunk.rfind(b"\n", 0, max(0, chunk.rfind(b'"', 0, end)))
    return 0


def _rewritten(
    path: Path,
    plain: Path,
    target: Path,
    encoding: str,
    broken: bool,
    scan: _Scan | None = None,
    line_end: str = "\r\n",
) -> RequestText:
    """Write a file again in UTF-8 with line feeds only, without the record that was cut."""
    if scan is None:  # where line feeds are no single bytes yet, records are found in what was written
        _transcode(plain, target, encoding, None, line_end)
        whole_bytes = _scan(target).whole_bytes
        left_out = _text_from(target, whole_bytes, "utf-8")
        os.truncate(target, whole_bytes)
    else:
        try:
            _transcode(plain, target, encoding, scan.whole_bytes)
        except UnicodeDecodeError as error:
            raise LabError(f"{path} cannot be read as {encoding}: {error.reason}.") from None
        left_out = _text_from(plain, scan.whole_bytes, encoding)
    return RequestText(path=target, encoding=encoding, cut=broken or bool(left_out), left_out=left_out)


def _transcode(source: Path, target: Path, encoding: str, length: int | None, line_end: str = "\r\n") -> None:
    decoder = codecs.getincrementaldecoder(encoding)(errors="replace" if encoding == "utf-16" else "strict")
    left = source.stat().st_size if length is None else length
    with source.open("rb") as file, target.open("w", encoding="utf-8", newline="") as out:
        held = ""
        while left > 0 and (chunk := file.read(min(CHUNK_BYTES, left))):
            left -= len(chunk)
            text = held + decoder.decode(chunk)
            held = "\r" if text.endswith("\r") else ""
            out.write(text[: len(text) - len(held)].replace(line_end, "\n"))
        out.write(held.replace(line_end, "\n"))


def _text_from(path: Path, place: int, encoding: str) -> str:
    with path.open("rb") as file:
        file.seek(place)
        return file.read(CHUNK_BYTES).decode(encoding, errors="replace")
