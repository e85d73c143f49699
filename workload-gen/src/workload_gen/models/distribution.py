"""What every distribution of file sizes, or of times between arrivals, offers.

Values are drawn by inverse transform, so a seed decides them. Moments that do not exist are `math.inf`. The formulas
are the textbook ones: Johnson, Kotz and Balakrishnan, Continuous Univariate Distributions, volume 1 (chapters 14
lognormal, 19 exponential, 20 Pareto), and Univariate Discrete Distributions (section 11.2.20, Zipf).
"""

import math
from abc import ABC, abstractmethod
from dataclasses import fields
from types import ModuleType
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workload_gen.errors import WorkloadError

Floats = NDArray[np.float64]
Sizes = NDArray[np.uint32]

LARGEST_SIZE = 2**32 - 1
"""Sizes are kept in 32 bits: 4 GiB is above every upload limit we know, and ten million sizes fit in 40 MB."""


def special() -> ModuleType:
    """SciPy's special functions: they take as long to load as all the rest, and lists that are there need none."""
    from scipy import special

    return special


def sizes_from(values: ArrayLike) -> Sizes:
    """Whole byte counts of values in bytes: each rounded half up, at least 1."""
    rounded = np.floor(np.asarray(values, dtype=np.float64) + 0.5)
    if rounded.size and not rounded.max() <= LARGEST_SIZE:
        raise WorkloadError(
            f"The model gives a size of {rounded.max():.3g} bytes, more than the {LARGEST_SIZE} this tool can make; "
            "give the model a cap."
        )
    return np.maximum(rounded, 1.0).astype(np.uint32)


class Distribution(ABC):
    """A distribution of one variable with exact quantiles and moments."""

    kind: ClassVar[str]
    """The name in model files and on the command line."""

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
        """The parameters by name, as a model file holds them: a cap that is none is left out."""
        return {f.name: v for f in fields(self) if (v := getattr(self, f.name)) != math.inf}  # type: ignore[arg-type]

    def sample(self, count: int, rng: np.random.Generator) -> Floats:
        """`count` independent values by inverse transform of `rng`'s uniform numbers."""
        return self.quantile(rng.random(count))


class ContinuousDistribution(Distribution):
    """A distribution that can be fitted: it also has a density, and the shares of values below and above a size."""

    @abstractmethod
    def density(self, x: ArrayLike) -> Floats:
        """Probability density at `x`."""

    @abstractmethod
    def cdf(self, x: ArrayLike) -> Floats:
        """Probability of a value at or below `x`."""

    @abstractmethod
    def survival(self, x: ArrayLike) -> Floats:
        """Probability of a value above `x`; keeps its relative precision far out in the tail."""


class MomentDistribution(ContinuousDistribution):
    """A distribution with a formula for its moments."""

    @abstractmethod
    def moment(self, order: int) -> float:
        """E[X^order]; `math.inf` where it does not exist."""

    def mean(self) -> float:  # noqa: D102
        return self.moment(1)

    def variance(self) -> float:  # noqa: D102
        second = self.moment(2)
        return second - self.mean() ** 2 if math.isfinite(second) else math.inf


def require(condition: bool, sentence: str) -> None:
    """Refuse parameters that do not meet a condition, with the sentence that says why."""
    if not condition:
        raise WorkloadError(sentence)


def require_positive(**parameters: float) -> None:
    """Refuse parameters that are not finite numbers above 0."""
    for name, value in parameters.items():
        require(0 < value < math.inf, f"{name} must be a finite number above 0, not {value}.")


def require_finite(**parameters: float) -> None:
    """Refuse parameters that are not finite numbers."""
    for name, value in parameters.items():
        require(math.isfinite(value), f"{name} must be a finite number, not {value}.")
