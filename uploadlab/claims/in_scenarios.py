"""What claims say of each scenario, by the study's own metrics, in the scenarios that ``where`` tells.

Each scenario is judged: as claimed, the contrary (also where better is claimed and the interval lies within the
profile's margin of equal), or not decided by the 95 % interval. The claim holds where all are as claimed, fails where
one surely is not, and is undecided otherwise; its figure is how many are as claimed by the estimate, from how many
surely are to how many may be. Printed numbers have no interval and are taken as they stand.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise, product
from typing import Literal

from uploadlab.claims.evidence import Evidence, Level, Scene, Where
from uploadlab.claims.outcome import FAILS, HOLDS, NOT_MEASURED, UNDECIDED, Number, Outcome
from uploadlab.metrics.figures import valid_figures
from uploadlab.statistics.intervals import Interval
from uploadlab.table_file import Row, Value

Direction = Literal["rises", "falls"]
Range = tuple[float, float]
LEAST_SHARE = 0.8
"""Of a sum: a block that has less of it tells nothing about the rest."""


@dataclass(frozen=True, kw_only=True)
class Judged:
    """What was found in one scenario: True as claimed, False the contrary, None not decided; and the number."""

    agrees: bool | None
    leans: bool
    """By the estimate alone."""
    number: Number


def lower(
    evidence: Evidence,
    metric: str,
    system: str,
    than: str,
    *,
    where: Where | None = None,
    by: Range = (0.0, 1.0),
    over: str = "",
    overall: bool = False,
) -> Outcome:
    """In every scenario the ratio of a metric of two systems lies below 1, or in the range ``by``.

    ``over`` takes the scenarios that differ in that factor alone together, by the sums of their figures; ``overall``
    all of them.
    """
    scenes = _scenes(evidence, where, over, metric, (system, than), everything=overall)
    return outcome_of([one for scene in scenes for one in _ratio_in(evidence, scene, metric, system, than, by)])


def best(evidence: Evidence, metric: str, system: str, *, where: Where | None = None) -> Outcome:
    """In every scenario the system beats each other one, in the direction that is better."""
    scenes = _scenes(evidence, where, "", metric, (system,))
    pairs = [(scene, other) for scene in scenes for other in scene.rows if other != system]
    return outcome_of([_beats(evidence, scene, metric, system, other) for scene, other in pairs])


def ordered(evidence: Evidence, metric: str, systems: Sequence[str], *, where: Where | None = None) -> Outcome:
    """In every scenario each system beats the next."""
    scenes = _scenes(evidence, where, "", metric, systems)
    return outcome_of([_beats(evidence, scene, metric, a, b) for scene in scenes for a, b in pairwise(systems)])


def equal(
    evidence: Evidence, metric: str, systems: Sequence[str], *, margin: float, where: Where | None = None
) -> Outcome:
    """In every scenario each pair of systems is within the margin (0.05: 5 %)."""
    within = (1 / (1 + margin), 1 + margin)
    pairs = product(_scenes(evidence, where, "", metric, systems), combinations(systems, 2))
    return outcome_of([one for scene, (a, b) in pairs for one in _ratio_in(evidence, scene, metric, a, b, within)])


def trend(
    evidence: Evidence,
    metric: str,
    systems: Sequence[str],
    direction: Direction,
    *,
    along: str,
    where: Where | None = None,
    levels: Sequence[Level] = (),
    by: float = 1.0,
) -> Outcome:
    """From the first level of a factor to the last a metric of each system rises or falls, by a factor at least."""
    wanted = (0.0, 1 / by) if direction == "falls" else (by, math.inf)
    found = [
        one
        for (first, last), system in product(_along(evidence, where, along, levels), systems)
        for one in change(evidence, metric, system, first, last, wanted)
    ]
    return outcome_of(found)


def gap_falls(
    evidence: Evidence,
    metric: str,
    system: str,
    than: str,
    *,
    along: str,
    where: Where | None = None,
    levels: Sequence[Level] = (),
) -> Outcome:
    """From the first level of a factor to the last the ratio of two systems falls."""
    found = []
    for first, last in _along(evidence, where, along, levels):
        before, after = (evidence.ratio(metric, (scene, system), (scene, than)) for scene in (first, last))
        if before is None or after is None:
            continue
        agrees = None
        if before.lo is not None and before.hi is not None and after.lo is not None and after.hi is not None:
            agrees = True if after.hi < before.lo else False if after.lo > before.hi else None
        change = after.estimate / before.estimate
        number = Number(of=evidence.name(last), value=change, sides=(after.estimate, before.estimate))
        found.append(Judged(agrees=agrees, leans=after.estimate < before.estimate, number=number))
    return outcome_of(found)


def within(
    evidence: Evidence, metric: str, systems: Sequence[str], range: Range, *, where: Where | None = None
) -> Outcome:
    """In every scenario a metric of each of the systems lies in a range."""
    found = [
        in_range(evidence.name(scene, system), value, range)
        for scene in evidence.where(where)
        for system in systems
        if (value := evidence.value(scene, system, metric)) is not None
    ]
    return outcome_of(found)


# One scenario


def _ratio_in(evidence: Evidence, scene: Scene, metric: str, system: str, than: str, wanted: Range) -> Iterator[Judged]:
    ratio = evidence.ratio(metric, (scene, system), (scene, than))
    if ratio is not None:
        a, b = (evidence.mean(scene, one, metric) for one in (system, than))
        yield judged(evidence, Number.ratio(evidence.name(scene, f"{system} / {than}"), ratio, a, b), ratio, wanted)


def change(evidence: Evidence, metric: str, system: str, first: Scene, last: Scene, wanted: Range) -> Iterator[Judged]:
    """Yield what became of a system's metric from one scenario to another, where both were measured."""
    ratio = evidence.ratio(metric, (last, system), (first, system))
    if ratio is not None:
        a, b = (evidence.mean(scene, system, metric) for scene in (last, first))
        yield judged(evidence, Number.ratio(evidence.name(last, system), ratio, a, b), ratio, wanted)


