"""A size model fitted to measured sizes, and how far to trust it."""

import math
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from workload_gen.errors import WorkloadError
from workload_gen.fitting.candidates import (
    Candidate,
    lognormal_candidate,
    plain_candidates,
    spliced_candidate,
    spliced_model,
)
from workload_gen.fitting.evidence import LikelihoodRatio, p_of_gain, p_of_tail, resampled, tail_against_lognormal
from workload_gen.fitting.lognormal_fit import fit_lognormal
from workload_gen.fitting.size_counts import Counted, SizeCounts
from workload_gen.fitting.tail import TailFit, fit_tail
from workload_gen.models.distribution import ContinuousDistribution
from workload_gen.models.heavy_tailed import Lognormal, LognormalPareto, Pareto

FEWEST_SIZES = 50
FEWEST_DIFFERENT_SIZES = 10

FEWEST_BOOTSTRAPS = 100

GAIN_SIGNIFICANT = 0.01
"""A Pareto tail is only believed when a lognormal gives such a gain in fewer lists than one in a hundred."""

TAIL_PLAUSIBLE = 0.1
"""Clauset, Shalizi and Newman's threshold."""

RATIO_SIGNIFICANT = 0.1
"""Their threshold for the ratio of likelihoods."""

POOR_DISTANCE = 0.05
"""A model whose share of sizes is off by more than this somewhere is called poor."""

INTERVAL_BOOTSTRAPS = 100

_MOST_RESAMPLED = 100_000


class TailVerdict(Enum):
    """What can be said of the tail, in a sentence."""

    PARETO = "The {sizes} follow a Pareto tail with alpha {alpha}, above a lognormal body."
    LOGNORMAL = "A lognormal alone fits as well; there is no evidence for a Pareto tail."
    NO_EVIDENCE = "There is no evidence for a Pareto tail on a lognormal body; {best} fits best."
    LIKE_LOGNORMAL = (
        "No single lognormal fits, but there is no evidence for a Pareto tail either: the {sizes} fall off like a "
        "lognormal of their own. The model with a Pareto tail is only a description."
    )
    NOT_PARETO = (
        "No single lognormal fits, and the {sizes} are further from the best Pareto tail than chance explains. The "
        "model with that tail is only a description."
    )


@dataclass(frozen=True, kw_only=True)
class Interval:
    """An estimate and its 95 % interval."""

    estimate: float
    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class SizesFit(Counted):
    """All that a fit says of a counted list. Sizes in bytes."""

    candidates: tuple[Candidate, ...]
    """By AIC, best first."""
    chosen: Candidate
    model: ContinuousDistribution
    """The chosen model, capped, as lists are drawn from it."""
    cap: float
    tail: TailFit | None
    gain: float
    """In log-likelihood, of a body with a Pareto tail over a lognormal alone."""
    gain_p: float
    """Probability of that gain when there is no Pareto tail."""
    tail_p: float
    tail_ratio: LikelihoodRatio
    intervals: dict[str, Interval]
    """Of the parameters of the body with a tail, where that is the chosen model, else of the lognormal's."""
    verdict: TailVerdict
    sentence: str


def fit_counted(
    sizes: Counted, *, limit_bytes: float, repeats: int, cap: float | None = None, seed: int = 1
) -> SizesFit:
    """Fit the models, compare them, and choose one.

    Parameters
    ----------
    limit_bytes : the largest file that can be uploaded; the model is capped at the smaller of it and the largest size
    repeats : of each bootstrap; with 200 a probability is known to within about 0.03
    cap : a cap to use instead, bytes
    seed : of the bootstraps

    Raises
    ------
    WorkloadError
        When there are too few sizes, or too few different ones, to fit.
    """
    data = sizes.data
    _check_enough(data, sizes.origin, repeats)
    rng = np.random.default_rng(seed)
    lognormal, spliced, tail = lognormal_candidate(data), spliced_candidate(data), fit_tail(data)
    known = [lognormal, *([spliced] if spliced else []), *plain_candidates(data)]
    gain, gain_p, tail_p, ratio = 0.0, 1.0, math.nan, LikelihoodRatio(ratio=math.nan, p=math.nan)
    if tail is not None:
        tail_p = p_of_tail(data, rng, repeats)
        ratio = tail_against_lognormal(data, tail.x_min)
    if spliced is not None:
        gain = spliced.log_likelihood - lognormal.log_likelihood
        gain_p = p_of_gain(gain, data.total, rng, repeats)
    known.sort(key=lambda c: c.aic)
    tail_believed = known[0] is spliced and gain_p < GAIN_SIGNIFICANT
    chosen = next(c for c in known if tail_believed or c is not spliced)
    verdict = _verdict(tail_believed, tail_p, ratio, chosen)
    cap = min(float(sizes.largest), limit_bytes) if cap is None else cap
    return SizesFit(
        **vars(sizes),
        candidates=tuple(known),
        chosen=chosen,
        model=_capped(chosen.model, cap),
        cap=cap,
        tail=tail,
        gain=gain,
        gain_p=gain_p,
        tail_p=tail_p,
        tail_ratio=ratio,
        intervals=parameter_intervals(data, chosen.model, rng, min(repeats, INTERVAL_BOOTSTRAPS)),
        verdict=verdict,
        sentence=_sentence(verdict, tail, chosen),
    )


