"""Mean and deviation of the whole byte counts that a continuous distribution is rounded to."""

from __future__ import annotations

import math

import numpy as np

from workload_gen.models.distribution import ContinuousDistribution

_SUMMED_UP_TO_BYTES = 50_000
_ROUNDING_VARIANCE = 1 / 12


def integer_moments(distribution: ContinuousDistribution, largest_bytes: float) -> tuple[float, float]:
    """Mean and standard deviation in bytes of `sizes_from` this distribution.

    Up to 50,000 bytes they are summed over every size: E[N] = 1 + sum of P(N > n), and E[N^2] = 1 + sum of
    (2n + 1) P(N > n), n from 1. Above that rounding leaves the mean alone and adds 1/12 to the variance (Sheppard).

    Parameters
    ----------
    largest_bytes : a size that the distribution never exceeds
    """
    if largest_bytes > _SUMMED_UP_TO_BYTES:
        return distribution.mean(), math.sqrt(distribution.variance() + _ROUNDING_VARIANCE)
    sizes = np.arange(1, math.ceil(largest_bytes) + 1)
    above = distribution.survival(sizes + 0.5)
    mean = 1 + float(above.sum())
    second = 1 + float(((2 * sizes + 1) * above).sum())
    return mean, math.sqrt(second - mean**2)
