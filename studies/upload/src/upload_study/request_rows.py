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
    rows: dict[str, list[dict[str, str]]] = {label: [] for label in labels}
    warm_ups = answered = unanswered = own_faults = 0
    for row in _rows(path):
        code = row["responseCode"]
        if code.isdecimal():
            answered += accepts(int(code))
        else:
            unanswered += 1
            said = code + row.get("responseMessage", "")
            own_faults += any(fault in said for fault in OWN_FAULTS)
        if row["label"] == WARM_UP:
            warm_ups += 1
        elif row["label"] in rows:
            rows[row["label"]].append(row)
    if missing := [label for label, found in rows.items() if not found]:
        raise DriverError(f"{path}: it has no request labelled '{missing[0]}'.")
    of = {label: _requests(found) for label, found in rows.items()}
    return RequestFile(of=of, warm_ups=warm_ups, answered=answered, unanswered=unanswered, own_faults=own_faults)


def _requests(rows: list[dict[str, str]]) -> Requests:
    start_ms = np.array([_ms(row, "timeStamp") for row in rows])
    is_open = rows[0].get("scheduled_ms", "null") != "null"
    due_ms = np.array([_ms(row, "scheduled_ms") for row in rows]) if is_open else start_ms
    full = [float(row["full_us"]) / 1000 if is_open and "full_us" in row else np.nan for row in rows]
    found = Requests(
        start_ms=start_ms,
        elapsed_ms=np.array([_ms(row, "elapsed") for row in rows]),
        failed=np.array([row["success"] != "true" for row in rows]),
        due_ms=due_ms,
        full_ms=np.array(full),
        delay_ms=np.array([int(row["delay_us"]) / 1000 for row in rows if "delay_us" in row]),
        sent_bytes=np.array([float(row.get("sentBytes") or 0) for row in rows]),
        users=np.array([row.get("threadName", "") for row in rows]),
        is_open=is_open,
    )
    return taken(found, np.argsort(due_ms, kind="stable"))


def taken(requests: Requests, which: NDArray[np.int64] | NDArray[np.bool_]) -> Requests:
    """Return some of the requests, by their places or by a mask."""
    some = {name: value[which] for name, value in vars(requests).items() if name != "is_open" and len(value)}
    return replace(requests, **some)


def _ms(row: dict[str, str], name: str) -> float:
    """Return a time of a row, of its column in microseconds where it has one."""
    in_us = row.get(IN_US[name])
    return float(row[name]) if in_us is None else int(in_us) / 1000


def _rows(path: Path) -> Iterator[dict[str, str]]:
    try:
        file = path.open(newline="", encoding="utf-8")
    except OSError as error:
        raise DriverError(f"{path}: cannot be read: {error.strerror}.") from error
    with file:
        reader = csv.DictReader(file)
        missing = [name for name in COLUMNS if name not in (reader.fieldnames or ())]
        if missing:
            raise DriverError(f"{path}, line 1: the column '{missing[0]}' is missing.")
        for row in reader:
            if None in row.values():
                raise DriverError(f"{path}, line {reader.line_num}: the row is cut off.")
            yield row
