"""What the figures say, before any language puts it into words."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

from uploadlab.report.results import Cell, Comparison, Results, Run, Scenario, ends
from uploadlab.report.setup import Setup, setup
from uploadlab.statistics.quantisation import is_never_bare
from uploadlab.tables.table_file import number

SPEED, STEADINESS, CPU_COST = "mean_ms", "cv", "server_cpu_us_per_request"

Decision = Literal["better", "equal", "undecided", "alone", "nothing", "outside"]


@dataclass(frozen=True, kw_only=True)
class Standing:
    """Who is best in one metric of one scenario, and against whom.

    `decision` is `better` when `best` beats every other system, `equal` when those it does not beat differ from it by
    less than the margin, `undecided` when one of them can't be told from it, `alone` when one system has figures,
    `nothing` when none has, `outside` where the metric is no question.
    `contenders` are the best and those it does not beat, `beaten` the others. `ratio` is
    best/rival (below 1 where less is better), `low`, `high` its 95 % interval. `rival` is the system next to the best,
    of an undecided standing the next that can't be told from it.
    """

    metric: str
    scenario: Scenario
    decision: Decision
    best: str = ""
    rival: str = ""
    contenders: tuple[str, ...] = ()
    beaten: tuple[str, ...] = ()
    ratio: float | None = None
    low: float | None = None
    high: float | None = None
    n: tuple[int, int] = (0, 0)
    more_repeats: int | None = None

    @property
    def apart(self) -> float | None:
        """By what share the best and its rival differ at most, by the interval; None without one."""
        if not self.low or not self.high:
            return None
        return max(self.high, 1 / self.low) - 1


def standings(results: Results) -> dict[str, list[Standing]]:
    """Return who is best in each metric of the first page, a standing for each scenario."""
    declared = results.declared
    return {
        metric: [standing(results, scenario, metric) for scenario in results.scenarios.values()]
        for metric in dict.fromkeys((*declared.matrix, *declared.questions))
    }


def standing(results: Results, scenario: Scenario, metric: str) -> Standing:
    """Return who is best in `metric` of `scenario`, as far as the comparisons decide it."""
    if not results.declared.metric(metric).asked(scenario.factors):
        return Standing(metric=metric, scenario=scenario, decision="outside")
    values = {
        cell.system: value
        for cell in results.cells
        if cell.scenario == scenario.key and (value := cell.value(metric)) is not None and cell.valid_runs
    }
    if not values:
        return Standing(metric=metric, scenario=scenario, decision="nothing")
    lower_is_better = results.declared.metric(metric).lower_is_better
    compared = [one for one in results.comparisons if (one.scenario, one.metric) == (scenario.key, metric)]
    ahead = Counter(one.a if (one.ratio < 1) is lower_is_better else one.b for one in compared if one.ratio is not None)

    def place(system: str) -> tuple[bool, float, str]:
        # Who is ahead in every comparison is the best: means over runs without a counterpart may be in another order.
        return ahead[system] < len(values) - 1, values[system] if lower_is_better else -values[system], system

    best, *others = sorted(values, key=place)
    if not others:
        return Standing(metric=metric, scenario=scenario, decision="alone", best=best, contenders=(best,))
    pairs = {other: _between(compared, best, other) for other in others}
    beaten = tuple(other for other, pair in pairs.items() if pair is not None and pair.better == best)
    level = [pairs[other] for other in others if other not in beaten]
    undecided = [pair for pair in level if pair is None or not pair.equal]
    untold = [other for other, pair in pairs.items() if pair is None or not (pair.better or pair.equal)]
    rival = (untold or others)[0]
    decision: Decision = "undecided" if undecided else "equal" if level else "better"
    nearest = pairs[rival]
    ratio = values[best] / values[rival] if values[rival] else None
    repeats = [pair.more_repeats for pair in undecided if pair is not None and pair.more_repeats is not None]
    return Standing(
        metric=metric,
        scenario=scenario,
        decision=decision,
        best=best,
        rival=rival,
        contenders=(best, *(other for other in others if other not in beaten)),
        beaten=beaten,
        ratio=nearest.ratio if nearest and nearest.ratio is not None else ratio,
        low=nearest.low if nearest else None,
        high=nearest.high if nearest else None,
        n=(nearest.n_a, nearest.n_b) if nearest else (0, 0),
        more_repeats=max(repeats) if repeats else None,
    )


def behind(results: Results, one: Standing) -> dict[str, list[float]]:
    """Return the systems that every contender of a standing beats, with the ratios of the contenders to each."""
    compared = [pair for pair in results.comparisons if (pair.scenario, pair.metric) == (one.scenario.key, one.metric)]
    pairs = {other: [_between(compared, first, other) for first in one.contenders] for other in one.beaten}
    ratios = {
        other: [pair.ratio for pair in against if pair and pair.ratio is not None and pair.better == pair.a]
        for other, against in pairs.items()
    }
    return {other: found for other, found in ratios.items() if len(found) == len(one.contenders)}


@dataclass(frozen=True, kw_only=True)
class Rank:
    """How a system stands in one metric over the scenarios in which several have figures."""

    system: str
    scenarios: int
    best: int
    """In how many it beats every other."""
    equal: int
    """In how many it is one of several that are equal and that no other beats."""
    beaten_by: Mapping[str, int]
    """In how many scenarios each other system beats it."""


def ranks(results: Results, metric: str, standings: Sequence[Standing]) -> list[Rank]:
    """Return how each system stands in a metric, from its standings and every pair."""
    compared = [one for one in standings if one.rival]
    within = {one.scenario.key for one in compared}
    beaten: dict[str, dict[str, int]] = {key: {} for key in results.systems}
    for one in results.comparisons:
        if one.metric == metric and one.scenario in within and one.better:
            loser = one.b if one.better == one.a else one.a
            if loser in beaten:
                beaten[loser][one.better] = beaten[loser].get(one.better, 0) + 1
    return [
        Rank(
            system=key,
            scenarios=sum(1 for one in compared if key in (*one.contenders, *one.beaten)),
            best=sum(1 for one in compared if one.decision == "better" and one.best == key),
            equal=sum(1 for one in compared if one.decision == "equal" and key in one.contenders),
            beaten_by=beaten[key],
        )
        for key in results.systems
    ]


def _between(compared: Iterable[Comparison], best: str, other: str) -> Comparison | None:
    """Return the comparison of two systems, turned so that `a` is `best`."""
    return next((turned(one, best) for one in compared if {one.a, one.b} == {best, other}), None)


def ratios(results: Results, cells: Sequence[Cell], metric: str, system: str) -> Iterator[tuple[Cell, Comparison]]:
    """Yield each cell of another system with the ratio to it of one system on the same stack."""
    for cell in cells:
        _, at, stack = cell.system.partition("@")
        compared = [one for one in results.comparisons if (one.scenario, one.metric) == (cell.scenario, metric)]
        found = _between(compared, f"{system}{at}{stack}", cell.system)
        if found and found.ratio is not None:
            yield cell, found


def turned(one: Comparison, first: str) -> Comparison:
    """Return a comparison so that `a` is `first`, one of its two systems."""
    if one.a == first:
        return one
    return replace(
        one,
        a=one.b,
        b=one.a,
        ratio=_inverse(one.ratio),
        low=_inverse(one.high),
        high=_inverse(one.low),
        n_a=one.n_b,
        n_b=one.n_a,
    )


def _inverse(value: float | None) -> float | None:
    return None if value is None or value == 0 else 1 / value


@dataclass(frozen=True, kw_only=True)
class Doubts:
    """What limits how far the answer can be trusted; None or 0 where it does not apply or is not known."""

    repeats: tuple[int, int]
    repeats_of_answer: tuple[int, int]
    """Of the cells that the answer rests on; so is what is said of the load generator."""
    runs: int
    valid: int
    invalid: int
    failed: int
    missing: int
    requests: int
    requests_per_run: tuple[float, float] | None
    setup: Setup
    server_busy_pct: tuple[float, float] | None
    generator_wait_pct: tuple[float, float] | None
    generator_cpu_pct: tuple[float, float] | None
    steal_pct: float | None
    core_work_ms: tuple[float, float] | None
    error_pct: float | None
    profile: str
    parts: bool
    """Whether what is compared are parts that record, not servers under a load generator."""
    rounds: int
    """How many rounds at most a run had that are taken as repeats; 0 where runs are."""


def doubts(results: Results) -> Doubts:
    """Return what a reader must hold against the answer."""
    valid, leading = results.valid_runs, results.leading
    known = setup(results)
    counts, of_answer = ([len(cell.valid_runs) for cell in these.cells] for these in (results, leading))
    return Doubts(
        repeats=(min(counts, default=0), max(counts, default=0)),
        repeats_of_answer=(min(of_answer, default=0), max(of_answer, default=0)),
        runs=len(results.runs),
        valid=len(valid),
        invalid=sum(1 for run in results.runs if not run.valid and run.status != "failed"),
        failed=sum(1 for run in results.runs if run.status == "failed"),
        missing=len(results.missing),
        requests=int(sum(run.value("requests") or 0 for run in valid)),
        requests_per_run=extent(run.value("requests") for run in valid),
        setup=known,
        server_busy_pct=server_busy_pct(results, known),
        generator_wait_pct=extent(generator_wait_pct(run) for run in leading.valid_runs),
        generator_cpu_pct=extent(run.value("injector_cpu_pct") for run in leading.valid_runs),
        steal_pct=largest(run.value("steal_pct") for run in valid),
        core_work_ms=extent(run.value("core_work_ms") for run in valid),
        error_pct=largest(run.value("error_pct") for run in valid),
        profile=str((results.campaign.get("profile") or {}).get("name") or ""),
        parts=bool(results.declared.roles),
        rounds=max(Counter((row["cell"], row["repeat"]) for row in results.table("rounds").rows).values(), default=0),
    )


def server_busy_pct(results: Results, known: Setup) -> tuple[float, float] | None:
    """Return the least and the most that a cell's servers used of their cores, in percent, where the answer rests."""
    cores = max(1, len(known.server_cores))
    used = (cell.value("server_cpu_pct") for cell in results.leading.cells if cell.valid_runs)
    return extent(None if value is None else value / cores for value in used)


