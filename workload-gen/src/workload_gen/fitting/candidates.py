"""The models that a list of sizes is compared with, each fitted by maximum likelihood."""

from dataclasses import dataclass

import numpy as np

from workload_gen.fitting.lognormal_fit import COUNTED_BELOW_BYTES, fit_lognormal
from workload_gen.fitting.size_counts import SizeCounts
from workload_gen.fitting.tail import fit_tail
from workload_gen.models.distribution import ContinuousDistribution, Floats
from workload_gen.models.heavy_tailed import LognormalPareto, Pareto
from workload_gen.models.simple import Exponential, Normal

_LEAST_BODY = 10
"""A body of fewer different sizes does not decide a lognormal."""


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A fitted model and how well it describes all sizes."""

    model: ContinuousDistribution
    parameters: int
    log_likelihood: float
    distance: float
    """Largest difference between the shares of sizes at or below any size: the list's and the model's."""

    @property
    def aic(self) -> float:
        """Akaike's information criterion; the smallest is the best."""
        return 2 * self.parameters - 2 * self.log_likelihood


def log_likelihoods(model: ContinuousDistribution, data: SizeCounts) -> Floats:
    """The logarithm of the likelihood of each different size (once, whatever its count)."""
    small = data.values < COUNTED_BELOW_BYTES
    likelihood = model.density(data.values)
    below = np.where(data.values[small] == 1, -np.inf, data.values[small] - 0.5)
    likelihood[small] = model.cdf(data.values[small] + 0.5) - model.cdf(below)
    return np.log(np.maximum(likelihood, 1e-300))


def log_likelihood(model: ContinuousDistribution, data: SizeCounts) -> float:
    """The logarithm of the likelihood of all sizes."""
    return float(data.counts @ log_likelihoods(model, data))


def candidate(model: ContinuousDistribution, parameters: int, data: SizeCounts) -> Candidate:
    """A model whose parameters were fitted to these sizes."""
    at_or_below = np.cumsum(data.counts) / data.total
    below = at_or_below - data.counts / data.total
    distance = max(
        np.abs(at_or_below - model.cdf(data.values + 0.5)).max(), np.abs(below - model.cdf(data.values - 0.5)).max()
    )
    return Candidate(
        model=model, parameters=parameters, log_likelihood=log_likelihood(model, data), distance=float(distance)
    )


def spliced_model(data: SizeCounts) -> LognormalPareto | None:
    """A lognormal body below the best tail; None where the list has no tail or no body."""
    tail = fit_tail(data)
    if tail is None:
        return None
    body = data.below(tail.x_min)
    if body.values.size < _LEAST_BODY:
        return None
    fitted = fit_lognormal(body, tail.cut)
    return LognormalPareto(
        mu=fitted.mu, sigma=fitted.sigma, cut=tail.cut, alpha=tail.alpha, tail_weight=tail.count / data.total
    )


def lognormal_candidate(data: SizeCounts) -> Candidate:
    """A lognormal alone."""
    return candidate(fit_lognormal(data), 2, data)


def spliced_candidate(data: SizeCounts) -> Candidate | None:
    """A lognormal body and a Pareto tail: mu, sigma, the cut, alpha and the tail weight are five parameters."""
    spliced = spliced_model(data)
    return None if spliced is None else candidate(spliced, 5, data)


def plain_candidates(data: SizeCounts) -> list[Candidate]:
    """The distributions the paper compares beside the lognormal: exponential, normal and Pareto, each alone."""
    mean = float(np.average(data.values, weights=data.counts))
    sd = float(np.sqrt(np.average((data.values - mean) ** 2, weights=data.counts)))
    smallest = float(data.values[0]) - 0.5
    alpha = 1 / float(np.average(np.log(data.values / smallest), weights=data.counts))
    return [
        candidate(Exponential(scale=mean), 1, data),
        candidate(Normal(mu=mean, sigma=sd), 2, data),
        candidate(Pareto(alpha=alpha, x_min=smallest), 2, data),
    ]
