"""Published size models by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from workload_gen.errors import WorkloadError
from workload_gen.models.distribution import Distribution
from workload_gen.models.lognormal import Lognormal
from workload_gen.models.lognormal_pareto import LognormalPareto
from workload_gen.models.pareto import Pareto


@dataclass(frozen=True, kw_only=True)
class Preset:
    """A published model and where it was published."""

    source: str
    model: Callable[[float | None], Distribution]
    """Makes the model; its argument is a cap in bytes or None."""


def _surge_files(cap: float | None) -> Distribution:
    body = Lognormal(mu=9.357, sigma=1.318)
    cut = 133_000.0
    weight = float(body.survival(cut))
    return LognormalPareto(mu=body.mu, sigma=body.sigma, cut=cut, alpha=1.1, tail_weight=weight, cap=cap)


_SURGE = (
    "P. Barford and M. Crovella, Generating Representative Web Workloads for Network and Server Performance "
    "Evaluation, ACM SIGMETRICS 1998; figures from programs built on SURGE, not compared with the paper's own"
)

PRESETS = {
    "surge-files": Preset(
        source=f"{_SURGE}: file sizes, body lognormal mu 9.357 sigma 1.318, tail Pareto k 133000 alpha 1.1. "
        "The tail weight is ours: the share of the lognormal above k, 3.2 %",
        model=_surge_files,
    ),
    "surge-requests": Preset(
        source=f"{_SURGE}: request sizes, Pareto k 1000 alpha 1.0 (no mean without a cap)",
        model=lambda cap: Pareto(alpha=1.0, x_min=1000.0, cap=cap),
    ),
}


def preset_model(name: str, cap: float | None = None) -> Distribution:
    """The model of a preset by its name, with an optional cap in bytes."""
    if not isinstance(name, str) or name not in PRESETS:
        raise WorkloadError(f"There is no preset {name!r}; there are: {', '.join(sorted(PRESETS))}.")
    return PRESETS[name].model(cap)
