"""From raw run folders to tables, statistics, claims and the report."""
