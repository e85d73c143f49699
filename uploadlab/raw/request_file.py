"""Request files (JMeter CSV): read by column name with DuckDB, reduced to counts that every figure comes from.

A reduced file holds how many requests ended in each second with each response time, so every mean, deviation and
percentile is that of all requests, and a file of millions of requests fits in memory.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray

from uploadlab.errors import LabError
from uploadlab.raw.database import connected, only_row
from uploadlab.raw.request_format import RequestFormat, detect_format
from uploadlab.raw.request_table import load_requests
from uploadlab.raw.request_text import request_text
from uploadlab.statistics.distribution import Distribution

REQUIRED = ("timeStamp", "elapsed", "label", "success")
SCHEDULED = "scheduled_ms"
SCHEDULED_US = "scheduled_us"
FIRST_OF_USERS = """(
    SELECT min_by(elapsed_ms, start_ms) AS elapsed_ms FROM all_request WHERE measured AND thread IS NOT NULL
    GROUP BY thread
)"""

Counts = NDArray[np.int64]
Times = NDArray[np.int64] | NDArray[np.float64]
"""Milliseconds: whole numbers from whole milliseconds, else with the microseconds behind the point."""


@dataclass(frozen=True, kw_only=True)
class RequestCounts:
    """The measured requests of one run, counted.

    The arrays of a group are parallel: element i of ``count`` requests ended in second ``second[i]`` (0 is the second
    after the first measured start), took ``elapsed_ms[i]`` and failed or not (``failed[i]``).
    """

    second: Counts
    elapsed_ms: Times
    failed: NDArray[np.bool_]
    count: Counts
    warmup: Mapping[int, int]
    """Requests of the warm-up that ended in each second."""
    start_ms: float
    """First start, epoch ms."""
    end_ms: float
    """Last end, epoch ms."""
    origin_ms: float
    """The instant that second 0 begins, epoch ms."""
    ttfb_ms: float | None
    connect_ms: float | None
    sent_bytes: int | None
    """Sum over the measured requests."""
    bytes_slope_ms: float | None
    """Slope of response time on ``sentBytes``, ms per byte, least squares."""
    bytes_r2: float | None
    """Share of the run's variance of response time that this line takes."""
    adjusted_count: Counts
    """Requests that started in each second, the seconds with none left out."""
    adjusted_ms: NDArray[np.float64]
    """Sum over those requests of response time minus ``bytes_slope_ms`` times bytes."""
    steady_from_ms: float | None
    """From here on every user has two requests behind it, epoch ms; None without thread names or if it never is so."""
    steady_to_ms: float | None
    """Until here no user has ended, epoch ms."""
    steady: Distribution
    """Response times of the requests that started in between, ms."""
    steady_thirds: tuple[int, int]
    """Measured requests that ended in the first third of that time, and in the last."""
    first: Distribution
    """Those of each user's first measured request; none of open arrivals or without thread names."""
    whole: Distribution
    """Those of the whole load, with what was cut before the window."""
    scheduled: Distribution | None
    """Those from when a request was due; None where the file does not say (closed loops)."""
    scheduled_ok: Distribution | None
    """The same of those that did not fail."""
    late: Distribution | None
    """Times from when a request was due to when it was sent, ms."""


def read_requests(
    path: Path,
    *,
    label: str | None = None,
    origin_ms: float | None = None,
    from_ms: float | None = None,
    window_ns: tuple[int, int] | None = None,
) -> RequestCounts:
    """Read a request file and count its measured requests.

    Parameters
    ----------
    path
        JMeter CSV, with a header or in one of JMeter's own layouts without.
    label
        Only requests with this label are measured, others count as warm-up; None measures all. A study says it as
        ``label`` of its ``[operation]``.
    origin_ms
        The instant second 0 begins, epoch ms; by default the first measured start.
    from_ms
        Requests that started before it, epoch ms, count as warm-up.
    window_ns
        So do those that were not due (in closed loops: did not start) between these two instants, epoch ns.

    Raises
    ------
    LabError
        Naming file, line and column of the first row that cannot be read, or when no request is measured.
    """
    with connected() as database:
        layout = _load(database, path, label, from_ms, window_ns)
        is_open = (
            SCHEDULED in layout.columns
            and only_row(database, "SELECT count(*) = 0 OR count(due_ms) > 0 FROM all_request WHERE measured")[0]
        )
        return count_requests(database, path, is_open=is_open, origin_ms=origin_ms, label=label)


