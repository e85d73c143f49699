"""Is system A faster, steadier, cheaper than system B? A verdict for each scenario and metric, with its interval."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from analysis.campaign import Campaign
from analysis.intervals import Interval, generator_for, interval_of_ratio, t_quantile
from analysis.quantisation import is_never_bare
from analysis.run_figures import valid_figures
from analysis.table_file import Value, format_number

EQUIVALENCE_MARGIN = 0.05
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


METRICS = (
    Metric(column="mean_ms", name="mean response time", unit="ms", lower="faster", higher="slower"),
    Metric(column="p99_ms", name="99th percentile of the response time", unit="ms", lower="faster", higher="slower"),
    Metric(column="cv", name="coefficient of variation", unit="", lower="steadier", higher="less steady"),
    Metric(column="server_cpu_us_per_request", name="CPU per request", unit="µs", lower="cheaper", higher="dearer"),
    Metric(
        column="throughput_rps",
        name="throughput",
        unit="requests/s",
        lower="lower",
        higher="higher",
        lower_is_better=False,
    ),
)
EQUAL = f"equal within {EQUIVALENCE_MARGIN:.0%}".replace("%", " %")
COMPARISON_COLUMNS = (
    "metric", "system_a", "system_b", "a", "b", "ratio", "lo", "hi", "n_a", "n_b", "method", "verdict", "better",
    "more_repeats", "cohen_d", "sentence",
)  # fmt: skip
Row = Mapping[str, Value]


def comparison_rows(campaign: Campaign, runs: Sequence[Row], seed: int) -> Iterator[dict[str, Value]]:
    """Yield the rows of ``comparisons.csv`` from the rows of ``runs.csv``."""
    for scenario in sorted({str(run["scenario"]) for run in runs}):
        of_scenario = [run for run in runs if run["scenario"] == scenario]
        factors = {name: of_scenario[0].get(name) for name in campaign.factors}
        by_system = {system: [run for run in of_scenario if system_key(run) == system] for system in campaign.systems}
        for a, b in combinations([system for system, rows in by_system.items() if rows], 2):
            for metric in METRICS:
                generator = generator_for(seed, f"{scenario} {metric.column} {a} {b}")
                row = compare(
                    metric,
                    valid_figures(by_system[a], metric.column),
                    valid_figures(by_system[b], metric.column),
                    campaign.system_name(a),
                    campaign.system_name(b),
                    generator,
                )
                row["sentence"] = f"{row['sentence']}{_without_clock(metric, by_system[a], by_system[b])}"
                better = {"a": a, "b": b}.get(str(row.pop("better")), "")
                yield {"scenario": scenario, **factors, "system_a": a, "system_b": b, **row, "better": better}


def _without_clock(metric: Metric, a: Sequence[Row], b: Sequence[Row]) -> str:
    """Say what two coefficients of variation are without the clock, where one of the means is so small."""
    means = [valid_figures(runs, "mean_ms") for runs in (a, b)]
    cvs = [valid_figures(runs, "cv_without_clock") for runs in (a, b)]
    if metric.column != "cv" or not all(means) or not all(cvs) or not is_never_bare(min(map(np.mean, means))):
        return ""
    figures = " against ".join(_short(float(np.mean(values))) for values in cvs)
    return f" A mean is below 10 ms: without JMeter's clock of whole milliseconds {figures}."


def system_key(run: Row) -> str:
    """Return the key of a run's system: ``node``, or ``node@paper-2016`` where the stack is not ``current``."""
    return str(run["system"]) if run["stack"] in ("current", "", None) else f"{run['system']}@{run['stack']}"


