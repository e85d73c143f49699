"""Is system A faster, steadier, cheaper than system B? A verdict for each scenario and metric, with its interval.

The runs of a block are compared with each other, as ratios: what slows the machine for a while slows both. Where a
campaign with a fixed number of repeats has blocks that lack a run, or fewer than three, the means are compared.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from analysis.campaign import Campaign, key_of
from analysis.declarations import declarations
from analysis.runs.figures import valid_figures
from analysis.runs.rounds import ROUND
from analysis.statistics.intervals import Interval, generator_for, interval_of_ratio, t_quantile
from analysis.statistics.quantisation import is_never_bare
from analysis.statistics.sequential import LEAST_BLOCKS, interval_of_paired_ratio, more_blocks
from analysis.tables.table_file import Value, format_number

EQUAL_MARGIN_PCT = 5.0
MOST_REPEATS = 100
FEW_REPEATS = 3
CANNOT_TELL = "can't tell"


@dataclass(frozen=True, kw_only=True)
class Metric:
    """A figure of ``runs.csv`` by which systems are compared, and the words for it."""

    column: str
    name: str
    unit: str
    lower: str
    """What a system is whose figure is lower."""
    higher: str
    lower_is_better: bool = True
    question: str = ""
    """What it answers, where a campaign goes on until it is answered."""


METRICS = (
    Metric(column="mean_ms", name="mean response time", unit="ms", lower="faster", higher="slower", question="speed"),
    Metric(column="p99_ms", name="99th percentile of the response time", unit="ms", lower="faster", higher="slower"),
    Metric(
        column="cv",
        name="coefficient of variation",
        unit="",
        lower="steadier",
        higher="less steady",
        question="steadiness",
    ),
    Metric(
        column="server_cpu_us_per_request",
        name="CPU per request",
        unit="µs",
        lower="cheaper",
        higher="dearer",
        question="cost",
    ),
    Metric(
        column="throughput_rps",
        name="throughput",
        unit="requests/s",
        lower="lower",
        higher="higher",
        lower_is_better=False,
    ),
)


def metrics_of(record: Mapping[str, Any]) -> tuple[Metric, ...]:
    """Return what the systems of a ``campaign.json`` are compared by: the study's own metrics, else the usual ones."""
    declared = declarations(record)
    if not declared.named:
        return METRICS
    return tuple(
        Metric(
            column=one.column,
            name=one.names.get("en", one.key.replace("_", " ")),
            unit=one.unit,
            lower="lower",
            higher="higher",
            lower_is_better=one.lower_is_better,
            question=one.key if one.column in declared.questions else "",
        )
        for one in declared.metrics.values()
    )


COMPARISON_COLUMNS = (
    "metric", "system_a", "system_b", "a", "b", "ratio", "lo", "hi", "n_a", "n_b", "blocks", "method",
    "verdict", "better", "more_repeats", "cohen_d", "sentence",
)  # fmt: skip
Row = Mapping[str, Value]


def comparison_rows(campaign: Campaign, runs: Sequence[Row], seed: int) -> Iterator[dict[str, Value]]:
    """Yield the rows of ``comparisons.csv`` from the rows of ``runs.csv``."""
    terms, metrics = terms_of(campaign.record), metrics_of(campaign.record)
    for scenario in sorted({str(run["scenario"]) for run in runs}):
        of_scenario = [run for run in runs if run["scenario"] == scenario]
        factors = {name: of_scenario[0].get(name) for name in campaign.factors}
        by_system = {system: [run for run in of_scenario if system_key(run) == system] for system in campaign.systems}
        for a, b in combinations([system for system, rows in by_system.items() if rows], 2):
            for metric in metrics:
                generator = generator_for(seed, f"{scenario} {metric.column} {a} {b}")
                names = campaign.system_name(a), campaign.system_name(b)
                row = compare(metric, Figures.of(by_system[a], by_system[b], metric.column), names, terms, generator)
                row["sentence"] = f"{row['sentence']}{_without_clock(metric, by_system[a], by_system[b])}"
                better = {"a": a, "b": b}.get(str(row.pop("better")), "")
                yield {"scenario": scenario, **factors, "system_a": a, "system_b": b, **row, "better": better}


def _without_clock(metric: Metric, a: Sequence[Row], b: Sequence[Row]) -> str:
    """Say what two coefficients of variation are without the clock, where one of the means is so small."""
    means = [valid_figures(runs, "mean_ms") for runs in (a, b)]
    cvs = [valid_figures(runs, "cv_without_clock") for runs in (a, b)]
    if metric.column != "cv" or not all(means) or not all(cvs) or not is_never_bare(min(map(np.mean, means))):
        return ""
    if cvs == [valid_figures(runs, "cv") for runs in (a, b)]:
        return ""  # a clock so fine adds nothing
    figures = " against ".join(_short(float(np.mean(values))) for values in cvs)
    return f" A mean is below 10 ms: without JMeter's clock of whole milliseconds {figures}."


