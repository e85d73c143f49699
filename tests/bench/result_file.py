"""How long `./lab jtl` takes for a result file of JMeter's default columns, and how much memory.

``python tests/bench/result_file.py FOLDER [--rows 10000000]`` makes the file (108 bytes a row), reports it in a
process of its own, and holds the summary to what the file was made from. FOLDER must not exist; it is left for the
reader to look at and to delete.
"""

import argparse
import csv
import sys
from pathlib import Path

import duckdb
from cost import cost_of

LABELS, USERS, DISTINCT_MS = 10, 200, 1000
FIRST_MS = 1_790_000_000_000
SPAN_MS = 3_600_000
SCRAMBLE = 7919
"""Prime to DISTINCT_MS: each response time from 1 to DISTINCT_MS ms comes as often as every other, in no order."""


def write(path: Path, rows: int) -> None:
    """Write a result file of that many requests."""
    with duckdb.connect() as database:
        database.execute(
            f"""
            COPY (
              SELECT {FIRST_MS} + i * {SPAN_MS} // {rows} AS "timeStamp", 1 + i * {SCRAMBLE} % {DISTINCT_MS} AS elapsed,
                'Page ' || i // 7 % {LABELS} AS label, 200 AS "responseCode", 'OK' AS "responseMessage",
                'Users 1-' || i % {USERS} AS "threadName", 'text' AS "dataType", 'true' AS success,
                '' AS "failureMessage", 1200 + i % 5000 AS bytes, 300 + i % 700 AS "sentBytes",
                {USERS} AS "grpThreads", {USERS} AS "allThreads", 'http://127.0.0.1:8080/page' AS "URL",
                1 + i * {SCRAMBLE} % {DISTINCT_MS} AS "Latency", 0 AS "IdleTime", 0 AS "Connect"
              FROM range({rows}) AS t(i)
            ) TO '{str(path).replace("'", "''")}' (HEADER, DELIMITER ',')
            """
        )


def differences(out: Path, rows: int) -> list[str]:
    """Return a sentence for each figure over all requests that is not what the file was made from."""
    with (out / "summary.csv").open(newline="", encoding="utf-8") as file:
        found = next(csv.DictReader(file))
    truth = {
        "requests": rows,
        "errors": 0,
        "mean_ms": (1 + DISTINCT_MS) / 2,
        "p50_ms": DISTINCT_MS // 2,
        "p99_ms": DISTINCT_MS * 99 // 100,
        "max_ms": DISTINCT_MS,
    }
    return [f"{name} is {found[name]}, not {value}." for name, value in truth.items() if float(found[name]) != value]


def main() -> int:
    """Make the file, report it, print what that took; return 1 when a figure is wrong."""
    parser = argparse.ArgumentParser(description="What ./lab jtl costs.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=10_000_000, help="a multiple of 1000 (default: %(default)s)")
    options = parser.parse_args()
    options.folder.mkdir(parents=True)
    path = options.folder / "requests.jtl"
    write(path, options.rows)
    cost = cost_of("jtl", path, "--out", options.folder / "out")
    print(
        f"{options.rows:,} rows, {path.stat().st_size / 1e9:.2f} GB: {cost.seconds:.1f} s, {cost.cpu_seconds:.1f} s of "
        f"CPU time, {cost.peak_bytes / 1e9:.2f} GB of memory"
    )
    wrong = differences(options.folder / "out", options.rows)
    print("\n".join(wrong) or "Every figure is what the file was made from.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
