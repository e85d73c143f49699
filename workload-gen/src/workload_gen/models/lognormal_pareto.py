"""A lognormal body and a Pareto tail spliced at a cut."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from workload_gen.models.distribution import Floats, MomentDistribution, require
from workload_gen.models.lognormal import Lognormal
from workload_gen.models.pareto import Pareto


@dataclass(frozen=True, kw_only=True)
class LognormalPareto(MomentDistribution):
    """Below `cut` a lognormal truncated at the cut, above it a Pareto tail that holds `tail_weight` of all values.

    `cut` is the tail's x_min. With a `cap` the tail is the bounded Pareto; without one and with alpha at or below 2
    the variance is infinite. The density is continuous at the cut only when the weight is chosen so.
    """

    kind: ClassVar[str] = "lognormal-pareto"
    mu: float
    sigma: float
    cut: float
    alpha: float
    tail_weight: float
    cap: float | None = None

    def __post_init__(self) -> None:
        _ = self.body, self.tail
        require(0 < self.tail_weight < 1, f"tail_weight must lie between 0 and 1, not {self.tail_weight}.")

    @property
    def body(self) -> Lognormal:
        """The lognormal alone, truncated at the cut."""
        return Lognormal(mu=self.mu, sigma=self.sigma, cap=self.cut)

    @property
    def tail(self) -> Pareto:
        """The Pareto tail alone."""
        return Pareto(alpha=self.alpha, x_min=self.cut, cap=self.cap)

    @property
    def scale(self) -> float:
        """The k of the tail's plain Pareto form: a value above the cut has density alpha k^alpha / x^(alpha+1)."""
        beyond = 0.0 if self.cap is None else self.cap**-self.alpha
        return math.pow(self.tail_weight / (self.cut**-self.alpha - beyond), 1 / self.alpha)

    def density(self, x: ArrayLike) -> Floats:  # noqa: D102
        x = np.asarray(x, dtype=np.float64)
        body = (1 - self.tail_weight) * self.body.density(x)
        return np.where(x < self.cut, body, self.tail_weight * self.tail.density(x))

    def cdf(self, x: ArrayLike) -> Floats:  # noqa: D102
        x = np.asarray(x, dtype=np.float64)
        body = (1 - self.tail_weight) * self.body.cdf(np.minimum(x, self.cut))
        return np.where(x < self.cut, body, 1 - self.tail_weight * self.tail.survival(x))

    def survival(self, x: ArrayLike) -> Floats:  # noqa: D102
        x = np.asarray(x, dtype=np.float64)
        return np.where(x < self.cut, 1 - self.cdf(x), self.tail_weight * self.tail.survival(x))

    def quantile(self, p: ArrayLike) -> Floats:  # noqa: D102
        p = np.asarray(p, dtype=np.float64)
        body_weight = 1 - self.tail_weight
        in_tail = np.clip((1 - p) / self.tail_weight, 0.0, 1.0)
        body = self.body.quantile(np.minimum(p / body_weight, 1.0))
        return np.where(p < body_weight, body, self.tail.survival_quantile(in_tail))

    def moment(self, order: int) -> float:  # noqa: D102
        body = (1 - self.tail_weight) * self.body.moment(order)
        return body + self.tail_weight * self.tail.moment(order)
