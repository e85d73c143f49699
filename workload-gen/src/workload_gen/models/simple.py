"""Distributions of one or two parameters: exponential, normal, uniform, constant."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from workload_gen.models import standard_normal
from workload_gen.models.distribution import ContinuousDistribution, Distribution, Floats, require, require_positive


@dataclass(frozen=True, kw_only=True)
class Exponential(ContinuousDistribution):
    """Exponential with mean `scale`."""

    kind: ClassVar[str] = "exponential"
    scale: float

    def __post_init__(self) -> None:
        require_positive(self, "scale")

    def density(self, x: ArrayLike) -> Floats:  # noqa: D102
        x = np.asarray(x, dtype=np.float64)
        return np.where(x >= 0, np.exp(-np.maximum(x, 0) / self.scale) / self.scale, 0.0)

    def cdf(self, x: ArrayLike) -> Floats:  # noqa: D102
        return np.asarray(-np.expm1(-np.maximum(np.asarray(x, dtype=np.float64), 0) / self.scale))

    def survival(self, x: ArrayLike) -> Floats:  # noqa: D102
        return np.asarray(np.exp(-np.maximum(np.asarray(x, dtype=np.float64), 0) / self.scale))

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
        require(math.isfinite(self.mu), f"mu must be a finite number, not {self.mu}.")
        require_positive(self, "sigma")

    def _z(self, x: ArrayLike) -> Floats:
        return (np.asarray(x, dtype=np.float64) - self.mu) / self.sigma

    def density(self, x: ArrayLike) -> Floats:  # noqa: D102
        return np.asarray(np.exp(-0.5 * self._z(x) ** 2) / (self.sigma * math.sqrt(2 * math.pi)))

    def cdf(self, x: ArrayLike) -> Floats:  # noqa: D102
        return standard_normal.below(self._z(x))

    def survival(self, x: ArrayLike) -> Floats:  # noqa: D102
        return standard_normal.below(-self._z(x))

    def quantile(self, p: ArrayLike) -> Floats:  # noqa: D102
        return np.asarray(self.mu + self.sigma * standard_normal.quantile(np.asarray(p, dtype=np.float64)))

    def mean(self) -> float:  # noqa: D102
        return self.mu

    def variance(self) -> float:  # noqa: D102
        return self.sigma**2


@dataclass(frozen=True, kw_only=True)
class Uniform(ContinuousDistribution):
    """Every value from `low` to `high` alike."""

    kind: ClassVar[str] = "uniform"
    low: float
    high: float

    def __post_init__(self) -> None:
        for name, value in (("low", self.low), ("high", self.high)):
            require(math.isfinite(value), f"{name} must be a finite number, not {value}.")
        require(self.low < self.high, f"low ({self.low}) must lie below high ({self.high}).")

    def density(self, x: ArrayLike) -> Floats:  # noqa: D102
        x = np.asarray(x, dtype=np.float64)
        return np.where((x >= self.low) & (x <= self.high), 1 / (self.high - self.low), 0.0)

    def cdf(self, x: ArrayLike) -> Floats:  # noqa: D102
        return np.clip((np.asarray(x, dtype=np.float64) - self.low) / (self.high - self.low), 0.0, 1.0)

    def survival(self, x: ArrayLike) -> Floats:  # noqa: D102
        return np.clip((self.high - np.asarray(x, dtype=np.float64)) / (self.high - self.low), 0.0, 1.0)

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
        require(math.isfinite(self.value), f"value must be a finite number, not {self.value}.")

    def quantile(self, p: ArrayLike) -> Floats:  # noqa: D102
        return np.full(np.shape(p), float(self.value))

    def mean(self) -> float:  # noqa: D102
        return self.value

    def variance(self) -> float:  # noqa: D102
        return 0.0
