"""Read what the load generator wrote: the measured window, the counts, and whether every 200 was stored."""

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from upload_study.scenario import resolve
from upload_study.spec import DriverError, RunSpec

MEASURED = "Upload file"
WARM_UP = "Warm-up upload"
COLUMNS = ("timeStamp", "elapsed", "label", "responseCode", "success")


def check(spec: RunSpec, out: Path) -> dict[str, Any]:
    """Return phases, counts, the mean response time and the study's own gates of a finished load.

    Raises DriverError when the request file is missing, damaged, or holds no measured request.
    """
    load = resolve(spec.factors, spec.load)
    begin_ms, end_ms = None, 0
    requests = errors = warm_ups = answered = total_ms = 0
    for row in _rows(out / "requests.jtl"):
        answered += row["responseCode"] == "200"
        if row["label"] == WARM_UP:
            warm_ups += 1
            continue
        if row["label"] != MEASURED:
            continue
        start, elapsed = int(row["timeStamp"]), int(row["elapsed"])
        begin_ms = start if begin_ms is None else min(begin_ms, start)
        end_ms = max(end_ms, start + elapsed)
        requests += 1
        errors += row["success"] != "true"
        total_ms += elapsed
    if begin_ms is None:
        raise DriverError(f"{out / 'requests.jtl'}: it has no request labelled '{MEASURED}'.")
    stored = sum(1 for entry in spec.upload_dir.iterdir() if entry.is_file())
    verified = sum(proof.stored_files for proof in (spec.verified, spec.verified_after) if proof)
    return {
        "phases": {"measure_start_ns": begin_ms * 1_000_000, "measure_end_ns": end_ms * 1_000_000},
        "counts": {"requests": requests, "errors": errors, "warmup_requests": warm_ups, "stored_files": stored},
        "mean_ms": total_ms / requests,
        "load": {name: getattr(load, name) for name in load.__struct_fields__},
        "gates": [
            _equal("requests_sent", requests, load.requests, "requests", "JMeter sent {figure} of {wanted} requests."),
            _equal(
                "uploads_stored",
                stored,
                answered + verified,
                "files",
                "{figure} files are stored for {wanted} uploads answered with 200.",
            ),
        ],
    }


def _equal(name: str, figure: int, wanted: int, unit: str, sentence: str) -> dict[str, Any]:
    return {
        "name": name,
        "passed": figure == wanted,
        "figure": figure,
        "unit": unit,
        "threshold": wanted,
        "sentence": sentence.format(figure=figure, wanted=wanted),
    }


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
