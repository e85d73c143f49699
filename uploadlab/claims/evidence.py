"""What a claim is decided on: scenarios with each system's figures, of runs or as a paper printed them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from uploadlab.metrics.figures import FIGURES, valid_figures
from uploadlab.metrics.rounds import without_rounds
from uploadlab.results.declarations import Declarations
from uploadlab.statistics.intervals import Interval, generator_for, interval_of_mean, interval_of_ratio
from uploadlab.table_file import Row, Value, number
from uploadlab.tables.comparisons import Figures, Terms, figures_by_block

Level = int | str
Where = Mapping[str, Any]
"""Levels of factors: of each factor one, or one of several."""


@dataclass(frozen=True, kw_only=True)
class Scene:
    """One scenario, or several taken together: the rows of each system's valid runs."""

    levels: Mapping[str, Any]
    rows: Mapping[str, Sequence[Row]]


@dataclass(frozen=True, kw_only=True)
class Conventions:
    """What a study's `claims.py` says of its paper, beside the claims."""

    first: Sequence[Level] = ()
    """Of several scenarios at a level, on two disks for one, that counts which has the first of these levels."""
    by_its_clock: Mapping[str, str] = field(default_factory=dict)
    """Our columns, and the column of the paper's own clock and arithmetic: like is put to like where that is there."""


AS_OURS = Conventions()


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """What a claim is decided on: the scenarios with a valid run, or those that a paper printed numbers of."""

    scenes: Sequence[Scene]
    declared: Declarations
    conventions: Conventions = AS_OURS
    completed: Sequence[Row] = ()
    """Every run that was measured to its end, valid or not, with its figures over all its rounds."""
    facts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    printed: bool = False
    meant: Mapping[str, Sequence[Level]] = field(default_factory=dict)
    """The levels that a statement about all of a factor's means; those at hand where a factor is not named."""
    most_blocks: int | None = None
    """Where the campaign went on until it was sure, how many blocks of a scenario there could be; else None."""
    margin: float = 0.0
    """Systems whose ratio surely differs from 1 by less are equal: the profile's margin."""
    server_cpu_limit_pct: float | None = None
    at_scale: bool = False
    """Whether the campaign is as large as the study's `published` or `corrected` profile."""
    seed: int = 0

    def where(self, where: Where | None) -> list[Scene]:
        """Return the scenarios that ``where`` tells: of each factor this level, or one of these."""
        return [
            scene
            for scene in self.scenes
            if all(_is_one(scene.levels.get(name), of) for name, of in (where or {}).items())
        ]

    def at(self, along: str, level: Level, systems: Iterable[str] = ()) -> Scene | None:
        """Return the scenario of a factor's level that has all the systems, of several the one the paper puts first."""
        found = [
            scene
            for scene in self.scenes
            if scene.levels.get(along) == level and all(system in scene.rows for system in systems)
        ]
        return min(found, key=lambda scene: [self._rank(of) for of in scene.levels.values()], default=None)

    def _rank(self, level: Level) -> tuple[int, str]:
        first = list(self.conventions.first)
        return first.index(level) if level in first else len(first), str(level)

    def levels(self, along: str) -> tuple[Level, ...]:
        """Return the levels of a factor that a statement about all of them means."""
        return tuple(self.meant.get(along) or levels_of(self.scenes, along))

    def name(self, scene: Scene, *before: str) -> str:
        """Return what sets a scenario apart: its levels of the factors in which the scenarios differ."""
        differ = [name for name in scene.levels if len({str(one.levels.get(name)) for one in self.scenes}) > 1]
        return ", ".join([*before, *(str(scene.levels[name]) for name in differ if scene.levels[name] is not None)])

    def column(self, metric: str) -> str:
        """Return the column of a metric, by its key or column: that of the paper's own clock where it was measured."""
        column = self.declared.metric(metric).column
        theirs = self.conventions.by_its_clock.get(column)
        return theirs if theirs and self._has(theirs) else column

    def _has(self, column: str) -> bool:
        return any(valid_figures(rows, column) for scene in self.scenes for rows in scene.rows.values())

    def values(self, scene: Scene | None, system: str, metric: str) -> list[float]:
        """Return a metric over the valid repeats of a system; none where it was not measured."""
        return valid_figures(scene.rows.get(system, ()), self.column(metric)) if scene else []

    def mean(self, scene: Scene | None, system: str, metric: str) -> float | None:
        """Return the mean of a metric over the valid repeats."""
        values = self.values(scene, system, metric)
        return float(np.mean(values)) if values else None

    def value(self, scene: Scene, system: str, metric: str) -> Interval | None:
        """Return a metric's mean over the repeats with its interval; None where it was not measured."""
        values = self.values(scene, system, metric)
        if self.printed:
            return Interval(estimate=values[0], lo=values[0], hi=values[0], method="printed") if values else None
        return interval_of_mean(values, generator_for(self.seed, f"{scene.levels} {system} {self.column(metric)}"))

    def ratio(self, metric: str, first: tuple[Scene | None, str], second: tuple[Scene | None, str]) -> Interval | None:
        """Return the ratio of a metric between two (scenario, system); within blocks where they share them."""
        values = [self.values(scene, system, metric) for scene, system in (first, second)]
        if not all(values) or min(map(min, values)) <= 0 or not first[0] or not second[0]:
            return None
        estimate = float(np.mean(values[0]) / np.mean(values[1]))
        if self.printed:
            return Interval(estimate=estimate, lo=estimate, hi=estimate, method="printed")
        column = self.column(metric)
        key = " ".join(str((tuple(scene.levels.values()), system)) for scene, system in (first, second) if scene)
        generator = generator_for(self.seed, f"{column} {key}")
        figures = Figures.of(first[0].rows[first[1]], second[0].rows[second[1]], column, self._elsewhere(first, second))
        if first[0] is second[0] or self.most_blocks is not None:
            found = figures.interval(self.most_blocks, generator)
        else:
            found = interval_of_ratio(figures.a, figures.b, generator)
        return found or Interval(estimate=estimate, lo=None, hi=None, method="none")

    def _elsewhere(
        self, first: tuple[Scene | None, str], second: tuple[Scene | None, str]
    ) -> list[tuple[Sequence[Row], Sequence[Row]]]:
        """Return the rows of the same two systems in all other scenarios, where these can tell of their scatter."""
        here = first[0]
        if self.most_blocks is None or here is not second[0] or not any(here is scene for scene in self.scenes):
            return []
        a, b = first[1], second[1]
        others = [scene.rows for scene in self.scenes if scene is not here]
        return [(rows[a], rows[b]) for rows in others if a in rows and b in rows]

    def by_block(self, scene: Scene, system: str, metric: str) -> dict[int, float]:
        """Return a metric in each block of a scenario that has a valid run of the system."""
        return figures_by_block(scene.rows.get(system, ()), self.column(metric))


