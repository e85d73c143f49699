"""What the parts of a measured system recorded: from their files in memory to Parquet.

The format is that of `recorder/README.md`: a NumPy file of rows of 24 bytes.
"""

from pathlib import Path

import numpy as np
import numpy.typing as npt

from monitoring.errors import RecordingError
from monitoring.written import Written

ROW = np.dtype([
    ("time_ns", "<i8"), ("seq", "<u4"), ("bytes", "<u4"), ("stream", "<u2"), ("op", "<u2"), ("kind", "u1"),
    ("status", "u1"), ("spare", "<u2"),
])  # fmt: skip
KINDS = ("", "due", "sent", "accepted", "received", "answered", "replied", "waiting")
COLUMNS = ("time_ns", "seq", "bytes", "stream", "op", "kind", "status")


def read_records(path: Path, opened: Path | None = None) -> npt.NDArray[np.void]:
    """Open a file of records; rows that were never written, after a kill, are left out.

    `opened` is where it can be read once it has lost its name, `path`. Raises RecordingError when it is missing, cut,
    or no file of records.
    """
    try:
        rows = np.load(opened or path, mmap_mode="r")
    except OSError as error:
        raise RecordingError(path, 0, f"cannot be read: {error.strerror or 'it is cut'}.") from error
    except (ValueError, EOFError) as error:
        raise RecordingError(path, 0, f"not a file of records, or a cut one: {error}.") from error
    if not isinstance(rows, np.ndarray) or rows.dtype != ROW:
        raise RecordingError(path, 0, f"expected rows of {', '.join(ROW.names or ())}, it has {rows.dtype}.")
    written = np.flatnonzero(np.asarray(rows["kind"]) == 0)
    return rows[: int(written[0])] if len(written) else rows


def write_parquet(path: Path, out: Path, *, ahead_ns: int, opened: Path | None = None) -> Written:
    """Write a file of records as Parquet: `kind` as text, `time_ns` since 1970.

    `ahead_ns` is what the clock of the records is short of that; `opened` is that of `read_records`. Raises
    RecordingError as it does, and for a kind that there is not.
    """
    import duckdb  # here, as an agent on a host that keeps no records needs none, and not every processor can run it

    rows = read_records(path, opened)
    highest = int(rows["kind"].max()) if len(rows) else 0
    if highest >= len(KINDS):
        raise RecordingError(path, 0, f"a record is of the kind {highest}; expected 1 to {len(KINDS) - 1}.")
    names = ", ".join(f"'{kind}'" for kind in KINDS[1:])
    target = str(out).replace("'", "''")
    # One thread, which writes what it has read: several keep what is read until a slow disk has taken what was before.
    with duckdb.connect(config={"threads": 1}) as database:
        # Columns of the mapped file itself: DuckDB streams them, so that no length of a run takes more memory.
        database.register("record", {name: rows[name] for name in COLUMNS})
        database.execute(
            f"COPY (SELECT time_ns + {ahead_ns} AS time_ns, seq, bytes, stream, op, [{names}][kind] AS kind, status "
            f"FROM record) TO '{target}' (FORMAT parquet, COMPRESSION zstd)"
        )
    times = rows["time_ns"]
    first, last = (int(times.min()) + ahead_ns, int(times.max()) + ahead_ns) if len(rows) else (None, None)
    return Written(rows=len(rows), first_ns=first, last_ns=last)
