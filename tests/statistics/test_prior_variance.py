import math

import numpy as np
import pytest

from uploadlab.statistics.prior_variance import PriorVariance, prior_variance
from uploadlab.statistics.sequential import (
    FIRST_LOOK,
    LEAST_BLOCKS,
    Blocks,
    critical_values,
    interval_of_paired_ratio,
    more_blocks,
)


def samples(generator, variances, blocks=3):
    return [generator.normal(0, math.sqrt(variance), blocks) for variance in variances]


def test_scenarios_that_scatter_alike_give_their_pooled_variance_a_quarter_of_their_degrees_of_freedom():
    others = [[-0.1, 0.1, 0.0]] * 6  # each has a variance of 0.01 and two degrees of freedom
    assert prior_variance(others) == PriorVariance(variance=pytest.approx(0.01), degrees=3)


@pytest.mark.parametrize(("degrees", "just_below"), [(4, 3), (8, 6)])
@pytest.mark.parametrize("variance", [0.01, 4.0])
def test_the_prior_of_many_scenarios_is_the_one_their_variances_were_drawn_from(degrees, just_below, variance):
    generator = np.random.default_rng(2)
    drawn = variance * degrees / generator.chisquare(degrees, 2000)
    found = prior_variance(samples(generator, drawn, blocks=9))
    assert found.degrees in (just_below, degrees)
    assert found.variance == pytest.approx(variance, rel=0.1)


def test_an_interval_with_a_prior_by_hand():
    a = [2, 2 * math.exp(0.1), 2 * math.exp(-0.1)]  # logs: ln 2, a variance of 0.01 with two degrees of freedom
    interval = interval_of_paired_ratio(a, [1, 1, 1], LEAST_BLOCKS, PriorVariance(variance=0.04, degrees=6))
    half = critical_values(LEAST_BLOCKS, 6)[0] * math.sqrt((6 * 0.04 + 2 * 0.01) / 8) / math.sqrt(3)
    assert (interval.lo, interval.hi) == pytest.approx((2 * math.exp(-half), 2 * math.exp(half)))


def test_a_prior_decides_in_fewer_blocks():
    a, b = [1.1, 1.5, 1.2], [1.0, 1.0, 1.0]
    alone = more_blocks(Blocks.of(a, b), 12, 0.1)
    together = more_blocks(
        Blocks.of(a, b, prior=PriorVariance(variance=float(np.var(np.log(a), ddof=1)), degrees=8)), 12, 0.1
    )
    assert together is not None
    assert alone is None or together < alone


def decided(generator, scatters):
    """Return what a campaign of equals in several scenarios says, that stops each as soon as it is decided."""
    most, margin, scenarios = 12, 1.1, len(scatters)
    logs = generator.normal(0, 1, (scenarios, most)) * scatters[:, None]
    made, verdicts = np.full(scenarios, FIRST_LOOK), ["open"] * scenarios
    while True:
        for number, n in enumerate(made):
            prior = prior_variance(logs[other, : made[other]] for other in range(scenarios) if other != number)
            interval = interval_of_paired_ratio(np.exp(logs[number, :n]), [1.0] * n, most, prior)
            apart, equal = interval.lo > 1 or interval.hi < 1, interval.lo > 1 / margin and interval.hi < margin
            verdicts[number] = "different" if apart else "equal" if equal else "open"
        going_on = [number for number, one in enumerate(verdicts) if one == "open" and made[number] < most]
        if not going_on:
            return verdicts
        made[going_on] += 1


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize("spread", [0.0, 0.5, 1.0], ids=["alike", "half_or_double", "a_third_to_thrice"])
def test_of_a_thousand_comparisons_of_equals_at_most_one_in_twenty_finds_a_difference_however_scenarios_scatter(spread):
    generator = np.random.default_rng(3)
    found = []
    for _ in range(100):
        scatters = 0.06 * np.exp(generator.normal(0, spread, 10))
        found += decided(generator, scatters)
    assert found.count("different") <= 0.05 * 1000 + 2 * math.sqrt(1000 * 0.05 * 0.95)
