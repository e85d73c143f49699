"""The operations of a run whose parts recorded what they saw: their records joined, and the figures that come of them.

What an operation is, a study declares: from which record of which role to which, joined by stream, number and level of
the within-run factor. The result is counted as requests are, so that everything after it is the same.
"""

import contextlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from uploadlab.errors import LabError
from uploadlab.raw.database import connected, only_row
from uploadlab.raw.raw_files import recorded_file
from uploadlab.raw.request_file import RequestCounts, count_requests
from uploadlab.raw.request_text import literal_path
from uploadlab.results.campaign import Run
from uploadlab.statistics.distribution import Distribution
from uploadlab.table_file import Value

NS_PER_MS, NS_PER_S = 1_000_000, 1_000_000_000
KEYS = "stream, seq, op"
SUFFIX = ".records.parquet"
EVENTS_SUFFIX = ".events.jsonl"
OPERATION_FIGURES = (
    "delivered_per_s", "delivered_others_per_s", "lost", "handed_bytes_per_operation", "first_operation_ms",
    "wire_bytes_per_operation", "cpu_us_per_operation", "udp_receive_errors", "depth_mean", "depth_max",
    "in_flight_mean", "in_flight_max",
)  # fmt: skip
"""Columns that a run has whose parts tell what they are made of."""
ROLE_FIGURES = (
    "cpu_us_per_operation", "sent_bytes_per_operation", "received_bytes_per_operation",
    "wire_sent_bytes_per_operation", "wire_received_bytes_per_operation",
)  # fmt: skip
"""The same, with the role before it: ``broker_cpu_us_per_operation``."""
INTERVAL_FIGURES = ("mean_ms", "sd_ms", "cv", "p50_ms", "p99_ms")


def recorded_every(run: Run) -> int:
    """Return of how many operations one is recorded, 1 for all: parts that send very many leave the others out."""
    return run.record.load.stamp_every or 1


class _Records:
    """The records of a run's parts, as queries."""

    def __init__(self, run: Run, open_files: contextlib.ExitStack) -> None:
        self.run = run
        self._open_files = open_files
        self._names: dict[Path, str] = {}

    def query(self, role: str, kind: str, *, other_levels: bool = False) -> str:
        """Return one kind of record of a role's parts, ``part`` their number; of several with one key the first.

        Of a run's level of the factor that varies within it, or of all the others.
        """
        level = "" if self.run.within_run is None else f"AND op {'<>' if other_levels else '='} {self.run.within_run}"
        columns = f"{KEYS}, min(time_ns) AS time_ns, max(bytes) AS bytes, max(status) AS status"
        return " UNION ALL ".join(
            f"(SELECT {columns}, {path.name.removesuffix(SUFFIX).rpartition('-')[2]} AS part "
            f"FROM read_parquet('{self._name(path)}') WHERE kind = '{kind}' {level} GROUP BY {KEYS})"
            for path in part_files(self.run, role)
        )

    def _name(self, path: Path) -> str:
        if path not in self._names:
            self._names[path] = self._open_files.enter_context(literal_path(path))
        return self._names[path]


def ran_alone(run: Run, declared: Mapping[str, Any], begin_ns: int, end_ns: int) -> bool:
    """Return whether no operation of another level of the factor that varies within a run began in a time of it."""
    operation = operation_of(run, declared.get("operation") or {})
    with connected() as database, contextlib.ExitStack() as open_files:
        begun = operation["at"] if "at" in operation else operation["from"]
        others = _Records(run, open_files).query(*begun, other_levels=True)
        row = database.execute(
            f"SELECT 1 FROM ({others}) WHERE time_ns BETWEEN {begin_ns} AND {end_ns} LIMIT 1"
        ).fetchone()
    return row is None