def generator_wait_pct(run: Run) -> float | None:
    """Return the generator's own run-queue wait per request as a share of the mean response time, in percent."""
    wait, mean = run.value("injector_wait_ms_per_request"), run.value("mean_ms")
    return None if wait is None or not mean else 100 * wait / mean


def extent(values: Iterable[float | None]) -> tuple[float, float] | None:
    """Return the smallest and the largest of the known values, or None where none is known."""
    known = [value for value in values if value is not None and math.isfinite(value)]
    return (min(known), max(known)) if known else None


def largest(values: Iterable[float | None]) -> float | None:
    """Return the largest of the known values, or None."""
    found = extent(values)
    return found[1] if found else None


@dataclass(frozen=True, kw_only=True)
class Profile:
    """How a metric of one system runs over the scenarios: its extremes, and where it has them."""

    system: str
    low: float
    low_at: Scenario
    high: float
    high_at: Scenario
    scenarios: int


def profile(results: Results, system: str, metric: str, cells: Sequence[Cell] | None = None) -> Profile | None:
    """Return how `metric` of `system` runs over the scenarios, or those of `cells`; None where it has no figure."""
    found = [
        (value, results.scenarios[cell.scenario])
        for cell in (results.cells if cells is None else cells)
        if cell.system == system and cell.valid_runs and (value := cell.value(metric)) is not None
    ]
    if not found:
        return None
    low, high = min(found, key=lambda pair: pair[0]), max(found, key=lambda pair: pair[0])
    return Profile(
        system=system,
        low=low[0],
        low_at=low[1],
        high=high[0],
        high_at=high[1],
        scenarios=len(found),
    )


