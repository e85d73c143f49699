"""Is there a Pareto tail? Three tests, each against chance."""

import math
from dataclasses import dataclass

import numpy as np

from workload_gen.fitting.candidates import log_likelihood, spliced_model
from workload_gen.fitting.lognormal_fit import fit_lognormal, tail_lognormal_likelihoods
from workload_gen.fitting.size_counts import SizeCounts
from workload_gen.fitting.tail import TailFit, fit_tail
from workload_gen.models.distribution import sizes_from
from workload_gen.models.heavy_tailed import Lognormal, Pareto

MOST_BOOTSTRAPPED = 20_000
"""Longer lists are bootstrapped by a random part of this length: what 20,000 sizes cannot tell apart is no matter for
a load test, and the time stays below half a minute."""


@dataclass(frozen=True, kw_only=True)
class LikelihoodRatio:
    """A log-likelihood ratio and the probability of one at least as far from 0 when both models fit alike (Vuong)."""

    ratio: float
    """Above 0 the Pareto distribution is the likelier."""
    p: float


def resampled(data: SizeCounts, count: int, rng: np.random.Generator) -> SizeCounts:
    """`count` sizes drawn from the list with replacement."""
    return data.with_counts(rng.multinomial(count, data.counts / data.total))


def p_of_gain(gain: float, count: int, rng: np.random.Generator, repeats: int) -> float:
    """Probability of such a gain in log-likelihood when the sizes are from a lognormal: the parametric bootstrap.

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
            as_large += log_likelihood(spliced, data) - log_likelihood(fit_lognormal(data), data) >= gain
    return (1 + as_large) / (1 + repeats)


def p_of_tail(data: SizeCounts, rng: np.random.Generator, repeats: int) -> float:
    """Probability of a distance as large as the tail's when it is Pareto: Clauset, Shalizi and Newman, section 4.1.

    Below 0.1 the tail is not plausibly Pareto. Each repeat draws the body from the list itself and the tail from the
    fitted Pareto distribution, and searches x_min again.
    """
    if data.total > MOST_BOOTSTRAPPED:
        whole = data.counts.astype(np.int64)
        data = data.with_counts(rng.multivariate_hypergeometric(whole, MOST_BOOTSTRAPPED, method="marginals"))
    tail = fit_tail(data)
    assert tail is not None
    body = data.below(tail.x_min)
    again = [fit_tail(_like(body, tail, data.total, rng)) for _ in range(repeats)]
    return sum(one is not None and one.distance >= tail.distance for one in again) / repeats


def _like(body: SizeCounts, tail: TailFit, count: int, rng: np.random.Generator) -> SizeCounts:
    """Sizes like the list's: its own body, and a tail from the fitted Pareto distribution."""
    in_tail = int(rng.binomial(count, tail.count / count))
    drawn = Pareto(alpha=tail.alpha, x_min=tail.cut).sample(in_tail, rng)
    above = SizeCounts.of(np.floor(drawn + 0.5))
    below = resampled(body, count - in_tail, rng) if body.total else body
    return SizeCounts(
        values=np.concatenate((below.values, above.values)), counts=np.concatenate((below.counts, above.counts))
    )


def tail_against_lognormal(data: SizeCounts, x_min: float) -> LikelihoodRatio:
    """The Pareto distribution of the sizes from `x_min` on against a lognormal fitted to them alone: Vuong,
    Econometrica 57, 1989.

    Both are densities from `x_min` on, as in Clauset, Shalizi and Newman's own test (their section 5).
    """
    above = data.at_least(x_min)
    logs, start = np.log(above.values), math.log(x_min)
    alpha = above.total / float(above.counts @ (logs - start))
    pareto = math.log(alpha) - alpha * (logs - start) - logs
    differences = pareto - tail_lognormal_likelihoods(logs, above.counts, start)
    ratio = float(above.counts @ differences)
    deviation = math.sqrt(float(above.counts @ (differences - ratio / above.total) ** 2))
    return LikelihoodRatio(ratio=ratio, p=math.erfc(abs(ratio) / deviation / math.sqrt(2)) if deviation else 1.0)
