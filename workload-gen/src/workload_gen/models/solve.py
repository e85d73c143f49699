"""Parameters of the spliced model for a wanted mean and deviation.

SciPy is loaded by the functions that solve: it takes as long as all the rest, and lists that are there need no solving.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np

from workload_gen.errors import WorkloadError
from workload_gen.models.distribution import Floats
from workload_gen.models.integer_moments import integer_moments
from workload_gen.models.lognormal_pareto import LognormalPareto
from workload_gen.models.pareto import Pareto
from workload_gen.table1 import Table1Sample

TABLE1_TAIL_WEIGHT = 0.02
"""The tail of a Table 1 sample holds 2 % of its sizes: 200 of 10,000, which is about as many as the ten deviations
leave room for with alpha 1.9."""

TABLE1_COUNT = 10_000
"""The length of the paper's lists."""

DEFAULT_ALPHA = 1.9
"""The paper's."""

_SOLVED_WITHIN = 1e-6


def table1_model(sample: Table1Sample) -> LognormalPareto:
    """The model of a Table 1 sample: its mean, its deviation, alpha 1.9, a continuous density, 2 % in the tail.

    Where it can be, the tail is also the paper's own, k / U^(1/alpha) with the printed k, up to a cap that the
    deviation decides (samples 3 to 10). The deviations of samples 1 and 2 exceed their means; with the printed k they
    come from a cap of some 600 means, which one list of 10,000 in twenty comes near: there the cap is the largest size
    the printed formula is expected to give in 10,000, and k is what follows.
    """
    return _table1_model(sample.mean_bytes, sample.sd_bytes, sample.alpha, sample.pareto_k)


@lru_cache
def _table1_model(mean: float, sd: float, alpha: float, k: float) -> LognormalPareto:
    if sd < mean:
        return solve_splice(mean=mean, sd=sd, alpha=alpha, tail_weight=TABLE1_TAIL_WEIGHT, scale=k)
    cap = k * TABLE1_COUNT ** (1 / alpha)
    return solve_splice(mean=mean, sd=sd, alpha=alpha, tail_weight=TABLE1_TAIL_WEIGHT, cap=cap)


_CAPS_IN_MEANS = (10, 8, 6, 5, 15, 20, 30, 40, 60, 80, 120)
"""Caps to try, in this order, where none is given: ten means is what Table 1's samples have."""


def model_for_targets(
    *,
    mean: float,
    sd: float | None,
    alpha: float | None,
    tail_weight: float | None,
    cut: float | None,
    cap: float | None,
    limit_bytes: float,
) -> LognormalPareto | Pareto:
    """A model that meets a user's targets.

    With a deviation: a lognormal body with a Pareto tail (alpha 1.9 and 2 % in the tail unless told otherwise; without
    a cap the first that allows the deviation). Without one: a Pareto distribution from `cut`, or of `alpha`.

    Raises
    ------
    WorkloadError
        When the targets are impossible, or contradict one another.
    """
    if sd is None:
        if tail_weight is not None:
            raise WorkloadError("--tail-weight goes with --sd.")
        return _pareto_with_mean(mean, alpha, cut, cap)
    if cut is not None:
        raise WorkloadError("--cut goes with --mean alone: with --sd the cut follows from the other targets.")
    alpha = DEFAULT_ALPHA if alpha is None else alpha
    tail_weight = TABLE1_TAIL_WEIGHT if tail_weight is None else tail_weight
    if cap is not None:
        return solve_splice(mean=mean, sd=sd, alpha=alpha, tail_weight=tail_weight, cap=cap)
    for means in _CAPS_IN_MEANS:
        try:
            cap = min(means * mean, limit_bytes)
            return solve_splice(mean=mean, sd=sd, alpha=alpha, tail_weight=tail_weight, cap=cap)
        except _NoSolutionError:
            continue
    return solve_splice(mean=mean, sd=sd, alpha=alpha, tail_weight=tail_weight, cap=limit_bytes)


def _pareto_with_mean(mean: float, alpha: float | None, cut: float | None, cap: float | None) -> Pareto:
    """The Pareto distribution of this mean, either with this alpha or from this cut."""
    if (alpha is None) == (cut is None):
        raise WorkloadError(
            "With --mean give --sd for a body and a tail, or one of --cut and --alpha for a tail alone."
        )
    if cut is not None and not 0 < cut < mean:
        raise WorkloadError(
            f"A mean of {mean:g} bytes does not lie above the cut of {cut:g}: every size of a Pareto distribution is "
            "above its cut; raise the mean or lower the cut."
        )
    _check_targets(mean, mean, DEFAULT_ALPHA if alpha is None else alpha, TABLE1_TAIL_WEIGHT)
    if cap is None:
        return _uncapped_pareto(mean, alpha, cut)
    if cap <= mean:
        raise WorkloadError(f"A mean of {mean:g} bytes cannot be reached with a cap of {cap:g} bytes; raise the cap.")
    if cut is not None:
        return _pareto_of(mean, lambda unknown: Pareto(alpha=unknown, x_min=cut, cap=cap), 1e-9, 1e3)
    assert alpha is not None
    return _pareto_of(mean, lambda unknown: Pareto(alpha=alpha, x_min=unknown, cap=cap), mean * 1e-9, mean)


def _uncapped_pareto(mean: float, alpha: float | None, cut: float | None) -> Pareto:
    """mean = alpha cut / (alpha - 1), solved for whichever is not given."""
    if cut is not None:
        return Pareto(alpha=mean / (mean - cut), x_min=cut)
    assert alpha is not None
    return Pareto(alpha=alpha, x_min=mean * (alpha - 1) / alpha)


def _pareto_of(mean: float, model: Callable[[float], Pareto], low: float, high: float) -> Pareto:
    """The model, of those between two values of its parameter, that has this mean."""
    from scipy.optimize import brentq

    if (model(low).mean() - mean) * (model(high).mean() - mean) > 0:
        raise WorkloadError(
            f"No Pareto distribution with this cut and cap has a mean of {mean:g} bytes; raise the cap."
        )
    return model(float(brentq(lambda unknown: model(unknown).mean() - mean, low, high, xtol=1e-12, rtol=1e-14)))


class _NoSolutionError(WorkloadError):
    """The targets are possible each, but not together."""


def solve_splice(
    *, mean: float, sd: float, alpha: float, tail_weight: float, cap: float | None = None, scale: float | None = None
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
        raise _NoSolutionError(
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
    return [math.log(reached_mean / mean), math.log(max(reached_sd, 1e-300) / sd), _log_density_step(model)]


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
    from scipy.optimize import least_squares

    for sigma in (0.4, 0.8, 1.2, 0.2):
        for share in (0.5, 0.25, 0.75, 0.95):
            start = np.array([-0.2, math.log(sigma), low + share * (high - low)])
            bounds = ([-20.0, math.log(0.01), low], [20.0, math.log(5.0), high])
            found = least_squares(misses, start, bounds=bounds, xtol=1e-14, ftol=1e-14, gtol=1e-14)
            if max(abs(m) for m in found.fun) < _SOLVED_WITHIN:
                return np.asarray(found.x)
    return None