def without_clock(one: Cell | Run, prefix: str = "") -> float | None:
    """Return what a CV that must not be printed alone is without JMeter's clock; None where it may, or nothing changes.

    A load generator with a finer clock adds nothing to it.
    """
    cv, without = one.value(f"{prefix}cv"), one.value(f"{prefix}cv_without_clock")
    return without if is_never_bare(one.value(f"{prefix}mean_ms")) and without != cv else None


def clocked_cells(results: Results) -> list[Cell]:
    """Return the cells whose CV must not be printed alone: of their variance a known share is JMeter's clock's."""
    known = [cell for cell in results.cells if cell.valid_runs and cell.value("clock_variance_pct") is not None]
    return [cell for cell in known if cell.value("cv") is not None and without_clock(cell) is not None]


@dataclass(frozen=True, kw_only=True)
class Gap:
    """Where two systems lie furthest apart in a metric: the figure of `more` is `ratio` times that of `less`."""

    scenario: Scenario
    less: str
    more: str
    ratio: float


def widest_gap(results: Results, metric: str) -> Gap | None:
    """Return the widest gap between any two systems, or None where no scenario has two."""
    gaps = []
    for scenario in results.scenarios.values():
        values = [
            (value, cell.system)
            for cell in results.cells
            if cell.scenario == scenario.key and cell.valid_runs and (value := cell.value(metric)) is not None
        ]
        for one, other in combinations(sorted(values), 2):
            if one[0] > 0:
                gaps.append(Gap(scenario=scenario, less=one[1], more=other[1], ratio=other[0] / one[0]))
    return max(gaps, key=lambda gap: gap.ratio, default=None)


