"""The tests of claims that hold in each scenario, by the study's own metrics, in the scenarios that ``where`` tells.

A test judges each scenario: as claimed, the contrary (also where better is claimed and the interval lies within the
profile's margin of equal), or not decided by the 95 % interval. The claim holds where all
are as claimed, fails where one surely is not, and is undecided otherwise. Printed numbers have no interval and are
taken as they stand. ``over`` takes the scenarios that differ in that factor alone together, by the sums of their
figures.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise, product
from typing import Any, Literal

from uploadlab.claims.finding import FAILS, HOLDS, UNDECIDED, Finding
from uploadlab.claims.ground import Ground, Level, Row, Scene, Where
from uploadlab.claims.phrases import Said, joined
from uploadlab.metrics.figures import valid_figures
from uploadlab.statistics.intervals import Interval, clopper_pearson, interval_of_variation
from uploadlab.table_file import Value

Direction = Literal["rises", "falls"]
MOST_FIGURES = 6
"""Of more scenarios than this the sentence gives none of the figures."""


LEAST_SHARE = 0.8
"""Of a sum: a block that has less of it tells nothing about the rest."""


@dataclass(frozen=True, kw_only=True)
class Judged:
    """What a test found in one scenario: True as claimed, False the contrary, None not decided; and the figures."""

    agrees: bool | None
    leans: bool
    """By the estimate alone."""
    said: Said


def lower(
    ground: Ground,
    *,
    metric: str,
    system: str,
    than: str,
    where: Where | None = None,
    by: Sequence[float] = (0.0, 1.0),
    over: str = "",
    overall: bool = False,
) -> Finding:
    """In every scenario the ratio of a metric of two systems lies below 1, or in the range ``by``."""
    scenes = _scenes(ground, where, over, metric, (system, than), everything=overall)
    subject = ground.say("claim_lower", system=system, metric=metric, than=than)
    found = [one for scene in scenes for one in _ratio_in(ground, scene, metric, system, than, by)]
    return _result(ground, subject, found)


def lowest(ground: Ground, *, metric: str, system: str, where: Where | None = None) -> Finding:
    """In every scenario the system beats each other one, in the direction that is better."""
    scenes = _scenes(ground, where, "", metric, (system,))
    pairs = [(scene, other) for scene in scenes for other in scene.rows if other != system]
    found = [_beats(ground, scene, metric, system, other) for scene, other in pairs]
    return _result(ground, ground.say("claim_best", system=system, metric=metric), found)


def ordered(ground: Ground, *, metric: str, systems: Sequence[str], where: Where | None = None) -> Finding:
    """In every scenario each system beats the next."""
    scenes = _scenes(ground, where, "", metric, systems)
    found = [_beats(ground, scene, metric, a, b) for scene in scenes for a, b in pairwise(systems)]
    return _result(ground, ground.say("claim_order", systems=_names(ground, systems), metric=metric), found)


def equal(
    ground: Ground,
    *,
    metric: str,
    systems: Sequence[str],
    margin: float,
    where: Where | None = None,
) -> Finding:
    """In every scenario each pair of systems is within the margin (0.05: 5 %)."""
    subject = ground.say("claim_equal", systems=_names(ground, systems), metric=metric, margin=100 * margin)
    within = (1 / (1 + margin), 1 + margin)
    pairs = product(_scenes(ground, where, "", metric, systems), combinations(systems, 2))
    found = [one for scene, (a, b) in pairs for one in _ratio_in(ground, scene, metric, a, b, within)]
    return _result(ground, subject, found)


def flat(
    ground: Ground, *, metric: str, systems: Sequence[str], along: str, margin: float, where: Where | None = None
) -> Finding:
    """Each system's metric is within the margin at any two levels of a factor, all else equal."""
    subject = ground.say("claim_flat", systems=_names(ground, systems), metric=metric, along=along, margin=100 * margin)
    within = (1 / (1 + margin), 1 + margin)
    found = []
    for scenes in _groups_along(ground, where, along):
        for (first, second), one in product(combinations(scenes, 2), systems):
            ratio = ground.ratio(metric, (second, one), (first, one))
            if ratio is not None:
                values = [ground.value(scene, one, metric) for scene in (first, second)]
                found.append(_judged(ground, second, ratio, within, values, one))
    return _result(ground, subject, found)


