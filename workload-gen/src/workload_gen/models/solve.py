"""Parameters of the spliced model for a wanted mean and deviation."""

import math
from collections.abc import Callable

import numpy as np

from workload_gen.errors import WorkloadError
from workload_gen.models.distribution import ContinuousDistribution, Floats
from workload_gen.models.heavy_tailed import LognormalPareto, Pareto

DEFAULT_TAIL_WEIGHT = 0.02
"""The tail of a Table 1 sample holds 2 % of its sizes: 200 of 10,000, which is about as many as the ten deviations
leave room for with alpha 1.9."""

DEFAULT_ALPHA = 1.9
"""The paper's."""

_SOLVED_WITHIN = 1e-6

_CAPS_IN_MEANS = (10, 8, 6, 5, 15, 20, 30, 40, 60, 80, 120)
"""Caps to try, in this order, where none is given: ten means is what Table 1's samples have."""

_SUMMED_UP_TO_BYTES = 50_000
_ROUNDING_VARIANCE = 1 / 12


def model_for_targets(
    *,
    mean: float,
    sd: float | None = None,
    alpha: float | None = None,
    tail_weight: float | None = None,
    cut: float | None = None,
    cap: float | None = None,
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
        return _pareto_with_mean(mean, alpha, cut, math.inf if cap is None else cap)
    if cut is not None:
        raise WorkloadError("--cut goes with --mean alone: with --sd the cut follows from the other targets.")
    alpha = DEFAULT_ALPHA if alpha is None else alpha
    tail_weight = DEFAULT_TAIL_WEIGHT if tail_weight is None else tail_weight
    tried = [min(means * mean, limit_bytes) for means in _CAPS_IN_MEANS] if cap is None else []
    for one in tried:
        try:
            return solve_splice(mean=mean, sd=sd, alpha=alpha, tail_weight=tail_weight, cap=one)
        except _NoSolutionError:
            continue
    last = limit_bytes if cap is None else cap
    return solve_splice(mean=mean, sd=sd, alpha=alpha, tail_weight=tail_weight, cap=last)


def _pareto_with_mean(mean: float, alpha: float | None, cut: float | None, cap: float) -> Pareto:
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
    _check_targets(mean, mean, DEFAULT_ALPHA if alpha is None else alpha, DEFAULT_TAIL_WEIGHT, cap)
    if cut is not None:
        if math.isinf(cap):
            return Pareto(alpha=mean / (mean - cut), x_min=cut)
        return _pareto_of(mean, lambda unknown: Pareto(alpha=unknown, x_min=cut, cap=cap), 1e-9, 1e3)
    assert alpha is not None
    if math.isinf(cap):
        return Pareto(alpha=alpha, x_min=mean * (alpha - 1) / alpha)
    return _pareto_of(mean, lambda unknown: Pareto(alpha=alpha, x_min=unknown, cap=cap), mean * 1e-9, mean)


def _pareto_of(mean: float, model: Callable[[float], Pareto], low: float, high: float) -> Pareto:
    """The model, of those between two values of its parameter, that has this mean."""
    from scipy.optimize import brentq

    if (model(low).mean() - mean) * (model(high).mean() - mean) > 0:
        raise WorkloadError(
            f"No Pareto distribution with this cut and cap has a mean of {mean:g} bytes; raise the cap."
        )
    found = brentq(lambda unknown: model(unknown).mean() - mean, low, high, xtol=1e-12, rtol=1e-14)
    return model(float(found))


class _NoSolutionError(WorkloadError):
    """The targets are possible each, but not together."""


def solve_splice(
    *, mean: float, sd: float, alpha: float, tail_weight: float, cap: float = math.inf, scale: float | None = None
) -> LognormalPareto:
    """The splice, continuous at its cut, whose whole sizes have this mean and deviation in bytes.

    Mean, deviation and continuity decide mu, sigma and the cut. Either the `cap` is given, or the tail's `scale` k,
    and then the cap follows from it.

    Raises
    ------
    WorkloadError
        When a target is impossible, or no parameters reach the targets.
    """
    _check_targets(mean, sd, alpha, tail_weight, cap)

    def model(unknowns: Floats) -> LognormalPareto:
        mu, log_sigma, log_cut = (float(v) for v in unknowns)
        cut = mean * math.exp(log_cut)
        return LognormalPareto(
            mu=mu + math.log(mean),
            sigma=math.exp(log_sigma),
            cut=cut,
            alpha=alpha,
            tail_weight=tail_weight,
            cap=cap if scale is None else _cap_for_scale(cut, alpha, tail_weight, scale),
        )

    def misses(unknowns: Floats) -> list[float]:
        """How far it is from the mean, the deviation and continuity, as logarithms of ratios."""
        found = model(unknowns)
        reached_mean, reached_sd = integer_moments(found, found.cap)
        return [math.log(reached_mean / mean), math.log(max(reached_sd, 1e-300) / sd), _log_density_step(found)]

    if scale is None:
        low, high = math.log(0.05), math.log(cap / mean) - 1e-9
    else:
        low, high = math.log(scale / mean), math.log(scale / mean) - math.log(tail_weight) / alpha - 1e-9
    solution = _first_solution(misses, low, high)
    if solution is None:
        raise _NoSolutionError(
            f"No lognormal body with a Pareto tail of weight {tail_weight:g} and alpha {alpha:g} has a mean of "
            f"{mean:g} and a deviation of {sd:g} bytes; raise or lower the cap, or choose a smaller tail weight."
        )
    return model(solution)


def _check_targets(mean: float, sd: float, alpha: float, tail_weight: float, cap: float) -> None:
    for name, value in (("mean", mean), ("deviation", sd)):
        if not 0 < value < math.inf:
            raise WorkloadError(f"The {name} must be a finite number of bytes above 0, not {value}.")
    if mean <= 1:
        raise WorkloadError(f"A mean of {mean:g} bytes cannot be reached: no size is below 1 byte.")
    if not alpha > 1:
        raise WorkloadError(f"alpha must be above 1, not {alpha:g}: at or below 1 a Pareto tail has no mean to meet.")
    if not 0 < tail_weight < 1:
        raise WorkloadError(f"The tail weight must lie between 0 and 1, not {tail_weight:g}.")
    if cap <= mean:
        raise WorkloadError(f"A mean of {mean:g} bytes cannot be reached with a cap of {cap:g} bytes; raise the cap.")


def _cap_for_scale(cut: float, alpha: float, tail_weight: float, scale: float) -> float:
    """The cap at which a tail of this weight above this cut has this scale."""
    return float((cut**-alpha - tail_weight * scale**-alpha) ** (-1 / alpha))


def integer_moments(distribution: ContinuousDistribution, largest_bytes: float) -> tuple[float, float]:
    """Mean and standard deviation in bytes of `sizes_from` this distribution.

    Up to 50,000 bytes they are summed over every size: E[N] = 1 + sum of P(N > n), and E[N^2] = 1 + sum of
    (2n + 1) P(N > n), n from 1. Above that rounding leaves the mean alone and adds 1/12 to the variance (Sheppard).

    Parameters
    ----------
    largest_bytes : a size that the distribution never exceeds
    """
    if largest_bytes > _SUMMED_UP_TO_BYTES:
        return distribution.mean(), math.sqrt(distribution.variance() + _ROUNDING_VARIANCE)
    sizes = np.arange(1, math.ceil(largest_bytes) + 1)
    above = distribution.survival(sizes + 0.5)
    mean = 1 + float(above.sum())
    second = 1 + float(((2 * sizes + 1) * above).sum())
    return mean, math.sqrt(second - mean**2)


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

    bounds = ([-20.0, math.log(0.01), low], [20.0, math.log(5.0), high])
    for sigma in (0.4, 0.8, 1.2, 0.2):
        for share in (0.5, 0.25, 0.75, 0.95):
            start = np.array([-0.2, math.log(sigma), low + share * (high - low)])
            found = least_squares(misses, start, bounds=bounds, xtol=1e-14, ftol=1e-14, gtol=1e-14)
            if max(abs(m) for m in found.fun) < _SOLVED_WITHIN:
                return np.asarray(found.x)
    return None
