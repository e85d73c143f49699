"""Cumulative counters of a sampler, read at any instant by interpolation, so that nothing is lost between windows."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SECOND_NS = 1_000_000_000
REACH_NS = SECOND_NS // 2
Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Samples:
    """Rows of one ``*.samples.csv``."""

    time_ns: NDArray[np.int64]
    columns: Mapping[str, Floats]
    """Every other column, NaN where a value could not be read."""

    def at(self, name: str, instants_ns: NDArray[np.int64]) -> Floats:
        """Return a counter at each instant, linear between the nearest rows that have it.

        NaN for an instant more than half a second outside the rows, and everywhere when the counter ever falls
        (its process was replaced) or is absent.
        """
        values = self.columns.get(name)
        known = np.zeros(0, dtype=np.bool_) if values is None else ~np.isnan(values)
        if values is None or known.sum() < 2 or np.any(np.diff(values[known]) < 0):
            return np.full(len(instants_ns), np.nan)
        times = self.time_ns[known]
        result = np.interp(
            (instants_ns - times[0]).astype(np.float64), (times - times[0]).astype(np.float64), values[known]
        )
        outside = (instants_ns < times[0] - REACH_NS) | (instants_ns > times[-1] + REACH_NS)
        return np.where(outside, np.nan, result)

    def increase(self, name: str, edges_ns: NDArray[np.int64]) -> Floats:
        """Return how much a counter rose in each window between neighbouring edges; one element less than edges."""
        return np.diff(self.at(name, edges_ns))

    def largest(self, name: str, edges_ns: NDArray[np.int64]) -> Floats:
        """Return the largest value of a gauge in each window [edge, next edge); NaN where there is none."""
        values = self.columns.get(name)
        result = np.full(len(edges_ns) - 1, np.nan)
        if values is None:
            return result
        window = np.searchsorted(edges_ns, self.time_ns, side="right") - 1
        usable = (window >= 0) & (window < len(result)) & ~np.isnan(values)
        np.fmax.at(result, window[usable], values[usable])
        return result

    def busy_pct(self, name: str, edges_ns: NDArray[np.int64]) -> Floats:
        """Return how many % of the role's cores' time went to a kind of work in each window.

        ``name``: ``busy`` (user, system, softirq), ``iowait`` or ``steal``.
        """
        parts = {
            kind: self.increase(f"cpu_{kind}_ticks", edges_ns)
            for kind in ("user", "system", "softirq", "idle", "iowait", "steal")
        }
        total = np.sum(list(parts.values()), axis=0)
        wanted = parts["user"] + parts["system"] + parts["softirq"] if name == "busy" else parts[name]
        shares: Floats = np.divide(100 * wanted, total, out=np.full(len(total), np.nan), where=total > 0)
        return shares