def system_key(run: Row) -> str:
    """Return the key of a run's system."""
    return key_of(str(run["system"]), None if run["stack"] is None else str(run["stack"]))


@dataclass(frozen=True, kw_only=True)
class Terms:
    """What a campaign's comparisons are held to."""

    margin: float
    """Systems that differ by less than this share are equal."""
    most_blocks: int | None
    """Where a campaign goes on until it is sure, how many blocks of a scenario there could be; else None."""

    @property
    def equal(self) -> str:
        """The verdict on systems that differ by less."""
        return f"equal within {100 * self.margin:g} %"


def terms_of(record: Mapping[str, Any]) -> Terms:
    """Return the terms that the profile of a ``campaign.json`` sets."""
    settings = (record.get("profile") or {}).get("settings") or {}
    margin_pct = settings.get("equal_margin_pct", EQUAL_MARGIN_PCT)
    adaptive = settings.get("minutes") is not None
    return Terms(margin=margin_pct / 100, most_blocks=settings.get("most_repeats") if adaptive else None)


@dataclass(frozen=True, kw_only=True)
class Figures:
    """A metric's figures of two systems, over their valid runs; ``pairs`` are those of blocks that have both."""

    a: Sequence[float]
    b: Sequence[float]
    pairs: Sequence[tuple[float, float]]
    replicates: str = "repeats"
    """What each figure is of: repeats, or rounds of one run."""

    @classmethod
    def of(cls, a: Sequence[Row], b: Sequence[Row], column: str) -> "Figures":
        """Take a column from the rows of two systems."""
        first, second = figures_by_block(a, column), figures_by_block(b, column)
        return cls(
            a=valid_figures(a, column),
            b=valid_figures(b, column),
            pairs=[(first[block], second[block]) for block in sorted(first.keys() & second.keys())],
            replicates="rounds"
            if any(row.get("status") == ROUND and row.get(column) is not None for row in a)
            else "repeats",
        )

    @property
    def paired(self) -> bool:
        """Whether every run has its counterpart, and there are enough of them to compare within blocks."""
        return len(self.pairs) == len(self.a) == len(self.b) >= LEAST_BLOCKS

    def interval(self, most_blocks: int | None, generator: np.random.Generator) -> Interval | None:
        """Return the ratio of a to b with its interval; None without figures or with one not above 0."""
        if most_blocks is not None or self.paired:
            return interval_of_paired_ratio([a for a, _ in self.pairs], [b for _, b in self.pairs], most_blocks)
        return interval_of_ratio(self.a, self.b, generator)


def figures_by_block(rows: Sequence[Row], column: str) -> dict[int, float]:
    """Return a column's figure in each block that has a valid run."""
    found = {row["block"]: valid_figures([row], column) for row in rows if isinstance(row.get("block"), int)}
    return {int(str(block)): values[0] for block, values in found.items() if values}


def compare(
    metric: Metric, figures: Figures, names: tuple[str, str], terms: Terms, generator: np.random.Generator
) -> dict[str, Value]:
    """Compare two systems by the figures of their valid repeats; ``better`` is ``a``, ``b`` or empty."""
    a, b = figures.a, figures.b
    row: dict[str, Value] = {
        "metric": metric.column,
        "a": float(np.mean(a)) if len(a) else None,
        "b": float(np.mean(b)) if len(b) else None,
        "n_a": len(a),
        "n_b": len(b),
        "blocks": len(figures.pairs),
        "verdict": CANNOT_TELL,
        "better": "",
    }
    if not len(a) or not len(b):
        missing = " and ".join(name for name, values in zip(names, (a, b), strict=True) if not len(values))
        return row | {"sentence": f"Can't tell: no valid run of {missing} has this figure."}
    interval = figures.interval(terms.most_blocks, generator)
    if interval is None:
        zero = min(*a, *b) <= 0
        why = f"a {metric.name} of 0 has no ratio" if zero else "no block has a valid run of both"
        return row | {"sentence": f"Can't tell: {why}."}
    row |= {
        "ratio": interval.estimate,
        "lo": interval.lo,
        "hi": interval.hi,
        "method": interval.method if interval.lo is not None else None,
        "cohen_d": cohen_d(a, b),
    }
    return row | _judge(metric, interval, figures, names, terms)


