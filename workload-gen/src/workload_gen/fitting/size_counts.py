"""Measured sizes as the different sizes and how often each occurs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from workload_gen.lists.measured_sizes import MeasuredSizes
from workload_gen.lists.size_list import chunks, unique_sizes
from workload_gen.models.distribution import Floats

MOST_DIFFERENT = 400_000
"""Lists with more different sizes are fitted by a random part of about this length, so that a fit stays below 200 MB.
The shares of such a part are those of the list within 0.2 % of the sizes (Kolmogorov's bound at 95 %)."""


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


@dataclass(frozen=True, kw_only=True, eq=False)
class Counted:
    """A user's list, counted for a fit."""

    data: SizeCounts
    """Of the whole list, or of a random part of it."""
    count: int
    """Sizes in the whole list."""
    different: int
    """Different sizes in the whole list."""
    largest: int
    """The whole list's largest size in bytes."""
    origin: str
    notes: tuple[str, ...]


def counted(
    measured: MeasuredSizes, rng: np.random.Generator, *, limit_bytes: float, most_different: int = MOST_DIFFERENT
) -> Counted:
    """Count the sizes of a list, or, where it has too many different ones, of a random part of it.

    Parameters
    ----------
    limit_bytes : the largest file that can be uploaded; a note says how many are larger
    """
    sizes = measured.sizes
    notes = (*measured.notes, *_limit_notes(sizes, limit_bytes))
    largest = int(sizes.max())
    different = unique_sizes(sizes).size
    if different > most_different:
        part = _random_part(sizes, most_different / sizes.size, rng)
        notes = (
            *notes,
            f"The fit is to {part.size:,} of them at random: so many different sizes are not kept in memory.",
        )
    else:
        part = sizes
    return Counted(
        data=SizeCounts.of(part),
        count=int(sizes.size),
        different=int(different),
        largest=largest,
        origin=measured.origin,
        notes=notes,
    )


def _random_part(sizes: NDArray[np.integer], share: float, rng: np.random.Generator) -> NDArray[np.integer]:
    """Each size with this probability, independently: no permutation of the whole list is needed."""
    parts = [sizes[part][rng.random(part.stop - part.start) < share] for part in chunks(sizes.size)]
    return np.concatenate(parts)


def _limit_notes(sizes: NDArray[np.integer], limit_bytes: float) -> tuple[str, ...]:
    above = int((sizes > limit_bytes).sum())
    if not above:
        return ()
    share = 100 * above / sizes.size
    return (f"{above:,} sizes ({share:.2g} %) are above the upload limit of {limit_bytes:,.0f} bytes.",)