@dataclass(frozen=True, kw_only=True)
class TimedRequests:
    """The measured requests of one run one by one; arrays are parallel."""

    start_ms: Times
    elapsed_ms: Times
    due_ms: Times
    """When each was due; its start where the file does not say."""
    connect_ms: Times
    """0 where the file does not say."""
    thread: Counts
    """A number for each thread name."""

    @property
    def end_ms(self) -> Times:
        """When each was answered."""
        return np.add(self.start_ms, self.elapsed_ms)


def read_timed_requests(
    path: Path, *, label: str | None, from_ms: float | None = None, window_ns: tuple[int, int] | None = None
) -> TimedRequests:
    """Read the measured requests of a request file one by one; parameters and errors as `read_requests`."""
    with connected() as database:
        _load(database, path, label, from_ms, window_ns)
        rows = database.execute(
            """
            SELECT start_ms, elapsed_ms, coalesce(due_ms, start_ms) AS due_ms, coalesce("Connect", 0) AS connect_ms,
              dense_rank() OVER (ORDER BY thread) AS thread
            FROM all_request WHERE measured
            """
        ).fetchnumpy()
    thread = np.asarray(rows.pop("thread"), dtype=np.int64)
    return TimedRequests(thread=thread, **{name: _times(values) for name, values in rows.items()})


def _load(
    database: duckdb.DuckDBPyConnection,
    path: Path,
    label: str | None,
    from_ms: float | None,
    window_ns: tuple[int, int] | None = None,
) -> RequestFormat:
    """Make the table ``request`` with the columns that the figures need."""
    with request_text(path) as text:
        layout = replace(detect_format(text.path, name=path), date_format=None)  # dates have no zone to join them by
        for name in REQUIRED[: 2 if label is None else 4]:
            if name not in layout.columns:
                raise LabError(f"{path}, line 1: the column {name} is missing.")
        if text.cut:
            raise LabError(f"{path}: the last line has no line end: the file was cut.")
        load_requests(database, text.path, layout, name=path, also=[SCHEDULED, SCHEDULED_US], temporary=True)
    in_us = {"start_us", "elapsed_us"} <= set(layout.columns)
    to_ms = "/ 1000.0::DOUBLE" if in_us else "// 1000"
    due_ms = f'TRY_CAST("{SCHEDULED_US}" AS BIGINT) / 1000.0::DOUBLE' if in_us else f'TRY_CAST("{SCHEDULED}" AS BIGINT)'
    labelled = "true" if label is None else "label = $label"
    measured = labelled if from_ms is None else f"{labelled} AND start_us >= {1000 * from_ms!r}"
    if window_ns is not None:
        due_us = f'TRY_CAST("{SCHEDULED_US}" AS BIGINT)' if in_us else f'1000 * TRY_CAST("{SCHEDULED}" AS BIGINT)'
        begin_us, end_us = window_ns[0] // 1000, -(-window_ns[1] // 1000)
        begin_us -= 0 if in_us else begin_us % 1000  # of a clock of whole ms its first ms is meant
        measured += f" AND coalesce({due_us}, start_us) BETWEEN {begin_us} AND {end_us}"
    database.execute(
        f"""
        CREATE TEMP VIEW all_request AS
        SELECT start_us {to_ms} AS start_ms, elapsed_us {to_ms} AS elapsed_ms, coalesce(failed, false) AS failed,
          {measured} AS measured, thread, {labelled} AS labelled,
          {due_ms} AS due_ms, start_ms - due_ms AS late_ms,  -- rows of the warm-up say null
          latency_us / 1000 AS "Latency", connect_us / 1000 AS "Connect", sent_bytes AS "sentBytes"
        FROM request
        """.replace("$label", _literal(label or ""))
    )
    return layout


def _literal(text: str) -> str:
    """Return text as SQL: a view takes no parameters."""
    escaped = text.replace("'", "''")
    return f"'{escaped}'"


