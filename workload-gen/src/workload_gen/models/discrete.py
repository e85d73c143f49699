"""Distributions over given values: ranks by Zipf's law, and a list of sizes as it was measured."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workload_gen.models.distribution import Distribution, Floats, require, require_positive


@dataclass(frozen=True, kw_only=True)
class Zipf(Distribution):
    """Ranks 1 to `items`; rank r has probability proportional to r^-exponent.

    For popularity: which of a number of files is uploaded again.
    """

    kind: ClassVar[str] = "zipf"
    exponent: float
    items: int

    def __post_init__(self) -> None:
        require_positive(self, "exponent")
        require(self.items >= 1, f"items must be a whole number from 1, not {self.items}.")

    @cached_property
    def _cumulative(self) -> Floats:
        weights = np.arange(1, self.items + 1, dtype=np.float64) ** -self.exponent
        return np.asarray(np.cumsum(weights) / weights.sum())

    def _moment(self, order: int) -> float:
        ranks = np.arange(1, self.items + 1, dtype=np.float64)
        return float(np.average(ranks**order, weights=ranks**-self.exponent))

    def quantile(self, p: ArrayLike) -> Floats:  # noqa: D102
        rank = np.searchsorted(self._cumulative, np.asarray(p, dtype=np.float64)) + 1
        return np.minimum(rank, self.items).astype(np.float64)

    def mean(self) -> float:  # noqa: D102
        return self._moment(1)

    def variance(self) -> float:  # noqa: D102
        return self._moment(2) - self.mean() ** 2


@dataclass(frozen=True, kw_only=True, eq=False)
class Empirical(Distribution):
    """A measured list, each size as likely as it occurs in it."""

    kind: ClassVar[str] = "empirical"
    sizes: NDArray[np.integer] = field(repr=False)
    """Bytes, any order, at least one."""

    def __post_init__(self) -> None:
        require(self.sizes.size > 0, "An empirical model needs at least one size.")

    def parameters(self) -> dict[str, float]:
        """How many sizes there are: the list itself is no parameter."""
        return {"list_count": self.sizes.size}

    @cached_property
    def _ordered(self) -> NDArray[np.integer]:
        in_order = bool((self.sizes[1:] >= self.sizes[:-1]).all())
        return self.sizes if in_order else np.sort(self.sizes)

    def quantile(self, p: ArrayLike) -> Floats:  # noqa: D102
        count = self._ordered.size
        place = np.clip(np.ceil(np.asarray(p, dtype=np.float64) * count).astype(np.int64) - 1, 0, count - 1)
        return self._ordered[place].astype(np.float64)

    def mean(self) -> float:  # noqa: D102
        return float(self._ordered.mean())

    def variance(self) -> float:  # noqa: D102
        return float(self._ordered.var())
