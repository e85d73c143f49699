"""DuckDB, opened once: to open and close it takes longer than to read a small file, and a campaign has many."""

from functools import cache

import duckdb

MEMORY_LIMIT = "1GB"


def connected(memory_limit: str = MEMORY_LIMIT) -> duckdb.DuckDBPyConnection:
    """Return a connection whose temporary tables and views nobody else sees; they end with it."""
    return _database(memory_limit).cursor()


@cache
def _database(memory_limit: str) -> duckdb.DuckDBPyConnection:
    # What it would keep of files goes by their names, and those of open files (/dev/fd/7) come again for others.
    return duckdb.connect(config={"memory_limit": memory_limit, "enable_external_file_cache": False})
