"""How long ten million records take on their way to Parquet, and from there to all statistics of a run.

``python tests/bench/ten_million_records.py`` makes them in a temporary folder and prints seconds of a clock.
"""

import dataclasses
import sys
import tempfile
import time
from pathlib import Path

sys.path.extend(str(Path(__file__).parents[1] / folder) for folder in (".", "raw"))
from test_operations import run_of
from test_records_memory import MILLION, records

from monitoring.records import write_parquet
from uploadlab.raw.operations import read_operations


def main() -> None:
    """Print the seconds of both halves."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = records(folder / "rows.npy", 10 * MILLION)
        begun_s = time.perf_counter()
        write_parquet(rows, folder / "asks-0.records.parquet", ahead_ns=0)
        written_s = time.perf_counter()
        run = dataclasses.replace(run_of(folder), measure_start_ns=0, measure_end_ns=10**12)
        ends = {"from": ["asks", "sent"], "to": ["asks", "answered"]}
        read_operations(run, {"operation": ends, "intervals": {"took": ends}})
        read_s = time.perf_counter()
    print(f"to Parquet {written_s - begun_s:.1f} s, to all statistics {read_s - written_s:.1f} s")


if __name__ == "__main__":
    main()
