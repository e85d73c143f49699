"""The errors this package raises; each text is one sentence meant for the user."""

from pathlib import Path


class MonitoringError(Exception):
    """Something could not be measured or read; the text says what and what to do."""


class CollectorError(MonitoringError):
    """A collector could not be started, or did not end as it should."""


class RecordingError(MonitoringError):
    """A recording could not be read."""

    def __init__(self, path: Path, line: int, sentence: str) -> None:
        """Make the error; the text becomes `path:line: sentence` (1-based; 0 when the whole file is meant)."""
        place = f"{path}:{line}" if line else f"{path}"
        super().__init__(f"{place}: {sentence}")


def read_bytes(path: Path) -> bytes:
    """Return what a recording holds; RecordingError when it cannot be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise RecordingError(path, 0, f"cannot be read: {error.strerror}") from None


def read_lines(path: Path) -> list[str]:
    """Return the lines of a recording: the last is empty, or has no line end and may be cut off."""
    return read_bytes(path).decode("utf-8", errors="replace").split("\n")
