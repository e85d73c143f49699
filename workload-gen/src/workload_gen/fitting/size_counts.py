"""Measured sizes as the different sizes and how often each occurs."""

from dataclasses import dataclass
from functools import cached_property
from typing import Self

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
    def of(cls, sizes: NDArray[np.number]) -> Self:
        """The counts of a list of whole sizes."""
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

    def below(self, size: float) -> Self:
        """The sizes below this one."""
        return self.with_counts(self.counts * (self.values < size))

    def at_least(self, size: float) -> Self:
        """The sizes from this one on."""
        return self.with_counts(self.counts * (self.values >= size))

    def with_counts(self, counts: NDArray[np.number]) -> Self:
        """The sizes with other counts; those with a count of 0 are left out."""
        return type(self)(values=self.values[counts > 0], counts=counts[counts > 0].astype(np.float64))


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
    sizes, notes = measured.sizes, list(measured.notes)
    count, different, above = sizes.size, unique_sizes(sizes).size, int((sizes > limit_bytes).sum())
    largest = int(sizes.max())
    if above:
        share = 100 * above / count
        notes.append(f"{above:,} sizes ({share:.2g} %) are above the upload limit of {limit_bytes:,.0f} bytes.")
    if different > most_different:
        # Each size with this probability, independently: no permutation of the whole list is needed.
        share = most_different / count
        parts = [sizes[part][rng.random(part.stop - part.start) < share] for part in chunks(count)]
        sizes = np.concatenate(parts)
        notes.append(f"The fit is to {sizes.size:,} of them at random: so many different sizes are not kept in memory.")
    return Counted(
        data=SizeCounts.of(sizes),
        count=count,
        different=different,
        largest=largest,
        origin=measured.origin,
        notes=tuple(notes),
    )
