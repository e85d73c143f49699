"""Published size models by name."""

from collections.abc import Callable
from dataclasses import dataclass

from workload_gen.errors import WorkloadError
from workload_gen.models.distribution import Distribution
from workload_gen.models.heavy_tailed import Lognormal, LognormalPareto, Pareto


@dataclass(frozen=True, kw_only=True)
class Preset:
    """A published model and where it was published."""

    source: str
    model: Callable[[], Distribution]


def _surge_files() -> Distribution:
    body, cut = Lognormal(mu=9.357, sigma=1.318), 133_000.0
    return LognormalPareto(mu=body.mu, sigma=body.sigma, cut=cut, alpha=1.1, tail_weight=float(body.survival(cut)))


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
        model=lambda: Pareto(alpha=1.0, x_min=1000.0),
    ),
}


def preset_model(name: str) -> Distribution:
    """The model of a preset by its name."""
    if name not in PRESETS:
        raise WorkloadError(f"There is no preset {name!r}; there are: {', '.join(sorted(PRESETS))}.")
    return PRESETS[name].model()
