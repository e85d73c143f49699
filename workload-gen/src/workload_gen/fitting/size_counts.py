"""Measured sizes as the different sizes and how often each occurs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from workload_gen.models.distribution import Floats


@dataclass(frozen=True, kw_only=True, eq=False)
class SizeCounts:
    """Different sizes in bytes, ascending, and their counts, both of shape (different sizes,)."""

    values: Floats
    counts: Floats

    @classmethod
    def of(cls, sizes: NDArray[np.integer]) -> SizeCounts:
        """The counts of a list of sizes."""
        values, counts = np.unique(sizes, return_counts=True)
        return cls(values=values.astype(np.float64), counts=counts.astype(np.float64))

    @cached_property
    def total(self) -> int:
        """How many sizes there are."""
        return int(self.counts.sum())

    @cached_property
    def at_or_above(self) -> Floats:
        """For each different size, how many sizes are at or above it."""
        return np.asarray(np.cumsum(self.counts[::-1])[::-1])

    def part(self, first: int, end: int | None = None) -> SizeCounts:
        """The different sizes from the place `first` up to `end`."""
        return SizeCounts(values=self.values[first:end], counts=self.counts[first:end])
