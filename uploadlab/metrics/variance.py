"""Where the variance of a response time comes from: the repeat, the size of the file, the moment, the rest.

Components of a nested analysis of variance: the repeats of a cell, the seconds of a repeat, the requests of a second.
Size enters as the part of a repeat's variance that a straight line on the bytes sent takes away. Each sum of squares
is freed of what chance alone would give it (its degrees of freedom times the mean square below it), so that a
component without influence comes out near 0.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from uploadlab.raw.request_file import RequestCounts
from uploadlab.statistics.distribution import Distribution
from uploadlab.statistics.intervals import CONFIDENCE
from uploadlab.table_file import Value

VARIANCE_COLUMNS = (
    "cell", "runs", "requests", "cv", "cv_within_runs", "between_repeats_pct", "size_pct", "drift_pct", "within_pct",
    "ms_per_mb",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class WithinRun:
    """Sums of squares of one run's response times (ms^2)."""

    requests: int
    mean_ms: float
    total: float
    """Around the run's own mean."""
    size: float
    """Of it, what a line on the bytes sent takes."""
    drift: float
    """Of the rest, what the means of the seconds take, chance included."""
    seconds: int
    ms_per_byte: float | None


def within_run(counts: RequestCounts, distribution: Distribution) -> WithinRun:
    """Return the sums of squares of one run."""
    n = distribution.n
    total = (n - 1) * (distribution.sd or 0.0) ** 2
    adjusted_mean = float(counts.adjusted_ms.sum()) / n
    means = counts.adjusted_ms / counts.adjusted_count
    return WithinRun(
        requests=n,
        mean_ms=distribution.mean or 0.0,
        total=total,
        size=total * (counts.bytes_r2 or 0.0),
        drift=float(np.sum(counts.adjusted_count * (means - adjusted_mean) ** 2)),
        seconds=len(means),
        ms_per_byte=counts.bytes_slope_ms,
    )


def variance_row(cell: str, runs: Sequence[WithinRun]) -> dict[str, Value]:
    """Return the shares of the variance of all requests of a cell's valid runs; unknown ones are None."""
    row: dict[str, Value] = {"cell": cell, "runs": len(runs), "requests": sum(run.requests for run in runs)}
    n = sum(run.requests for run in runs)
    if not n:
        return row
    mean = sum(run.requests * run.mean_ms for run in runs) / n
    within = sum(run.total for run in runs)
    between = sum(run.requests * (run.mean_ms - mean) ** 2 for run in runs)
    total = within + between
    if total <= 0 or n <= len(runs) + sum(run.seconds for run in runs):
        return row
    size = sum(run.size for run in runs)
    drift = sum(run.drift for run in runs)
    seconds = sum(run.seconds - 1 for run in runs)
    noise = (within - size - drift) / (n - len(runs) - seconds)
    drift_free = max(0.0, drift - seconds * noise)
    # the mean of a run is as uncertain as the drift of its seconds makes it, not as its single requests would
    chance_between = (len(runs) - 1) * max(drift / seconds if seconds else noise, noise)
    between_free = max(0.0, between - chance_between) if len(runs) > 1 else None
    parts = size + drift_free + (between_free or 0.0)
    slopes = [run.ms_per_byte for run in runs if run.ms_per_byte is not None]
    return row | {
        "cv": np.sqrt(total / (n - 1)) / mean if mean else None,
        "cv_within_runs": np.sqrt(within / (n - len(runs))) / mean if mean else None,
        "between_repeats_pct": None if between_free is None else 100 * between_free / total,
        "size_pct": 100 * size / total if slopes else None,
        "drift_pct": 100 * drift_free / total,
        "within_pct": 100 * (total - parts) / total,
        "ms_per_mb": sum(slopes) / len(slopes) * 1e6 if slopes and _seen(size, within, n, len(slopes)) else None,
    }


def _seen(size: float, within: float, n: int, lines: int) -> bool:
    """Return whether the lines on the bytes of so many runs, n requests in all, take more than chance would give them.

    That is, whether F = (size / lines) / ((within - size) / (n - 2 lines)) is above the 95 % quantile of F with as many
    degrees of freedom: each run has a line of its own, and each line takes one degree by chance alone.
    """
    from scipy import special  # here, as for Student's t

    degrees = n - 2 * lines
    return size * degrees > lines * (within - size) * float(special.fdtri(lines, degrees, CONFIDENCE))