def compare(
    metric: Metric, a: Sequence[float], b: Sequence[float], name_a: str, name_b: str, generator: np.random.Generator
) -> dict[str, Value]:
    """Compare two systems by the figures of their valid repeats; ``better`` is ``a``, ``b`` or empty."""
    row: dict[str, Value] = {
        "metric": metric.column,
        "a": float(np.mean(a)) if len(a) else None,
        "b": float(np.mean(b)) if len(b) else None,
        "n_a": len(a),
        "n_b": len(b),
        "verdict": CANNOT_TELL,
        "better": "",
    }
    if not len(a) or not len(b):
        missing = " and ".join(name for name, values in ((name_a, a), (name_b, b)) if not len(values))
        return row | {"sentence": f"Can't tell: no valid run of {missing} has this figure."}
    interval = interval_of_ratio(a, b, generator)
    if interval is None:
        return row | {"sentence": f"Can't tell: a {metric.name} of 0 has no ratio."}
    row |= {
        "ratio": interval.estimate,
        "lo": interval.lo,
        "hi": interval.hi,
        "method": interval.method if interval.lo is not None else None,
        "cohen_d": cohen_d(a, b),
    }
    return row | _judge(metric, interval, a, b, name_a, name_b)


def _judge(
    metric: Metric, interval: Interval, a: Sequence[float], b: Sequence[float], name_a: str, name_b: str
) -> dict[str, Value]:
    figures = f"{metric.name} {_figure(float(np.mean(a)), metric)} against {_figure(float(np.mean(b)), metric)}"
    if interval.lo is None or interval.hi is None:
        return {
            "verdict": CANNOT_TELL,
            "sentence": f"Can't tell: {figures}, but one repeat has no interval; at least one more of each is needed.",
        }
    certainty = (
        f"ratio {_short(interval.estimate)}, 95 % interval {_short(interval.lo)} to {_short(interval.hi)}, "
        f"{_repeats(len(a), len(b))}"
    )
    margin = 1 + EQUIVALENCE_MARGIN
    if interval.lo > 1 / margin and interval.hi < margin:
        return {"verdict": EQUAL, "sentence": f"{name_a} and {name_b} are {EQUAL}: {figures} ({certainty})."}
    if interval.hi < 1 or interval.lo > 1:
        word = metric.lower if interval.hi < 1 else metric.higher
        better = "a" if (interval.hi < 1) == metric.lower_is_better else "b"
        verb = f"has {word} {metric.name} than" if word in ("lower", "higher") else f"is {word} than"
        return {"verdict": word, "better": better, "sentence": f"{name_a} {verb} {name_b}: {figures} ({certainty})."}
    more = more_repeats(a, b)
    few = " So few repeats say little." if min(len(a), len(b)) < FEW_REPEATS else ""
    advice = (
        f"About {more} more repeat{'s' if more > 1 else ''} of each would tell, if the ratio stays where it is."
        if more
        else f"Not even {MOST_REPEATS} repeats of each would tell, if the ratio stays where it is."
    )
    return {
        "verdict": CANNOT_TELL,
        "more_repeats": more,
        "sentence": f"Can't tell: {figures} ({certainty}).{few} {advice}",
    }


def more_repeats(a: Sequence[float], b: Sequence[float]) -> int | None:
    """Return how many more repeats of each system would decide, were the ratio and the scatter to stay; None above 100.

    Decided means that the t interval of the ratio excludes 1, or lies inside the equivalence margin.
    """
    first, second = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    distance = abs(math.log(first.mean() / second.mean()))
    variance = sum(float(part.var(ddof=1)) / float(part.mean()) ** 2 for part in (first, second))
    n = min(len(first), len(second))
    for total in range(n + 1, MOST_REPEATS + 1):
        half = t_quantile(2 * total - 2) * math.sqrt(variance / total)
        if half < distance or distance + half < math.log1p(EQUIVALENCE_MARGIN):
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


def _repeats(n_a: int, n_b: int) -> str:
    return f"{n_a} repeats each" if n_a == n_b else f"{n_a} and {n_b} repeats"


def _figure(value: float, metric: Metric) -> str:
    return f"{format_number(value, 3)} {metric.unit}".rstrip()


def _short(value: float) -> str:
    return format_number(value, 3)
