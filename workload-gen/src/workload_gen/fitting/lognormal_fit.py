"""Maximum likelihood of a lognormal distribution, whole, truncated above at a cut, or below where a tail begins."""

import math
from collections.abc import Callable

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_ndtr, ndtr

from workload_gen.fitting.size_counts import SizeCounts
from workload_gen.models.distribution import Floats
from workload_gen.models.heavy_tailed import Lognormal

COUNTED_BELOW_BYTES = 1024
"""Below this a size's likelihood is the probability of its whole byte count, above it the density at it: the
difference matters only where a byte is a noticeable share of a size."""

_LEAST_SIGMA = 1e-4
_LARGEST_SIGMA = 20.0

Loss = Callable[[float, float], float]
"""Minus the log-likelihood of a mu and a logarithm of sigma."""


def fit_lognormal(data: SizeCounts, cut: float = math.inf) -> Lognormal:
    """The lognormal that makes these sizes, all below the cut, most likely.

    Parameters
    ----------
    cut : bytes; the distribution is conditional on values below it
    """
    logs = np.log(data.values)
    mu = float(np.average(logs, weights=data.counts))
    sd = math.sqrt(float(np.average((logs - mu) ** 2, weights=data.counts))) or 0.1
    log_sigma = math.log(sd)
    # The mean and deviation of the logarithms are the answer themselves where all is density and nothing is cut off.
    if data.values[0] < COUNTED_BELOW_BYTES or math.isfinite(cut):
        mu, log_sigma = _least(_loss(data, cut), mu, log_sigma, data.total)
    return Lognormal(mu=mu, sigma=math.exp(log_sigma))


def tail_lognormal_likelihoods(logs: Floats, counts: Floats, start: float) -> Floats:
    """The log-likelihood of each size of a tail under the lognormal, from `start` on, that fits the tail best.

    Parameters
    ----------
    logs : of the sizes
    start : logarithm of the size from which the tail holds
    """
    total = float(counts.sum())
    mean = float(np.average(logs, weights=counts))
    squares = float(counts @ (logs - mean) ** 2)

    def loss(mu: float, log_sigma: float) -> float:
        sigma = math.exp(log_sigma)
        beyond = float(log_ndtr((mu - start) / sigma))
        return total * (log_sigma + beyond) + (squares + total * (mean - mu) ** 2) / (2 * sigma**2)

    mu, log_sigma = _least(loss, mean, 0.5 * math.log(squares / total) if squares else 0.0, total)
    z = (logs - mu) / math.exp(log_sigma)
    beyond = float(log_ndtr((mu - start) / math.exp(log_sigma)))
    return np.asarray(-0.5 * z * z - log_sigma - 0.5 * math.log(2 * math.pi) - logs - beyond)


def _least(loss: Loss, mu: float, log_sigma: float, total: float) -> tuple[float, float]:
    """The mu and log sigma of the least loss of so many sizes, looked for from these on."""

    def bounded(unknowns: Floats) -> float:
        mu, log_sigma = float(unknowns[0]), float(unknowns[1])
        is_possible = _LEAST_SIGMA < math.exp(log_sigma) < _LARGEST_SIGMA and abs(mu) < 200
        return loss(mu, log_sigma) if is_possible else math.inf

    begin = np.array([mu, log_sigma])
    best = minimize(
        bounded, begin, method="Nelder-Mead", options={"xatol": 1e-7, "fatol": 1e-9 * total, "maxiter": 2000}
    ).x
    return float(best[0]), float(best[1])


def _loss(data: SizeCounts, cut: float) -> Loss:
    """The large sizes enter by their sums only."""
    small, large = data.below(COUNTED_BELOW_BYTES), data.at_least(COUNTED_BELOW_BYTES)
    lower, upper = np.log(np.maximum(small.values - 0.5, 1e-300)), np.log(small.values + 0.5)
    lower[small.values == 1] = -np.inf
    logs, count = np.log(large.values), float(large.counts.sum())
    log_mean = float(np.average(logs, weights=large.counts)) if count else 0.0
    log_squares = float((large.counts * (logs - log_mean) ** 2).sum())
    log_cut = math.log(cut)

    def loss(mu: float, log_sigma: float) -> float:
        sigma = math.exp(log_sigma)
        squares = log_squares + count * (log_mean - mu) ** 2
        loss = count * (log_sigma + 0.5 * math.log(2 * math.pi) + log_mean) + squares / (2 * sigma**2)
        if small.counts.size:
            inside = ndtr((upper - mu) / sigma) - ndtr((lower - mu) / sigma)
            loss -= float(small.counts @ np.log(np.maximum(inside, 1e-300)))
        if math.isfinite(log_cut):
            loss += data.total * float(log_ndtr((log_cut - mu) / sigma))
        return loss

    return loss
