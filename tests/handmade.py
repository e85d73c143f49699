"""Small campaigns made by hand: campaign.json and the CSV files of the analysis, with figures to check by eye."""

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from uploadlab.report.results import Results, read_results
from uploadlab.results.declarations import declarations
from uploadlab.words import languages

UPLOADS = declarations({"study": {"id": "upload"}})
ENGLISH, PORTUGUESE = languages.ENGLISH.of(UPLOADS), languages.PORTUGUESE.of(UPLOADS)
"""The report's languages in the words of the upload study."""
RUN_COLUMNS = (
    "cell", "scenario", "system", "stack", "sample", "disk", "threads", "repeat", "block", "order", "status", "valid",
    "reason", "requests", "errors", "error_pct", "mean_ms", "cv", "cv_without_clock", "p99_ms", "throughput_rps",
    "pswitch_per_s", "server_cpu_us_per_request", "injector_cpu_pct", "injector_wait_ms_per_request",
    "listen_overflows", "retransmits", "settled", "core_work_ms", "first_max_ms", "first_variance_pct", "later_cv",
    "server_cpu_of_thirds",
)  # fmt: skip
COMPARISON_COLUMNS = (
    "scenario", "metric", "system_a", "system_b", "a", "b", "ratio", "lo", "hi", "n_a", "n_b", "verdict", "better",
    "more_repeats", "sentence",
)  # fmt: skip


def run(cell: str, repeat: str = "01", **figures: object) -> dict[str, object]:
    """Return a row of runs.csv of a cell such as s05-local-node: complete and valid, 1000 requests, unless said."""
    sample, disk, system = cell.split("-", 2)
    name, _, stack = system.partition("@")
    return {
        "cell": cell,
        "scenario": f"{sample}-{disk}",
        "system": name,
        "stack": stack or "current",
        "sample": int(sample[1:]),
        "disk": disk,
        "threads": 20,
        "repeat": repeat,
        "block": 1,
        "order": 1,
        "status": "complete",
        "valid": "true",
        "requests": 1000,
        "errors": 0,
        "error_pct": 0,
        **figures,
    }


def comparison(scenario: str, metric: str, ratio: float, **more: object) -> dict[str, object]:
    """Return a row of comparisons.csv of node against tomcat; decided where `better` is given."""
    known = {"scenario": scenario, "metric": metric, "system_a": "node", "system_b": "tomcat", "ratio": ratio}
    return {**known, "n_a": 4, "n_b": 4, "verdict": "can't tell", "better": "", **more}


def write_results(
    folder: Path,
    rows: Sequence[Mapping[str, object]],
    comparisons: Sequence[Mapping[str, object]] = (),
    *,
    tables: Mapping[str, Sequence[Mapping[str, object]]] | None = None,
    names: Mapping[str, str] | None = None,
    **campaign: object,
) -> Path:
    """Write a campaign's folder: campaign.json, analysis/runs.csv, comparisons.csv and the other `tables`."""
    names = names or {"node": "Node.js", "tomcat": "Tomcat"}
    document = {
        "schema": 1,
        "study": {"id": "upload", "title": "Uploads"},
        "profile": {"name": "quick", "settings": {}},
        "seed": 7,
        "systems": {key: {"name": name, "description": "", "stack": "current"} for key, name in names.items()},
        "runs": [
            {**{key: row[key] for key in ("cell", "repeat", "system", "stack")}, "factors": _factors(row)}
            for row in rows
        ],
        **campaign,
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "campaign.json").write_text(json.dumps(document), encoding="utf-8")
    write_table(folder / "analysis" / "runs.csv", RUN_COLUMNS, rows)
    write_table(folder / "analysis" / "comparisons.csv", COMPARISON_COLUMNS, comparisons)
    for name, lines in (tables or {}).items():
        write_table(folder / "analysis" / f"{name}.csv", tuple(lines[0]), lines)
    return folder


def results_by_hand(
    folder: Path,
    rows: Sequence[Mapping[str, object]],
    comparisons: Sequence[Mapping[str, object]] = (),
    **more: object,
) -> Results:
    """Write such a folder and read it as the report does."""
    return read_results(write_results(folder, rows, comparisons, **more))


def _factors(row: Mapping[str, object]) -> dict[str, object]:
    return {"sample": row["sample"], "disk": row["disk"]}


def write_table(path: Path, columns: Sequence[str], rows: Sequence[Mapping[str, object]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
