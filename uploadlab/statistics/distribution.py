"""Figures of a distribution given as counted values: exact, from every request, none estimated."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

QUANTILE_TOLERANCE = 1e-12


@dataclass(frozen=True, kw_only=True)
class Distribution:
    """Values in rising order, each with how often it was seen; whole ones (JMeter's ms), or parts of a ms."""

    values: NDArray[np.int64] | NDArray[np.float64]
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, values: ArrayLike, counts: ArrayLike | None = None) -> "Distribution":
        """Collect values in any order; ``counts`` says how often each was seen (default: once)."""
        given = np.asarray(values)
        if not is_finer_than_ms(given):
            given = given.astype(np.int64)
        weights = np.ones(given.shape, dtype=np.int64) if counts is None else np.asarray(counts, dtype=np.int64)
        distinct, place = np.unique(given, return_inverse=True)
        totals = np.zeros(distinct.shape, dtype=np.int64)
        np.add.at(totals, place, weights)
        return cls(values=distinct, counts=totals)

    @classmethod
    def together(cls, parts: Iterable["Distribution"]) -> "Distribution":
        """Pool several distributions."""
        listed = list(parts)
        if not listed:
            return cls.of([])
        return cls.of(
            np.concatenate([part.values for part in listed]), np.concatenate([part.counts for part in listed])
        )

    def without(self, part: "Distribution") -> "Distribution":
        """Leave out a part: some of these very values."""
        left = self.counts.copy()
        left[np.searchsorted(self.values, part.values)] -= part.counts
        return Distribution(values=self.values[left > 0], counts=left[left > 0])

    @property
    def is_exact(self) -> bool:
        """Whether the clock was finer than the unit: its steps add nothing to the scatter."""
        return is_finer_than_ms(self.values)

    @property
    def n(self) -> int:
        """How many values there are."""
        return int(self.counts.sum())

    @property
    def mean(self) -> float | None:
        """Arithmetic mean; None when there is no value."""
        return self._sum() / self.n if self.n else None

    @property
    def sd(self) -> float | None:
        """Sample standard deviation (n - 1), of whole values by exact integer sums; None below two values."""
        n, mean = self.n, self.mean
        if n < 2 or mean is None:
            return None
        if self.is_exact:
            return math.sqrt(float(np.sum((self.values - mean) ** 2 * self.counts)) / (n - 1))
        squares = sum(int(value) ** 2 * int(count) for value, count in zip(self.values, self.counts, strict=True))
        whole = int(self._sum())
        return math.sqrt((n * squares - whole**2) / (n * (n - 1)))

    @property
    def mad(self) -> float | None:
        """Mean absolute deviation from the mean (the paper's "desvio médio"); None when there is no value."""
        mean = self.mean
        return None if mean is None else float(np.sum(np.abs(self.values - mean) * self.counts) / self.n)

    @property
    def cv(self) -> float | None:
        """Coefficient of variation, sd / mean; None where either is missing or the mean is 0."""
        mean, sd = self.mean, self.sd
        return sd / mean if sd is not None and mean else None

    def percentile(self, quantile: float) -> float | None:
        """Nearest rank: the smallest value with at least ``quantile`` * n values at or below it; None if empty."""
        return self.percentiles([quantile])[0].item() if self.n else None

    def percentiles(self, quantiles: ArrayLike) -> NDArray[np.int64] | NDArray[np.float64]:
        """Nearest rank for several quantiles (0 to 1); there must be at least one value."""
        cumulative = np.cumsum(self.counts)
        # q n is a product of binary fractions: 0.07 * 100 is a little over 7 and must still be rank 7
        ranks = np.ceil(np.asarray(quantiles, dtype=np.float64) * self.n - QUANTILE_TOLERANCE * self.n)
        return self.values[np.searchsorted(cumulative, np.clip(ranks, 1, self.n))]

    def _sum(self) -> float:
        total: float = np.dot(self.values, self.counts).item()
        return total


def is_finer_than_ms(values_ms: NDArray[Any]) -> bool:
    """Return whether times come from a clock of microseconds: whole milliseconds are kept as whole numbers."""
    return len(values_ms) > 0 and np.issubdtype(values_ms.dtype, np.floating)
