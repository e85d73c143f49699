"""Distributions of file sizes and of times between arrivals, sampled by inverse transform.

Every distribution is exact on the real line; whole byte counts are made from it by `sizes_from`. Moments that
do not exist are `math.inf`. Formulas are the textbook ones (Johnson, Kotz and Balakrishnan, Continuous Univariate
Distributions, volume 1: chapters 14 lognormal, 19 exponential, 20 Pareto).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import log_ndtr, ndtr, ndtri

from workload_gen.errors import WorkloadError

Floats = NDArray[np.float64]
Sizes = NDArray[np.uint32]

LARGEST_SIZE = 2**32 - 1
"""Sizes are kept in 32 bits: 4 GiB is above every upload limit we know, and ten million sizes fit in 40 MB."""


def sizes_from(values: ArrayLike) -> Sizes:
    """Whole byte counts: each value rounded half up, at least 1.

    Parameters
    ----------
    values : array of float, bytes

    Returns
    -------
    array of uint32, same shape, bytes
    """
    rounded = np.floor(np.asarray(values, dtype=np.float64) + 0.5)
    if rounded.size and not rounded.max() <= LARGEST_SIZE:
        raise WorkloadError(
            f"The model gives a size of {rounded.max():.3g} bytes, more than the {LARGEST_SIZE} this tool can make; "
            "give the model a cap."
        )
    return np.maximum(rounded, 1.0).astype(np.uint32)


class Distribution(ABC):
    """A univariate distribution with exact density, distribution function and quantiles."""

    kind: ClassVar[str]
    """The name in model files and on the command line."""

    @abstractmethod
    def density(self, x: ArrayLike) -> Floats:
        """Probability density at `x`."""

    @abstractmethod
    def cdf(self, x: ArrayLike) -> Floats:
        """Probability of a value at or below `x`."""

    @abstractmethod
    def survival(self, x: ArrayLike) -> Floats:
        """Probability of a value above `x`; keeps its relative precision far out in the tail."""

    @abstractmethod
    def quantile(self, p: ArrayLike) -> Floats:
        """The value that a fraction `p` of all values does not exceed; `p` from 0 to 1."""

    @abstractmethod
    def mean(self) -> float:
        """The mean; `math.inf` where it does not exist."""

    @abstractmethod
    def variance(self) -> float:
        """The variance; `math.inf` where it does not exist."""

    def parameters(self) -> dict[str, float]:
        """The parameters by name, as a model file holds them."""
        return {f.name: v for f in fields(self) if (v := getattr(self, f.name)) is not None}  # type: ignore[arg-type]

    def sample(self, count: int, rng: np.random.Generator) -> Floats:
        """`count` independent values by inverse transform of `rng`'s uniform numbers."""
        return self.quantile(rng.random(count))


def _require(condition: bool, sentence: str) -> None:
    if not condition:
        raise WorkloadError(sentence)


def _positive(distribution: object, *names: str) -> None:
    for name in names:
        value = getattr(distribution, name)
        _require(
            isinstance(value, int | float) and math.isfinite(value) and value > 0,
            f"{name} must be a finite number above 0, not {value}.",
        )


@dataclass(frozen=True, kw_only=True)
class Lognormal(Distribution):
    """The logarithm of a value is normal with mean `mu` and standard deviation `sigma`."""

    kind: ClassVar[str] = "lognormal"
    mu: float
    sigma: float

    def __post_init__(self) -> None:
        """Check the parameters."""
        _require(math.isfinite(self.mu), f"mu must be a finite number, not {self.mu}.")
        _positive(self, "sigma")

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


@dataclass(frozen=True, kw_only=True)
class Pareto(Distribution):
    """Survival (x_min / x)^alpha above `x_min`; with a `cap`, the bounded Pareto: conditional on not exceeding it."""

    kind: ClassVar[str] = "pareto"
    alpha: float
    x_min: float
    cap: float | None = None

    def __post_init__(self) -> None:
        """Check the parameters."""
        _positive(self, "alpha", "x_min")
        if self.cap is not None:
            _positive(self, "cap")
            _require(self.cap > self.x_min, f"cap ({self.cap}) must lie above x_min ({self.x_min}).")

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

    def moment(self, order: int) -> float:
        """E[X^order]; `math.inf` where it does not exist."""
        a, low = self.alpha, self.x_min
        if self.cap is None:
            return a * low**order / (a - order) if a > order else math.inf
        ratio = math.log(self.cap / low)
        exponent = order - a
        growth = ratio if exponent == 0 else math.expm1(exponent * ratio) / exponent
        return a * low**order * growth / (1 - self._beyond)

    def mean(self) -> float:  # noqa: D102
        return self.moment(1)

    def variance(self) -> float:  # noqa: D102
        second = self.moment(2)
        return second - self.mean() ** 2 if math.isfinite(second) else math.inf
