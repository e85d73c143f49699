"""Simulated campaigns of five sizes and the three headline metrics, which stop when they are sure or out of time."""

from dataclasses import dataclass
from functools import partial

import numpy as np

from uploadlab.statistics.families import families
from uploadlab.statistics.intervals import Interval
from uploadlab.statistics.prior_variance import prior_variance
from uploadlab.statistics.sequential import LEAST_BLOCKS, interval_of_paired_ratio

SIZES = 5
SCATTERS = (0.03, 0.15, 0.02)
"""Median standard deviation of the log of a block's ratio: capacity, p99 and CPU per upload at half load."""
MARGIN = 1.1
SAME = (1.0, 1.0, 1.0)
DIFFERENT = (1.2, 1.6, 0.85)
HOST_DRIFT, RUN_DRIFT = 0.15, 0.5
"""How much a host's speed drifts between blocks, and which part of what it does within one does not cancel."""


@dataclass(frozen=True, kw_only=True)
class Ended:
    """How a simulated campaign ended."""

    wrong: bool
    """Whether it names a winner anywhere that is none."""
    decided: int
    blocks: int


def headline_campaign(
    generator: np.random.Generator, ratios: tuple[float, ...], spread: float, most_blocks: int
) -> Ended:
    """Simulate a campaign on a drifting host, whose scenarios scatter differently by ``spread``."""
    scatters = np.array(SCATTERS) * np.exp(generator.normal(0, spread, (SIZES, len(SCATTERS))))
    host = np.cumsum(generator.normal(0, HOST_DRIFT / np.sqrt(most_blocks), (SIZES, most_blocks, 2)).ravel())
    host = host.reshape(SIZES, most_blocks, 2)
    order = generator.permuted(np.tile([0, 1], (SIZES, most_blocks, 1)), axis=2)
    speeds = np.take_along_axis(host, order, axis=2)  # whoever comes first meets the host as it was
    drifted = RUN_DRIFT * (speeds[:, :, 0] - speeds[:, :, 1])
    logs = np.log(ratios)[None, :, None] + drifted[:, None, :] * np.array(SCATTERS)[None, :, None] / max(SCATTERS)
    logs = logs + scatters[:, :, None] * generator.normal(size=(SIZES, len(SCATTERS), most_blocks))
    made = [LEAST_BLOCKS] * SIZES
    while True:
        intervals = _intervals(logs, made, most_blocks)
        going_on = [
            size for size in range(SIZES) if made[size] < most_blocks and not all(map(_decided, intervals[size]))
        ]
        if not going_on:
            return Ended(
                wrong=any(_wrong(one, ratio) for row in intervals for one, ratio in zip(row, ratios, strict=True)),
                decided=sum(_decided(one) for row in intervals for one in row),
                blocks=sum(made),
            )
        for size in going_on:
            made[size] += 1


def _intervals(logs: np.ndarray, made: list[int], most_blocks: int) -> list[list[Interval]]:
    places = [(size, metric) for size in range(SIZES) for metric in range(len(SCATTERS))]
    priors = {
        (size, metric): prior_variance((logs[n, metric, : made[n]] for n in range(SIZES) if n != size), alone=False)
        for size, metric in places
    }

    def interval(size: int, metric: int, family: int) -> Interval:
        ratios = np.exp(logs[size, metric, : made[size]])
        found = interval_of_paired_ratio(ratios, np.ones_like(ratios), most_blocks, priors[size, metric], family)
        assert found is not None
        return found

    each = families([partial(interval, *place) for place in places])
    found = [interval(*place, family) for place, family in zip(places, each, strict=True)]
    return [found[size * len(SCATTERS) : (size + 1) * len(SCATTERS)] for size in range(SIZES)]


def _decided(interval: Interval) -> bool:
    assert interval.lo is not None
    assert interval.hi is not None
    return interval.lo > 1 or interval.hi < 1 or (interval.lo > 1 / MARGIN and interval.hi < MARGIN)


def _wrong(interval: Interval, ratio: float) -> bool:
    """Return whether it names a winner that is none."""
    assert interval.lo is not None
    assert interval.hi is not None
    return (interval.lo > 1 and ratio <= 1) or (interval.hi < 1 and ratio >= 1)
