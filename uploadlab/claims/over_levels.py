"""The tests of claims over the levels of a factor: ``along`` names it, lists of ever larger files for one.

A test says ``holds`` or ``fails`` only where the whole 95 % interval agrees. A claim about each level is undecided
while one was not measured, but one clear counterexample makes it fail: the contrary, or an interval within the
profile's margin of equal where a difference is claimed. A claim about the sum over levels is judged on those measured
where they span the range: its ends and at least half of the levels. Printed numbers carry no interval and are taken as
they stand. Where a claim names a number (23 % lower), measured and claimed number agree when the interval lies within
the tolerance around it. Without ``levels`` a claim is about all that the paper printed.
"""

import math
from collections.abc import Mapping, Sequence
from operator import neg

import numpy as np
from numpy.typing import NDArray

from uploadlab.claims.finding import FAILS, HOLDS, UNDECIDED, Finding
from uploadlab.claims.ground import Ground, Level, Scene, Where, in_order
from uploadlab.claims.in_scenarios import Direction, is_equal
from uploadlab.claims.phrases import Said, joined
from uploadlab.statistics.correlations import correlate, fisher_interval, spearman_rho
from uploadlab.statistics.intervals import Interval, generator_for, interval_of_mean, t_quantile
from uploadlab.statistics.prior_variance import prior_variance
from uploadlab.statistics.sequential import LEAST_BLOCKS, critical_after

DECAY_MARGIN = 0.05


def lower_or_higher(
    ground: Ground,
    *,
    metric: str,
    system: str,
    than: str,
    along: str,
    lower_in: Sequence[Level] = (),
    higher_in: Sequence[Level] = (),
) -> Finding:
    """Test that a system's metric is lower than another's at some levels and higher at others, at every one of them.

    The figure is the number of levels that are as claimed, by the point estimate; its interval runs from those that
    surely are to those that may be.
    """
    claimed = {**dict.fromkeys(lower_in, -1), **dict.fromkeys(higher_in, 1)}
    signs: dict[Level, int | None] = {}
    points: dict[Level, int] = {}
    figures: dict[Level, Said] = {}
    for level in claimed:
        scene = ground.at(along, level, (system, than))
        interval = ground.ratio(metric, (scene, system), (scene, than))
        if interval is not None:
            points[level] = _sign(interval.estimate)
            signs[level] = _sure_sign(interval, ground.margin)
            a, b = ground.mean(scene, system, metric), ground.mean(scene, than, metric)
            figures[level] = ground.say("claim_values", a=a, b=b)
            if signs[level] == 0 and ground.margin:
                figures[level] += ground.say("claim_same", margin=100 * ground.margin)
    subject = ground.say("claim_against", system=system, metric=metric, than=than)
    return _tally(ground, claimed, points, signs, subject, figures)


def goes_with(
    ground: Ground, *, metric: str, other: str, system: str, than: str, along: str, levels: Sequence[Level] = ()
) -> Finding:
    """Test that at each level the system with the lower ``metric`` also has the lower ``other``."""
    claimed = dict.fromkeys(levels or ground.levels(along), 1)
    points: dict[Level, int] = {}
    signs: dict[Level, int | None] = {}
    for level in claimed:
        scene = ground.at(along, level, (system, than))
        first, second = (ground.ratio(one, (scene, system), (scene, than)) for one in (metric, other))
        if first is None or second is None:
            continue
        points[level] = _sign(first.estimate) * _sign(second.estimate)
        a, b = _sure_sign(first), _sure_sign(second, ground.margin)
        signs[level] = None if a is None or b is None else a * b
    subject = ground.say("claim_goes_with", metric=metric, other=other)
    return _tally(ground, claimed, points, signs, subject, {})


