"""Is system A faster, steadier, cheaper than system B? A verdict for each scenario and metric, with its interval.

The runs of a block are compared with each other, as ratios: what slows the machine for a while slows both. Where a
campaign with a fixed number of repeats has blocks that lack a run, or fewer than three, the means are compared.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from uploadlab.metrics.figures import valid_figures
from uploadlab.metrics.rounds import ROUND, without_rounds
from uploadlab.records import key_of
from uploadlab.results.campaign import Campaign, checked_by, run_key
from uploadlab.results.declarations import Metric, declarations
from uploadlab.results.windows import HEADLINE_METRICS, asks_at_loads, is_headline
from uploadlab.statistics.families import families
from uploadlab.statistics.intervals import Interval, generator_for, interval_of_ratio, t_quantile
from uploadlab.statistics.prior_variance import UNKNOWN, PriorVariance, prior_variance
from uploadlab.statistics.quantisation import is_never_bare
from uploadlab.statistics.sequential import LEAST_BLOCKS, Blocks, interval_of_paired_ratio, log_ratios, more_blocks
from uploadlab.table_file import Row, Value

EQUAL_MARGIN_PCT = 5.0
MOST_REPEATS = 100
CANNOT_TELL = "can't tell"
COMPARISON_COLUMNS = (
    "metric", "system_a", "system_b", "a", "b", "ratio", "lo", "hi", "n_a", "n_b", "blocks", "method",
    "verdict", "better", "more_repeats", "cohen_d",
)  # fmt: skip


WINDOW_COLUMNS = ("headline", "family")
"""Of campaigns whose runs have windows: whether a comparison is one that is decided, and among how many together."""


def comparison_columns(campaign: Campaign) -> list[str]:
    """Return the columns of ``comparisons.csv``."""
    of_windows = WINDOW_COLUMNS if campaign.windows_factor else ()
    return ["scenario", *campaign.factors, *COMPARISON_COLUMNS, *of_windows]


@dataclass(frozen=True, kw_only=True)
class _Pair:
    """Two systems in a scenario, and their figures by the metric that they are compared by."""

    scenario: str
    factors: Row
    systems: tuple[str, str]
    metric: Metric
    figures: "Figures"
    headline: bool
    seed: int

    @property
    def generator(self) -> np.random.Generator:
        return generator_for(self.seed, f"{self.scenario} {self.metric.column} {' '.join(self.systems)}")


def comparison_rows(campaign: Campaign, runs: Sequence[Row], seed: int) -> Iterator[dict[str, Value]]:
    """Yield the rows of ``comparisons.csv`` from the rows of ``runs.csv``."""
    terms = terms_of(campaign.record)
    pairs = list(_pairs_compared(campaign, runs, terms, seed))
    decided = [pair for pair in pairs if pair.headline]
    intervals = [partial(_interval, pair, terms.most_blocks) for pair in decided]
    family_of = dict(zip(map(id, decided), families(intervals, headline_comparisons(campaign)), strict=True))
    for pair in pairs:
        family = family_of.get(id(pair), 1)
        row = compare(pair.metric, pair.figures, terms, pair.generator, family)
        a, b = pair.systems
        row["better"] = {"a": a, "b": b}.get(str(row["better"]), "")
        row |= {"headline": pair.headline, "family": family} if asks_at_loads(campaign.record) else {}
        yield {"scenario": pair.scenario, **pair.factors, "system_a": a, "system_b": b, **row}


def _interval(pair: _Pair, most_blocks: int | None, family: int) -> Interval | None:
    figures = pair.figures
    if not len(figures.a) or not len(figures.b):
        return None
    return figures.interval(most_blocks, pair.generator, family)


def headline_comparisons(campaign: Campaign) -> int:
    """Return how many comparisons of the plan are decided together; 0 in a campaign whose runs have no windows."""
    factor, noise = campaign.windows_factor, campaign.record.get("noise")
    if factor is None:
        return 0
    planned: dict[str, set[str]] = defaultdict(set)
    load_of = {}
    for entry in campaign.record["runs"]:
        scenario = entry["cell"].removesuffix(f"-{run_key(entry)}")
        if not checked_by(campaign.record, entry["factors"]) and run_key(entry) != noise:
            planned[scenario].add(run_key(entry))
            load_of[scenario] = entry["factors"][factor]
    return sum(
        comb(len(systems), 2) * sum(is_headline(campaign.record, metric, load_of[name]) for metric in HEADLINE_METRICS)
        for name, systems in planned.items()
    )


def _pairs_compared(campaign: Campaign, runs: Sequence[Row], terms: "Terms", seed: int) -> Iterator[_Pair]:
    declared, record, factor = declarations(campaign.record), campaign.record, campaign.windows_factor
    base, noise = record.get("judged_against"), record.get("noise")
    scenarios = by_scenario_and_system(campaign, runs)
    factors_of = {str(run["scenario"]): {name: run.get(name) for name in campaign.factors} for run in runs}
    checks = {scenario: checked_by(record, factors) for scenario, factors in factors_of.items()}
    for scenario, by_system in scenarios.items():
        factors = factors_of[scenario]
        alike = [name for name in scenarios if name != scenario and checks[name] == checks[scenario]]
        if factor is not None:  # at another load a ratio scatters in another way
            alike = [name for name in alike if factors_of[name][factor] == factors[factor]]
        others = [scenarios[name] for name in alike if terms.most_blocks is not None]
        for a, b in _pairs_of(by_system, base):
            elsewhere = [(rows[a], rows[b]) for rows in others if a in rows and b in rows]
            again = by_system.get(str(noise)) if b == base and a != noise else None
            for metric in declared.metrics.values():
                if metric.asked(factors):
                    decided = factor is not None and is_headline(record, metric.key, factors[factor])
                    decided = decided and not checks[scenario] and noise not in (a, b)
                    yield _Pair(
                        scenario=scenario,
                        factors=factors,
                        systems=(a, b),
                        metric=metric,
                        figures=Figures.of(
                            by_system[a], by_system[b], metric.column, elsewhere, again, alone=not decided
                        ),
                        headline=decided,
                        seed=seed,
                    )


def _pairs_of(systems: Iterable[str], base: str | None) -> Iterator[tuple[str, str]]:
    """Yield each two systems; where a change is judged, what it is judged against is the second."""
    for a, b in combinations(systems, 2):
        yield (b, a) if a == base else (a, b)


def by_scenario_and_system(campaign: Campaign, runs: Sequence[Row]) -> dict[str, dict[str, list[Row]]]:
    """Return the rows of each scenario's systems, in the campaign's order; systems without runs are left out."""
    found = {}
    for scenario in sorted({str(run["scenario"]) for run in runs}):
        of_scenario = [run for run in runs if run["scenario"] == scenario]
        by_system = {system: [run for run in of_scenario if system_key(run) == system] for system in campaign.systems}
        found[scenario] = {system: rows for system, rows in by_system.items() if rows}
    return found


def cvs_without_clock(a: Sequence[Row], b: Sequence[Row]) -> tuple[float, float] | None:
    """Return two mean coefficients of variation without the clock; None where they may stand without, or are unknown.

    They must not where one of the means of the response time is so small that the clock is a part of its variation.
    """
    means, cvs = ([valid_figures(runs, name) for runs in (a, b)] for name in ("mean_ms", "cv_without_clock"))
    if not all(means) or not all(cvs) or not is_never_bare(min(float(np.mean(values)) for values in means)):
        return None
    return float(np.mean(cvs[0])), float(np.mean(cvs[1]))


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
    adaptive = settings.get("minutes") is not None and not settings.get("fills_time")
    return Terms(margin=margin_pct / 100, most_blocks=settings.get("most_repeats") if adaptive else None)


@dataclass(frozen=True, kw_only=True)
class Figures:
    """A metric's figures of two systems, over their valid runs; ``pairs`` are those of blocks that have both."""

    a: Sequence[float]
    b: Sequence[float]
    pairs: Sequence[tuple[float, float]]
    prior: PriorVariance = UNKNOWN
    """What the same two systems' blocks in other scenarios tell of the scatter of their ratio."""
    again: Sequence[float] = ()
    """Where ``b`` was measured twice in each block, the figures of the second time, one a pair."""

    @classmethod
    def of(
        cls,
        a: Sequence[Row],
        b: Sequence[Row],
        column: str,
        elsewhere: Iterable[tuple[Sequence[Row], Sequence[Row]]] = (),
        again: Sequence[Row] | None = None,
        *,
        alone: bool = True,
    ) -> "Figures":
        """Take a column from the rows of two systems; ``elsewhere`` are their rows in the other scenarios.

        ``again`` are the rows of b's second measurement: its figures are those of both, in blocks that have all three.

        Rounds of one run scatter less than runs do, so rounds are compared with rounds alone: where the figures of one
        system are of runs, the other's are too.
        """
        kinds = {row.get("status") == ROUND for row in (*a, *b) if valid_figures([row], column)}
        if len(kinds) > 1:
            a, b = without_rounds(a), without_rounds(b)
        others = [list(_pairs_by_block(*both, column).values()) for both in elsewhere]
        positive = [pairs for pairs in others if len(pairs) > 1 and min(map(min, pairs)) > 0]
        second = figures_by_block(again, column) if again is not None else {}
        pairs = _pairs_by_block(a, b, column)
        if again is not None:
            pairs = {block: pair for block, pair in pairs.items() if block in second}
        return cls(
            a=valid_figures(a, column),
            b=valid_figures([*b, *(again or ())], column),
            pairs=list(pairs.values()),
            again=[second[block] for block in pairs] if again is not None else (),
            prior=prior_variance((log_ratios(*zip(*pairs, strict=True)) for pairs in positive), alone=alone),
        )

    @property
    def paired(self) -> bool:
        """Whether every run has its counterpart, and there are enough of them to compare within blocks."""
        return len(self.pairs) == len(self.a) == len(self.b) - len(self.again) >= LEAST_BLOCKS

    @property
    def values(self) -> dict[str, Value]:
        """The means; where ``b`` was measured twice the geometric ones of whole blocks: theirs is the ratio shown."""
        first, second = self._sides()
        second = [*second, *self.again]
        if self.again and min(*first, *second) > 0:
            return {"a": float(np.exp(np.mean(np.log(first)))), "b": float(np.exp(np.mean(np.log(second))))}
        return {name: float(np.mean(of)) if len(of) else None for name, of in (("a", self.a), ("b", self.b))}

    def interval(self, most_blocks: int | None, generator: np.random.Generator, family: int = 1) -> Interval | None:
        """Return the ratio of a to b with its interval; None without figures or with one not above 0."""
        if most_blocks is not None or self.paired:
            return interval_of_paired_ratio(*self._sides(), most_blocks, self.prior, family, self.again)
        return interval_of_ratio(self.a, self.b, generator, family)

    def blocks(self) -> Blocks:
        """Return what is compared, block by block; all figures must be above 0."""
        return Blocks.of(*self._sides(), self.again, self.prior)

    def _sides(self) -> tuple[list[float], list[float]]:
        return [pair[0] for pair in self.pairs], [pair[1] for pair in self.pairs]


