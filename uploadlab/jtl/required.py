"""What ``--require`` is held against in a result file: its figures, with intervals over blocks of time.

Requests of one run wait in the same queues and are not independent, so the interval is over BLOCKS stretches of time,
as that of a comparison is; of percentiles and rates it is by sectioning (Asmussen and Glynn, Stochastic Simulation,
2007, section III.5): how far the blocks' own figures scatter around that of the whole file.
"""

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from uploadlab.jtl.comparison import (
    BLOCKS,
    ERRORS,
    FEWEST_REQUESTS,
    MEAN,
    MOST_LAG_1,
    RATE,
    SHORTEST_BLOCK_S,
    Block,
    figures_of_blocks,
)
from uploadlab.jtl.figures import name_of
from uploadlab.jtl.result_file import ALL, ResultFile
from uploadlab.metrics.figures import QUANTILES
from uploadlab.statistics.correlations import lag_1
from uploadlab.statistics.intervals import t_quantile
from uploadlab.table_file import Value
from uploadlab.tables.answer import Cell, Estimate

ALL_REQUESTS = "all requests"


def cells(file: ResultFile, summary: Sequence[Mapping[str, Value]]) -> Iterator[Cell]:
    """Yield all requests and each label as cells; a figure has no interval where its blocks can't tell."""
    length_s, blocks = figures_of_blocks(file)
    for row in summary:
        kind, label = name_of(row)
        of = blocks.get((kind, label), []) if length_s >= SHORTEST_BLOCK_S else []
        values = {
            name: _estimate(name, float(value), of, int(str(row["requests"])))
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


def _estimate(name: str, value: float, blocks: Sequence[Block], requests: int) -> Estimate:
    if len(blocks) < BLOCKS or min(block["n"] for block in blocks) < max(
        FEWEST_REQUESTS, 1 / (1 - QUANTILES.get(name, 0.0))
    ):
        return Estimate(value=value, lo=None, hi=None, n=requests)
    around = np.array([block[name] for block in blocks]) - value
    if lag_1(around) > MOST_LAG_1:
        return Estimate(value=value, lo=None, hi=None, n=requests)
    half = t_quantile(BLOCKS - 1) * math.sqrt(float(around @ around) / (BLOCKS * (BLOCKS - 1)))
    none_failed = 300 / requests if name == ERRORS and not value else 0.0  # the rule of three
    return Estimate(value=value, lo=max(0.0, value - half), hi=max(value + half, none_failed), n=requests)
