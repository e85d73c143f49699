"""Read a JVM's unified log (`-Xlog:gc*,safepoint:file=FILE:time,...`): garbage collections and safepoints.

Our own reader because the known ones (GCToolKit, GCViewer) are Java programs.
"""

import re
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from monitoring.errors import DamagedLine, RecordingError, read_lines

_LINE = re.compile(r"((?:\[[^\]]*\])+) (.*)")
_DECORATION = re.compile(r"\[([^\]]*)\]")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d{4}", re.ASCII)
_COLLECTION = re.compile(
    r"GC\(\d+\) (Pause .+?)(?: \d+[BKMGT](?:\(\d+[BKMGT]\))?->(?:(\d+)([BKMGT])\((\d+)([BKMGT])\))?.*)? (\d+\.\d+)ms",
    re.ASCII,
)
_BYTES = {"B": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_SAFEPOINT = re.compile(r'Safepoint "([^"]+)", .*Reaching safepoint: \d+ ns, .*Total: (\d+) ns(?:,.*)?', re.ASCII)

_LAST_NS = 2**63 - 1


@dataclass(frozen=True, kw_only=True)
class Pauses:
    """Times in which all threads of the JVM stood still, in the order of the log.

    `end_ns` (n,) is when each ended (epoch ns; the log has milliseconds), `duration_ns` (n,) how long it took, `names`
    (n,) what it was for.
    """

    end_ns: NDArray[np.int64]
    duration_ns: NDArray[np.float64]
    names: list[str]

    def __len__(self) -> int:
        """Return the number of pauses."""
        return len(self.names)


@dataclass(frozen=True, kw_only=True)
class JvmLog:
    """The pauses of a JVM: `collections` for garbage, and all `safepoints`, which hold those of the collections too.

    `heap_after_bytes` and `heap_bytes`, parallel to `collections`, are what was in the heap after each and what it had
    room for; nan where the log does not say.
    """

    collections: Pauses
    heap_after_bytes: NDArray[np.float64]
    heap_bytes: NDArray[np.float64]
    safepoints: Pauses
    damages: tuple[DamagedLine, ...]


def read_jvm_log(path: Path) -> JvmLog:
    """Read a unified log of JDK 17 or later whose lines begin with the wall-clock time.

    Lines about other things are passed over; those that are no log line are listed in `damages`. Raises RecordingError
    with file and line when the file cannot be read or has no line with a time.
    """
    lines, cut = read_lines(path)
    collections: list[tuple[int, float, str]] = []
    heaps: list[tuple[float, float]] = []
    safepoints: list[tuple[int, float, str]] = []
    damages: list[DamagedLine] = []
    timed = False
    for number, line in enumerate(lines, 1):
        match = _LINE.fullmatch(line.rstrip("\r"))
        end_ns = _end_ns(match[1]) if match else None
        if match is None or end_ns is None:
            damages.append(DamagedLine(line=number, sentence=f"is not a line of a JVM log with a time: {line[:60]!r}"))
            continue
        timed = True
        if collection := _COLLECTION.fullmatch(match[2]):
            collections.append((end_ns, float(collection[6]) * 1e6, collection[1]))
            heaps.append((_bytes(collection[2], collection[3]), _bytes(collection[4], collection[5])))
        elif safepoint := _SAFEPOINT.fullmatch(match[2]):
            safepoints.append((end_ns, float(safepoint[2]), safepoint[1]))
    if not timed:
        expected = "expected lines such as [2026-01-31T12:00:00.000+0000][gc] Using G1"
        raise RecordingError(path, 1, f"is not a JVM log with times ({expected})")
    return JvmLog(
        collections=_pauses(collections),
        heap_after_bytes=np.array([after for after, _ in heaps], dtype=np.float64),
        heap_bytes=np.array([room for _, room in heaps], dtype=np.float64),
        safepoints=_pauses(safepoints),
        damages=(*damages, *cut),
    )


def _bytes(number: str | None, unit: str | None) -> float:
    return float(number) * _BYTES[unit] if number and unit else np.nan


def _end_ns(decorations: str) -> int | None:
    for decoration in _DECORATION.findall(decorations):
        if _TIME.fullmatch(decoration):
            try:
                moment = datetime.strptime(decoration, "%Y-%m-%dT%H:%M:%S.%f%z")
            except ValueError:
                return None
            end_ns = round(moment.timestamp() * 1000) * 1_000_000
            return end_ns if 0 <= end_ns <= _LAST_NS else None
    return None


def _pauses(rows: list[tuple[int, float, str]]) -> Pauses:
    return Pauses(
        end_ns=np.array([row[0] for row in rows], dtype=np.int64),
        duration_ns=np.array([row[1] for row in rows], dtype=np.float64),
        names=[row[2] for row in rows],
    )
