"""Two result files against each other: ratios of mean response times, with an interval over blocks of time.

Requests of one run wait in the same queues and are not independent, so an interval over requests would be far too
narrow. Each run is cut into BLOCKS equal stretches of time (the batch means of simulation, Schmeiser, Operations
Research 30, 1982: 10 to 30 batches); the mean is a ratio of sums over the blocks and its variance that of a ratio
estimator (Cochran, Sampling Techniques, 1977, section 6.3). The interval says how sure the means of these two runs
are. What differs between runs (a restart, the hour, another machine) it cannot hold: that takes repeated runs.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from uploadlab.jtl.figures import Name, name_of, origin_us, seconds_spanned
from uploadlab.jtl.result_file import ALL, REQUEST, ResultFile
from uploadlab.metrics.figures import QUANTILES
from uploadlab.statistics.correlations import lag_1
from uploadlab.statistics.intervals import t_quantile
from uploadlab.table_file import Value

BLOCKS = 20
SHORTEST_BLOCK_S = 1.0
FEWEST_REQUESTS = 10
"""In each block, so that a block has a mean to speak of."""
COMPARISON_COLUMNS = (
    "before", "after", "label", "kind", "requests_before", "requests_after", "mean_ms_before", "mean_ms_after",
    "mean_ratio", "mean_ratio_lo", "mean_ratio_hi", "blocks", "block_s_before", "block_s_after", "no_interval",
    "p50_ratio", "p99_ratio", "throughput_ratio", "error_pct_before", "error_pct_after",
)  # fmt: skip
NO_INTERVAL: Mapping[str, str] = {
    "short": "no interval: a run is too short to be cut into 20 blocks of at least a second",
    "few": "no interval: a block of time has fewer than 10 requests",
    "drift": (
        "no interval: the response time drifts within a run, so neighbouring blocks of time are alike"
        " and don't show how certain its mean is"
    ),
    "zero": "no interval: a mean of 0 ms",
    "untimed": "no interval: a file does not say when requests started",
}
MEAN, RATE, ERRORS = "mean_ms", "throughput_rps", "error_pct"
MOST_LAG_1 = 2.326 / math.sqrt(BLOCKS)
"""One-sided 1 %: of independent blocks, lag-1 autocorrelation is about normal with sd 1/sqrt(n)."""
Block = Mapping[str, float]
Row = dict[str, Value]
Rows = Sequence[Mapping[str, Value]]


@dataclass(frozen=True, kw_only=True)
class Blocks:
    """Sums over the blocks of one label of one file; `problem` says why there are none to rely on."""

    mean: float = 0.0
    variance_of_log: float = 0.0
    length_s: float = 0.0
    problem: str = ""


def figures_of_blocks(file: ResultFile) -> tuple[float, dict[Name, list[Block]]]:
    """Return the length of a block in s, and the figures of each that holds requests, by kind and label.

    None without times.
    """
    if seconds_spanned(file) is None:
        return 0.0, {}
    begin = origin_us(file)
    end = int(file.one("SELECT max(start_us) FROM counted")[0])
    length_us = (end - begin + 1) / BLOCKS
    figures = f"count(*), count(*) FILTER (failed), avg(elapsed_us), quantile_disc(elapsed_us, {[*QUANTILES.values()]})"
    rows = file.database.execute(
        f"""
        WITH placed AS (
          SELECT *, least({BLOCKS - 1}, floor((start_us - {begin}) / {length_us!r}))::INT AS place
          FROM labelled WHERE start_us BETWEEN {begin} AND {end}
        )
        SELECT kind, label, place, {figures} FROM placed GROUP BY ALL UNION ALL
        SELECT '{ALL}', '', place, {figures} FROM placed WHERE kind = '{REQUEST}' GROUP BY place ORDER BY place
        """
    ).fetchall()
    found: dict[Name, list[Block]] = {}
    for kind, label, _, n, errors, mean_us, quantiles in rows:
        block = {"n": n, MEAN: mean_us / 1000, RATE: n / length_us * 1e6, ERRORS: 100 * errors / n}
        block |= {name: value / 1000 for name, value in zip(QUANTILES, quantiles, strict=True)}
        found.setdefault((kind, label), []).append(block)
    return length_us / 1e6, found


def blocks(file: ResultFile) -> dict[Name, Blocks]:
    """Return the blocks of all requests and of each kind and label."""
    length_s, found = figures_of_blocks(file)
    result = {}
    for name, of in found.items():
        counts, means = np.zeros(BLOCKS), np.zeros(BLOCKS)
        counts[: len(of)], means[: len(of)] = ([block[figure] for block in of] for figure in ("n", MEAN))
        result[name] = judged(counts, counts * means, length_s)
    return result


def judged(counts: NDArray[np.float64], totals: NDArray[np.float64], length_s: float) -> Blocks:
    """Return the blocks of one label from its requests and the sum of their times (ms) in each."""
    if length_s < SHORTEST_BLOCK_S:
        return Blocks(problem="short")
    if counts.min() < FEWEST_REQUESTS:
        return Blocks(problem="few")
    mean = float(totals.sum() / counts.sum())
    if mean <= 0:
        return Blocks(problem="zero")
    rest = totals - mean * counts
    if lag_1(rest) > MOST_LAG_1:
        return Blocks(problem="drift")
    variance = BLOCKS / (BLOCKS - 1) * float(rest @ rest) / float(counts.sum()) ** 2
    return Blocks(mean=mean, variance_of_log=variance / mean**2, length_s=length_s)


def comparison_rows(
    before: Rows, after: Rows, blocks_before: dict[Name, Blocks], blocks_after: dict[Name, Blocks]
) -> list[Row]:
    """Return what changed from one file's summary to another's: all requests, then each label that both have."""
    by_name = {name_of(row): row for row in after}
    rows = []
    for old in before:
        new = by_name.get(name_of(old))
        if new is None:
            continue
        first, second = blocks_before.get(name_of(old)), blocks_after.get(name_of(old))
        row: Row = {
            "before": old["file"],
            "after": new["file"],
            "label": old["label"],
            "kind": old["kind"],
            "requests_before": old["requests"],
            "requests_after": new["requests"],
            "mean_ms_before": old["mean_ms"],
            "mean_ms_after": new["mean_ms"],
            "mean_ratio": _ratio(new, old, "mean_ms"),
            "p50_ratio": _ratio(new, old, "p50_ms"),
            "p99_ratio": _ratio(new, old, "p99_ms"),
            "throughput_ratio": _ratio(new, old, "throughput_rps"),
            "error_pct_before": old["error_pct"],
            "error_pct_after": new["error_pct"],
        }
        rows.append(row | interval(first, second, row["mean_ratio"]))
    return rows


def interval(first: Blocks | None, second: Blocks | None, ratio: Value) -> Row:
    """Return the interval of a ratio of means as columns of ``comparison.csv``, or why there is none."""
    problem = next((one.problem for one in (first, second) if one and one.problem), "")
    if first is None or second is None:
        problem = "untimed"
    if problem or not isinstance(ratio, float) or first is None or second is None:
        return {"no_interval": problem or "zero"}
    variance = first.variance_of_log + second.variance_of_log
    parts = first.variance_of_log**2 + second.variance_of_log**2
    degrees = (BLOCKS - 1) * variance**2 / parts if parts else float(2 * BLOCKS - 2)
    factor = math.exp(t_quantile(degrees) * math.sqrt(variance))
    return {
        "mean_ratio_lo": ratio / factor,
        "mean_ratio_hi": ratio * factor,
        "blocks": BLOCKS,
        "block_s_before": first.length_s,
        "block_s_after": second.length_s,
    }


def _ratio(new: Mapping[str, Value], old: Mapping[str, Value], column: str) -> float | None:
    a, b = new[column], old[column]
    return a / b if isinstance(a, (int, float)) and isinstance(b, (int, float)) and b else None