def _check_enough(data: SizeCounts, origin: str, repeats: int) -> None:
    if repeats < FEWEST_BOOTSTRAPS:
        raise WorkloadError(
            f"{repeats} bootstraps cannot show a chance of one in a hundred; take {FEWEST_BOOTSTRAPS} or more."
        )
    if data.total < FEWEST_SIZES:
        raise WorkloadError(f"{origin}: {data.total} sizes are too few to fit; at least {FEWEST_SIZES} are needed.")
    if data.values.size == 1:
        raise WorkloadError(
            f"{origin}: all {data.total} sizes are {int(data.values[0])} bytes, which leaves nothing to fit; "
            'write a model file with distribution = "constant" instead.'
        )
    if data.values.size < FEWEST_DIFFERENT_SIZES:
        raise WorkloadError(
            f"{origin}: there are only {data.values.size} different sizes, too few to fit (at least "
            f"{FEWEST_DIFFERENT_SIZES}); replay the list as it is instead."
        )


def _verdict(tail_believed: bool, tail_p: float, ratio: LikelihoodRatio, chosen: Candidate) -> TailVerdict:
    if not tail_believed:
        return TailVerdict.LOGNORMAL if isinstance(chosen.model, Lognormal) else TailVerdict.NO_EVIDENCE
    if ratio.ratio < 0 and ratio.p < RATIO_SIGNIFICANT:
        return TailVerdict.LIKE_LOGNORMAL
    return TailVerdict.PARETO if tail_p >= TAIL_PLAUSIBLE else TailVerdict.NOT_PARETO


def _sentence(verdict: TailVerdict, tail: TailFit | None, chosen: Candidate) -> str:
    """The answer in one or two sentences."""
    kind = chosen.model.kind
    words = {"best": f"{'an' if kind[0] in 'aeiou' else 'a'} {kind} distribution"}
    if tail is not None:
        words |= {"sizes": f"{tail.count:,} sizes from {tail.x_min:,} bytes", "alpha": f"{tail.alpha:.2f}"}
    said = verdict.value.format(**words)
    if chosen.distance > POOR_DISTANCE:
        said += (
            f" Even the best model is off by {100 * chosen.distance:.0f} % of the sizes somewhere: "
            "replaying the list itself is the more faithful choice."
        )
    return said


def _capped(model: ContinuousDistribution, cap: float) -> ContinuousDistribution:
    """The model conditional on sizes up to the cap, where it is of a kind that can be capped."""
    if isinstance(model, LognormalPareto) and cap <= model.cut:
        return Lognormal(mu=model.mu, sigma=model.sigma, cap=cap)
    if isinstance(model, LognormalPareto | Lognormal | Pareto):
        return replace(model, cap=cap)
    return model


def parameter_intervals(
    data: SizeCounts, model: ContinuousDistribution, rng: np.random.Generator, repeats: int
) -> dict[str, Interval]:
    """95 % intervals of the parameters of a lognormal, alone or with a tail: 1.96 standard deviations of the bootstrap.

    The list is drawn again with replacement and fitted again, cut and all; every parameter but mu on a logarithmic
    scale, since none can be negative. Lists longer than 100,000 are drawn at that length, and the deviations shrunk
    by the square root of the ratio.
    """
    if not isinstance(model, Lognormal | LognormalPareto):
        return {}
    drawn = min(data.total, _MOST_RESAMPLED)
    fit_again = fit_lognormal if isinstance(model, Lognormal) else spliced_model
    fits = [fit_again(resampled(data, drawn, rng)) for _ in range(repeats)]
    shrink = math.sqrt(drawn / data.total)
    intervals = {}
    for name, estimate in model.parameters().items():
        again = np.array([fit.parameters()[name] for fit in fits if fit is not None])
        if name == "mu":
            half = 1.96 * shrink * float(np.std(again, ddof=1))
            intervals[name] = Interval(estimate=estimate, low=estimate - half, high=estimate + half)
        else:
            factor = math.exp(1.96 * shrink * float(np.std(np.log(again), ddof=1)))
            intervals[name] = Interval(estimate=estimate, low=estimate / factor, high=estimate * factor)
    return intervals
