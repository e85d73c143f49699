"""The lognormal distribution, and with a cap the lognormal truncated above."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from workload_gen.models import standard_normal
from workload_gen.models.distribution import Floats, MomentDistribution, require, require_positive


@dataclass(frozen=True, kw_only=True)
class Lognormal(MomentDistribution):
    """The logarithm is normal with mean `mu` and deviation `sigma`; with a `cap`, conditional on not exceeding it."""

    kind: ClassVar[str] = "lognormal"
    mu: float
    sigma: float
    cap: float | None = None

    def __post_init__(self) -> None:
        require(math.isfinite(self.mu), f"mu must be a finite number, not {self.mu}.")
        require_positive(self, "sigma")
        if self.cap is not None:
            require_positive(self, "cap")

    def _z(self, x: ArrayLike) -> Floats:
        with np.errstate(divide="ignore"):
            return (np.log(np.maximum(np.asarray(x, dtype=np.float64), 0.0)) - self.mu) / self.sigma

    @property
    def log_below(self) -> float:
        """Logarithm of the share of the whole lognormal below the cap; 0 without one."""
        return (
            0.0 if self.cap is None else float(standard_normal.log_below((math.log(self.cap) - self.mu) / self.sigma))
        )

    def density(self, x: ArrayLike) -> Floats:  # noqa: D102
        x = np.asarray(x, dtype=np.float64)
        inside = (x > 0) & (x <= (math.inf if self.cap is None else self.cap))
        safe = np.where(inside, x, 1.0)
        z = self._z(safe)
        scale = safe * self.sigma * math.sqrt(2 * math.pi)
        return np.where(inside, np.exp(-0.5 * z * z - self.log_below) / scale, 0.0)

    def cdf(self, x: ArrayLike) -> Floats:  # noqa: D102
        return np.minimum(np.exp(standard_normal.log_below(self._z(x)) - self.log_below), 1.0)

    def survival(self, x: ArrayLike) -> Floats:  # noqa: D102
        if self.cap is None:
            return standard_normal.below(-self._z(x))
        beyond = float(standard_normal.below((self.mu - math.log(self.cap)) / self.sigma))
        return np.maximum((standard_normal.below(-self._z(x)) - beyond) * math.exp(-self.log_below), 0.0)

    def quantile(self, p: ArrayLike) -> Floats:  # noqa: D102
        share = np.asarray(p, dtype=np.float64) * math.exp(self.log_below)
        value = np.asarray(np.exp(self.mu + self.sigma * standard_normal.quantile(share)))
        return value if self.cap is None else np.minimum(value, self.cap)

    def moment(self, order: int) -> float:
        """E[X^order]: the whole lognormal's moment times a ratio of two normal probabilities."""
        log_moment = order * self.mu + (order * self.sigma) ** 2 / 2
        if self.cap is not None:
            z = (math.log(self.cap) - self.mu) / self.sigma
            log_moment += float(standard_normal.log_below(z - order * self.sigma)) - self.log_below
        return math.exp(log_moment)

    def variance(self) -> float:  # noqa: D102
        if self.cap is None:
            return math.expm1(self.sigma**2) * math.exp(2 * self.mu + self.sigma**2)
        return super().variance()