def trend(
    ground: Ground,
    *,
    metric: str,
    along: str,
    direction: Direction,
    system: str = "",
    systems: Sequence[str] = (),
    where: Where | None = None,
    levels: Sequence[Level] = (),
    by: float = 1.0,
) -> Finding:
    """From the first level of a factor to the last a system's metric rises or falls, by a factor; all else equal."""
    several = [system] if system else list(systems)
    subject = ground.say(f"claim_{direction}", systems=_names(ground, several), metric=metric, along=along)
    if by > 1:
        subject += ground.say("claim_factor", by=by)
    wanted = (0.0, 1 / by) if direction == "falls" else (by, math.inf)
    found = []
    for (first, last), one in product(_along(ground, where, along, levels), several):
        ratio = ground.ratio(metric, (last, one), (first, one))
        if ratio is not None:
            values = [ground.value(scene, one, metric) for scene in (first, last)]
            found.append(_judged(ground, last, ratio, wanted, values, one))
    return _result(ground, subject, found)


def gap_falls(
    ground: Ground,
    *,
    metric: str,
    system: str,
    than: str,
    along: str,
    where: Where | None = None,
    levels: Sequence[Level] = (),
) -> Finding:
    """From the first level of a factor to the last the ratio of two systems falls."""
    subject = ground.say("claim_gap", system=system, metric=metric, than=than, along=along)
    found = []
    for first, last in _along(ground, where, along, levels):
        before, after = (ground.ratio(metric, (scene, system), (scene, than)) for scene in (first, last))
        if before is None or after is None:
            continue
        agrees = None
        if before.lo is not None and before.hi is not None and after.lo is not None and after.hi is not None:
            agrees = True if after.hi < before.lo else False if after.lo > before.hi else None
        said = ground.say("claim_from_to", a=before.estimate, b=after.estimate)
        found.append(Judged(agrees=agrees, leans=after.estimate < before.estimate, said=said))
    return _result(ground, subject, found)


def constant_excess(
    ground: Ground, *, metric: str, system: str, over: str, of: Sequence[float], where: Where | None = None
) -> Finding:
    """At every level of a factor the metric is more than the level by the same number, in the range ``of``."""
    subject = ground.say("claim_excess", system=system, metric=metric, over=over)
    found = []
    for scene in ground.where(where or {}):
        value, level = ground.value(scene, system, metric), scene.levels.get(over)
        if value is None or not isinstance(level, int):
            continue
        lo, hi = (None if end is None else end - level for end in (value.lo, value.hi))
        excess = Interval(estimate=value.estimate - level, lo=lo, hi=hi, method=value.method)
        said = ground.words.text(excess.estimate)
        if lo != hi:
            said += ground.say("claim_interval", lo=lo, hi=hi)
        found.append(_in_range(excess, (of[0] - 0.5, of[1] + 0.5), said))
    return _result(ground, subject, found)


def within(
    ground: Ground,
    *,
    metric: str,
    range: Sequence[float],
    system: str = "",
    systems: Sequence[str] = (),
    where: Where | None = None,
) -> Finding:
    """In every scenario a metric of a system, or of each of several, lies in a range."""
    several = [system] if system else list(systems)
    subject = ground.say("claim_within", system=_names(ground, several), metric=metric, lo=range[0], hi=range[1])
    values = [ground.value(scene, one, metric) for scene in ground.where(where or {}) for one in several]
    found = [_in_range(value, range, ground.words.text(value.estimate)) for value in values if value is not None]
    return _result(ground, subject, found)


def steady(ground: Ground, *, metric: str, system: str, most: float, where: Where | None = None) -> Finding:
    """In every scenario a system's metric varies from repeat to repeat by at most so much (0.1: a CV of 10 %)."""
    subject = ground.say("claim_steady", system=system, metric=metric, most=100 * most)
    found = []
    for scene in [] if ground.printed else ground.where(where or {}):
        if cv := interval_of_variation(ground.values(scene, system, metric)):
            said = ground.words.text(cv.estimate) + ground.say("claim_interval", lo=cv.lo, hi=cv.hi)
            found.append(_in_range(cv, (0.0, most), said))
    return _result(ground, subject, found)


