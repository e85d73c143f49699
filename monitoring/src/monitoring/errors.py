"""The errors this package raises; each text is one sentence meant for the user."""

from dataclasses import dataclass
from pathlib import Path


class MonitoringError(Exception):
    """Something could not be measured or read; the text says what and what to do."""


class CollectorError(MonitoringError):
    """A collector could not be started, or did not end as it should."""


class RecordingError(MonitoringError):
    """A recording could not be read.

    `path` and `line` (1-based; 0 when the whole file is meant) say where.
    """

    def __init__(self, path: Path, line: int, sentence: str) -> None:
        """Make the error; the text becomes `path:line: sentence`."""
        place = f"{path}:{line}" if line else f"{path}"
        super().__init__(f"{place}: {sentence}")
        self.path = path
        self.line = line
        self.sentence = sentence


def read_bytes(path: Path) -> bytes:
    """Return what a recording holds; RecordingError when it cannot be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise RecordingError(path, 0, f"cannot be read: {error.strerror}") from None


@dataclass(frozen=True, kw_only=True)
class DamagedLine:
    """A line that was left out, or a figure of it that was (`line` is 1-based)."""

    line: int
    sentence: str


def read_lines(path: Path) -> tuple[list[str], list[DamagedLine]]:
    """Return the whole lines of a recording, and what is to be said of a last one that is cut off."""
    *lines, cut = read_bytes(path).decode("utf-8", errors="replace").split("\n")
    sentence = "has no line end: it may be cut off, left out"
    return lines, [DamagedLine(line=len(lines) + 1, sentence=sentence)] if cut else []
