"""Is there a Pareto tail? Three tests, each against chance."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from workload_gen.fitting.candidates import Candidate, log_likelihood, spliced_model
from workload_gen.fitting.lognormal_fit import fit_lognormal, tail_lognormal_likelihoods
from workload_gen.fitting.size_counts import SizeCounts
from workload_gen.fitting.tail import TailFit, fit_tail, is_as_far
from workload_gen.models.distribution import sizes_from
from workload_gen.models.lognormal import Lognormal
from workload_gen.models.pareto import Pareto

MOST_BOOTSTRAPPED = 20_000
"""Longer lists are bootstrapped by a random part of this length: what 20,000 sizes cannot tell apart is no matter for
a load test, and the time stays below half a minute."""


@dataclass(frozen=True, kw_only=True)
class LikelihoodRatio:
    """A log-likelihood ratio and the probability of one at least as far from 0 when both models fit alike (Vuong)."""

    ratio: float
    """Above 0 the Pareto distribution is the likelier."""
    p: float


def part_of(data: SizeCounts, most: int, rng: np.random.Generator) -> SizeCounts:
    """A random part of the sizes, drawn without replacement; all of them where there are no more than `most`."""
    if data.total <= most:
        return data
    counts = rng.multivariate_hypergeometric(data.counts.astype(np.int64), most, method="marginals")
    return SizeCounts(values=data.values[counts > 0], counts=counts[counts > 0].astype(np.float64))


def resampled(data: SizeCounts, count: int, rng: np.random.Generator) -> SizeCounts:
    """`count` sizes drawn from the list with replacement."""
    counts = rng.multinomial(count, data.counts / data.total)
    return SizeCounts(values=data.values[counts > 0], counts=counts[counts > 0].astype(np.float64))


def gain_of_tail(lognormal: Candidate, spliced: Candidate) -> float:
    """How much likelier (as a logarithm) the sizes are with a Pareto tail than with a lognormal alone."""
    return spliced.log_likelihood - lognormal.log_likelihood


def p_of_gain(gain: float, count: int, rng: np.random.Generator, repeats: int) -> float:
    """Probability of such a gain when the sizes are from a lognormal: the parametric bootstrap.

    The gain does not depend on the lognormal's parameters (a power of the sizes changes alpha and nothing else), so
    one lognormal serves for all; nor, beyond some hundred sizes, does it depend on how many there are.
    """
    null = Lognormal(mu=14.0, sigma=1.0)
    count = min(count, MOST_BOOTSTRAPPED)
    as_large = 0
    for _ in range(repeats):
        data = SizeCounts.of(sizes_from(null.sample(count, rng)))
        spliced = spliced_model(data)
        if spliced is not None:
            lognormal = fit_lognormal(data)
            as_large += log_likelihood(spliced[0], data) - log_likelihood(lognormal, data) >= gain
    return (1 + as_large) / (1 + repeats)


def p_of_tail(data: SizeCounts, rng: np.random.Generator, repeats: int) -> float:
    """Probability of a distance as large as the tail's when it is Pareto: Clauset, Shalizi and Newman, section 4.1.

    Below 0.1 the tail is not plausibly Pareto. Each repeat draws the body from the list itself and the tail from the
    fitted Pareto distribution, and searches x_min again.
    """
    data = part_of(data, MOST_BOOTSTRAPPED, rng)
    tail = fit_tail(data)
    assert tail is not None
    body = data.part(0, int(np.searchsorted(data.values, tail.x_min)))
    as_far = sum(is_as_far(_like(body, tail, data.total, rng), tail.distance) for _ in range(repeats))
    return as_far / repeats


def _like(body: SizeCounts, tail: TailFit, count: int, rng: np.random.Generator) -> SizeCounts:
    """Sizes like the list's: its own body, and a tail from the fitted Pareto distribution."""
    in_tail = int(rng.binomial(count, tail.count / count))
    drawn = Pareto(alpha=tail.alpha, x_min=tail.cut).sample(in_tail, rng)
    above = SizeCounts.of(np.floor(drawn + 0.5))
    below = resampled(body, count - in_tail, rng) if body.total else body
    return SizeCounts(
        values=np.concatenate((below.values, above.values)), counts=np.concatenate((below.counts, above.counts))
    )


def tail_against_lognormal(data: SizeCounts, tail: TailFit) -> LikelihoodRatio:
    """The tail's Pareto distribution against a lognormal fitted to the tail alone: Vuong, Econometrica 57, 1989.

    Both are densities from `x_min` on, as in Clauset, Shalizi and Newman's own test (their section 5).
    """
    above = data.part(int(np.searchsorted(data.values, tail.x_min)))
    logs, start = np.log(above.values), math.log(tail.x_min)
    alpha = above.total / float(above.counts @ (logs - start))
    pareto = math.log(alpha) - alpha * (logs - start) - logs
    differences = pareto - tail_lognormal_likelihoods(logs, above.counts, start)
    ratio = float(above.counts @ differences)
    deviation = math.sqrt(float(above.counts @ (differences - ratio / above.total) ** 2))
    return LikelihoodRatio(ratio=ratio, p=math.erfc(abs(ratio) / deviation / math.sqrt(2)) if deviation else 1.0)
