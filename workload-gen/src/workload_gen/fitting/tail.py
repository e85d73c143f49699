"""The Pareto tail by the method of Clauset, Shalizi and Newman (SIAM Review 51, 2009, sections 3 and 4).

The `powerlaw` library has the same search, and the tests hold this one against it; on the 64,000 sizes of a Debian
package index it takes minutes, and a bootstrap runs hundreds of searches.

Sizes are whole bytes, so the tail of a size x begins half a byte below it: that is also the method's approximation
for integers (its equation 3.7). Our alpha is the Pareto shape, theirs minus one.
"""

from dataclasses import dataclass

import numpy as np

from workload_gen.fitting.size_counts import SizeCounts
from workload_gen.models.distribution import Floats

_MOST_CANDIDATES = 400
"""Cuts tried; where there are more different sizes, that many evenly spread over the ranks of their logarithms."""

SHORTEST_TAIL = 25
"""A tail of fewer sizes says nothing about its shape."""

_LOOKED_AT_FIRST = 128
"""Of each tail so many sizes: most tails are seen there to be further away than another one."""


@dataclass(frozen=True, kw_only=True)
class TailFit:
    """The tail that a Pareto distribution fits best: all sizes from `x_min` bytes."""

    x_min: int
    alpha: float
    count: int
    distance: float
    """Kolmogorov-Smirnov distance between the tail and its Pareto distribution."""

    @property
    def cut(self) -> float:
        """Where the Pareto distribution begins: half a byte below `x_min`."""
        return self.x_min - 0.5


def fit_tail(data: SizeCounts) -> TailFit | None:
    """The tail with the smallest distance from its Pareto distribution; None where no tail is long enough."""
    tails = _Tails(data)
    if not tails.places.size:
        return None
    at_least = tails.least_distances()
    best: tuple[float, int] | None = None
    # From the nearest on: soon all others are seen to be further away. Of two as near it is the longer tail.
    for which in np.argsort(at_least).tolist():
        if best is not None and at_least[which] > best[0]:
            break
        found = tails.distance(which), which
        best = found if best is None else min(best, found)
    assert best is not None
    distance, which = best
    place = int(tails.places[which])
    return TailFit(
        x_min=int(data.values[place]),
        alpha=float(tails.alphas[which]),
        count=int(data.at_or_above[place]),
        distance=distance,
    )


class _Tails:
    """The tails of a list that are tried, each with its Pareto distribution."""

    def __init__(self, data: SizeCounts) -> None:
        self._data = data
        self.places = _candidates(data)
        """Of the sizes that the tails begin with."""
        self._log_above = np.log(data.values + 0.5)
        self._log_below = np.log(data.values - 0.5)
        log_sums = np.cumsum((data.counts * np.log(data.values))[::-1])[::-1]
        self._counts = data.at_or_above[self.places]
        self.alphas: Floats = self._counts / (log_sums[self.places] - self._counts * self._log_below[self.places])

    def distance(self, which: int) -> float:
        """Kolmogorov-Smirnov distance of a tail, in survival probabilities."""
        place, count, alpha = self.places[which], self._counts[which], self.alphas[which]
        at_or_above = self._data.at_or_above[place:] / count
        above = at_or_above - self._data.counts[place:] / count
        start = self._log_below[place]
        model_at_or_above = np.exp(-alpha * (self._log_below[place:] - start))
        model_above = np.exp(-alpha * (self._log_above[place:] - start))
        return float(max(np.abs(at_or_above - model_at_or_above).max(), np.abs(above - model_above).max()))

    def least_distances(self) -> Floats:
        """What the distance of each tail is at least: that at some of its sizes, which takes a fraction of the time."""
        shares = np.linspace(0, 1, _LOOKED_AT_FIRST)
        last = self._data.values.size - 1
        looked_at = self.places[:, None] + ((last - self.places)[:, None] * shares).astype(np.int64)
        at_or_above = self._data.at_or_above[looked_at] / self._counts[:, None]
        start = self._log_below[self.places][:, None]
        model = np.exp(-self.alphas[:, None] * (self._log_below[looked_at] - start))
        # Less a rounding error: the same is reckoned in another order.
        return np.asarray(np.abs(at_or_above - model).max(axis=1, initial=0.0) - 1e-12)


def _candidates(data: SizeCounts) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Places of the sizes to try as the tail's smallest."""
    enough = int(np.searchsorted(-data.at_or_above, -SHORTEST_TAIL, side="right"))
    enough = min(enough, data.values.size - 2)
    if enough <= _MOST_CANDIDATES:
        return np.arange(max(enough, 0))
    tails = np.geomspace(data.total, SHORTEST_TAIL, _MOST_CANDIDATES)
    places = np.searchsorted(-data.at_or_above, -tails, side="left")
    return np.unique(np.clip(places, 0, enough - 1))
