"""What claims say over the samples, lists of ever larger files.

A claim holds or fails only where the whole 95 % interval agrees. One about each level is undecided while one was not
measured, but one clear counterexample makes it fail: the contrary, or an interval within the profile's margin of equal
where a difference is claimed. One about the sum over levels is judged on those measured where they span the range: its
ends and at least half of the levels. Printed numbers carry no interval and are taken as they stand. Where a claim
names a number (23 % lower), measured and claimed number agree when the interval lies within the tolerance around it.
Without ``samples`` a claim is about all that the paper printed.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from operator import neg

from uploadlab.claims import (
    FAILS,
    HOLDS,
    NOT_MEASURED,
    UNDECIDED,
    Direction,
    Evidence,
    Judged,
    Number,
    Outcome,
    Scene,
    Where,
    inside,
    is_equal,
    judged,
    outcome_of,
)
from uploadlab.statistics.correlations import correlate, spearman_interval, spearman_rho
from uploadlab.statistics.intervals import Interval, generator_for, interval_of_mean
from uploadlab.statistics.ratio_of_sums import ratio_of_sums
from uploadlab.statistics.sequential import LEAST_BLOCKS

DECAY_MARGIN = 0.05
CLOSE = 0.05  # how far a share may be from the one that was claimed
SAMPLE = "sample"
LOWER, HIGHER = (0.0, 1.0), (1.0, math.inf)
VERDICTS = {True: HOLDS, False: FAILS, None: UNDECIDED}
Pair = tuple[str, str]
"""A system, and the one that it is compared with."""


def lower_or_higher(
    evidence: Evidence,
    metric: str,
    system: str,
    than: str,
    *,
    lower_in: Sequence[int] = (),
    higher_in: Sequence[int] = (),
) -> Outcome:
    """A system's metric is lower than another's at some levels and higher at others, at every one of them.

    The figure is the number of levels that are as claimed, by the estimate, from those that surely are to those that
    may be.
    """
    claimed = {**dict.fromkeys(lower_in, LOWER), **dict.fromkeys(higher_in, HIGHER)}
    found: dict[int, Judged] = {}
    for level, wanted in claimed.items():
        scene = evidence.at(SAMPLE, level, (system, than))
        ratio = evidence.ratio(metric, (scene, system), (scene, than))
        if ratio is not None:
            a, b = evidence.mean(scene, system, metric), evidence.mean(scene, than, metric)
            found[level] = judged(evidence, Number.ratio(f"sample {level}", ratio, a, b), ratio, wanted)
    return _over_levels(tuple(claimed), found)


def goes_with(evidence: Evidence, metric: str, other: str, *, systems: Pair) -> Outcome:
    """At each level the system with the lower ``metric`` also has the lower ``other``."""
    levels = _all(evidence)
    found: dict[int, Judged] = {}
    for level in levels:
        scene = evidence.at(SAMPLE, level, systems)
        first, second = (evidence.ratio(one, (scene, systems[0]), (scene, systems[1])) for one in (metric, other))
        if first is None or second is None:
            continue
        number = Number(of=f"sample {level}, {other}", value=second.estimate, lo=second.lo, hi=second.hi)
        wanted = LOWER if first.estimate < 1 else HIGHER
        one, sure = judged(evidence, number, second, wanted), inside(first, wanted)
        found[level] = one if sure else replace(one, agrees=sure, leans=one.leans and sure is None)
    return _over_levels(levels, found)


def lower_overall(
    evidence: Evidence, metric: str, system: str, than: str, *, by: float | None = None, over: str = ""
) -> Outcome:
    """A metric summed over the levels is lower for a system, or lower by a claimed share.

    With ``over`` the sums of ``metric`` are divided by the sums of ``over`` (``sd_ms`` over ``mean_ms``: a ratio of
    sums). The figure is the share by which the system is lower: 0.23 for 23 % lower.
    """
    wanted = tuple(_all(evidence))
    measured = {
        level: scene
        for level in wanted
        if (scene := evidence.at(SAMPLE, level, (system, than)))
        and all(evidence.values(scene, name, metric) for name in (system, than))
    }
    missing = [level for level in wanted if level not in measured]
    if not measured:
        return Outcome(verdict=NOT_MEASURED, missing=missing)
    often = {level: scene for level, scene in measured.items() if _often_enough(evidence, scene, metric, system, than)}
    usable = often or measured
    ratio = _ratio_of_sums(evidence, list(usable.values()), metric, over, (system, than))
    if ratio is None:
        return Outcome(verdict=UNDECIDED, missing=missing, reason="the sums are not above 0")
    lower_by = ratio.through(lambda of: of - 1).through(neg)
    if by is not None:
        verdict = VERDICTS[inside(lower_by, (by - CLOSE, by + CLOSE))]
    else:
        verdict = FAILS if is_equal(ratio, evidence.margin) else VERDICTS[inside(lower_by, (0, math.inf))]
    if not _span(wanted, list(usable)):
        verdict = UNDECIDED
    number = Number(of="ratio of the sums", value=ratio.estimate, lo=ratio.lo, hi=ratio.hi)
    rare = [level for level in measured if level not in usable]
    reason = f"not in the sums, with fewer than three blocks of both: {', '.join(map(str, rare))}" if rare else ""
    return replace(Outcome.of(verdict, lower_by, len(usable), [number]), missing=missing, reason=reason)


def lower_elsewhere(
    evidence: Evidence, metric: str, system: str, than: str, *, where: Where, than_where: Where
) -> Outcome:
    """A system in one scenario has the lower metric than another system in another scenario."""
    here, there = (next(iter(evidence.where(at)), None) for at in (where, than_where))
    ratio = evidence.ratio(metric, (here, system), (there, than))
    if ratio is None:
        return Outcome(verdict=NOT_MEASURED)
    a, b = evidence.mean(here, system, metric), evidence.mean(there, than, metric)
    found = judged(evidence, Number.ratio("", ratio, a, b), ratio, LOWER)
    return Outcome.of(VERDICTS[found.agrees], ratio, 1, [found.number])


def rank_trend(
    evidence: Evidence, metric: str, system: str, direction: Direction, *, samples: Sequence[int] = ()
) -> Outcome:
    """A metric rises or falls with the samples: Spearman's rank correlation.

    Its interval is across levels; the same for printed numbers, since the levels are the scatter. What surely stays
    within the margin of equal at every level neither rises nor falls.
    """
    wanted = tuple(samples or _all(evidence))
    scenes = {level: evidence.at(SAMPLE, level, (system,)) for level in wanted}
    points = {
        level: value for level, scene in scenes.items() if (value := evidence.mean(scene, system, metric)) is not None
    }
    missing = [level for level in wanted if level not in points]
    if not points:
        return Outcome(verdict=NOT_MEASURED, missing=missing)
    if len(points) < 4:
        return Outcome(verdict=UNDECIDED, n=len(points), missing=missing, reason="a trend needs at least 4 levels")
    numbers = [Number(of=f"sample {level}", value=points[level]) for level in (min(points), max(points))]
    rho = spearman_rho(list(points), list(points.values()))
    if rho is None:
        return Outcome(verdict=FAILS, figure=0.0, n=len(points), numbers=numbers, missing=missing)
    lo, hi = spearman_interval(rho, len(points))
    interval = Interval(estimate=rho, lo=lo, hi=hi, method="fisher")
    least, most = (lo, hi) if direction == "rises" else (-hi, -lo)
    verdict = HOLDS if least > 0 else FAILS if most < 0 else UNDECIDED
    reason = ""
    if verdict == UNDECIDED and _span(wanted, list(points)) and _is_level(evidence, metric, system, scenes):
        verdict, reason = FAILS, "at every level equal to the first within the margin"
    told = [Number(of="rank correlation", value=rho, lo=lo, hi=hi), *numbers]
    return replace(Outcome.of(verdict, interval, len(points), told), missing=missing, reason=reason)


def correlation(evidence: Evidence, x: str, y: str, system: str, *, minus: str = "", r: float = 0.0) -> Outcome:
    """Two metrics go together across levels, for one system or for the difference of two.

    Holds where Fisher's interval of Pearson's r lies above 0 and r keeps at least half whichever level is left
    out; fails where it lies below 0, or below the ``r`` that was claimed. An r that loses more than half without one
    level rests on it: undecided.
    """
    wanted = tuple(_all(evidence))
    points: dict[str, tuple[float | None, float | None]] = {}
    for level in wanted:
        scene = evidence.at(SAMPLE, level, (system, minus) if minus else (system,))
        if scene is None:
            continue
        values = [evidence.mean(scene, system, column) for column in (x, y)]
        if minus:
            others = [evidence.mean(scene, minus, column) for column in (x, y)]
            values = [None if a is None or b is None else a - b for a, b in zip(values, others, strict=True)]
        points[str(level)] = (values[0], values[1])
    found = correlate(points)
    missing = [level for level in wanted if None in points.get(str(level), (None,))]
    if found.pearson is None or found.lo is None or found.hi is None:
        if not found.n:
            return Outcome(verdict=NOT_MEASURED, missing=missing)
        reason = "a correlation needs at least 4 levels that differ"
        return Outcome(verdict=UNDECIDED, figure=found.pearson, n=found.n, missing=missing, reason=reason)
    interval = Interval(estimate=found.pearson, lo=found.lo, hi=found.hi, method="fisher")
    if found.hi < r:
        verdict = FAILS
    elif found.lo > 0 and found.loo_min is not None and found.loo_min >= found.pearson / 2:
        verdict = HOLDS
    else:
        verdict = UNDECIDED
    numbers = [Number(of="r", value=found.pearson, lo=found.lo, hi=found.hi)]
    if found.loo_min is not None:
        numbers.append(Number(of=f"r without sample {found.loo_min_without}", value=found.loo_min))
    return replace(Outcome.of(verdict, interval, found.n, numbers), missing=missing)


def throughput_decays(evidence: Evidence, system: str, *, sample: int) -> Outcome:
    """A run becomes slower as it goes on: requests ended in its last third against its first.

    Only the steady window counts: every user has two requests behind it and none has ended. The figure is the ratio
    over the repeats; the claim holds below 1 and fails where the loss is surely below 5 %.
    """
    scene = None if evidence.printed else evidence.at(SAMPLE, sample, (system,))
    ratios = evidence.values(scene, system, "steady_late_over_early")
    interval = interval_of_mean(ratios, generator_for(evidence.seed, f"decay {system} {sample}"))
    if interval is None:
        return Outcome(verdict=NOT_MEASURED)
    number = Number(of=f"sample {sample}", value=interval.estimate, lo=interval.lo, hi=interval.hi)
    verdict = UNDECIDED
    if interval.lo is not None and interval.hi is not None:
        verdict = FAILS if interval.lo > 1 - DECAY_MARGIN else HOLDS if interval.hi < 1 else UNDECIDED
    return Outcome.of(verdict, interval, len(ratios), [number])


def _all(evidence: Evidence) -> tuple[int, ...]:
    """Return the samples that the paper printed; those at hand where it printed none."""
    return tuple(level for level in evidence.levels(SAMPLE) if isinstance(level, int))


def _over_levels(claimed: Sequence[int], found: Mapping[int, Judged]) -> Outcome:
    """Return the verdict over levels, which holds only where each was measured; what is not as claimed is first."""
    in_order = [found[level] for level in sorted(found)]
    outcome = outcome_of(sorted(in_order, key=lambda one: one.agrees is True))
    missing = [level for level in claimed if level not in found]
    verdict = UNDECIDED if missing and outcome.verdict == HOLDS else outcome.verdict
    return replace(outcome, verdict=verdict, missing=missing)


def _ratio_of_sums(
    evidence: Evidence, scenes: Sequence[Scene], metric: str, over: str, systems: Pair
) -> Interval | None:
    columns = [metric, *([over] if over else [])]
    keys = [(side, column) for side in (0, 1) for column in columns]
    repeats = [
        {(side, of): dict(enumerate(evidence.values(scene, systems[side], of))) for side, of in keys}
        for scene in scenes
    ]
    blocks = [{(side, of): evidence.by_block(scene, systems[side], of) for side, of in keys} for scene in scenes]
    found = ratio_of_sums(repeats, blocks, columns, most_blocks=evidence.most_blocks)
    if found is None or not evidence.printed:
        return found
    return Interval(estimate=found.estimate, lo=found.estimate, hi=found.estimate, method="printed")


def _often_enough(evidence: Evidence, scene: Scene, metric: str, system: str, than: str) -> bool:
    """Return whether a scenario has the blocks that an interval needs, where a campaign went on until it was sure."""
    blocks = [evidence.by_block(scene, name, metric).keys() for name in (system, than)]
    return evidence.most_blocks is None or len(blocks[0] & blocks[1]) >= LEAST_BLOCKS


def _is_level(evidence: Evidence, metric: str, system: str, scenes: Mapping[int, Scene | None]) -> bool:
    """Return whether a metric equals that of the first level, within the margin, at each measured level.

    Surely at those that span the range; a level measured too rarely for an interval must not differ by its estimate.
    """
    first = min(level for level, scene in scenes.items() if evidence.values(scene, system, metric))
    ratios = {
        level: ratio
        for level, scene in scenes.items()
        if level != first and (ratio := evidence.ratio(metric, (scene, system), (scenes[first], system)))
    }
    within = {
        level: ratio
        for level, ratio in ratios.items()
        if all(
            1 / (1 + evidence.margin) <= (ratio.estimate if end is None else end) <= 1 + evidence.margin
            for end in (ratio.lo, ratio.hi)
        )
    }
    sure = [level for level, ratio in within.items() if ratio.lo is not None]
    return len(within) == len(ratios) and _span(list(scenes), [first, *sure])


def _span(wanted: Sequence[int], measured: Sequence[int]) -> bool:
    """Return whether the levels that were measured stand for those wanted: the ends are there, and half of them."""
    ends = {min(wanted), max(wanted)}
    return ends <= set(measured) and 2 * len(measured) >= len(wanted)