def _pairs_by_block(a: Sequence[Row], b: Sequence[Row], column: str) -> dict[int, tuple[float, float]]:
    first, second = figures_by_block(a, column), figures_by_block(b, column)
    return {block: (first[block], second[block]) for block in sorted(first.keys() & second.keys())}


def figures_by_block(rows: Sequence[Row], column: str) -> dict[int, float]:
    """Return a column's figure in each block that has a valid run."""
    found = ((row["block"], valid_figures([row], column)) for row in rows if isinstance(row.get("block"), int))
    return {int(str(block)): values[0] for block, values in found if values}


def compare(
    metric: Metric, figures: Figures, terms: Terms, generator: np.random.Generator, family: int = 1
) -> dict[str, Value]:
    """Compare two systems by the figures of their valid repeats; ``better`` is ``a``, ``b`` or empty.

    It is one of a family of comparisons that hold together.
    """
    a, b = figures.a, figures.b
    row: dict[str, Value] = {
        "metric": metric.column,
        **figures.values,
        "n_a": len(a),
        "n_b": len(b),
        "blocks": len(figures.pairs),
        "verdict": CANNOT_TELL,
        "better": "",
    }
    interval = figures.interval(terms.most_blocks, generator, family) if len(a) and len(b) else None
    if interval is None:
        return row
    row |= {
        "ratio": interval.estimate,
        "lo": interval.lo,
        "hi": interval.hi,
        "method": interval.method if interval.lo is not None else None,
        "cohen_d": cohen_d(a, b),
    }
    return row | _judge(metric, interval, figures, terms, family)


def _judge(metric: Metric, interval: Interval, figures: Figures, terms: Terms, family: int) -> dict[str, Value]:
    if interval.lo is None or interval.hi is None:
        return {}
    margin = 1 + terms.margin
    if interval.lo > 1 / margin and interval.hi < margin:
        return {"verdict": terms.equal}
    if interval.hi < 1 or interval.lo > 1:
        better = "a" if (interval.hi < 1) == metric.lower_is_better else "b"
        return {"verdict": metric.verdicts[0 if interval.hi < 1 else 1], "better": better}
    return {"more_repeats": _more(interval, figures, terms, family)}


def _more(interval: Interval, figures: Figures, terms: Terms, family: int) -> int | None:
    """Return how many more repeats would decide; None where no number of them would that there may be."""
    if interval.method not in ("sequential", "paired t"):
        return more_repeats(figures.a, figures.b, terms.margin)
    if terms.most_blocks is None:
        return more_blocks(figures.blocks(), MOST_REPEATS, terms.margin, family, looks=False)
    return more_blocks(figures.blocks(), terms.most_blocks, terms.margin, family)


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