def lower_overall(
    ground: Ground,
    *,
    metric: str,
    system: str,
    than: str,
    along: str,
    by: float | None = None,
    tolerance: float = 0.05,
    over: str = "",
    levels: Sequence[Level] = (),
) -> Finding:
    """Test that a metric summed over the levels is lower for a system, or lower by a claimed share.

    With ``over`` the sums of ``metric`` are divided by the sums of ``over`` (``sd_ms`` over ``mean_ms``: a ratio of
    sums). The figure is the share by which the system is lower: 0.23 for 23 % lower.
    """
    wanted = tuple(levels or ground.levels(along))
    measured = {
        level: scene
        for level in wanted
        if (scene := ground.at(along, level, (system, than)))
        and all(ground.values(scene, name, metric) for name in (system, than))
    }
    missing = [level for level in wanted if level not in measured]
    if not measured:
        return _not_measured(ground, missing)
    usable = {level: scene for level, scene in measured.items() if _often_enough(ground, scene, metric, system, than)}
    usable = usable or measured
    rare = [level for level in measured if level not in usable]
    scenes = list(usable.values())
    interval = _ratio_of_sums(ground, scenes, metric, over, system, than)
    if interval is None:
        return Finding(verdict=UNDECIDED, said=ground.say("claim_no_sums"))
    higher_by = interval.through(lambda ratio: ratio - 1)
    lower_by = higher_by.through(neg)
    if by is not None:
        verdict = _within(lower_by, by - tolerance, by + tolerance)
    else:
        verdict = FAILS if is_equal(interval, ground.margin) else _within(lower_by, 0, math.inf)
    what = ground.say("claim_sum_over_sum", metric=metric, over=ground.metric(over)) if over else ground.metric(metric)
    pair = [_sum_figure(ground, scenes, metric, over, each) for each in (system, than)]
    is_lower = lower_by.estimate >= 0
    apart = lower_by if is_lower else higher_by
    said = ground.say(
        "claim_sum_lower" if is_lower else "claim_sum_higher",
        subject=ground.say("claim_of", system=system, metric=what),
        percent=100 * apart.estimate,
        count=ground.count(len(usable)),
        pair=ground.say("claim_values", a=pair[0], b=pair[1]),
        interval=_interval(ground, apart, "percent_interval", unit=100),
    )
    if by is not None:
        said += ground.say("claim_sum_claimed", percent=100 * by)
    if not _span(wanted, list(usable)):
        verdict = UNDECIDED
    said += "."
    if rare:
        said += ground.say_levels(rare, "claim_level{s}_rare")
    return Finding.of(verdict, lower_by, len(usable), _with_missing(ground, said, missing))


def lower_elsewhere(ground: Ground, *, metric: str, system: str, where: Where, than: str, than_where: Where) -> Finding:
    """Test that a system in one scenario has the lower metric than another system in another scenario."""
    here, there = (next(iter(ground.where(at)), None) for at in (where, than_where))
    shared = [level for name, level in where.items() if than_where.get(name) == level]
    level = ground.say("claim_level", listed=ground.words.join(shared)) if shared else ground.metric(metric)
    named = [_on(ground, name, at, shared) for name, at in ((system, where), (than, than_where))]
    interval = ground.ratio(metric, (here, system), (there, than))
    if interval is None:
        values = [ground.values(scene, name, metric) for scene, name in ((here, system), (there, than))]
        lacking = [said for said, of in zip(named, values, strict=True) if not of]
        return Finding(
            verdict=UNDECIDED,
            said=ground.say("claim_no_pair", level=level, lacking=ground.words.join(lacking or named)),
        )
    sign = _sure_sign(interval, ground.margin)
    verdict = UNDECIDED if sign is None else HOLDS if sign < 0 else FAILS
    said = ground.say(
        "claim_elsewhere",
        level=level,
        first=named[0],
        a=ground.mean(here, system, metric),
        second=named[1],
        b=ground.mean(there, than, metric),
        unit=ground.words.unit(ground.column(metric)),
        ratio=interval.estimate,
        interval=_interval(ground, interval),
        same=ground.say("claim_same", margin=100 * ground.margin) if sign == 0 and ground.margin else "",
    )
    return Finding.of(verdict, interval, 1, said)


