"""A fit as a page: the answer, the files beside the model, charts, and the evidence."""

import math

from monitoring.pages.document import Column, Page, Section, Table, Text, table_of
from workload_gen.fitting.fit import RATIO_SIGNIFICANT, SizesFit
from workload_gen.fitting.fit_charts import SERIES, charts

_QUANTILES = (0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999)


def comparison(fit: SizesFit) -> list[list[str]]:
    """Mean, deviation and quantiles of the files and of the chosen model, in bytes: name, files, model."""
    data, model = fit.data, fit.model
    mean = float(data.values @ data.counts) / data.total
    sd = math.sqrt(float(data.counts @ (data.values - mean) ** 2) / (data.total - 1))
    rows = [("mean", mean, model.mean()), ("deviation", sd, math.sqrt(model.variance()))]
    shares = data.counts.cumsum() / data.total
    for p in _QUANTILES:
        place = min(int(shares.searchsorted(p)), data.values.size - 1)
        rows.append((f"{100 * p:g} %", data.values[place], float(model.quantile(p))))
    rows.append(("largest", fit.largest, float(model.quantile(1.0))))
    return [[what, _bytes(files), _bytes(of_model)] for what, files, of_model in rows]


def _bytes(value: float) -> str:
    return f"{round(float(value)):,}" if math.isfinite(value) else "infinite"


def page(fit: SizesFit) -> Page:
    """Return the page."""
    tail, body, *others = charts(fit)
    said = f"{fit.count:,} sizes, {fit.different:,} of them different. The model ends at {round(fit.cap):,} bytes."
    sizes = table_of(
        ["", Column("your files"), Column("model")], comparison(fit), title="Your files and the model, bytes"
    )
    return Page(
        title=f"File sizes: {fit.origin}",
        over=fit.origin,
        lead=fit.sentence,
        sections=[
            Section(title="", blocks=[Text(text=" ".join([said, *fit.notes])), tail, body]),
            Section(title="", blocks=[sizes]),
            Section(title="Which model, and is there a Pareto tail?", blocks=[*_models(fit), *_tests(fit)]),
            Section(title="More charts", blocks=others, folded=True),
            Section(title="Methods", blocks=[Text(text=_SOURCES)], folded=True),
        ],
        series=SERIES,
    )


_SOURCES = (
    "A. Clauset, C. R. Shalizi and M. E. J. Newman, Power-law distributions in empirical data, SIAM Review 51 (2009); "
    "A. B. Downey, Lognormal and Pareto distributions in the Internet, Computer Communications 28 (2005)."
)


def _models(fit: SizesFit) -> list[Table]:
    best = fit.candidates[0].aic
    compared = [
        [
            f"{c.model.kind}{' (chosen)' if c is fit.chosen else ''}",
            *(f"{c.aic:,.1f}", f"{c.aic - best:,.1f}", str(c.parameters), f"{100 * c.distance:.1f} %"),
        ]
        for c in fit.candidates
    ]
    parameters = [
        [name, f"{one.estimate:.5g}", f"{one.low:.5g} to {one.high:.5g}"] for name, one in fit.intervals.items()
    ]
    tables = [
        table_of(
            ["model", *map(Column, ("AIC", "above the best", "parameters", "largest difference"))],
            compared,
            title="Models compared",
            note="The smallest AIC describes the sizes best for the parameters it has. The largest difference is "
            "between the shares of files up to any size, yours and the model's.",
        ),
        table_of(
            ["", Column("estimate"), Column("95 % interval")],
            parameters,
            title=f"Parameters of the chosen model, {fit.chosen.model.kind}",
            note="mu and sigma are of the logarithm of the size; the cut is the size from which the tail holds. "
            "Intervals are by bootstrap.",
        ),
    ]
    return [table for table in tables if table.rows]


def _tests(fit: SizesFit) -> list[Text]:
    said = [
        f"Gain in log-likelihood of a Pareto tail over a lognormal alone: {fit.gain:.1f}. A lognormal gives such a "
        f"gain by chance with probability {fit.gain_p:.3f} (parametric bootstrap; believed below 0.01)."
    ]
    if fit.tail is not None:
        ratio = fit.tail_ratio
        likelier = "lognormal" if ratio.ratio < 0 else "Pareto tail"
        told = "the two cannot be told apart" if ratio.p >= RATIO_SIGNIFICANT else f"the {likelier} is the likelier"
        said += [
            f"The best tail by Clauset, Shalizi and Newman's method: {fit.tail.count:,} sizes from {fit.tail.x_min:,} "
            f"bytes, alpha {fit.tail.alpha:.3f}. A true Pareto tail lies as far from its fit with probability "
            f"{fit.tail_p:.2f} (bootstrap; plausible from 0.1).",
            f"That tail against a lognormal of its own (Vuong's likelihood ratio): {ratio.ratio:.2f}, p = "
            f"{ratio.p:.2g}; {told}.",
        ]
    return [Text(text=text) for text in said]
