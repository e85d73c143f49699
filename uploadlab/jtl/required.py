"""What ``--require`` is held against in a result file: its figures, with intervals over blocks of time.

Requests of one run wait in the same queues and are not independent, so the interval is over BLOCKS stretches of time,
as that of a comparison is; of percentiles and rates it is by sectioning (Asmussen and Glynn, Stochastic Simulation,
2007, section III.5): how far the blocks' own figures scatter around that of the whole file.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from uploadlab.jtl.comparison import BLOCKS, FEWEST_REQUESTS, SHORTEST_BLOCK_S
from uploadlab.jtl.figures import Name, name_of, origin_us, seconds_spanned
from uploadlab.jtl.result_file import ALL, REQUEST, ResultFile
from uploadlab.metrics.figures import QUANTILES
from uploadlab.statistics.intervals import t_quantile
from uploadlab.table_file import Value
from uploadlab.tables.answer import Cell, Estimate

ALL_REQUESTS = "all requests"
MEAN, RATE, ERRORS = "mean_ms", "throughput_rps", "error_pct"
LAG_1 = 2.326 / math.sqrt(BLOCKS)
"""One-sided 1 %: of independent blocks, lag-1 autocorrelation is about normal with sd 1/sqrt(n)."""
Block = Mapping[str, float]


def cells(file: ResultFile, summary: Sequence[Mapping[str, Value]]) -> Iterator[Cell]:
    """Yield all requests and each label as cells; a figure has no interval where its blocks can't tell."""
    blocks = _blocks(file)
    for row in summary:
        kind, label = name_of(row)
        values = {
            name: _estimate(name, float(value), blocks.get((kind, label), []), int(str(row["requests"])))
            for name in (MEAN, *QUANTILES, RATE, ERRORS)
            if isinstance(value := row[name], int | float)
        }
        yield Cell(
            scenario=file.name,
            row=file.name,
            size_bytes=None,
            load=None,
            system=ALL_REQUESTS if kind == ALL else label,
            values=values,
            factors={},
            runs=1,
            valid_runs=1,
        )


def _blocks(file: ResultFile) -> dict[Name, list[Block]]:
    """Return the figures of each block, by kind and label, where there are blocks long enough."""
    if not seconds_spanned(file):
        return {}
    begin = origin_us(file)
    length_us = (int(file.one("SELECT max(start_us) FROM counted")[0]) - begin + 1) / BLOCKS
    if length_us < SHORTEST_BLOCK_S * 1e6:
        return {}
    figures = (
        f"count(*), avg(elapsed_us), quantile_disc(elapsed_us, {list(QUANTILES.values())}), count(*) FILTER (failed)"
    )
    place = f"least({BLOCKS - 1}, floor((start_us - {begin}) / {length_us!r}))::INT"
    rows = file.database.execute(
        f"""
        SELECT kind, label, {place} AS place, {figures} FROM labelled GROUP BY ALL UNION ALL
        SELECT '{ALL}', '', {place} AS place, {figures} FROM labelled WHERE kind = '{REQUEST}' GROUP BY ALL
        ORDER BY place
        """
    ).fetchall()
    found: dict[Name, list[Block]] = {}
    for kind, label, _, n, mean_us, quantiles, errors in rows:
        block = _block(n, mean_us, quantiles, errors, length_us / 1e6)
        found.setdefault((kind, label), []).append(block)
    return {name: of for name, of in found.items() if len(of) == BLOCKS}


def _block(n: int, mean_us: float, quantiles: Sequence[Any], errors: int, length_s: float) -> Block:
    times = {name: value / 1000 for name, value in zip(QUANTILES, quantiles, strict=True)}
    return {"n": n, MEAN: mean_us / 1000, RATE: n / length_s, ERRORS: 100 * errors / n, **times}


def _estimate(name: str, value: float, blocks: Sequence[Block], requests: int) -> Estimate:
    if not blocks or min(block["n"] for block in blocks) < max(FEWEST_REQUESTS, 1 / (1 - QUANTILES.get(name, 0.0))):
        return Estimate(value=value, lo=None, hi=None, n=requests)
    around = np.array([block[name] for block in blocks]) - value
    below = float(np.dot(around, around))
    own = around - around.mean()
    if (of := float(np.dot(own, own))) and float(np.dot(own[1:], own[:-1])) / of > LAG_1:
        return Estimate(value=value, lo=None, hi=None, n=requests)
    half = t_quantile(BLOCKS - 1) * math.sqrt(below / (BLOCKS * (BLOCKS - 1)))
    none_failed = 300 / requests if name == ERRORS and not value else 0.0  # the rule of three
    return Estimate(value=value, lo=max(0.0, value - half), hi=max(value + half, none_failed), n=requests)
