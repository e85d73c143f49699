"""Maximum likelihood of a lognormal distribution, whole, truncated above at a cut, or below where a tail begins."""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_ndtr, ndtr

from workload_gen.fitting.size_counts import SizeCounts
from workload_gen.models.distribution import Floats
from workload_gen.models.lognormal import Lognormal

COUNTED_BELOW_BYTES = 1024
"""Below this a size's likelihood is the probability of its whole byte count, above it the density at it: the
difference matters only where a byte is a noticeable share of a size."""

_LEAST_SIGMA = 1e-4
_LARGEST_SIGMA = 20.0


def fit_lognormal(data: SizeCounts, cut: float = math.inf) -> Lognormal:
    """The lognormal that makes these sizes, all below the cut, most likely.

    Parameters
    ----------
    cut : bytes; the distribution is conditional on values below it
    """
    logs = np.log(data.values)
    mean = float(np.average(logs, weights=data.counts))
    sd = math.sqrt(float(np.average((logs - mean) ** 2, weights=data.counts))) or 0.1
    loss = _Loss(data, cut)
    best = np.array([mean, math.log(sd)])
    # The mean and deviation of the logarithms are the answer themselves where all is density and nothing is cut off.
    if loss.counts_bytes or math.isfinite(cut):
        best = minimize(
            loss, best, method="Nelder-Mead", options={"xatol": 1e-7, "fatol": 1e-9 * data.total, "maxiter": 2000}
        ).x
    return Lognormal(mu=float(best[0]), sigma=math.exp(float(best[1])))


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

    def loss(unknowns: Floats) -> float:
        mu, log_sigma = float(unknowns[0]), float(unknowns[1])
        sigma = math.exp(log_sigma)
        if not (_LEAST_SIGMA < sigma < _LARGEST_SIGMA and abs(mu) < 200):
            return math.inf
        beyond = float(log_ndtr((mu - start) / sigma))
        return total * (log_sigma + beyond) + (squares + total * (mean - mu) ** 2) / (2 * sigma**2)

    begin = np.array([mean, 0.5 * math.log(squares / total) if squares else 0.0])
    best = minimize(
        loss, begin, method="Nelder-Mead", options={"xatol": 1e-7, "fatol": 1e-9 * total, "maxiter": 2000}
    ).x
    mu, log_sigma = float(best[0]), float(best[1])
    z = (logs - mu) / math.exp(log_sigma)
    beyond = float(log_ndtr((mu - start) / math.exp(log_sigma)))
    return np.asarray(-0.5 * z * z - log_sigma - 0.5 * math.log(2 * math.pi) - logs - beyond)


class _Loss:
    """Minus the log-likelihood as a function of mu and log sigma; the large sizes enter by their sums only."""

    def __init__(self, data: SizeCounts, cut: float) -> None:
        small = data.values < COUNTED_BELOW_BYTES
        self._lower = np.log(np.maximum(data.values[small] - 0.5, 1e-300))
        self._lower[data.values[small] == 1] = -np.inf
        self._upper = np.log(data.values[small] + 0.5)
        self._small_counts = data.counts[small]
        logs, counts = np.log(data.values[~small]), data.counts[~small]
        self._large = float(counts.sum())
        self._log_mean = float(np.average(logs, weights=counts)) if self._large else 0.0
        self._log_squares = float((counts * (logs - self._log_mean) ** 2).sum())
        self._total = data.total
        self._log_cut = math.log(cut)

    @property
    def counts_bytes(self) -> bool:
        """Whether there are sizes so small that their whole byte counts are what is likely."""
        return bool(self._small_counts.size)

    def __call__(self, unknowns: Floats) -> float:
        mu, log_sigma = float(unknowns[0]), float(unknowns[1])
        sigma = math.exp(log_sigma)
        if not (_LEAST_SIGMA < sigma < _LARGEST_SIGMA and abs(mu) < 200):
            return math.inf
        squares = self._log_squares + self._large * (self._log_mean - mu) ** 2
        loss = self._large * (log_sigma + 0.5 * math.log(2 * math.pi) + self._log_mean) + squares / (2 * sigma**2)
        if self._small_counts.size:
            inside = ndtr((self._upper - mu) / sigma) - ndtr((self._lower - mu) / sigma)
            loss -= float(self._small_counts @ np.log(np.maximum(inside, 1e-300)))
        if math.isfinite(self._log_cut):
            loss += self._total * float(log_ndtr((self._log_cut - mu) / sigma))
        return loss
