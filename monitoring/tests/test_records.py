"""Records of parts: what the recorders write becomes Parquet, and what is no whole file of records is refused."""

from pathlib import Path

import duckdb
import numpy as np
import pytest

from monitoring.errors import RecordingError
from monitoring.records import KINDS, ROW, read_records, write_parquet

VECTORS = Path(__file__).parents[2] / "studies" / "kit" / "recorder" / "vectors"


def write(path: Path, rows: list[tuple[int, ...]]) -> Path:
    np.save(path, np.array(rows, dtype=ROW))
    return path.with_suffix(".npy")


def test_the_file_that_all_recorders_must_write_becomes_parquet_row_by_row(tmp_path):
    out = tmp_path / "rows.parquet"
    written = write_parquet(VECTORS / "rows.records", out, ahead_ns=0)
    rows = np.load(VECTORS / "rows.records")
    assert written.rows == len(rows) > 0
    found = duckdb.connect().execute(f"SELECT time_ns, seq, bytes, stream, op, kind, status FROM '{out}'").fetchall()
    assert found == [
        (*(int(row[name]) for name in ("time_ns", "seq", "bytes", "stream", "op")),
         KINDS[row["kind"]], int(row["status"]))
        for row in rows
    ]  # fmt: skip


def test_times_are_moved_to_the_epoch_and_kinds_are_words(tmp_path):
    path = write(tmp_path / "records", [(5, 0, 8, 0, 0, 2, 0, 0), (9, 0, 8, 0, 0, 5, 0, 0)])
    written = write_parquet(path, tmp_path / "out.parquet", ahead_ns=1000)
    assert (written.first_ns, written.last_ns) == (1005, 1009)
    found = duckdb.connect().execute(f"SELECT time_ns, kind FROM '{tmp_path}/out.parquet'").fetchall()
    assert found == [(1005, "sent"), (1009, "answered")]


@pytest.mark.parametrize("left", [0, 5, 100, 150])
def test_a_file_that_was_cut_is_refused(tmp_path, left):
    path = write(tmp_path / "records", [(5, 0, 8, 0, 0, 2, 0, 0)] * 3)
    whole = path.read_bytes()
    path.write_bytes(whole[:left])
    assert left < len(whole)
    with pytest.raises(RecordingError, match="cut"):
        read_records(path)
