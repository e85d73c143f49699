"""Figures of a distribution given as counted values: exact, from every request, none estimated."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

QUANTILE_TOLERANCE = 1e-12


@dataclass(frozen=True, kw_only=True)
class Distribution:
    """Whole values in rising order, each with how often it was seen."""

    values: NDArray[np.int64]
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, values: ArrayLike, counts: ArrayLike | None = None) -> "Distribution":
        """Collect whole values in any order; ``counts`` says how often each was seen (default: once)."""
        given = np.asarray(values, dtype=np.int64)
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
        """Sample standard deviation (n - 1), by exact integer sums; None below two values."""
        n = self.n
        if n < 2:
            return None
        squares = sum(int(value) ** 2 * int(count) for value, count in zip(self.values, self.counts, strict=True))
        return math.sqrt((n * squares - self._sum() ** 2) / (n * (n - 1)))

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

    def percentile(self, quantile: float) -> int | None:
        """Nearest rank: the smallest value with at least ``quantile`` * n values at or below it; None if empty."""
        return int(self.percentiles([quantile])[0]) if self.n else None

    def percentiles(self, quantiles: ArrayLike) -> NDArray[np.int64]:
        """Nearest rank for several quantiles (0 to 1); there must be at least one value."""
        cumulative = np.cumsum(self.counts)
        # q n is a product of binary fractions: 0.07 * 100 is a little over 7 and must still be rank 7
        ranks = np.ceil(np.asarray(quantiles, dtype=np.float64) * self.n - QUANTILE_TOLERANCE * self.n)
        return self.values[np.searchsorted(cumulative, np.clip(ranks, 1, self.n))]

    def _sum(self) -> int:
        return int(np.dot(self.values, self.counts))
