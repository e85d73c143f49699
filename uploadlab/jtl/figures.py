"""The figures of a result file: by label, over time, by size. Every row counts, nothing is estimated."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from uploadlab.jtl.result_file import ALL, TRANSACTION, ResultFile
from uploadlab.metrics.figures import QUANTILES
from uploadlab.metrics.series import QUANTILE_DIGITS, curve_quantiles
from uploadlab.table_file import Value, format_number

COLUMNS: Mapping[str, Sequence[str]] = {
    "summary": (
        "file", "label", "kind", "requests", "errors", "error_pct", "mean_ms", "sd_ms", "cv", "min_ms", *QUANTILES,
        "max_ms", "throughput_rps", "duration_s", "gap_s", "longest_gap_s", "sent_bytes", "received_bytes",
    ),
    "percentiles": ("file", "kind", "label", "quantile", "elapsed_ms"),
    "timeline": ("file", "second", "requests", "errors", "mean_ms", "cv", "p50_ms", "p99_ms"),
    "latency_heat": ("file", "second", "width_s", "from_ms", "to_ms", "requests"),
    "size_heat": ("file", "bytes", "from_bytes", "to_bytes", "from_ms", "to_ms", "requests"),
}  # fmt: skip
"""Of each table; a row says which file it is of."""
MOST_CURVES = 50
"""Of the labels with most requests a percentile curve is kept."""
LONGEST_TIMELINE_S = 200_000
HEAT_WINDOWS = 120
SIZE_BINS_PER_DOUBLING = 2
TIME_BINS_PER_DECADE = 12
SENT, RECEIVED = "sent", "received"
Row = dict[str, Value]
Rows = Sequence[Mapping[str, Value]]
Name = tuple[str, str]
"""A kind and a label: a transaction may be called like a request in it."""


def summary_rows(file: ResultFile) -> list[Row]:
    """Return the figures of all requests first, then of each label, the most frequent first."""
    quantiles = list(QUANTILES.values())
    figures = f"""
        count(*) AS n, count(*) FILTER (failed) AS errors, avg(elapsed_us) AS mean, stddev_samp(elapsed_us) AS sd,
        min(elapsed_us) AS least, max(elapsed_us) AS most, quantile_disc(elapsed_us, {quantiles}) AS quantiles,
        min(start_us) AS begin_us, max(start_us + elapsed_us) AS end_us, sum(sent_bytes) AS sent,
        sum(received_bytes) AS received
    """
    rows = file.database.execute(
        f"""
        SELECT '{ALL}' AS kind, '' AS label, {figures} FROM counted
        UNION ALL
        (SELECT kind, label, {figures} FROM labelled GROUP BY ALL ORDER BY count(*) DESC, 2, 1)
        """
    ).fetchall()
    gaps = _gaps(file)
    return [_summary_row(file, row, gaps) for row in rows]


def _summary_row(file: ResultFile, row: Sequence[Any], gaps: dict[Name, tuple[int, int]]) -> Row:
    kind, label, n, errors, mean, sd, least, most, quantiles, begin, end, sent, received = row
    duration_s = None if begin is None or end is None else (end - begin) / 1e6
    mean_ms, sd_ms = _ms(mean), _ms(sd)
    gap_s, longest_gap_s = (None, None) if kind == TRANSACTION else gaps.get((kind, label), (None, None))
    return {
        "file": file.name,
        "label": label,
        "kind": kind,
        "requests": n,
        "errors": errors if file.with_success else None,
        "error_pct": 100 * errors / n if file.with_success else None,
        "mean_ms": mean_ms,
        "sd_ms": sd_ms,
        "cv": sd_ms / mean_ms if sd_ms is not None and mean_ms else None,
        "min_ms": _ms(least),
        **{name: _ms(value) for name, value in zip(QUANTILES, quantiles, strict=True)},
        "max_ms": _ms(most),
        "throughput_rps": n / duration_s if duration_s else None,
        "duration_s": duration_s,
        "gap_s": gap_s,
        "longest_gap_s": longest_gap_s,
        "sent_bytes": None if sent is None else int(sent),
        "received_bytes": None if received is None else int(received),
    }


def name_of(row: Mapping[str, Value]) -> Name:
    """Return the kind and label of a row."""
    return str(row["kind"]), str(row["label"])


def label_of(row: Mapping[str, Value]) -> str:
    """Return what a row is called."""
    if row.get("kind") == ALL:
        return "All requests"
    name = " ".join(str(row["label"]).split()) or "(no label)"
    return f"{name} (transaction)" if row.get("kind") == TRANSACTION else name


def _gaps(file: ResultFile) -> dict[Name, tuple[int, int]]:
    """Return of all and of each kind and label how many clock seconds saw no request end, and the most in a row.

    Counted between the second of the first end and that of the last.
    """
    if not file.timed:
        return {}
    rows = file.database.execute(
        f"""
        WITH seconds AS (
          SELECT DISTINCT '{ALL}' AS kind, '' AS label, (start_us + elapsed_us) // 1000000 AS second FROM counted
          UNION ALL
          SELECT DISTINCT kind, label, (start_us + elapsed_us) // 1000000 FROM labelled
        ), gaps AS (
          SELECT kind, label, second - lag(second) OVER (PARTITION BY kind, label ORDER BY second) - 1 AS gap
          FROM seconds
        )
        SELECT kind, label, coalesce(sum(gap), 0), coalesce(max(gap), 0) FROM gaps GROUP BY kind, label
        """
    ).fetchall()
    return {(kind, label): (int(total), int(longest)) for kind, label, total, longest in rows}


def percentile_rows(file: ResultFile, summary: Sequence[Mapping[str, Value]]) -> Iterator[Row]:
    """Yield the percentile curves of all requests and of the first labels of a summary."""
    total = file.one("SELECT count(*) FROM counted")[0]
    yield from _curve(file, ALL, "", "SELECT elapsed_us FROM counted", [], total)
    for row in summary[1 : 1 + MOST_CURVES]:
        rows = "SELECT elapsed_us FROM labelled WHERE kind = ? AND label = ?"
        yield from _curve(file, *name_of(row), rows, name_of(row), int(str(row["requests"])))


def _curve(file: ResultFile, kind: str, label: str, rows: str, parameters: Sequence[str], n: int) -> Iterator[Row]:
    quantiles = curve_quantiles(n)
    found = file.one(f"SELECT quantile_disc(elapsed_us, {quantiles}) FROM ({rows})", parameters)[0]
    for quantile, elapsed_us in zip(quantiles, found, strict=True):
        yield {
            "file": file.name,
            "kind": kind,
            "label": label,
            "quantile": format_number(quantile, QUANTILE_DIGITS),
            "elapsed_ms": elapsed_us / 1000,
        }


def seconds_spanned(file: ResultFile) -> int | None:
    """Return how many seconds lie between the first start and the last end; None without times."""
    if not file.timed:
        return None
    begin, end = file.one("SELECT min(start_us), max(start_us + elapsed_us) FROM counted")
    return int((end - begin) // 1_000_000) + 1


def origin_us(file: ResultFile) -> int:
    """Return the first start, epoch µs."""
    return int(file.one("SELECT min(start_us) FROM counted")[0])


def timeline_rows(file: ResultFile) -> list[Row]:
    """Return one row for each second since the first start, of the requests that ended in it; none without times."""
    seconds = seconds_spanned(file)
    if seconds is None or seconds > LONGEST_TIMELINE_S:
        return []
    rows = file.database.execute(
        f"""
        SELECT (start_us + elapsed_us - {origin_us(file)}) // 1000000 AS second, count(*), count(*) FILTER (failed),
          avg(elapsed_us), stddev_samp(elapsed_us), quantile_disc(elapsed_us, [0.5, 0.99])
        FROM counted GROUP BY second
        """
    ).fetchall()
    found: dict[int, Row] = {}
    for second, n, errors, mean, sd, (p50, p99) in rows:
        found[second] = {
            "requests": n,
            "errors": errors if file.with_success else None,
            "mean_ms": _ms(mean),
            "cv": sd / mean if sd is not None and mean else None,
            "p50_ms": _ms(p50),
            "p99_ms": _ms(p99),
        }
    return [
        {"file": file.name, "second": second, **found.get(second, {"requests": 0, "errors": 0})}
        for second in range(seconds)
    ]


def latency_heat_rows(file: ResultFile) -> list[Row]:
    """Return how many requests ended in each window of time with each response time; none without times."""
    seconds = seconds_spanned(file)
    if seconds is None or seconds > LONGEST_TIMELINE_S:
        return []
    width_s, least_ms = 1 + (seconds - 1) // HEAT_WINDOWS, _least_ms(file)
    rows = file.database.execute(
        f"""
        SELECT (start_us + elapsed_us - {origin_us(file)}) // {1_000_000 * width_s} AS place, {_TIME_BIN} AS bin,
          count(*)
        FROM counted GROUP BY ALL ORDER BY ALL
        """
    ).fetchall()
    return [
        {"file": file.name, "second": place * width_s, "width_s": width_s, **_time_edges(bin_, least_ms), "requests": n}
        for place, bin_, n in rows
    ]


def size_heat_rows(file: ResultFile) -> list[Row]:
    """Return how many requests there are of each size, sent and received, and response time."""
    rows: list[Row] = []
    for which in ("sent", "received"):
        found = file.database.execute(
            f"""
            SELECT floor({SIZE_BINS_PER_DOUBLING} * log2({which}_bytes))::BIGINT AS size, {_TIME_BIN} AS bin, count(*)
            FROM counted WHERE {which}_bytes > 0 GROUP BY ALL ORDER BY ALL
            """
        ).fetchall()
        rows += [
            {
                "file": file.name,
                "bytes": which,
                "from_bytes": 2 ** (size / SIZE_BINS_PER_DOUBLING),
                "to_bytes": 2 ** ((size + 1) / SIZE_BINS_PER_DOUBLING),
                **_time_edges(bin_, _least_ms(file)),
                "requests": n,
            }
            for size, bin_, n in found
        ]
    return rows


def size_share_pct(file: ResultFile, which: str) -> float | None:
    """Return how much of the variance of response times a straight line on the bytes takes, %."""
    share = file.one(f"SELECT regr_r2(elapsed_us, {which}_bytes) FROM counted WHERE {which}_bytes > 0")[0]
    return 100 * share if share is not None and share == share else None


_TIME_BIN = f"if(elapsed_us = 0, NULL, floor({TIME_BINS_PER_DECADE} * log10(elapsed_us / 1000)))::BIGINT"


def _time_edges(time_bin: int | None, least_ms: float) -> dict[str, Value]:
    """Return between which response times a bin lies; None is the bin of what is below the least."""
    if time_bin is None:
        return {"from_ms": 0.0, "to_ms": least_ms}
    return {"from_ms": 10 ** (time_bin / TIME_BINS_PER_DECADE), "to_ms": 10 ** ((time_bin + 1) / TIME_BINS_PER_DECADE)}


def _least_ms(file: ResultFile) -> float:
    return 1.0 if file.whole_ms else 0.001


def _ms(value: object) -> float | None:
    return float(value) / 1000 if isinstance(value, (int, float)) else None
