"""The Pareto distribution, and with a cap the bounded Pareto."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from workload_gen.models.distribution import Floats, MomentDistribution, require, require_positive


@dataclass(frozen=True, kw_only=True)
class Pareto(MomentDistribution):
    """Survival (x_min / x)^alpha above `x_min`; with a `cap`, the bounded Pareto: conditional on not exceeding it."""

    kind: ClassVar[str] = "pareto"
    alpha: float
    x_min: float
    cap: float | None = None

    def __post_init__(self) -> None:
        require_positive(self, "alpha", "x_min")
        if self.cap is not None:
            require_positive(self, "cap")
            require(self.cap > self.x_min, f"cap ({self.cap}) must lie above x_min ({self.x_min}).")

    @property
    def _beyond(self) -> float:
        """The share of the uncapped distribution above the cap."""
        return 0.0 if self.cap is None else (self.x_min / self.cap) ** self.alpha

    def density(self, x: ArrayLike) -> Floats:  # noqa: D102
        x = np.asarray(x, dtype=np.float64)
        inside = (x >= self.x_min) & (x <= (math.inf if self.cap is None else self.cap))
        ratio = self.x_min / np.where(inside, x, self.x_min)
        return np.where(inside, self.alpha / self.x_min * ratio ** (self.alpha + 1) / (1 - self._beyond), 0.0)

    def cdf(self, x: ArrayLike) -> Floats:  # noqa: D102
        x = np.maximum(np.asarray(x, dtype=np.float64), self.x_min)
        below = -np.expm1(-self.alpha * np.log(x / self.x_min))
        return np.minimum(below / (1 - self._beyond), 1.0)

    def survival(self, x: ArrayLike) -> Floats:  # noqa: D102
        x = np.maximum(np.asarray(x, dtype=np.float64), self.x_min)
        above = (self.x_min / x) ** self.alpha
        return np.maximum((above - self._beyond) / (1 - self._beyond), 0.0)

    def quantile(self, p: ArrayLike) -> Floats:  # noqa: D102
        return self.survival_quantile(1.0 - np.asarray(p, dtype=np.float64))

    def survival_quantile(self, u: ArrayLike) -> Floats:
        """The value that a fraction `u` of all values exceeds: x_min / u^(1/alpha) without a cap."""
        beyond = self._beyond
        share = beyond + (1 - beyond) * np.asarray(u, dtype=np.float64)
        with np.errstate(divide="ignore"):
            return np.asarray(self.x_min * share ** (-1 / self.alpha))

    def moment(self, order: int) -> float:  # noqa: D102
        a, low = self.alpha, self.x_min
        if self.cap is None:
            return a * low**order / (a - order) if a > order else math.inf
        ratio = math.log(self.cap / low)
        exponent = order - a
        growth = ratio if exponent == 0 else math.expm1(exponent * ratio) / exponent
        return a * low**order * growth / (1 - self._beyond)