def never(ground: Ground, *, metric: str, systems: Sequence[str]) -> Finding:
    """In no completed run is a count above 0, valid or not: such a count is itself what makes a run invalid."""
    counts = [
        count
        for run in ground.completed
        if run["system"] in systems and isinstance(count := run.get(ground.column(metric)), int | float)
    ]
    broken = sum(count > 0 for count in counts)
    if not counts:
        return Finding(verdict=UNDECIDED, said=ground.say("claim_no_numbers" if ground.printed else "claim_no_runs"))
    lo, hi = clopper_pearson(broken, len(counts))
    said = ground.say(
        "claim_never",
        metric=metric,
        system=_names(ground, systems),
        broken=broken,
        runs=len(counts),
        lo=100 * lo,
        hi=100 * hi,
    )
    interval = Interval(estimate=broken / len(counts), lo=lo, hi=hi, method="Clopper-Pearson")
    return Finding.of(FAILS if broken else HOLDS, interval, len(counts), said)


def static(ground: Ground, *, fact: str, values: Mapping[str, Any]) -> Finding:
    """A fact that the systems declare, lines of code for one, is what was said."""
    found = []
    for system, expected in values.items():
        known = ground.facts.get(system, {}).get(fact)
        if known is not None:
            agrees = str(known) == str(expected)
            said = ground.say("claim_fact", system=system, known=str(known), expected=str(expected))
            found.append(Judged(agrees=agrees, leans=agrees, said=said))
    return _result(ground, ground.say("claim_static", fact=fact), found)


TESTS = (lower, lowest, ordered, equal, flat, trend, gap_falls, constant_excess, within, steady, never, static)


# One scenario


def _ratio_in(
    ground: Ground, scene: Scene, metric: str, system: str, than: str, wanted: Sequence[float]
) -> list[Judged]:
    ratio = ground.ratio(metric, (scene, system), (scene, than))
    if ratio is None:
        return []
    values = [ground.value(scene, one, metric) for one in (system, than)]
    return [_judged(ground, scene, ratio, wanted, values)]


def _beats(ground: Ground, scene: Scene, metric: str, system: str, than: str) -> Judged:
    wanted = (0.0, 1.0) if ground.declared.metric(metric).lower_is_better else (1.0, math.inf)
    found = _ratio_in(ground, scene, metric, system, than, wanted)
    return found[0] if found else Judged(agrees=None, leans=False, said=ground.say("claim_absent", system=than))


def _judged(
    ground: Ground,
    scene: Scene,
    ratio: Interval,
    wanted: Sequence[float],
    values: Sequence[Interval | None],
    system: str = "",
) -> Judged:
    a, b = (None if value is None else value.estimate for value in values)
    where = ", ".join([*([ground.name(system)] if system else []), *ground.apart(scene)])
    said = ground.say("claim_pair", where=f"{where}: " if where else "", a=a, b=b, ratio=ratio.estimate)
    if ratio.lo is not None and ratio.method != "printed":
        said += ground.say("claim_interval", lo=ratio.lo, hi=ratio.hi)
    agrees = _inside(ratio, wanted)
    if 1.0 in wanted and is_equal(ratio, ground.margin):
        agrees = False  # to be better, or to change, is claimed; to be equal is the contrary
        if ground.margin:
            said += ground.say("claim_same", margin=100 * ground.margin)
    return Judged(agrees=agrees, leans=agrees is not False and wanted[0] < ratio.estimate < wanted[1], said=said)


def _in_range(figure: Interval, wanted: Sequence[float], said: Said) -> Judged:
    return Judged(agrees=_inside(figure, wanted), leans=wanted[0] <= figure.estimate <= wanted[1], said=said)


def is_equal(ratio: Interval, margin: float) -> bool:
    """Return whether all of a ratio lies within the margin of 1; without a margin, as in print, whether it is 1."""
    return ratio.lo is not None and ratio.hi is not None and 1 / (1 + margin) <= ratio.lo and ratio.hi <= 1 + margin


def _inside(interval: Interval, wanted: Sequence[float]) -> bool | None:
    """Return whether all of an interval lies in a range, whether none of it does, or None."""
    if interval.lo is None or interval.hi is None:
        return None
    least, most = wanted
    touches_1 = interval.hi == most == 1.0 or interval.lo == least == 1.0  # may be equal
    if least <= interval.lo and interval.hi <= most and not touches_1:
        return True
    return False if interval.hi < least or interval.lo > most or interval.lo == interval.hi else None


# All scenarios


