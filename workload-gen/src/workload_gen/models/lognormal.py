"""The lognormal distribution."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import log_ndtr, ndtr, ndtri

from workload_gen.models.distribution import ContinuousDistribution, Floats, require, require_positive


@dataclass(frozen=True, kw_only=True)
class Lognormal(ContinuousDistribution):
    """The logarithm of a value is normal with mean `mu` and standard deviation `sigma`."""

    kind: ClassVar[str] = "lognormal"
    mu: float
    sigma: float

    def __post_init__(self) -> None:
        """Check the parameters."""
        require(math.isfinite(self.mu), f"mu must be a finite number, not {self.mu}.")
        require_positive(self, "sigma")

    def _z(self, x: ArrayLike) -> Floats:
        with np.errstate(divide="ignore"):
            return (np.log(np.maximum(np.asarray(x, dtype=np.float64), 0.0)) - self.mu) / self.sigma

    def density(self, x: ArrayLike) -> Floats:  # noqa: D102
        x = np.asarray(x, dtype=np.float64)
        inside = x > 0
        safe = np.where(inside, x, 1.0)
        z = self._z(safe)
        return np.where(inside, np.exp(-0.5 * z * z) / (safe * self.sigma * math.sqrt(2 * math.pi)), 0.0)

    def cdf(self, x: ArrayLike) -> Floats:  # noqa: D102
        return np.asarray(ndtr(self._z(x)))

    def survival(self, x: ArrayLike) -> Floats:  # noqa: D102
        return np.asarray(ndtr(-self._z(x)))

    def quantile(self, p: ArrayLike) -> Floats:  # noqa: D102
        return np.asarray(np.exp(self.mu + self.sigma * ndtri(np.asarray(p, dtype=np.float64))))

    def mean(self) -> float:  # noqa: D102
        return math.exp(self.mu + self.sigma**2 / 2)

    def variance(self) -> float:  # noqa: D102
        return math.expm1(self.sigma**2) * math.exp(2 * self.mu + self.sigma**2)

    def truncated_moment(self, order: int, cut: float) -> float:
        """E[X^order | X <= cut]: the plain moment times the ratio of two normal probabilities."""
        z = (math.log(cut) - self.mu) / self.sigma
        log_share = float(log_ndtr(z - order * self.sigma) - log_ndtr(z))
        return math.exp(order * self.mu + (order * self.sigma) ** 2 / 2 + log_share)