def rank_trend(
    ground: Ground, *, metric: str, system: str, direction: Direction, along: str, levels: Sequence[Level] = ()
) -> Finding:
    """Test that a metric rises or falls with the levels of a factor, which are numbers: Spearman's rank correlation.

    The interval is Fisher's with the standard error 1.06 / sqrt(n - 3) of a rank correlation (Fieller, Hartley and
    Pearson 1957), across levels; the same for printed numbers, since the levels are the scatter. What surely stays
    within the margin of equal at every level neither rises nor falls.
    """
    wanted = tuple(levels or ground.levels(along))
    scenes = {level: ground.at(along, level, (system,)) for level in wanted if isinstance(level, int)}
    points = {
        level: value for level, scene in scenes.items() if (value := ground.mean(scene, system, metric)) is not None
    }
    subject = ground.say("claim_of", system=system, metric=metric)
    missing = [level for level in wanted if level not in points]
    if len(points) < 4:
        return Finding(
            verdict=UNDECIDED, n=len(points), said=ground.say("claim_trend_few", subject=subject, n=len(points))
        )
    rho = spearman_rho(list(points), list(points.values()))
    if rho is None:
        said = ground.say("claim_trend_none", subject=subject, value=next(iter(points.values())), n=len(points))
        return Finding(verdict=FAILS, figure=0.0, n=len(points), said=said)
    lo, hi = _spearman_interval(rho, len(points))
    interval = Interval(estimate=rho, lo=lo, hi=hi, method="fisher")
    least, most = (lo, hi) if direction == "rises" else (-hi, -lo)
    verdict = HOLDS if least > 0 else FAILS if most < 0 else UNDECIDED
    first, last = min(points), max(points)
    said = ground.say(
        "claim_rank_trend",
        subject=subject,
        a=points[first],
        first=first,
        b=points[last],
        last=last,
        rho=rho,
        interval=_interval(ground, interval),
        count=ground.count(len(points)),
    )
    if verdict == UNDECIDED and _span(wanted, list(points)) and _is_level(ground, metric, system, scenes, first):
        verdict = FAILS
        said += ground.say("claim_trend_stays", margin=100 * ground.margin)
    return Finding.of(verdict, interval, len(points), _with_missing(ground, said, missing))


def correlation(
    ground: Ground,
    *,
    x: str,
    y: str,
    system: str,
    along: str,
    minus: str = "",
    r: float = 0.0,
    levels: Sequence[Level] = (),
) -> Finding:
    """Test that two metrics go together across levels, for one system or for the difference of two.

    Holds where Fisher's interval of Pearson's r lies above 0 and r keeps at least half whichever level is left
    out; fails where it lies below 0, or below the ``r`` that was claimed. An r that loses more than half without one
    level rests on it: undecided.
    """
    wanted = tuple(levels or ground.levels(along))
    points: dict[str, tuple[float | None, float | None]] = {}
    for level in wanted:
        scene = ground.at(along, level, (system, minus) if minus else (system,))
        if scene is None:
            continue
        values = [ground.mean(scene, system, column) for column in (x, y)]
        if minus:
            others = [ground.mean(scene, minus, column) for column in (x, y)]
            values = [None if a is None or b is None else a - b for a, b in zip(values, others, strict=True)]
        points[str(level)] = (values[0], values[1])
    found = correlate(points)
    if found.pearson is None or found.lo is None or found.hi is None:
        return Finding(
            verdict=UNDECIDED, figure=found.pearson, n=found.n, said=ground.say("claim_correlation_few", n=found.n)
        )
    interval = Interval(estimate=found.pearson, lo=found.lo, hi=found.hi, method="fisher")
    without = ground.say("claim_level", listed=found.loo_min_without)
    said = ground.say(
        "claim_correlation",
        r=found.pearson,
        interval=_interval(ground, interval),
        count=ground.count(found.n),
        without=without,
        loo=found.loo_min,
        spearman=found.spearman,
    )
    if found.hi < r:
        verdict = FAILS
        said += ground.say("claim_correlation_excluded", r=r) if found.hi >= 0 else ""
    elif found.lo > 0 and found.loo_min is not None and found.loo_min >= found.pearson / 2:
        verdict = HOLDS
    else:
        verdict = UNDECIDED
        if found.lo > 0:
            said += ground.say("claim_rests_on", without=without)
    if found.n < len(wanted):
        said += ground.say("claim_number_missing", count=ground.count(len(wanted) - found.n))
    return Finding.of(verdict, interval, found.n, said)