def _scenes(
    ground: Ground, where: Where | None, over: str, metric: str, systems: Sequence[str], *, everything: bool = False
) -> list[Scene]:
    """Return the scenarios of a claim that have its systems; those that differ in ``over`` alone summed up."""
    found = [
        scene
        for scene in ground.where(where or {})
        if all(system in scene.rows for system in systems)
        and any(ground.values(scene, system, metric) for system in scene.rows)
    ]
    if not found or (not over and not everything):
        return found
    groups = [found] if everything else _alike_but_for(over, found)
    return [_summed(ground, scenes, metric, systems) for scenes in groups]


def _alike_but_for(factor: str, scenes: Iterable[Scene]) -> list[list[Scene]]:
    """Return scenarios in groups that have the same levels of all other factors."""
    groups: dict[tuple[tuple[str, Level], ...], list[Scene]] = {}
    for scene in scenes:
        others = tuple((name, level) for name, level in scene.levels.items() if name != factor)
        groups.setdefault(others, []).append(scene)
    return list(groups.values())


def _summed(ground: Ground, scenes: Sequence[Scene], metric: str, systems: Sequence[str]) -> Scene:
    """Return one scenario of the sums of a metric over scenarios, by block.

    A block that lacks some is scaled up by what share the others have of the mean sum (ratio estimator: Cochran,
    Sampling Techniques, 1977, chapter 6); it is left out where that is less than `LEAST_SHARE`.
    """
    column = ground.column(metric)
    rows: dict[str, list[Row]] = {}
    for system in systems:
        means = [ground.mean(scene, system, metric) or math.nan for scene in scenes]
        blocks: dict[Value, list[tuple[float, float]]] = {}
        for scene, mean in zip(scenes, means, strict=True):
            for run in scene.rows[system]:
                for value in valid_figures([run], column):
                    blocks.setdefault(run.get("block"), []).append((value, mean / sum(means)))
        rows[system] = [
            {"valid": True, "block": block, column: sum(value for value, _ in there) / share}
            for block, there in blocks.items()
            if (share := sum(share for _, share in there)) >= LEAST_SHARE
        ]
    levels = dict(scenes[0].levels) if len(scenes) == 1 else {}
    return Scene(levels=levels, rows=rows)


def _groups_along(ground: Ground, where: Where | None, along: str, levels: Sequence[Level] = ()) -> list[list[Scene]]:
    """Return the scenarios along a factor, for each combination of all other levels."""
    scenes = (scene for scene in ground.where(where or {}) if scene.levels.get(along) is not None)
    return _alike_but_for(along, (scene for scene in scenes if not levels or scene.levels[along] in levels))


def _along(ground: Ground, where: Where | None, along: str, levels: Sequence[Level]) -> Iterator[tuple[Scene, Scene]]:
    """Yield the first and the last scenario along a factor, for each combination of all other levels."""
    order = [str(level) for level in levels]
    for scenes in _groups_along(ground, where, along, levels):
        if len(scenes) > 1:
            ranked = sorted(scenes, key=lambda scene: _rank(scene.levels[along], order))
            yield ranked[0], ranked[-1]


def _rank(level: object, order: Sequence[str]) -> tuple[float, str]:
    if order:
        return float(order.index(str(level))), ""
    return (float(level), "") if isinstance(level, (int, float)) else (0.0, str(level))


def _result(ground: Ground, subject: Said, found: Sequence[Judged]) -> Finding:
    """Return the verdict over all that was judged; the figure is how many are as claimed, its interval how many are."""
    if not found:
        return Finding(verdict=UNDECIDED, said=ground.say("claim_no_numbers" if ground.printed else "claim_no_runs"))
    contrary = sum(one.agrees is False for one in found)
    sure = sum(one.agrees is True for one in found)
    verdict = FAILS if contrary else HOLDS if sure == len(found) else UNDECIDED
    said = ground.say("claim_tally", subject=subject, agree=sum(one.leans for one in found), count=len(found))
    told = found if len(found) <= MOST_FIGURES else [one for one in found if one.agrees is False][:MOST_FIGURES]
    if told:
        phrase = "claim_figures" if told is found else "claim_unlike"
        said += ground.say(phrase, figures=joined([one.said for one in told], "; "))
    if open_ones := len(found) - contrary - sure:
        said += ground.say("claim_open", count=open_ones)
    return Finding(
        verdict=verdict,
        figure=sum(one.leans for one in found),
        lo=sure,
        hi=len(found) - contrary,
        n=len(found),
        said=said,
    )


def _names(ground: Ground, systems: Sequence[str]) -> Said:
    return ground.words.text(", ".join(ground.name(system) for system in systems))