INDICATOR_QUESTIONS = (("cells", STEADINESS), ("seconds", STEADINESS), ("seconds", SPEED))
"""Level and outcome of indicators.csv: across the scenarios as the paper did, and second by second within runs."""
SURE_SHARE = 0.5
"""An indicator that is first in fewer of the resamples than this is not the one to watch."""


@dataclass(frozen=True, kw_only=True)
class Indicator:
    """The indicator that goes best with an outcome of a system: one row of indicators.csv of rank 1."""

    system: str
    level: str
    outcome: str
    name: str
    n: int
    r: float
    interval: tuple[float, float] | None
    left_out: tuple[float, float] | None
    """The extremes of r when one scenario or run is left out."""
    top_share: float | None
    """Share of the resamples in which it is first."""

    @property
    def is_apart_from_0(self) -> bool:
        """Return whether its interval has one sign."""
        return self.interval is not None and self.interval[0] * self.interval[1] > 0

    @property
    def is_often_first(self) -> bool:
        """Return whether most resamples rank it first."""
        return self.top_share is not None and self.top_share >= SURE_SHARE

    @property
    def rests_on_none(self) -> bool:
        """Return whether r keeps its sign and half its size whatever is left out."""
        if self.left_out is None:
            return False
        return all(end * self.r > 0 and abs(end) >= abs(self.r) / 2 for end in self.left_out)


def first_indicators(results: Results) -> tuple[Indicator, ...]:
    """Return for each question and system the indicator of rank 1."""
    rows = [row for row in results.table("indicators").rows if row.get("rank") == "1"]
    found = []
    for level, outcome in INDICATOR_QUESTIONS:
        for row in rows:
            r = number(row.get("pearson"))
            if (row.get("level"), row.get("y", STEADINESS)) != (level, outcome) or r is None:
                continue
            if row.get("system", "") in results.systems:
                found.append(
                    Indicator(
                        system=row["system"],
                        level=level,
                        outcome=outcome,
                        name=row.get("indicator", ""),
                        n=int(number(row.get("n")) or 0),
                        r=r,
                        interval=ends(row, "lo", "hi"),
                        left_out=ends(row, "loo_min", "loo_max"),
                        top_share=number(row.get("top_share")),
                    )
                )
    return tuple(found)
