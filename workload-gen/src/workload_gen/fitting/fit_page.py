"""A fit as a page: one HTML file with its pictures in it, which opens offline."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from jinja2 import Environment, PackageLoader, StrictUndefined

from workload_gen.fitting.fit import SizesFit
from workload_gen.fitting.pictures import Picture

_QUANTILES = (0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999)


@dataclass(frozen=True, kw_only=True)
class Row:
    """A line of the table that sets the files beside the model."""

    what: str
    files: str
    model: str


def comparison(fit: SizesFit) -> list[Row]:
    """Mean, deviation and quantiles of the files and of the chosen model, in bytes."""
    data = fit.data
    mean = float(data.values @ data.counts) / data.total
    sd = math.sqrt(float(data.counts @ (data.values - mean) ** 2) / (data.total - 1))
    variance = fit.model.variance()
    rows = [
        Row(what="mean", files=_bytes(mean), model=_bytes(fit.model.mean())),
        Row(what="deviation", files=_bytes(sd), model=_bytes(math.sqrt(variance))),
    ]
    shares = data.counts.cumsum() / data.total
    for p in _QUANTILES:
        place = min(int(shares.searchsorted(p)), data.values.size - 1)
        rows.append(
            Row(what=f"{100 * p:g} %", files=_bytes(data.values[place]), model=_bytes(float(fit.model.quantile(p))))
        )
    return [*rows, Row(what="largest", files=_bytes(fit.largest), model=_bytes(float(fit.model.quantile(1.0))))]


def _bytes(value: float) -> str:
    return f"{round(float(value)):,}" if math.isfinite(value) else "infinite"


def page(fit: SizesFit, pictures: Sequence[Picture]) -> str:
    """The page as HTML."""
    environment = Environment(
        loader=PackageLoader("workload_gen.fitting"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    return environment.get_template("fit.html").render(fit=fit, pictures=pictures, comparison=comparison(fit))
