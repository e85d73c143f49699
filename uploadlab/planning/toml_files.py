"""Read a TOML file into a typed value, refusing unknown keys by name, file and line."""

import re
import tomllib
from pathlib import Path
from typing import TypeVar

import msgspec

from uploadlab.errors import LabError

T = TypeVar("T")


def read_toml(path: Path, kind: type[T]) -> T:
    """Return the file's content as `kind`, a msgspec struct.

    Raises
    ------
    LabError
        One sentence with the file and, where it can be told, the line: no such file, not TOML, an unknown key,
        not UTF-8, a missing key, a value of another type.
    """
    text = read_text(path)
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise LabError(f"{path}: not valid TOML: {error}.") from error
    try:
        return msgspec.convert(data, kind)
    except msgspec.ValidationError as error:
        raise LabError(f"{path}{line_of(str(error), text)}: {error}.") from error


def read_text(path: Path) -> str:
    """Return a file's text; LabError where it cannot be read or is not UTF-8."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise LabError(f"{path}: cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise LabError(f"{path}: expected text in UTF-8, and its byte {error.start + 1} is none.") from error


def line_of(message: str, text: str) -> str:
    """Find the line a validation message speaks of: the named unknown field, else the last key of its path."""
    named = re.search(r"unknown field `([^`]+)`", message) or re.search(r"`\$\.(?:.*\.)?(\w+)(?:\[.*)?`$", message)
    if not named:
        return ""
    key = re.compile(rf"(^|[\s{{.,\[]){re.escape(named.group(1))}(\s*=|\]|\.)")
    for number, line in enumerate(text.splitlines(), start=1):
        if key.search(line.split("#", 1)[0]):
            return f", line {number}"
    return ""