def _judge(
    metric: Metric, interval: Interval, figures: Figures, names: tuple[str, str], terms: Terms
) -> dict[str, Value]:
    name_a, name_b = names
    means = [_figure(float(np.mean(values)), metric) for values in (figures.a, figures.b)]
    said = f"{metric.name} {means[0]} against {means[1]}"
    if interval.lo is None or interval.hi is None:
        return {"verdict": CANNOT_TELL, "sentence": f"Can't tell: {said}, but {_why_no_interval(figures, terms)}."}
    certainty = (
        f"ratio {_short(interval.estimate)}, 95 % interval {_short(interval.lo)} to {_short(interval.hi)}, "
        f"{_extent(interval, figures)}"
    )
    margin = 1 + terms.margin
    if interval.lo > 1 / margin and interval.hi < margin:
        return {"verdict": terms.equal, "sentence": f"{name_a} and {name_b} are {terms.equal}: {said} ({certainty})."}
    if interval.hi < 1 or interval.lo > 1:
        word = metric.lower if interval.hi < 1 else metric.higher
        better = "a" if (interval.hi < 1) == metric.lower_is_better else "b"
        verb = f"has {word} {metric.name} than" if word in ("lower", "higher") else f"is {word} than"
        return {"verdict": word, "better": better, "sentence": f"{name_a} {verb} {name_b}: {said} ({certainty})."}
    excluded = f"They are at most {100 * (max(interval.hi, 1 / interval.lo) - 1):.0f} % apart."
    more = _more(interval, figures, terms)
    few = " So few repeats show little." if min(len(figures.a), len(figures.b)) < FEW_REPEATS else ""
    return {
        "verdict": CANNOT_TELL,
        "more_repeats": more,
        "sentence": f"Can't tell: {said} ({certainty}). {excluded}{few}{_advice(more, interval)}",
    }


def _why_no_interval(figures: Figures, terms: Terms) -> str:
    if terms.most_blocks is not None:
        return f"an interval needs {LEAST_BLOCKS} blocks with a valid run of each, and there are {len(figures.pairs)}"
    return "one repeat has no interval; at least one more of each is needed"


def _more(interval: Interval, figures: Figures, terms: Terms) -> int | None:
    """Return how many more repeats would decide; None where no number of them would that there may be."""
    if interval.method != "sequential" or terms.most_blocks is None:
        return more_repeats(figures.a, figures.b, terms.margin)
    first, second = ([pair[side] for pair in figures.pairs] for side in (0, 1))
    return more_blocks(first, second, terms.most_blocks, terms.margin)


def _advice(more: int | None, interval: Interval) -> str:
    if more is None and interval.method == "sequential":
        return ""
    if more is None:
        return f" Not even {MOST_REPEATS} repeats of each would decide it, if the ratio stays where it is."
    plural = "s" if more > 1 else ""
    return f" About {more} more repeat{plural} of each would decide it, if the ratio stays where it is."


def more_repeats(a: Sequence[float], b: Sequence[float], margin: float) -> int | None:
    """Return how many more repeats of each system would decide, were the ratio and the scatter to stay; None above 100.

    Decided means that the t interval of the ratio of means excludes 1, or lies inside the margin of equivalence.
    """
    first, second = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    distance = abs(math.log(first.mean() / second.mean()))
    variance = sum(float(part.var(ddof=1)) / float(part.mean()) ** 2 for part in (first, second))
    n = min(len(first), len(second))
    for total in range(n + 1, MOST_REPEATS + 1):
        half = t_quantile(2 * total - 2) * math.sqrt(variance / total)
        if half < distance or distance + half < math.log1p(margin):
            return total - n
    return None


def cohen_d(a: Sequence[float], b: Sequence[float]) -> float | None:
    """Return the difference of the mean logs over the pooled standard deviation of the logs between repeats.

    None when there are fewer than two values of each or they do not scatter at all.
    """
    if min(len(a), len(b)) < 2:
        return None
    first, second = np.log(np.asarray(a)), np.log(np.asarray(b))
    n_a, n_b = len(first), len(second)
    pooled = ((n_a - 1) * first.var(ddof=1) + (n_b - 1) * second.var(ddof=1)) / (n_a + n_b - 2)
    return float((first.mean() - second.mean()) / math.sqrt(pooled)) if pooled > 0 else None


def _extent(interval: Interval, figures: Figures) -> str:
    """Say what the interval is over."""
    n_a, n_b = len(figures.a), len(figures.b)
    if interval.method == "sequential":
        return f"{len(figures.pairs)} blocks, looked at after each"
    if interval.method == "paired t":
        return f"{n_a} repeats each, compared within blocks"
    return f"{n_a} {figures.replicates} each" if n_a == n_b else f"{n_a} and {n_b} {figures.replicates}"


def _figure(value: float, metric: Metric) -> str:
    return f"{format_number(value, 3)} {metric.unit}".rstrip()


def _short(value: float) -> str:
    return format_number(value, 3)