def count_requests(
    database: duckdb.DuckDBPyConnection, path: Path, *, is_open: bool, origin_ms: float | None, label: str | None = None
) -> RequestCounts:
    """Count what the view ``all_request`` of a database holds: one row a request, its columns as in ``_load``.

    Raises LabError when none is measured.
    """
    start_ms, end_ms, ttfb_ms, connect_ms, sent_bytes, slope, r2 = only_row(
        database,
        """
        SELECT min(start_ms), max(start_ms + elapsed_ms), avg("Latency"), avg("Connect"), sum("sentBytes"),
          regr_slope(elapsed_ms, "sentBytes"), regr_r2(elapsed_ms, "sentBytes")
        FROM all_request WHERE measured
        """,
    )
    if start_ms is None:
        raise LabError(f"{path} holds no measured request{f': no row has the label {label}' if label else ''}.")
    origin = float(start_ms) if origin_ms is None else origin_ms
    ended = f"floor((start_ms + elapsed_ms - {origin!r}) / 1000)::BIGINT"
    grouped = database.execute(
        f"SELECT {ended} AS second, elapsed_ms, failed, count(*) AS n FROM all_request WHERE measured GROUP BY ALL "
        "ORDER BY ALL"
    ).fetchnumpy()
    adjusted = database.execute(
        f"""
        SELECT floor((start_ms - {origin!r}) / 1000)::BIGINT AS second, count(*) AS n,
          sum(elapsed_ms - {_finite(slope) or 0.0!r} * coalesce("sentBytes", 0)) AS ms
        FROM all_request WHERE measured GROUP BY ALL ORDER BY ALL
        """
    ).fetchnumpy()
    # Users of open arrivals are idle between files: that each has had two says nothing.
    steady_from, steady_to = (None, None) if is_open else _steady_window(database)
    early, late_third = only_row(
        database,
        f"""
        SELECT count(*) FILTER (ended < lo + (hi - lo) / 3), count(*) FILTER (ended > hi - (hi - lo) / 3) FROM (
          SELECT start_ms + elapsed_ms AS ended, {steady_from or 0.0!r} AS lo, {steady_to or 0.0!r} AS hi
          FROM all_request WHERE measured
        ) WHERE ended BETWEEN lo AND hi
        """,
    )
    warmup = database.execute(f"SELECT {ended}, count(*) FROM all_request WHERE NOT measured GROUP BY ALL").fetchall()
    return RequestCounts(
        second=np.asarray(grouped["second"], dtype=np.int64),
        elapsed_ms=_times(grouped["elapsed_ms"]),
        failed=np.asarray(grouped["failed"], dtype=np.bool_),
        count=np.asarray(grouped["n"], dtype=np.int64),
        warmup=dict(warmup),
        start_ms=start_ms,
        end_ms=end_ms,
        origin_ms=origin,
        ttfb_ms=ttfb_ms,
        connect_ms=connect_ms,
        sent_bytes=None if sent_bytes is None else int(sent_bytes),
        bytes_slope_ms=_finite(slope),
        bytes_r2=_finite(r2),
        steady_from_ms=steady_from,
        steady_to_ms=steady_to,
        steady=_distribution(
            database, "elapsed_ms", "measured AND start_ms BETWEEN ? AND ?", parameters=[steady_from, steady_to]
        ),
        steady_thirds=(early, late_third),
        # Users of open arrivals are as many as are just needed: their first requests are no part of the load.
        first=Distribution.of([]) if is_open else _distribution(database, "elapsed_ms", "true", of=FIRST_OF_USERS),
        whole=_distribution(database, "elapsed_ms", "labelled"),
        scheduled=_distribution(database, "elapsed_ms + (start_ms - due_ms)", "measured") if is_open else None,
        scheduled_ok=_distribution(database, "start_ms + elapsed_ms - due_ms", "measured AND NOT failed")
        if is_open
        else None,
        late=_distribution(database, "late_ms", "measured") if is_open else None,
        adjusted_count=np.asarray(adjusted["n"], dtype=np.int64),
        adjusted_ms=np.asarray(adjusted["ms"], dtype=np.float64),
    )


def _distribution(
    database: duckdb.DuckDBPyConnection,
    value: str,
    which: str,
    *,
    of: str = "all_request",
    parameters: Sequence[float | None] = (),
) -> Distribution:
    """Return the distribution of an expression over some requests."""
    found = database.execute(
        f"SELECT {value} AS value, count(*) AS n FROM {of} WHERE {which} AND {value} IS NOT NULL GROUP BY ALL",
        list(parameters),
    ).fetchnumpy()
    return Distribution.of(_times(found["value"]), found["n"])


def _times(values: NDArray[Any]) -> Times:
    """Return times as they are: of microseconds with their parts of a ms, else whole."""
    is_finer = np.issubdtype(values.dtype, np.floating)
    return np.asarray(values, dtype=np.float64) if is_finer else np.asarray(values, dtype=np.int64)


def _steady_window(database: duckdb.DuckDBPyConnection) -> tuple[float | None, float | None]:
    begin, end, all_have_two = only_row(
        database,
        """
        SELECT max(first_ends[2]), min(last_end), bool_and(len(first_ends) = 2) FROM (
          SELECT min(start_ms + elapsed_ms, 2) AS first_ends, max(start_ms + elapsed_ms) AS last_end
          FROM all_request WHERE measured AND thread IS NOT NULL GROUP BY thread
        )
        """,
    )
    return (begin, end) if all_have_two and begin < end else (None, None)


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
