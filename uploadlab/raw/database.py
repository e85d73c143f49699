"""DuckDB, opened once: to open and close it takes longer than to read a small file, and a campaign has many."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import duckdb

MEMORY_LIMIT = "1GB"


def connected() -> duckdb.DuckDBPyConnection:
    """Return a connection whose temporary tables and views nobody else sees; they end with it."""
    return _database().cursor()


@cache
def _database() -> duckdb.DuckDBPyConnection:
    # What it would keep of files goes by their names, and those of open files (/dev/fd/7) come again for others.
    return duckdb.connect(config={"memory_limit": MEMORY_LIMIT, "enable_external_file_cache": False})


def only_row(database: duckdb.DuckDBPyConnection, query: str, parameters: Sequence[object] = ()) -> tuple[Any, ...]:
    """Return the only row of a query: an aggregate without GROUP BY always gives one."""
    row = database.execute(query, list(parameters)).fetchone()
    assert row is not None
    return row
