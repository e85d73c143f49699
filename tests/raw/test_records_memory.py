"""What ten million records hold in memory at their peak, on their way to Parquet and to all statistics."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from monitoring.records import KINDS, ROW

pytestmark = [pytest.mark.slow, pytest.mark.long]

MILLION = 1_000_000
MEBI = 2**20
LIMIT_MB = 300
"""DuckDB's, below what ten million records take without one (850 MB), so that a limit not kept would show."""

# In a process of its own: a peak is that of a process, and never falls.
PEAK = """
import json, pathlib, sys
def peak_kb(): return int(pathlib.Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0])
"""
TO_PARQUET = """
from monitoring.records import write_parquet
rows, out = map(pathlib.Path, sys.argv[1:])
before = peak_kb()
written = write_parquet(rows, out, ahead_ns=0)
print(json.dumps({"rows": written.rows, "grown_kb": peak_kb() - before}))
"""
TO_STATISTICS = """
import dataclasses
from uploadlab.raw import database, operations
from test_operations import run_of
folder, limit = sys.argv[1:]
database.MEMORY_LIMIT = limit
run = dataclasses.replace(run_of(pathlib.Path(folder)), measure_start_ns=0, measure_end_ns=10**12)
ends = {"from": ["asks", "sent"], "to": ["asks", "answered"]}
before = peak_kb()
counts, figures = operations.read_operations(run, {"operation": ends, "intervals": {"took": ends}})
print(json.dumps({"n": int(counts.count.sum()), "grown_kb": peak_kb() - before} | figures))
"""


def told(script: str, *arguments: object) -> dict[str, float]:
    """Return what a script says in a new process, `grown_kb` what its peak grew by."""
    command = [sys.executable, "-c", PEAK + script, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=Path(__file__).parent)
    assert done.returncode == 0, done.stderr
    # Of a script without a file DuckDB shows its progress, where that takes some seconds.
    return dict(json.loads("{" + done.stdout.rpartition("{")[2]))


def records(path: Path, rows: int) -> Path:
    """Write calls of 1 ns to 1 ms, each whole number of ns as often as every other."""
    calls = np.arange(rows // 2)
    table = np.zeros(rows, dtype=ROW)
    table["seq"], table["bytes"] = np.arange(rows) // 2, 100
    table["kind"][::2], table["kind"][1::2] = KINDS.index("sent"), KINDS.index("answered")
    table["time_ns"][::2] = 100 * calls
    table["time_ns"][1::2] = 100 * calls + 1 + calls * 7919 % MILLION
    np.save(path, table)
    return path


@pytest.fixture(scope="module")
def parquet(tmp_path_factory):
    """Ten million records as Parquet, and what their peak and that of a million, without the mapped file, grew by."""
    folder = tmp_path_factory.mktemp("records")
    out, grown_mb = folder / "asks-0.records.parquet", []
    for rows in (MILLION, 10 * MILLION):
        path = records(folder / "rows.npy", rows)
        said = told(TO_PARQUET, path, out)
        assert said["rows"] == rows
        grown_mb.append(said["grown_kb"] / 1024 - path.stat().st_size / MEBI)
        path.unlink()
    yield out, grown_mb
    out.unlink()


def test_ten_times_the_records_take_less_than_twice_the_memory_on_their_way_to_parquet(parquet):
    _, (of_a_million, of_ten) = parquet
    assert of_ten < 2 * of_a_million  # 1.1 measured


def test_all_statistics_of_ten_million_records_keep_to_the_memory_that_they_are_given(parquet):
    out, _ = parquet
    said = told(TO_STATISTICS, out.parent, f"{LIMIT_MB}MB")
    assert (said["n"], said["lost"]) == (5 * MILLION, 0)
    assert said["took_mean_ms"] == pytest.approx(0.5000005, rel=1e-12)
    assert said["took_p50_ms"] == pytest.approx(0.5, abs=1e-5)
    assert said["grown_kb"] / 1024 < 2 * LIMIT_MB
