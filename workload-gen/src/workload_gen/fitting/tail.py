"""The Pareto tail by the method of Clauset, Shalizi and Newman (SIAM Review 51, 2009, sections 3 and 4).

The `powerlaw` library has the same search, and the tests hold this one against it; on the 64,000 sizes of a Debian
package index it takes minutes, and a bootstrap runs hundreds of searches.

Sizes are whole bytes, so the tail of a size x begins half a byte below it: that is also the method's approximation
for integers (its equation 3.7). Our alpha is the Pareto shape, theirs minus one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workload_gen.fitting.size_counts import SizeCounts
from workload_gen.models.distribution import Floats

MOST_CANDIDATES = 400
"""Cuts tried; where there are more different sizes, that many evenly spread over the ranks of their logarithms."""

SHORTEST_TAIL = 25
"""A tail of fewer sizes says nothing about its shape."""


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
    places = _candidates(data)
    if not places.size:
        return None
    logs = np.log(data.values)
    log_above = np.log(data.values + 0.5)
    log_below = np.log(data.values - 0.5)
    log_sums = np.cumsum((data.counts * logs)[::-1])[::-1]
    best: tuple[float, int, float] | None = None
    for place in places.tolist():
        tail_count = data.at_or_above[place]
        alpha = float(tail_count / (log_sums[place] - tail_count * log_below[place]))
        distance = _distance(data, place, alpha, log_above, log_below)
        if best is None or distance < best[0]:
            best = distance, place, alpha
    assert best is not None
    distance, place, alpha = best
    return TailFit(x_min=int(data.values[place]), alpha=alpha, count=int(data.at_or_above[place]), distance=distance)


def _candidates(data: SizeCounts) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Places of the sizes to try as the tail's smallest."""
    enough = int(np.searchsorted(-data.at_or_above, -SHORTEST_TAIL, side="right"))
    enough = min(enough, data.values.size - 2)
    if enough <= MOST_CANDIDATES:
        return np.arange(max(enough, 0))
    tails = np.geomspace(data.total, SHORTEST_TAIL, MOST_CANDIDATES)
    places = np.searchsorted(-data.at_or_above, -tails, side="left")
    return np.unique(np.clip(places, 0, enough - 1))


def _distance(data: SizeCounts, place: int, alpha: float, log_above: Floats, log_below: Floats) -> float:
    """Kolmogorov-Smirnov distance of the tail from this place, in survival probabilities."""
    start = log_below[place]
    at_or_above = data.at_or_above[place:] / data.at_or_above[place]
    above = at_or_above - data.counts[place:] / data.at_or_above[place]
    model_at_or_above = np.exp(-alpha * (log_below[place:] - start))
    model_above = np.exp(-alpha * (log_above[place:] - start))
    return float(max(np.abs(at_or_above - model_at_or_above).max(), np.abs(above - model_above).max()))
