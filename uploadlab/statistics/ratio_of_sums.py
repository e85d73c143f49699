"""The ratio of two systems' sums over scenarios, of which each was measured in repeats of its own."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from uploadlab.statistics.intervals import Interval, t_quantile
from uploadlab.statistics.prior_variance import prior_variance
from uploadlab.statistics.sequential import critical_after

Key = tuple[int, str]
"""The first system or the second (0, 1), and a column."""
Repeats = Mapping[Key, Mapping[int, float]]
"""The values of a scenario by repeat, or by block."""
Sample = NDArray[np.float64]


def ratio_of_sums(
    repeats: Sequence[Repeats], blocks: Sequence[Repeats], columns: Sequence[str], *, most_blocks: int | None
) -> Interval | None:
    """Return the ratio of the sums of the scenarios' means; None where one is not above 0.

    With two columns a system's figure is the sum of the first over that of the second. The interval is t on the log
    of the ratio, standard errors by the delta method: a scenario's part of the log of a sum is its repeats' values over
    the sum; the second column enters with a minus, repeat by repeat, because the two figures of a run vary together.
    Where a campaign went on until it was sure (``most_blocks``), so do the two systems' within a block; the scenarios
    tell of each other's scatter, each in units of its part, and the critical value is that of as many looks as there
    are degrees of freedom.
    """
    means = [{key: float(np.mean(list(of.values()))) if of else 0.0 for key, of in scene.items()} for scene in repeats]
    sums = {(side, column): sum(scene[side, column] for scene in means) for side in (0, 1) for column in columns}
    if min(sums.values()) <= 0:
        return None
    ratio = math.prod(total ** _sign(key, columns) for key, total in sums.items())
    if most_blocks is None:
        parts = [_part(scene, sums, columns, [side]) for side in (0, 1) for scene in repeats]
    else:
        parts = [_part(scene, sums, columns, [0, 1]) for scene in blocks]
    if any(len(part) < 2 for part in parts):
        return Interval(estimate=ratio, lo=None, hi=None, method="none")
    if most_blocks is None:
        variances = [(float(part.var(ddof=1)) / len(part), len(part) - 1) for part in parts]
    else:
        shares = [sum(scene[side, columns[0]] / sums[side, columns[0]] for side in (0, 1)) / 2 for scene in means]
        variances = _moderated(parts, shares)
    total = sum(variance for variance, _ in variances)
    method = "t" if most_blocks is None else "sequential"
    if total == 0:
        return Interval(estimate=ratio, lo=ratio, hi=ratio, method=method)
    degrees = total**2 / sum(variance**2 / own for variance, own in variances)
    critical = t_quantile(degrees) if most_blocks is None else critical_after(degrees, most_blocks)
    factor = math.exp(min(700.0, critical * math.sqrt(total)))
    return Interval(estimate=ratio, lo=ratio / factor, hi=ratio * factor, method=method)


def _sign(key: Key, columns: Sequence[str]) -> int:
    return 1 if (key[0] + columns.index(key[1])) % 2 == 0 else -1


def _part(scene: Repeats, sums: Mapping[Key, float], columns: Sequence[str], sides: Sequence[int]) -> Sample:
    """Return what a scenario's repeats add to the log of a sum; of two systems its blocks, to that of their ratio."""
    chosen = {key: of for key, of in scene.items() if key[0] in sides}
    common = [place for place in next(iter(chosen.values())) if all(place in of for of in chosen.values())]
    terms = [
        np.asarray([of[place] for place in common], dtype=np.float64) / sums[key] * _sign(key, columns)
        for key, of in chosen.items()
    ]
    return np.asarray(sum(terms))


def _moderated(parts: Sequence[Sample], weights: Sequence[float]) -> list[tuple[float, int]]:
    """Return the variance of each part's mean and its degrees of freedom, drawn towards that of the other parts."""
    alike = [part / weight for part, weight in zip(parts, weights, strict=True)]
    found = []
    for number, (part, weight) in enumerate(zip(alike, weights, strict=True)):
        prior = prior_variance(other for place, other in enumerate(alike) if place != number)
        own = len(part) - 1
        found.append((weight**2 * prior.moderate(float(part.var(ddof=1)), own) / len(part), own + prior.degrees))
    return found
