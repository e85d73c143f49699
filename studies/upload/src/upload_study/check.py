"""Read what the load generator wrote: the measured window, the counts, and the study's own gates."""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from study_kit.gates import Gate, gate, settled_gate
from study_kit.settled import ended_per_s, find_settled, told_of
from upload_study import generator, merging
from upload_study.scenario import resolve
from upload_study.spec import DriverError, RunSpec, UploadTarget

MEASURED = "Upload file"
WARM_UP = "Warm-up upload"
COLUMNS = ("timeStamp", "elapsed", "label", "responseCode", "success")
SCHEDULED, DELAY = "scheduled_ms", "delay_us"
IN_US = {"timeStamp": "start_us", "elapsed": "elapsed_us", SCHEDULED: "scheduled_us"}
NS_PER_MS = 1_000_000

Whole = NDArray[np.int64]
Parts = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Requests:
    """The measured requests in the order of their starts, arrays of shape (n,); the others are counted."""

    start_ms: Whole
    elapsed_ms: Parts
    """With their microseconds where the file has them."""
    failed: NDArray[np.bool_]
    late_ms: Parts
    """From when each was due to when it was sent; empty where the file does not say."""
    delay_ms: Parts
    """How long each waited for the load generator, at most; empty where the file does not say."""
    warm_ups: int
    answered: int
    """Requests with a status that means success, warm-up included."""
    users: NDArray[np.str_]
    """Who sent each: the name of JMeter's thread."""


def check(spec: RunSpec, out: Path) -> dict[str, Any]:
    """Return phases, counts, the mean response time and the study's own gates of a finished load.

    Where the load's window is `settled`, the measured window begins where the run has settled, and the requests before
    it are counted as cut.

    Raises DriverError when a file is missing or damaged, or holds no measured request.
    """
    load = resolve(spec.factors, spec.load, len(spec.engines))
    if spec.engines:
        merging.merge(spec, out)
    sent = _read(out / "requests.jtl", spec.server.upload)
    settled = find_settled(sent.elapsed_ms, sent.start_ms)
    first = settled.first if load.window == "settled" else 0
    start_ms, elapsed_ms = sent.start_ms[first:], sent.elapsed_ms[first:]
    end_ms = np.ceil(start_ms + elapsed_ms).astype(np.int64)
    begin_ns, end_ns = int(start_ms.min()) * NS_PER_MS, int(end_ms.max()) * NS_PER_MS
    planned = generator.planned_requests(load, out)
    gates = [
        *_of_stored(spec, sent.answered),
        *generator.worst_memory_gates(out, spec.gates, merging.windows(spec, begin_ns, end_ns)),
    ]
    if planned is not None:
        sentence = "The load generator sent {figure} of {wanted} requests."
        gates.insert(0, _equal("requests_sent", len(sent.start_ms), planned, "requests", sentence))
    if load.arrivals == "open":
        gates += generator.pacing_gates(sent.late_ms[first:], elapsed_ms, spec.gates)
    if len(sent.delay_ms):
        gates += generator.delay_gates(sent.delay_ms[first:], elapsed_ms, spec.gates)
    engine_of = merging.engine_of(spec, sent.users[first:])
    if spec.engines:
        gates += generator.together_gates(engine_of, start_ms, end_ms, spec.gates)
    if load.window == "settled":
        gates.append(settled_gate(settled, "response times"))
    return {
        "phases": {"measure_start_ns": begin_ns, "measure_end_ns": end_ns},
        "counts": {
            "requests": len(start_ms),
            "errors": int(sent.failed[first:].sum()),
            "cut_requests": first,
            "cut_errors": int(sent.failed[:first].sum()),
            "warmup_requests": sent.warm_ups,
            "stored_files": spec.files_of_load,
            "ended_per_s": ended_per_s(end_ms * NS_PER_MS, begin_ns, end_ns),
        },
        "requests_of": merging.requests_of(spec, engine_of),
        "mean_ms": float(elapsed_ms.mean()),
        "load": {name: getattr(load, name) for name in load.__struct_fields__}
        | {"requests": planned or len(sent.start_ms)},
        "settled": told_of(settled, sent.start_ms * NS_PER_MS, cut=first > 0),
        "gates": gates,
    }


def _of_stored(spec: RunSpec, answered: int) -> list[Gate]:
    """Return the gate on what is stored for what was answered; none where nothing can be looked at."""
    stored = spec.files_of_load
    if stored is None or spec.verified is None:
        return []
    each = spec.verified.files_per_upload
    sentence = "{figure} files are stored, and {wanted} uploads were answered as good ones" + (
        f" ({each} files each)." if each > 1 else "."
    )
    return [_equal("uploads_stored", stored, answered * each, "files", sentence)]


def _equal(name: str, figure: int, wanted: int, unit: str, sentence: str) -> Gate:
    return gate(name, figure == wanted, figure, unit, wanted, sentence.format(figure=figure, wanted=wanted))


def _read(path: Path, target: UploadTarget) -> Requests:
    starts, elapsed, failed, late, delay, users = [], [], [], [], [], []
    warm_ups = answered = 0
    for row in _rows(path):
        answered += row["responseCode"].isdecimal() and target.accepts(int(row["responseCode"]))
        if row["label"] == WARM_UP:
            warm_ups += 1
        if row["label"] != MEASURED:
            continue
        starts.append(int(row["timeStamp"]))
        elapsed.append(_ms(row, "elapsed"))
        failed.append(row["success"] != "true")
        users.append(row.get("threadName", ""))
        if SCHEDULED in row:
            late.append(_ms(row, "timeStamp") - _ms(row, SCHEDULED))
        if DELAY in row:
            delay.append(int(row[DELAY]) / 1000)
    if not starts:
        raise DriverError(f"{path}: it has no request labelled '{MEASURED}'.")
    order = np.argsort(np.array(starts), kind="stable")
    return Requests(
        start_ms=np.array(starts, dtype=np.int64)[order],
        elapsed_ms=np.array(elapsed)[order],
        failed=np.array(failed)[order],
        late_ms=np.array(late)[order] if late else np.array([]),
        delay_ms=np.array(delay)[order] if delay else np.array([]),
        warm_ups=warm_ups,
        answered=answered,
        users=np.array(users)[order],
    )


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