def throughput_decays(ground: Ground, *, system: str, along: str, level: Level) -> Finding:
    """Test that a run becomes slower as it goes on: requests ended in its last third against its first.

    Only the steady window counts: every user has two requests behind it and none has ended. The figure is the ratio
    over the repeats; the claim holds below 1 and fails where the loss is surely below 5 %.
    """
    if ground.printed:
        return Finding(verdict=UNDECIDED, said=ground.say("claim_only_a_picture"))
    ratios = ground.values(ground.at(along, level, (system,)), system, "steady_late_over_early")
    told = {"system": system, "where": ground.say_levels([level], "claim_in_level")}
    if not ratios:
        return Finding(verdict=UNDECIDED, said=ground.say("claim_too_short", **told))
    interval = interval_of_mean(ratios, generator_for(ground.seed, f"decay {system} {level}"))
    assert interval is not None  # there is at least one ratio
    single = interval.lo is None or interval.hi is None
    said = ground.say(
        "claim_decay",
        **told,
        ratio=interval.estimate,
        interval="" if single else _interval(ground, interval),
        count=ground.say("claim_one_repeat")
        if len(ratios) == 1
        else ground.say("claim_several_repeats", n=len(ratios)),
    )
    if interval.lo is None or interval.hi is None:
        return Finding.of(UNDECIDED, interval, len(ratios), said + ground.say("claim_one_repeat_no_interval"))
    verdict = FAILS if interval.lo > 1 - DECAY_MARGIN else HOLDS if interval.hi < 1 else UNDECIDED
    return Finding.of(verdict, interval, len(ratios), said)


TESTS = (lower_or_higher, goes_with, lower_overall, lower_elsewhere, rank_trend, correlation, throughput_decays)


def _tally(
    ground: Ground,
    claimed: Mapping[Level, int],
    points: Mapping[Level, int],
    signs: Mapping[Level, int | None],
    subject: Said,
    figures: Mapping[Level, Said],
) -> Finding:
    agree = [level for level in points if points[level] == claimed[level]]
    sure = [level for level in signs if signs[level] == claimed[level]]
    contrary = [level for level, sign in signs.items() if sign is not None and sign != claimed[level]]
    missing = [level for level in claimed if level not in points]
    unclear = [level for level in points if level not in sure and level not in contrary]
    if not points:
        return _not_measured(ground, missing)
    said = ground.say("claim_tally", subject=subject, agree=len(agree), count=ground.count(len(points)))
    verdict = FAILS if contrary else UNDECIDED if unclear or missing else HOLDS
    if contrary:
        said += ground.say("claim_contrary", where=ground.say_levels(contrary, "claim_in_level{s}"))
        if figures:
            said += ground.say(
                "claim_figures", figures=joined([figures[level] for level in sorted(contrary, key=in_order)], "; ")
            )
    if unclear:
        said += ground.say("claim_nothing_decided", where=ground.say_levels(unclear, "claim_in_level{s}"))
    if missing:
        said += ground.say("claim_not_measured", listed=ground.say_levels(missing))
    return Finding(
        verdict=verdict,
        figure=float(len(agree)),
        lo=float(len(sure)),
        hi=float(len(points) - len(contrary)),
        n=len(points),
        said=said + ".",
    )