def _beats(evidence: Evidence, scene: Scene, metric: str, system: str, than: str) -> Judged:
    wanted = (0.0, 1.0) if evidence.declared.metric(metric).lower_is_better else (1.0, math.inf)
    absent = Judged(agrees=None, leans=False, number=Number(of=f"{than}, not measured", value=math.nan))
    return next(_ratio_in(evidence, scene, metric, system, than, wanted), absent)


def judged(evidence: Evidence, number: Number, ratio: Interval, wanted: Range) -> Judged:
    """Return whether a ratio is as claimed; to be equal is the contrary of better, and of a change."""
    agrees = inside(ratio, wanted)
    if 1.0 in wanted and is_equal(ratio, evidence.margin):
        agrees = False
    return Judged(agrees=agrees, leans=agrees is not False and wanted[0] < ratio.estimate < wanted[1], number=number)


def in_range(of: str, figure: Interval, wanted: Range) -> Judged:
    """Return whether all of a figure's interval lies in a range."""
    number = Number(of=of, value=figure.estimate, lo=figure.lo, hi=figure.hi)
    return Judged(agrees=inside(figure, wanted), leans=wanted[0] <= figure.estimate <= wanted[1], number=number)


def is_equal(ratio: Interval, margin: float) -> bool:
    """Return whether all of a ratio lies within the margin of 1; without a margin, as in print, whether it is 1."""
    return ratio.lo is not None and ratio.hi is not None and 1 / (1 + margin) <= ratio.lo and ratio.hi <= 1 + margin


def inside(interval: Interval, wanted: Range) -> bool | None:
    """Return whether all of an interval lies in a range, whether none of it does, or None."""
    if interval.lo is None or interval.hi is None:
        return None
    least, most = wanted
    touches_1 = interval.hi == most == 1.0 or interval.lo == least == 1.0  # may be equal
    if least <= interval.lo and interval.hi <= most and not touches_1:
        return True
    return False if interval.hi < least or interval.lo > most or interval.lo == interval.hi else None


# All scenarios


def outcome_of(found: Sequence[Judged]) -> Outcome:
    """Return the verdict over all that was judged."""
    if not found:
        return Outcome(verdict=NOT_MEASURED)
    contrary = [one for one in found if one.agrees is False]
    sure = sum(one.agrees is True for one in found)
    return Outcome(
        verdict=FAILS if contrary else HOLDS if sure == len(found) else UNDECIDED,
        figure=sum(one.leans for one in found),
        lo=sure,
        hi=len(found) - len(contrary),
        n=len(found),
        numbers=[one.number for one in sorted(found, key=lambda one: one.agrees is not False)],
    )


def _scenes(
    evidence: Evidence, where: Where | None, over: str, metric: str, systems: Sequence[str], *, everything: bool = False
) -> list[Scene]:
    """Return the scenarios of a claim that have its systems; those that differ in ``over`` alone summed up."""
    found = [
        scene
        for scene in evidence.where(where)
        if all(system in scene.rows for system in systems)
        and any(evidence.values(scene, system, metric) for system in scene.rows)
    ]
    if not found or (not over and not everything):
        return found
    groups = [found] if everything else _alike_but_for(over, found)
    return [_summed(evidence, scenes, metric, systems) for scenes in groups]


def _alike_but_for(factor: str, scenes: Iterable[Scene]) -> list[list[Scene]]:
    """Return scenarios in groups that have the same levels of all other factors."""
    groups: dict[tuple[tuple[str, Level], ...], list[Scene]] = {}
    for scene in scenes:
        others = tuple((name, level) for name, level in scene.levels.items() if name != factor)
        groups.setdefault(others, []).append(scene)
    return list(groups.values())


def _summed(evidence: Evidence, scenes: Sequence[Scene], metric: str, systems: Sequence[str]) -> Scene:
    """Return one scenario of the sums of a metric over scenarios, by block.

    A block that lacks some is scaled up by what share the others have of the mean sum (ratio estimator: Cochran,
    Sampling Techniques, 1977, chapter 6); it is left out where that is less than `LEAST_SHARE`.
    """
    column = evidence.column(metric)
    rows: dict[str, list[Row]] = {}
    for system in systems:
        means = [evidence.mean(scene, system, metric) or math.nan for scene in scenes]
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


def groups_along(
    evidence: Evidence, where: Where | None, along: str, levels: Sequence[Level] = ()
) -> list[list[Scene]]:
    """Return the scenarios along a factor, for each combination of all other levels."""
    scenes = (scene for scene in evidence.where(where) if scene.levels.get(along) is not None)
    return _alike_but_for(along, (scene for scene in scenes if not levels or scene.levels[along] in levels))


def _along(
    evidence: Evidence, where: Where | None, along: str, levels: Sequence[Level]
) -> Iterator[tuple[Scene, Scene]]:
    """Yield the first and the last scenario along a factor, for each combination of all other levels."""
    order = [str(level) for level in levels]
    for scenes in groups_along(evidence, where, along, levels):
        if len(scenes) > 1:
            ranked = sorted(scenes, key=lambda scene: _rank(scene.levels[along], order))
            yield ranked[0], ranked[-1]


def _rank(level: object, order: Sequence[str]) -> tuple[float, str]:
    if order:
        return float(order.index(str(level))), ""
    return (float(level), "") if isinstance(level, (int, float)) else (0.0, str(level))
