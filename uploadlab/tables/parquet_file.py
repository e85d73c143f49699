"""Tables as Parquet: the same rows and numbers as the CSV file beside them, each column with its type."""

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from monitoring.whole_file import replacing
from uploadlab.raw.database import connected
from uploadlab.raw.request_text import literal_path

BOOLEAN = frozenset(("valid", "settled", "held"))
TEXT = frozenset(("cell", "scenario", "system", "stack", "repeat", "status", "reason"))
WHOLE = frozenset((
    "threads", "block", "order", "requests", "errors", "warmup_requests", "steady_requests", "first_requests",
    "nmon_snapshots", "second", "sent_bytes", "listen_overflows", "retransmits", "cut_requests",
))  # fmt: skip


def column_types(columns: Iterable[str], whole: Collection[str], text: Collection[str]) -> dict[str, str]:
    """Return the type of each column; ``text`` names the factors, ``whole`` those with whole numbers only."""
    return {name: _type(name, whole, text) for name in columns}


def _type(name: str, whole: Collection[str], text: Collection[str]) -> str:
    if name in WHOLE or name in whole:
        return "BIGINT"
    if name in TEXT or name in text:
        return "VARCHAR"
    return "BOOLEAN" if name in BOOLEAN else "DOUBLE"


def write_parquet(table: Path, types: Mapping[str, str]) -> Path:
    """Write a CSV file of the analysis as Parquet beside it; the file appears whole or not at all."""
    path = table.with_suffix(".parquet")
    with replacing(path) as new, literal_path(table) as literal, connected() as database:
        database.execute(
            "COPY (SELECT * FROM read_csv($table, auto_detect=false, header=true, delim=',', quote='\"', escape='\"', "
            "columns=$types, max_line_size=16777216)) TO $path (FORMAT parquet, COMPRESSION zstd)",
            {"table": literal, "types": dict(types), "path": str(new)},
        )
    return path