def _ratio_of_sums(
    ground: Ground, scenes: Sequence[Scene], metric: str, over: str, system: str, than: str
) -> Interval | None:
    """Ratio of two systems' sums over scenarios; t interval on its log, standard errors by the delta method.

    A scenario's part of the log of a sum is its repeats' values over the sum; ``over`` enters with a minus, repeat by
    repeat, because the two figures of a run vary together. Where a campaign went on until it was sure, so do the two
    systems' within a block; the scenarios tell of each other's scatter, each in units of its part, and the critical
    value is that of as many looks as there are degrees of freedom.
    """
    sums = [_sum_figure(ground, scenes, metric, over, name) for name in (system, than)]
    if any(value is None or value <= 0 for value in sums):
        return None
    ratio = float(sums[0] or 0) / float(sums[1] or 1)
    if ground.printed:
        return Interval(estimate=ratio, lo=ratio, hi=ratio, method="printed")
    columns = [metric, *([over] if over else [])]
    if ground.most_blocks is None:
        parts = [part for name in (system, than) for part in _log_parts(ground, scenes, columns, [name])]
    else:
        parts = _log_parts(ground, scenes, columns, [system, than])
    if any(len(part) < 2 for part in parts):
        return Interval(estimate=ratio, lo=None, hi=None, method="none")
    if ground.most_blocks is None:
        variances = [(float(part.var(ddof=1)) / len(part), len(part) - 1) for part in parts]
    else:
        weights = [_share(ground, scenes, scene, metric, (system, than)) for scene in scenes]
        variances = _moderated(parts, weights)
    total = sum(variance for variance, _ in variances)
    method = "t" if ground.most_blocks is None else "sequential"
    if total == 0:
        return Interval(estimate=ratio, lo=ratio, hi=ratio, method=method)
    degrees = total**2 / sum(variance**2 / own for variance, own in variances)
    critical = t_quantile(degrees) if ground.most_blocks is None else critical_after(degrees, ground.most_blocks)
    factor = math.exp(min(700.0, critical * math.sqrt(total)))
    return Interval(estimate=ratio, lo=ratio / factor, hi=ratio * factor, method=method)


def _share(ground: Ground, scenes: Sequence[Scene], scene: Scene, metric: str, systems: Sequence[str]) -> float:
    """Return a scenario's share of two systems' sums, their mean."""
    shares = [(ground.mean(scene, name, metric) or 0.0) / _sum(ground, scenes, metric, name) for name in systems]
    return sum(shares) / len(shares)


def _moderated(parts: Sequence[NDArray[np.float64]], weights: Sequence[float]) -> list[tuple[float, int]]:
    """Return the variance of each part's mean and its degrees of freedom, drawn towards that of the other parts."""
    alike = [part / weight for part, weight in zip(parts, weights, strict=True)]
    found = []
    for number, (part, weight) in enumerate(zip(alike, weights, strict=True)):
        prior = prior_variance(other for place, other in enumerate(alike) if place != number)
        own = len(part) - 1
        found.append((weight**2 * prior.moderate(float(part.var(ddof=1)), own) / len(part), own + prior.degrees))
    return found


def _log_parts(
    ground: Ground, scenes: Sequence[Scene], columns: Sequence[str], systems: Sequence[str]
) -> list[NDArray[np.float64]]:
    """Return what a scenario's repeats add to the log of a sum; of two systems its blocks, to that of their ratio."""
    sums = {(name, column): _sum(ground, scenes, column, name) for name in systems for column in columns}
    return [
        sum(
            np.asarray(values, dtype=np.float64) / sums[key] * (-1) ** (columns.index(key[1]) + systems.index(key[0]))
            for key, values in _of_scene(ground, scene, columns, systems).items()
        )
        for scene in scenes
    ]


def _of_scene(
    ground: Ground, scene: Scene, columns: Sequence[str], systems: Sequence[str]
) -> dict[tuple[str, str], list[float]]:
    """Return each system's figures in a scenario: of all its valid repeats; of two systems, of the blocks with both."""
    if len(systems) == 1:
        return {(systems[0], column): ground.values(scene, systems[0], column) for column in columns}
    found = {(name, column): ground.by_block(scene, name, column) for name in systems for column in columns}
    blocks = sorted(set.intersection(*map(set, found.values())))
    return {key: [by_block[block] for block in blocks] for key, by_block in found.items()}


def _often_enough(ground: Ground, scene: Scene, metric: str, system: str, than: str) -> bool:
    """Return whether a scenario has the blocks that an interval needs, where a campaign went on until it was sure."""
    blocks = [ground.by_block(scene, name, metric).keys() for name in (system, than)]
    return ground.most_blocks is None or len(blocks[0] & blocks[1]) >= LEAST_BLOCKS


def _sum(ground: Ground, scenes: Sequence[Scene], metric: str, system: str) -> float:
    return sum(ground.mean(scene, system, metric) or 0.0 for scene in scenes)


def _sum_figure(ground: Ground, scenes: Sequence[Scene], metric: str, over: str, system: str) -> float | None:
    top = _sum(ground, scenes, metric, system)
    if not over:
        return top
    bottom = _sum(ground, scenes, over, system)
    return top / bottom if bottom else None


