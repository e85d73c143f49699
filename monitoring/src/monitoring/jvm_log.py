"""Read a JVM's unified log (`-Xlog:gc*,safepoint:file=FILE:time,...`): garbage collections and safepoints.

Our own reader because the known ones (GCToolKit, GCViewer) are Java programs.
"""

import re
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from monitoring.errors import RecordingError, read_lines

_TIME = r"(?:19|2[01])\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d{4}"
_LINE = re.compile(rf"(?:\[[^\]]*\])*?\[({_TIME})\](?:\[[^\]]*\])* (.*)", re.ASCII)
_COLLECTION = re.compile(
    r"GC\(\d+\) (Pause .+?)(?: \d+[BKMGT](?:\(\d+[BKMGT]\))?->(?:(\d+)([BKMGT])\((\d+)([BKMGT])\))?.*)? (\d+\.\d+)ms",
    re.ASCII,
)
_BYTES = {"B": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_SAFEPOINT = re.compile(r'Safepoint "([^"]+)", .*Reaching safepoint: \d+ ns, .*Total: (\d+) ns(?:,.*)?', re.ASCII)


@dataclass(frozen=True, kw_only=True)
class Pauses:
    """Times in which all threads of the JVM stood still, in the order of the log.

    `end_ns` (n,) is when each ended (epoch ns; the log has milliseconds), `duration_ns` (n,) how long it took, `names`
    (n,) what it was for.
    """

    end_ns: NDArray[np.int64]
    duration_ns: NDArray[np.float64]
    names: list[str]


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


def read_jvm_log(path: Path) -> JvmLog:
    """Read a unified log of JDK 17 or later whose lines begin with the wall-clock time.

    Lines about other things, and those that are no log line, are passed over. Raises RecordingError with file and line
    when the file cannot be read or has no line with a time.
    """
    collections: list[tuple[int, float, str]] = []
    heaps: list[tuple[float, float]] = []
    safepoints: list[tuple[int, float, str]] = []
    timed = False
    for line in read_lines(path)[:-1]:
        match = _LINE.fullmatch(line.rstrip("\r"))
        end_ns = _end_ns(match[1]) if match else None
        if match is None or end_ns is None:
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
    )


def _bytes(number: str | None, unit: str | None) -> float:
    return float(number) * _BYTES[unit] if number and unit else np.nan


def _end_ns(time: str) -> int | None:
    try:
        return round(datetime.fromisoformat(time).timestamp() * 1000) * 1_000_000
    except ValueError:  # the 31st of June
        return None


def _pauses(rows: list[tuple[int, float, str]]) -> Pauses:
    return Pauses(
        end_ns=np.array([row[0] for row in rows], dtype=np.int64),
        duration_ns=np.array([row[1] for row in rows], dtype=np.float64),
        names=[row[2] for row in rows],
    )
