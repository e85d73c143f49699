"""Distributions of one or two parameters, a list of sizes as it was measured, and ranks by Zipf's law."""

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workload_gen.models.distribution import (
    LARGEST_SIZE,
    ContinuousDistribution,
    Distribution,
    Floats,
    require,
    require_finite,
    require_positive,
    special,
)


@dataclass(frozen=True, kw_only=True)
class Exponential(ContinuousDistribution):
    """Exponential with mean `scale`."""

    kind: ClassVar[str] = "exponential"
    scale: float

    def __post_init__(self) -> None:
        require_positive(scale=self.scale)

    def _ratio(self, x: ArrayLike) -> Floats:
        return np.maximum(np.asarray(x, dtype=np.float64), 0) / self.scale

    def density(self, x: ArrayLike) -> Floats:  # noqa: D102
        return np.where(np.asarray(x) >= 0, self.survival(x) / self.scale, 0.0)

    def cdf(self, x: ArrayLike) -> Floats:  # noqa: D102
        return np.asarray(-np.expm1(-self._ratio(x)))

    def survival(self, x: ArrayLike) -> Floats:  # noqa: D102
        return np.asarray(np.exp(-self._ratio(x)))

    def quantile(self, p: ArrayLike) -> Floats:  # noqa: D102
        with np.errstate(divide="ignore"):
            return np.asarray(-self.scale * np.log1p(-np.asarray(p, dtype=np.float64)))

    def mean(self) -> float:  # noqa: D102
        return self.scale

    def variance(self) -> float:  # noqa: D102
        return self.scale**2


@dataclass(frozen=True, kw_only=True)
class Normal(ContinuousDistribution):
    """Normal with mean `mu` and standard deviation `sigma`: what the paper's formula called lognormal draws from."""

    kind: ClassVar[str] = "normal"
    mu: float
    sigma: float

    def __post_init__(self) -> None:
        require_finite(mu=self.mu)
        require_positive(sigma=self.sigma)

    def _z(self, x: ArrayLike) -> Floats:
        return (np.asarray(x, dtype=np.float64) - self.mu) / self.sigma

    def density(self, x: ArrayLike) -> Floats:  # noqa: D102
        return np.asarray(np.exp(-0.5 * self._z(x) ** 2) / (self.sigma * math.sqrt(2 * math.pi)))

    def cdf(self, x: ArrayLike) -> Floats:  # noqa: D102
        return np.asarray(special().ndtr(self._z(x)))

    def survival(self, x: ArrayLike) -> Floats:  # noqa: D102
        return np.asarray(special().ndtr(-self._z(x)))

    def quantile(self, p: ArrayLike) -> Floats:  # noqa: D102
        return np.asarray(self.mu + self.sigma * special().ndtri(np.asarray(p, dtype=np.float64)))

    def mean(self) -> float:  # noqa: D102
        return self.mu

    def variance(self) -> float:  # noqa: D102
        return self.sigma**2


@dataclass(frozen=True, kw_only=True)
class Uniform(Distribution):
    """Every value from `low` to `high` alike."""

    kind: ClassVar[str] = "uniform"
    low: float
    high: float

    def __post_init__(self) -> None:
        require_finite(low=self.low, high=self.high)
        require(self.low < self.high, f"low ({self.low}) must lie below high ({self.high}).")

    def quantile(self, p: ArrayLike) -> Floats:  # noqa: D102
        return np.asarray(self.low + (self.high - self.low) * np.asarray(p, dtype=np.float64))

    def mean(self) -> float:  # noqa: D102
        return (self.low + self.high) / 2

    def variance(self) -> float:  # noqa: D102
        return (self.high - self.low) ** 2 / 12


@dataclass(frozen=True, kw_only=True)
class Constant(Distribution):
    """Always `value`."""

    kind: ClassVar[str] = "constant"
    value: float

    def __post_init__(self) -> None:
        require_finite(value=self.value)

    def quantile(self, p: ArrayLike) -> Floats:  # noqa: D102
        return np.full(np.shape(p), float(self.value))

    def mean(self) -> float:  # noqa: D102
        return self.value

    def variance(self) -> float:  # noqa: D102
        return 0.0


@dataclass(frozen=True, kw_only=True, eq=False)
class Empirical(Distribution):
    """A measured list, each size as likely as it occurs in it."""

    kind: ClassVar[str] = "empirical"
    sizes: NDArray[np.integer] = field(repr=False)
    """Bytes, ascending, at least one."""

    def parameters(self) -> dict[str, float]:
        """How many sizes there are: the list itself is no parameter."""
        return {"list_count": self.sizes.size}

    def quantile(self, p: ArrayLike) -> Floats:  # noqa: D102
        count = self.sizes.size
        place = np.clip(np.ceil(np.asarray(p, dtype=np.float64) * count).astype(np.int64) - 1, 0, count - 1)
        return self.sizes[place].astype(np.float64)

    def mean(self) -> float:  # noqa: D102
        return float(self.sizes.mean())

    def variance(self) -> float:  # noqa: D102
        return float(self.sizes.var())


@dataclass(frozen=True, kw_only=True)
class Zipf:
    """Ranks 1 to `items`; rank r has probability proportional to r^-exponent.

    For popularity: which of a number of files is uploaded again.
    """

    exponent: float
    items: int

    def __post_init__(self) -> None:
        require_positive(exponent=self.exponent)
        is_count = isinstance(self.items, int) and 1 <= self.items <= LARGEST_SIZE
        require(is_count, f"items must be a whole number from 1 to {LARGEST_SIZE}, not {self.items}.")

    @cached_property
    def _cumulative(self) -> Floats:
        weights = np.arange(1, self.items + 1, dtype=np.float64) ** -self.exponent
        return np.asarray(np.cumsum(weights) / weights.sum())

    def quantile(self, p: ArrayLike) -> Floats:
        """The rank that a fraction `p` of all draws does not exceed."""
        rank = np.searchsorted(self._cumulative, np.asarray(p, dtype=np.float64)) + 1
        return np.minimum(rank, self.items).astype(np.float64)
