"""The request file of a run, as arrays: the measured requests of each load by their label."""

import csv
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from upload_study.scenario import WARM_UP
from upload_study.spec import DriverError

COLUMNS = ("timeStamp", "elapsed", "label", "responseCode", "success")
IN_US = {"timeStamp": "start_us", "elapsed": "elapsed_us", "scheduled_ms": "scheduled_us"}
OWN_FAULTS = ("BindException", "Too many open files", "Cannot assign requested address", "OutOfMemoryError")
"""In the code or the message of a request that failed for want of something on the load generator's host."""
NS_PER_MS = 1_000_000

Whole = NDArray[np.int64]
Parts = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Requests:
    """The requests of one load in the order in which they began, arrays of shape (n,)."""

    start_ms: Parts
    elapsed_ms: Parts
    failed: NDArray[np.bool_]
    due_ms: Parts
    """When each was due; where the file does not say, when it began."""
    full_ms: Parts
    """How long each was late because all users were busy, as far as the file says; else nan."""
    delay_ms: Parts
    """How long each waited for the load generator, at most; empty where the file does not say."""
    sent_bytes: Parts
    users: NDArray[np.str_]
    """Who sent each: the name of JMeter's thread."""
    is_open: bool
    """Whether the file says when they were due."""

    @property
    def end_ms(self) -> Parts:
        """When each ended."""
        return self.start_ms + self.elapsed_ms

    @property
    def late_ms(self) -> Parts:
        """From when each was due to when it was sent."""
        return self.start_ms - self.due_ms

    @property
    def response_ms(self) -> Parts:
        """From when each was due to its end."""
        return self.end_ms - self.due_ms


@dataclass(frozen=True, kw_only=True)
class RequestFile:
    """What a request file holds."""

    of: dict[str, Requests]
    """The measured requests, by label."""
    warm_ups: int
    answered: int
    """With a status of success, warm-up included."""
    unanswered: int
    """Without any status: what became of these nobody knows."""
    own_faults: int
    """That failed by the load generator's host."""


def read_requests(path: Path, labels: Sequence[str], accepts: Callable[[int], bool]) -> RequestFile:
    """Read a request file; `accepts` says whether a status means that an upload was taken.

    Raises DriverError when the file is missing or damaged, or lacks the requests of one of the labels.
    """
    rows: dict[str, list[list[str]]] = {label: [] for label in labels}
    warm_ups = answered = unanswered = own_faults = 0
    for at, row in _rows(path):
        code, label = row[at["responseCode"]], row[at["label"]]
        if code.isdecimal():
            answered += accepts(int(code))
        else:
            unanswered += 1
            said = code + (row[at["responseMessage"]] if "responseMessage" in at else "")
            own_faults += any(fault in said for fault in OWN_FAULTS)
        if label == WARM_UP:
            warm_ups += 1
        elif label in rows:
            rows[label].append(row)
    if missing := [label for label, found in rows.items() if not found]:
        raise DriverError(f"{path}: it has no request labelled '{missing[0]}'.")
    of = {label: _requests(at, found) for label, found in rows.items()}
    return RequestFile(of=of, warm_ups=warm_ups, answered=answered, unanswered=unanswered, own_faults=own_faults)


def _requests(at: dict[str, int], rows: list[list[str]]) -> Requests:
    def column(name: str) -> list[str]:
        place = at[name]
        return [row[place] for row in rows]

    def ms(name: str) -> Parts:
        """Return the times of a column, of the one in microseconds where there is one."""
        in_us = IN_US[name]
        return np.array(column(in_us), dtype=np.float64) / 1000 if in_us in at else np.array(column(name), np.float64)

    start_ms = ms("timeStamp")
    is_open = "scheduled_ms" in at and rows[0][at["scheduled_ms"]] != "null"
    due_ms = ms("scheduled_ms") if is_open else start_ms
    says_full = is_open and "full_us" in at
    found = Requests(
        start_ms=start_ms,
        elapsed_ms=ms("elapsed"),
        failed=np.array([success != "true" for success in column("success")]),
        due_ms=due_ms,
        full_ms=np.array(column("full_us"), np.float64) / 1000 if says_full else np.full(len(rows), np.nan),
        delay_ms=np.array(column("delay_us"), np.float64) / 1000 if "delay_us" in at else np.array([]),
        sent_bytes=np.array(column("sentBytes"), np.float64) if "sentBytes" in at else np.zeros(len(rows)),
        users=np.array(column("threadName") if "threadName" in at else [""] * len(rows)),
        is_open=is_open,
    )
    return taken(found, np.argsort(due_ms, kind="stable"))


def taken(requests: Requests, which: NDArray[np.int64] | NDArray[np.bool_]) -> Requests:
    """Return some of the requests, by their places or by a mask."""
    some = {name: value[which] for name, value in vars(requests).items() if name != "is_open" and len(value)}
    return replace(requests, **some)


def _rows(path: Path) -> Iterator[tuple[dict[str, int], list[str]]]:
    """Yield each row, with the places of the columns."""
    try:
        file = path.open(newline="", encoding="utf-8")
    except OSError as error:
        raise DriverError(f"{path}: cannot be read: {error.strerror}.") from error
    with file:
        reader = csv.reader(file)
        at = {name: place for place, name in enumerate(next(reader, []))}
        missing = [name for name in COLUMNS if name not in at]
        if missing:
            raise DriverError(f"{path}, line 1: the column '{missing[0]}' is missing.")
        for row in filter(None, reader):
            if len(row) < len(at):
                raise DriverError(f"{path}, line {reader.line_num}: the row is cut off.")
            yield at, row