def operation_of(run: Run, declared: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``[operation]`` as it holds for a run: what its levels say replaces what is said of all."""
    found = {name: value for name, value in declared.items() if name != "scenario"}
    for factor, levels in (declared.get("scenario") or {}).items():
        found |= levels.get(str(run.factors.get(factor)), {})
    return found


def read_operations(run: Run, declared: Mapping[str, Any]) -> tuple[RequestCounts, dict[str, Value]]:
    """Count the operations of a run, and return the figures that requests have none of.

    Those are ``delivered_per_s`` and ``delivered_others_per_s`` (mean over the parts that deliver), ``lost``,
    ``handed_bytes_per_operation``, ``udp_receive_errors``, ``first_operation_ms``, ``connect_ms``, ``depth_mean`` and
    ``depth_max`` where parts tell them, ``in_flight_mean`` and ``in_flight_max`` where a metric is one of them, what a
    part tells of a level with its role before it, ``wire_bytes_per_operation`` where the lab made the link, and of each
    declared interval X ``X_mean_ms``, ``X_sd_ms``, ``X_p50_ms``, ``X_p99_ms`` and ``X_cv``. Times are exact to the ns;
    with a schedule (``late_from``) they count from when an operation was due.

    Raises LabError when a file of records is missing, one of records or events cannot be read or is not the one that
    was recorded, or nothing was recorded of an operation.
    """
    operation = operation_of(run, declared.get("operation") or {})
    with connected() as database, contextlib.ExitStack() as open_files:
        records = _Records(run, open_files)
        try:
            _load(database, records, operation)
            figures: dict[str, Value] = {
                **_delivered(database, run, operation),
                **handed_bytes(run),
                **first_operation(run),
                **connecting(run),
                **udp_receive_errors(run),
                **_depth(database, run),
                **_in_flight(database, run, declared, operation),
                **told_of_level(run),
                **_lost(database, run, operation),
            }
            for name, interval in (declared.get("intervals") or {}).items():
                figures |= _interval(database, records, name, interval)
            counts = count_requests(
                database, run.folder, is_open="late_from" in operation, origin_ms=run.window_ns[0] / NS_PER_MS
            )
        except duckdb.Error as error:
            raise LabError(f"{run.folder}: its records cannot be read: {str(error).splitlines()[0]}") from None
    return counts, figures | wire_bytes(run, int(counts.count.sum()))


def _columns_of_metrics(declared: Mapping[str, Any]) -> set[str]:
    return {str(of.get("column")) for of in (declared.get("metrics") or {}).values()}


def _load(database: duckdb.DuckDBPyConnection, records: _Records, operation: Mapping[str, Any]) -> None:
    """Make the view of requests from the operation's two records; one that only counts takes no time.

    One that has a schedule takes its time from when it was due: what waits for a late sender would else be left out.
    """
    run, counts_only = records.run, "at" in operation
    first, last = (operation["at"],) * 2 if counts_only else (operation["from"], operation["to"])
    database.execute(f"CREATE TEMP TABLE begun AS {records.query(*first)}")
    database.execute("CREATE TEMP VIEW ended AS FROM begun" if counts_only else
                     f"CREATE TEMP TABLE ended AS {records.query(*last)}")  # fmt: skip
    start_ns, due_join = "begun.time_ns", ""
    if "late_from" in operation:
        database.execute(f"CREATE TEMP TABLE due AS {records.query(*operation['late_from'])}")
        start_ns, due_join = "coalesce(due.time_ns, begun.time_ns)", f"LEFT JOIN due USING ({KEYS})"
    joined = "begun" if counts_only else f"begun JOIN ended USING ({KEYS})"
    took, failed = ("0.0", "begun.status <> 0") if counts_only else (
        f"(ended.time_ns - {start_ns}) / 1e6", "begun.status <> 0 OR ended.status <> 0")  # fmt: skip
    database.execute(
        f"""
        CREATE TEMP VIEW all_request AS
        SELECT {start_ns} / 1e6 AS start_ms, {took} AS elapsed_ms, {failed} AS failed,
          {start_ns} BETWEEN {run.window_ns[0]} AND {run.window_ns[1]} AS measured, stream::VARCHAR AS thread,
          true AS labelled, {start_ns} / 1e6 AS due_ms, (begun.time_ns - {start_ns}) / 1e6 AS late_ms,
          NULL::DOUBLE AS "Latency", NULL::DOUBLE AS "Connect",
          begun.bytes::BIGINT AS "sentBytes"
        FROM {joined} {due_join}
        """
    )


def part_files(run: Run, role: str) -> list[Path]:
    """Return the records of a role's parts; LabError when there are none."""
    files = sorted(path for path in run.folder.iterdir() if path.name.endswith(SUFFIX))
    found = [path for path in files if path.name.rpartition("-")[0] == role]
    if not found:
        raise LabError(f"{run.folder} has no records of a {role}: {role}-0.records.parquet is missing.")
    return [recorded_file(run, path.name) for path in found]


def _delivered(database: duckdb.DuckDBPyConnection, run: Run, operation: Mapping[str, Any]) -> dict[str, Value]:
    """Return deliveries over the time from a part's first to its last, in the measured window; mean over the parts.

    Between the levels within a run, rounds for one, there may be pauses: their times are added up. Operations that were
    made and not recorded count too.
    """
    rows = database.execute(
        """
        SELECT part, sum(n), sum(took), sum(others) FROM (
          SELECT part, count(*) AS n, max(time_ns) - min(time_ns) AS took, count(*) FILTER (stream <> part) AS others
          FROM ended WHERE time_ns BETWEEN ? AND ? GROUP BY part, op
        ) GROUP BY part
        """,
        run.window_ns,
    ).fetchall()
    scale = recorded_every(run) * NS_PER_S
    rates = [(int(n) * scale / int(took), int(others) * scale / int(took)) for _, n, took, others in rows if took > 0]
    if not rates:
        return {}
    of_all, of_others = (float(np.mean(column)) for column in zip(*rates, strict=True))
    others_figure: dict[str, Value] = {"delivered_others_per_s": of_others} if "at" in operation else {}
    return {"delivered_per_s": of_all, **others_figure}


def handed_bytes(run: Run) -> dict[str, Value]:
    """Return the bytes that senders handed to their transport for a message; nothing where no part tells them."""
    told = _counted(run, "sent_bytes")
    sent, handed = (sum(one[name] for one in told) for name in ("sent", "sent_bytes"))
    return {"handed_bytes_per_operation": handed / sent} if sent else {}


def udp_receive_errors(run: Run) -> dict[str, Value]:
    """Return the datagrams that the kernel dropped before a part read them; nothing where no part tells of them.

    Each part tells of its whole network: over a link of the lab's each has its own, else all have the same.
    """
    errors = [int(one["udp_receive_errors"]) for one in _counted(run, "udp_receive_errors")]
    if not errors:
        return {}
    return {"udp_receive_errors": sum(errors) if run.record.link else max(errors)}


def _counted(run: Run, counter: str) -> list[dict[str, Any]]:
    """Return the counters of the measured window of each part that tells one of them."""
    told = (one for _, one in _told(run, "counters") if one.get("phase") == "measure")
    return [one for one in told if counter in one]


def first_operation(run: Run) -> dict[str, Value]:
    """Return how long the first operation of its kind took in a process, in ms; nothing where no part tells it apart.

    It is not among the measured ones: loading code is in it.
    """
    for _, told in _told(run, "first_calls"):
        took_ns = dict(zip(told["operations"], told["ns"], strict=True))
        kind = next((level for level in run.factors.values() if level in took_ns), None)
        if kind is not None:
            return {"first_operation_ms": took_ns[kind] / NS_PER_MS}
    return {}


def connecting(run: Run) -> dict[str, Value]:
    """Return how long opening a connection took, in ms, mean over the parts that tell; nothing where none does."""
    told_ns = [int(told["ns"]) for _, told in _told(run, "connected")]
    return {"connect_ms": float(np.mean(told_ns)) / NS_PER_MS} if told_ns else {}


def _depth(database: duckdb.DuckDBPyConnection, run: Run) -> dict[str, Value]:
    """Return the mean and the largest of the depths of a queue that a part sampled; nothing where none did.

    Those count that were taken between the first message of a level within the run, a round for one, and its last.
    """
    told = [(int(one["at_ns"]), int(one["messages"])) for _, one in _told(run, "depth")]
    windows = database.execute(
        """
        SELECT first, last FROM (SELECT op, min(time_ns) AS first FROM begun GROUP BY op)
        JOIN (SELECT op, max(time_ns) AS last FROM ended GROUP BY op) USING (op)
        """
    ).fetchall()
    found = [depth for at_ns, depth in told if any(first <= at_ns <= last for first, last in windows)]
    return {"depth_mean": float(np.mean(found)), "depth_max": max(found)} if found else {}


def _in_flight(
    database: duckdb.DuckDBPyConnection, run: Run, declared: Mapping[str, Any], operation: Mapping[str, Any]
) -> dict[str, Value]:
    """Return the mean and the largest number of operations that had begun and not ended; nothing where no metric asks.

    Of those that ended, while a level within the run lasted, a round for one. One that is recorded stands for all that
    were made and not recorded.
    """
    if "at" in operation or _columns_of_metrics(declared).isdisjoint(("in_flight_mean", "in_flight_max")):
        return {}
    mean, most = only_row(
        database,
        f"""
        WITH took AS (
          SELECT op, begun.time_ns AS from_ns, ended.time_ns AS to_ns FROM begun JOIN ended USING ({KEYS})
          WHERE begun.time_ns BETWEEN ? AND ?
        ), rounds AS (
          SELECT sum(to_ns - from_ns) AS in_flight_ns, max(to_ns) - min(from_ns) AS lasted_ns FROM took GROUP BY op
        ), steps AS (
          SELECT op, from_ns AS time_ns, 1 AS step FROM took UNION ALL SELECT op, to_ns, -1 FROM took
        ), numbers AS (SELECT sum(step) OVER (PARTITION BY op ORDER BY time_ns, step) AS number FROM steps)
        SELECT sum(in_flight_ns) / nullif(sum(lasted_ns), 0), (SELECT max(number) FROM numbers) FROM rounds
        """,
        run.window_ns,
    )
    if mean is None:
        return {}
    every = recorded_every(run)
    return {"in_flight_mean": every * float(mean), "in_flight_max": every * int(most)}


def told_of_level(run: Run) -> dict[str, Value]:
    """Return by role what its part tells of a level of the factor that varies within the run, its CPU time for one."""
    found: dict[str, Value] = {}
    for role, told in _told(run, "levels"):
        place = next((told["levels"].index(one) for one in run.factors.values() if one in told["levels"]), None)
        if place is not None:
            found |= {f"{role}_{name}": told[name][place] for name in ROLE_FIGURES if name in told}
    return found


def _told(run: Run, event: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what the parts of a run told of an event, the role of each before it.

    Raises LabError when a file of events is not the one that was recorded, or a line of it is no JSON object.
    """
    for path in sorted(run.folder.glob(f"*{EVENTS_SUFFIX}")):
        for told in _events(recorded_file(run, path.name)):
            if told.get("event") == event:
                yield path.name.removesuffix(EVENTS_SUFFIX).rpartition("-")[0], told


def _events(path: Path) -> Iterator[dict[str, Any]]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:
        raise LabError(f"{path} is not UTF-8 text.") from None
    for number, line in enumerate(lines, 1):
        try:
            told = json.loads(line)
        except json.JSONDecodeError as error:
            raise LabError(f"{path}, line {number}: not JSON ({error.msg}).") from None
        if not isinstance(told, dict):
            raise LabError(f"{path}, line {number}: expected a JSON object.")
        yield told


def wire_bytes(run: Run, operations: int) -> dict[str, Value]:
    """Return the bytes that arrived at all parts over the link for an operation; nothing where nobody counted them."""
    arrived = run.record.link.get("received_bytes")
    if arrived is None or not operations or run.within_run is not None:
        return {}
    return {"wire_bytes_per_operation": arrived / operations / recorded_every(run)}


def _lost(database: duckdb.DuckDBPyConnection, run: Run, operation: Mapping[str, Any]) -> dict[str, Value]:
    """Return how many operations that were begun in the measured window never ended; nothing where they only count."""
    if "at" in operation:
        return {}
    query = f"SELECT count(*) FROM begun ANTI JOIN ended USING ({KEYS}) WHERE time_ns BETWEEN ? AND ?"
    return {"lost": int(only_row(database, query, run.window_ns)[0])}


def _interval(
    database: duckdb.DuckDBPyConnection, records: _Records, name: str, interval: Mapping[str, Any]
) -> dict[str, Value]:
    """Return the figures of an interval: nothing where a run recorded none of its ends.

    Nothing either where its parts were on several hosts, whose clocks it would compare, or, from one role to another,
    where an end came before its begin: numbers of reads, say, were joined to those of messages that take two reads.
    Of the kind ``without_extremes`` the smallest and the largest are left out, and the deviation is that of a
    population, as a paper may have done. ``of_seconds`` the deviation is that of the means of whole seconds, and
    nothing where the window has fewer than two.
    """
    roles = {interval[end][0] for end in ("from", "to")}
    if len({part.host for part in records.run.record.parts if part.role in roles}) > 1:
        return {}
    try:
        begun, ended = records.query(*interval["from"]), records.query(*interval["to"])
    except LabError:
        return {}
    found = database.execute(
        f"""
        SELECT ended.time_ns - begun.time_ns AS took, count(*) AS n
        FROM ({begun}) begun JOIN ({ended}) ended USING ({KEYS})
        WHERE begun.time_ns BETWEEN ? AND ? GROUP BY ALL
        """,
        records.run.window_ns,
    ).fetchnumpy()
    if not len(found["took"]) or (interval["from"][0] != interval["to"][0] and found["took"].min() < 0):
        return {}
    distribution = Distribution.of(np.asarray(found["took"], dtype=np.int64) / NS_PER_MS, found["n"])
    mean, sd = distribution.mean or 0.0, distribution.sd or 0.0
    kind = interval.get("kind")
    if kind == "without_extremes" and distribution.n > 3:
        kept = np.repeat(distribution.values, distribution.counts)[1:-1]
        mean, sd = float(kept.mean()), float(kept.std())
    deviation = _sd_of_seconds(database, records.run, begun, ended) if kind == "of_seconds" else sd
    cv = deviation / mean if mean and deviation is not None else None
    values = (mean, deviation, cv, *(distribution.percentile(part) for part in (0.5, 0.99)))
    return {f"{name}_{figure}": value for figure, value in zip(INTERVAL_FIGURES, values, strict=True)}


def _sd_of_seconds(database: duckdb.DuckDBPyConnection, run: Run, begun: str, ended: str) -> float | None:
    """Return the deviation of an interval's means over whole seconds of the window, in ms; None of fewer than two."""
    start_ns, last_ns = run.window_ns
    end_ns = last_ns - (last_ns - start_ns) % NS_PER_S
    (deviation_ns,) = only_row(
        database,
        f"""
        SELECT stddev_samp(mean) FROM (
          SELECT avg(ended.time_ns - begun.time_ns) AS mean
          FROM ({begun}) begun JOIN ({ended}) ended USING ({KEYS})
          WHERE begun.time_ns >= ? AND begun.time_ns < ? GROUP BY (begun.time_ns - ?) // {NS_PER_S}
        )
        """,
        [start_ns, end_ns, start_ns],
    )
    return None if deviation_ns is None else float(deviation_ns) / NS_PER_MS
