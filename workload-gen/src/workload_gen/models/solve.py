"""Parameters of the spliced model for a wanted mean and deviation."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from scipy.optimize import least_squares

from workload_gen.errors import WorkloadError
from workload_gen.models.distribution import Floats
from workload_gen.models.integer_moments import integer_moments
from workload_gen.models.lognormal_pareto import LognormalPareto
from workload_gen.table1 import Table1Sample

TABLE1_TAIL_WEIGHT = 0.02
"""The tail of a Table 1 sample holds 2 % of its sizes: 200 of 10,000, which is about as many as the ten deviations
leave room for with alpha 1.9."""

TABLE1_COUNT = 10_000
"""The length of the paper's lists."""

_SOLVED_WITHIN = 1e-6


def table1_model(sample: Table1Sample) -> LognormalPareto:
    """The model of a Table 1 sample: its mean, its deviation, alpha 1.9, a continuous density, 2 % in the tail.

    Where it can be, the tail is also the paper's own, k / U^(1/alpha) with the printed k, up to a cap that the
    deviation decides (samples 3 to 10). The deviations of samples 1 and 2 exceed their means, which that k with this
    tail weight cannot give: there the cap is the largest size the printed formula is expected to give in 10,000, and
    k is what follows.
    """
    return _table1_model(sample.mean_bytes, sample.sd_bytes, sample.alpha, sample.pareto_k)


@lru_cache
def _table1_model(mean: float, sd: float, alpha: float, k: float) -> LognormalPareto:
    if sd < mean:
        return solve_splice(mean=mean, sd=sd, alpha=alpha, tail_weight=TABLE1_TAIL_WEIGHT, scale=k)
    cap = k * TABLE1_COUNT ** (1 / alpha)
    return solve_splice(mean=mean, sd=sd, alpha=alpha, tail_weight=TABLE1_TAIL_WEIGHT, cap=cap)


def solve_splice(
    *,
    mean: float,
    sd: float,
    alpha: float,
    tail_weight: float,
    cap: float | None = None,
    scale: float | None = None,
) -> LognormalPareto:
    """The splice, continuous at its cut, whose whole sizes have this mean and deviation in bytes.

    Mean, deviation and continuity decide mu, sigma and the cut. Either the `cap` is given, or the tail's `scale` k,
    and then the cap follows from it.

    Raises
    ------
    WorkloadError
        When a target is impossible, or no parameters reach the targets.
    """
    _check_targets(mean, sd, alpha, tail_weight)
    if (cap is None) == (scale is None):
        raise WorkloadError("Give either a cap or a tail scale to solve for, not both and not neither.")

    def model(unknowns: Floats) -> LognormalPareto:
        mu, log_sigma, log_cut = (float(v) for v in unknowns)
        cut = mean * math.exp(log_cut)
        return LognormalPareto(
            mu=mu + math.log(mean),
            sigma=math.exp(log_sigma),
            cut=cut,
            alpha=alpha,
            tail_weight=tail_weight,
            cap=_cap_for_scale(cut, alpha, tail_weight, scale) if scale is not None else cap,
        )

    def misses(unknowns: Floats) -> list[float]:
        return _misses(model(unknowns), mean, sd)

    low, high = _cut_bounds(mean, alpha, tail_weight, cap, scale)
    found = _first_solution(misses, low, high)
    if found is None:
        raise WorkloadError(
            f"No lognormal body with a Pareto tail of weight {tail_weight:g} and alpha {alpha:g} has a mean of "
            f"{mean:g} and a deviation of {sd:g} bytes; raise or lower the cap, or choose a smaller tail weight."
        )
    return model(found)


def _check_targets(mean: float, sd: float, alpha: float, tail_weight: float) -> None:
    for name, value in (("mean", mean), ("deviation", sd)):
        if not (math.isfinite(value) and value > 0):
            raise WorkloadError(f"The {name} must be a finite number of bytes above 0, not {value}.")
    if mean <= 1:
        raise WorkloadError(f"A mean of {mean:g} bytes cannot be reached: no size is below 1 byte.")
    if not alpha > 1:
        raise WorkloadError(f"alpha must be above 1, not {alpha:g}: at or below 1 a Pareto tail has no mean to meet.")
    if not 0 < tail_weight < 1:
        raise WorkloadError(f"The tail weight must lie between 0 and 1, not {tail_weight:g}.")


def _cap_for_scale(cut: float, alpha: float, tail_weight: float, scale: float) -> float:
    """The cap at which a tail of this weight above this cut has this scale."""
    return float((cut**-alpha - tail_weight * scale**-alpha) ** (-1 / alpha))


def _cut_bounds(
    mean: float, alpha: float, tail_weight: float, cap: float | None, scale: float | None
) -> tuple[float, float]:
    """Logarithms of the smallest and largest cut over the mean."""
    if scale is not None:
        return math.log(scale / mean), math.log(scale / mean) - math.log(tail_weight) / alpha - 1e-9
    assert cap is not None
    if cap <= mean:
        raise WorkloadError(f"A mean of {mean:g} bytes cannot be reached with a cap of {cap:g} bytes; raise the cap.")
    return math.log(0.05), math.log(cap / mean) - 1e-9


def _misses(model: LognormalPareto, mean: float, sd: float) -> list[float]:
    """How far the model is from the mean, the deviation and continuity, as logarithms of ratios."""
    assert model.cap is not None
    reached_mean, reached_sd = integer_moments(model, model.cap)
    return [
        math.log(reached_mean / mean),
        math.log(max(reached_sd, 1e-300) / sd),
        _log_density_step(model),
    ]


def _log_density_step(model: LognormalPareto) -> float:
    """Logarithm of the density just below the cut over the density at it."""
    z = (math.log(model.cut) - model.mu) / model.sigma
    below = (
        math.log1p(-model.tail_weight)
        - 0.5 * z * z
        - math.log(model.cut * model.sigma * math.sqrt(2 * math.pi))
        - model.body.log_below
    )
    return below - math.log(model.tail_weight * float(model.tail.density(model.cut)))


def _first_solution(misses: Callable[[Floats], list[float]], low: float, high: float) -> Floats | None:
    """The first solution found from a grid of starts; None where there is none."""
    for sigma in (0.4, 0.8, 1.2, 0.2):
        for share in (0.5, 0.25, 0.75, 0.95):
            start = np.array([-0.2, math.log(sigma), low + share * (high - low)])
            bounds = ([-20.0, math.log(0.01), low], [20.0, math.log(5.0), high])
            found = least_squares(misses, start, bounds=bounds, xtol=1e-14, ftol=1e-14, gtol=1e-14)
            if max(abs(m) for m in found.fun) < _SOLVED_WITHIN:
                return np.asarray(found.x)
    return None