def levels_of(scenes: Iterable[Scene], along: str) -> tuple[Level, ...]:
    """Return the levels of a factor that scenarios have, numbers by their size."""
    return tuple(sorted({scene.levels[along] for scene in scenes if along in scene.levels}, key=in_order))


def in_order(level: Level) -> tuple[bool, Level]:
    """Return a sorting key of levels: numbers by their size, then texts."""
    return isinstance(level, str), level


def _is_one(level: object, of: object) -> bool:
    # A printed number that does not name a factor holds at every level of it.
    return level is None or str(level) in {str(one) for one in (of if isinstance(of, list | tuple) else [of])}


def evidence_of_runs(
    runs: Sequence[Row],
    factors: Sequence[str],
    printed: Evidence,
    *,
    stacks: Mapping[str, str],
    terms: Terms,
    seed: int,
) -> Evidence:
    """Return the valid runs of a campaign, those on the stack that is judged of a system named without it.

    What the study declares, and what a statement about all levels means, is as in the paper's numbers.
    """
    scenes: dict[tuple[Any, ...], dict[str, list[Row]]] = {}
    for run in runs:
        if run["valid"] is True:
            system, stack = str(run["system"]), stack_of(run)
            key = system if stacks.get(system) == stack else f"{system}@{stack}"
            scenes.setdefault(tuple(run.get(name) for name in factors), {}).setdefault(key, []).append(run)
    return Evidence(
        scenes=[Scene(levels=dict(zip(factors, levels, strict=True)), rows=rows) for levels, rows in scenes.items()],
        declared=printed.declared,
        conventions=printed.conventions,
        completed=[
            run
            for run in without_rounds(runs)
            if run.get("status") == "complete" and stack_of(run) == stacks.get(str(run["system"]))
        ],
        meant={name: levels for name in factors if (levels := levels_of(printed.scenes, name))},
        most_blocks=terms.most_blocks,
        margin=terms.margin,
        seed=seed,
    )


def stack_of(run: Row) -> str:
    """Return the stack that a run was on."""
    return str(run["stack"] or "current")


def evidence_of_printed(
    rows: Iterable[Mapping[str, str]], declared: Declarations, conventions: Conventions = AS_OURS
) -> Evidence:
    """Return a paper's printed numbers as evidence: each row a scenario's, for one system or for all."""
    facts: dict[str, dict[str, Any]] = {}
    scenes: dict[tuple[Any, ...], Scene] = {}
    for row in rows:
        figures, system = _printed_figures(row, declared), row.get("system") or ""
        if system and (other := {name: text for name, text in row.items() if name != "system" and text}):
            facts.setdefault(system, {}).update(other)
        if figures and system:
            levels = {name: level_of(row[name]) for name in declared.factors if row.get(name)}
            scene = scenes.setdefault(tuple(sorted(levels.items())), Scene(levels=levels, rows={}))
            together = {**scene.rows.get(system, [{}])[0], **figures}
            scenes[tuple(sorted(levels.items()))] = Scene(levels=levels, rows={**scene.rows, system: [together]})
    found = list(scenes.values())
    return Evidence(scenes=found, declared=declared, conventions=conventions, facts=facts, printed=True)


def _printed_figures(row: Mapping[str, str], declared: Declarations) -> Row:
    """Return the figures of a printed row: metrics that the study declares, and columns of ``runs.csv``."""
    named = [(name, metric.column) for metric in declared.metrics.values() for name in (metric.column, metric.key)]
    found: dict[str, Value] = {"valid": True}
    for name, column in [*zip(FIGURES, FIGURES, strict=True), *named]:
        if (figure := number(row.get(name))) is not None:
            found[column] = figure
    return found if len(found) > 1 else {}


def level_of(text: str) -> Level:
    """Return a printed level: a number as such."""
    return int(text) if text.lstrip("-").isdecimal() else text
