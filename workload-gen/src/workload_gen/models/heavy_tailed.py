"""The models of file sizes: the lognormal, the Pareto distribution, and a lognormal body with a Pareto tail.

Each may have a cap: it is then conditional on not exceeding it.
"""

import math
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from workload_gen.errors import WorkloadError
from workload_gen.models.distribution import (
    Distribution,
    Floats,
    MomentDistribution,
    require,
    require_finite,
    require_positive,
    special,
)


@dataclass(frozen=True, kw_only=True)
class Lognormal(MomentDistribution):
    """The logarithm is normal with mean `mu` and deviation `sigma`."""

    kind: ClassVar[str] = "lognormal"
    mu: float
    sigma: float
    cap: float = math.inf

    def __post_init__(self) -> None:
        require_finite(mu=self.mu)
        require_positive(sigma=self.sigma)
        require(self.cap > 0, f"cap must be a number above 0, not {self.cap}.")

    def _z(self, x: ArrayLike) -> Floats:
        with np.errstate(divide="ignore"):
            return (np.log(np.maximum(np.asarray(x, dtype=np.float64), 0.0)) - self.mu) / self.sigma

    @property
    def log_below(self) -> float:
        """Logarithm of the share of the whole lognormal below the cap."""
        return float(special().log_ndtr((math.log(self.cap) - self.mu) / self.sigma))

    def density(self, x: ArrayLike) -> Floats:  # noqa: D102
        x = np.asarray(x, dtype=np.float64)
        inside = (x > 0) & (x <= self.cap)
        safe = np.where(inside, x, 1.0)
        z = self._z(safe)
        scale = safe * self.sigma * math.sqrt(2 * math.pi)
        return np.where(inside, np.exp(-0.5 * z * z - self.log_below) / scale, 0.0)

    def cdf(self, x: ArrayLike) -> Floats:  # noqa: D102
        return np.asarray(np.minimum(np.exp(special().log_ndtr(self._z(x)) - self.log_below), 1.0))

    def survival(self, x: ArrayLike) -> Floats:  # noqa: D102
        beyond = float(special().ndtr((self.mu - math.log(self.cap)) / self.sigma))
        above = special().ndtr(-self._z(x)) - beyond
        return np.asarray(np.maximum(above * math.exp(-self.log_below), 0.0))

    def quantile(self, p: ArrayLike) -> Floats:  # noqa: D102
        share = np.asarray(p, dtype=np.float64) * math.exp(self.log_below)
        return np.asarray(np.minimum(np.exp(self.mu + self.sigma * special().ndtri(share)), self.cap))

    def moment(self, order: int) -> float:
        """E[X^order]: the whole lognormal's moment times a ratio of two normal probabilities."""
        z = (math.log(self.cap) - self.mu) / self.sigma
        below = float(special().log_ndtr(z - order * self.sigma)) - self.log_below
        return math.exp(order * self.mu + (order * self.sigma) ** 2 / 2 + below)

    def variance(self) -> float:  # noqa: D102
        if math.isinf(self.cap):
            return math.expm1(self.sigma**2) * math.exp(2 * self.mu + self.sigma**2)
        return super().variance()


@dataclass(frozen=True, kw_only=True)
class Pareto(MomentDistribution):
    """Survival (x_min / x)^alpha above `x_min`; with a `cap` it is the bounded Pareto distribution."""

    kind: ClassVar[str] = "pareto"
    alpha: float
    x_min: float
    cap: float = math.inf

    def __post_init__(self) -> None:
        require_positive(alpha=self.alpha, x_min=self.x_min)
        require(self.cap > self.x_min, f"cap ({self.cap}) must lie above x_min ({self.x_min}).")

    @property
    def _beyond(self) -> float:
        """The share of the uncapped distribution above the cap."""
        return math.pow(self.x_min / self.cap, self.alpha)

    def density(self, x: ArrayLike) -> Floats:  # noqa: D102
        x = np.asarray(x, dtype=np.float64)
        inside = (x >= self.x_min) & (x <= self.cap)
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
        share = self._beyond + (1 - self._beyond) * np.asarray(u, dtype=np.float64)
        with np.errstate(divide="ignore"):
            return np.asarray(self.x_min * share ** (-1 / self.alpha))

    def moment(self, order: int) -> float:  # noqa: D102
        a, low = self.alpha, self.x_min
        if math.isinf(self.cap):
            return a * low**order / (a - order) if a > order else math.inf
        ratio = math.log(self.cap / low)
        exponent = order - a
        growth = ratio if exponent == 0 else math.expm1(exponent * ratio) / exponent
        return a * low**order * growth / (1 - self._beyond)


@dataclass(frozen=True, kw_only=True)
class LognormalPareto(MomentDistribution):
    """Below `cut` a lognormal truncated at the cut, above it a Pareto tail that holds `tail_weight` of all values.

    `cut` is the tail's x_min. Without a `cap` and with alpha at or below 2 the variance is infinite. The density is
    continuous at the cut only when the weight is chosen so.
    """

    kind: ClassVar[str] = "lognormal-pareto"
    mu: float
    sigma: float
    cut: float
    alpha: float
    tail_weight: float
    cap: float = math.inf

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
        return math.pow(self.tail_weight / (self.cut**-self.alpha - self.cap**-self.alpha), 1 / self.alpha)

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


def with_cap(model: Distribution, cap: float) -> Distribution:
    """The model conditional on sizes up to the cap.

    Raises
    ------
    WorkloadError
        When the model takes no cap, or the cap is impossible.
    """
    if not isinstance(model, Lognormal | Pareto | LognormalPareto):
        raise WorkloadError(f"A {model.kind} distribution takes no cap.")
    return replace(model, cap=cap)
