"""The smallest difference that a campaign's time can decide, before anything is measured."""

import math
from statistics import NormalDist

from uploadlab.statistics.prior_variance import DEGREES, LEAST_OTHERS
from uploadlab.statistics.sequential import LEAST_BLOCKS, NOISE_SHARE, critical_value

TYPICAL_SCATTER = {"capacity_per_s": 0.03, "p99_ms": 0.15, "server_cpu_us_per_request": 0.02}
"""Standard deviation of the log of two systems' ratio between blocks, on two quiet cores."""
POWER = 0.9


def smallest_difference(
    scatter: float, blocks: int, most_blocks: int, family: int, scenarios: int, *, measured_twice: bool = False
) -> float | None:
    """Return the difference, as a share, that nine of ten campaigns would decide; None of fewer than three blocks.

    Parameters
    ----------
    scatter
        Standard deviation of the log of a block's ratio.
    blocks, most_blocks
        How many blocks of a scenario there is time for, and how many its intervals allow for.
    family
        How many comparisons hold together.
    scenarios
        Of how many scenarios the scatter is estimated together.
    measured_twice
        Whether one of the two systems is, in each block, as BASE is in a judgement.
    """
    if blocks < LEAST_BLOCKS:
        return None
    if measured_twice:
        scatter, scenarios = scatter * math.sqrt(NOISE_SHARE), 1
    others = scenarios - 1
    most = others * (blocks - 1) / (4 if family == 1 else 8) if others >= LEAST_OTHERS else 0
    degrees = max(one for one in DEGREES if one <= most)
    critical = critical_value(blocks, max(blocks, most_blocks), degrees, family, measured_twice=measured_twice)
    return math.expm1((critical + NormalDist().inv_cdf(POWER)) * scatter / math.sqrt(blocks))