def _on(ground: Ground, system: str, where: Where, shared: Sequence[Level]) -> Said:
    """Return "A on b": a system, and the levels that set its scenario apart from the other's."""
    apart = [ground.level(level) for level in where.values() if level not in shared]
    name = ground.words.text(ground.name(system))
    return ground.say("claim_on", system=name, level=joined(apart, ", ")) if apart else name


def _spearman_interval(rho: float, n: int) -> tuple[float, float]:
    """Return the interval of a rank correlation of n points; a perfect one as if two neighbours were swapped."""
    below_perfect = 1 - 12 / (n * (n**2 - 1))
    centre = max(-below_perfect, min(below_perfect, rho))
    lo, hi = fisher_interval(centre, n)
    assert lo is not None  # callers have at least 4 points
    assert hi is not None
    half = 1.06 * (math.atanh(hi) - math.atanh(centre))
    lo, hi = math.tanh(math.atanh(centre) - half), math.tanh(math.atanh(centre) + half)
    return min(lo, rho), max(hi, rho)


def _within(interval: Interval, least: float, most: float) -> str:
    if interval.lo is None or interval.hi is None:
        return UNDECIDED
    if interval.lo > least and interval.hi < most:
        return HOLDS
    return FAILS if interval.hi < least or interval.lo > most else UNDECIDED


def _sign(ratio: float) -> int:
    return (ratio > 1) - (ratio < 1)


def _sure_sign(interval: Interval, margin: float = 0.0) -> int | None:
    """Return -1 or 1 where the whole ratio lies on one side of 1, 0 where it is 1 within a margin, None where unclear.

    Printed numbers have no margin: their ratio is 1 only where it is exactly that.
    """
    if interval.lo is None or interval.hi is None:
        return None
    if is_equal(interval, margin):  # first, as in a comparison: surely lower by 1 % is equal within 5 %
        return 0
    return _sign(interval.estimate) if interval.hi < 1 or interval.lo > 1 else None


def _is_level(ground: Ground, metric: str, system: str, scenes: Mapping[int, Scene | None], first: int) -> bool:
    """Return whether a metric equals that of the first level, within the margin, at each measured level.

    Surely at those that span the range; a level measured too rarely for an interval must not differ by its estimate.
    """
    others = {level: scene for level, scene in scenes.items() if level != first}
    ratios = {
        level: ratio
        for level, scene in others.items()
        if (ratio := ground.ratio(metric, (scene, system), (scenes[first], system)))
    }
    within = {
        level: ratio
        for level, ratio in ratios.items()
        if all(
            1 / (1 + ground.margin) <= (ratio.estimate if end is None else end) <= 1 + ground.margin
            for end in (ratio.lo, ratio.hi)
        )
    }
    sure = [level for level, ratio in within.items() if ratio.lo is not None]
    return len(within) == len(ratios) and _span(list(scenes), [first, *sure])


def _span(wanted: Sequence[Level], measured: Sequence[Level]) -> bool:
    """Return whether the levels that were measured stand for those wanted: the ends are there, and half of them."""
    ends = {min(wanted, key=in_order), max(wanted, key=in_order)}
    return ends <= set(measured) and 2 * len(measured) >= len(wanted)


def _not_measured(ground: Ground, missing: Sequence[Level]) -> Finding:
    said = (
        ground.say("claim_none_measured", listed=ground.say_levels(missing)) if missing else ground.say("claim_no_runs")
    )
    return Finding(verdict=UNDECIDED, said=said)


def _with_missing(ground: Ground, said: Said, missing: Sequence[Level]) -> Said:
    return said + ground.say_levels(missing, "claim_level{s}_missing") if missing else said


def _interval(ground: Ground, interval: Interval, kind: str = "interval", unit: float = 1) -> Said | str:
    if interval.lo is None or interval.hi is None:
        return ground.say(f"claim_no_{kind}")
    printed = interval.method == "printed"
    return "" if printed else ground.say(f"claim_{kind}", lo=unit * interval.lo, hi=unit * interval.hi)
