"""What a claim is tested on: scenarios with each system's figures, of runs or as a paper printed them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from uploadlab.claims.phrases import Said, Words
from uploadlab.metrics.figures import FIGURES, valid_figures
from uploadlab.metrics.rounds import without_rounds
from uploadlab.results.declarations import Declarations, printed_levels
from uploadlab.statistics.intervals import Interval, generator_for, interval_of_mean, interval_of_ratio
from uploadlab.table_file import Value, number
from uploadlab.tables.comparisons import Figures, Terms, figures_by_block

Row = Mapping[str, Value]
Level = int | str
Levels = Mapping[str, Any]
Where = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Scene:
    """One scenario, or several taken together: the rows of each system's valid runs."""

    levels: Levels
    rows: Mapping[str, Sequence[Row]]


@dataclass(frozen=True, kw_only=True)
class Ground:
    """What a claim is tested on: the scenarios with a valid run, or those that a paper printed numbers of."""

    scenes: Sequence[Scene]
    declared: Declarations
    names: Mapping[str, str]
    completed: Sequence[Row] = ()
    """Every run that was measured to its end, valid or not, with its figures over all its rounds."""
    facts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    printed: bool
    meant: Mapping[str, Sequence[Level]] = field(default_factory=dict)
    """The levels that a statement about all of a factor's means; those at hand where a factor is not named."""
    most_blocks: int | None = None
    """Where the campaign went on until it was sure, how many blocks of a scenario there could be; else None."""
    as_printed: frozenset[str] = frozenset()
    """Columns by a paper's own clock and arithmetic that were measured: like is put to like."""
    margin: float = 0.0
    """Systems whose ratio surely differs from 1 by less are equal: the profile's margin."""
    seed: int = 0

    def where(self, where: Where) -> list[Scene]:
        """Return the scenarios that ``where`` tells: of each factor this level, or one of these."""
        return [
            scene for scene in self.scenes if all(_is_one(scene.levels.get(name), of) for name, of in where.items())
        ]

    def at(self, along: str, level: Level, systems: Iterable[str] = ()) -> Scene | None:
        """Return the scenario of a factor's level that has all the systems, of several the one the paper puts first."""
        found = [
            scene
            for scene in self.scenes
            if scene.levels.get(along) == level and all(system in scene.rows for system in systems)
        ]
        return min(found, key=lambda scene: [self._rank(*one) for one in scene.levels.items()], default=None)

    def _rank(self, factor: str, level: Level) -> tuple[int, str]:
        printed = self.declared.factors.get(factor, {}).get("printed") or {}
        first = [
            name
            for letter in printed.get("else", ())
            for name, its in printed.get("levels", {}).items()
            if its == letter
        ]
        return first.index(str(level)) if level in first else len(first), str(level)

    def levels(self, along: str) -> tuple[Level, ...]:
        """Return the levels of a factor that a statement about all of them means."""
        return tuple(self.meant.get(along) or levels_of(self.scenes, along))

    def apart(self, scene: Scene) -> list[str]:
        """Return what sets a scenario apart: its levels of the factors in which the scenarios differ."""
        seen: dict[str, set[str]] = {}
        for name, level in ((name, level) for one in self.scenes for name, level in one.levels.items()):
            seen.setdefault(name, set()).add(str(level))
        return [str(level) for name, level in scene.levels.items() if level is not None and len(seen[name]) > 1]

    def column(self, metric: str) -> str:
        """Return the column of a metric, by its key or column: that of the paper's own clock where it was measured."""
        one = self.declared.metric(metric)
        return one.printed if one.printed in self.as_printed else one.column

    def name(self, system: str) -> str:
        """Return what a system is called."""
        return self.names.get(system, system)

    @cached_property
    def words(self) -> Words:
        """What sentences are made of, in the study's words."""
        return Words(self.declared)

    def metric(self, metric: str) -> Said:
        """Return what a metric is called: as the study names it, else as any study's, else its key."""
        one = self.declared.metric(self.column(metric))
        return self.words.measure(one.column, one.key)

    def say(self, phrase: str, **parts: object) -> Said:
        """Return a phrase with its places filled; `system`, `than`, `metric` and `other` by what they are called."""
        named = {key: self.name(of) for key in ("system", "than") if isinstance(of := parts.get(key), str)}
        measures = {key: self.metric(of) for key in ("metric", "other") if isinstance(of := parts.get(key), str)}
        return self.words.say(phrase, **{**parts, **named, **measures})

    def level(self, level: Level) -> Said:
        """Return what a level is called: as the study says it in ``[words.claims]``, else as it stands."""
        own = self.declared.words.get("claims") or {}
        return self.say(f"claim_{level}") if str(level) in own else self.words.text(level)

    def say_levels(self, levels: Sequence[Level], phrase: str = "claim_level{s}") -> Said:
        """Return "level 3", "levels 1, 2 and 3", or another phrase of one or several levels."""
        ordered: list[Level] = sorted(levels, key=in_order)
        return self.say(phrase.format(s="" if len(levels) == 1 else "s"), listed=self.words.join(ordered))

    def count(self, n: int) -> Said:
        """Return a number of levels: "3 levels"."""
        return self.say("claim_one_level") if n == 1 else self.say("claim_several_levels", n=n)

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


def ground_of_runs(
    runs: Sequence[Row],
    factors: Sequence[str],
    systems: Mapping[str, Mapping[str, Any]],
    printed: Ground,
    *,
    stacks: Mapping[str, str],
    terms: Terms,
    seed: int,
) -> Ground:
    """Return the valid runs of a campaign, those on the stack that is judged of a system named without it.

    What the study declares, and what a statement about all levels means, is as in the paper's numbers.
    """
    scenes: dict[tuple[Any, ...], dict[str, list[Row]]] = {}
    for run in runs:
        if run["valid"] is True:
            system, stack = str(run["system"]), _stack_of(run)
            key = system if stacks.get(system) == stack else f"{system}@{stack}"
            scenes.setdefault(tuple(run.get(name) for name in factors), {}).setdefault(key, []).append(run)
    return Ground(
        scenes=[Scene(levels=dict(zip(factors, levels, strict=True)), rows=rows) for levels, rows in scenes.items()],
        declared=printed.declared,
        names=printed.names,
        completed=[
            run
            for run in without_rounds(runs)
            if run.get("status") == "complete" and _stack_of(run) == stacks.get(str(run["system"]))
        ],
        facts={key.partition("@")[0]: of.get("facts") or {} for key, of in systems.items()},
        printed=False,
        meant={name: levels for name in factors if (levels := levels_of(printed.scenes, name))},
        as_printed=frozenset(
            one.printed for one in printed.declared.metrics.values() if valid_figures(runs, one.printed)
        ),
        most_blocks=terms.most_blocks,
        margin=terms.margin,
        seed=seed,
    )


def _stack_of(run: Row) -> str:
    return str(run["stack"] or "current")


def ground_of_printed(rows: Iterable[Mapping[str, str]], declared: Declarations, names: Mapping[str, str]) -> Ground:
    """Return a paper's printed numbers as ground: each row a scenario's, for one system or for all."""
    facts: dict[str, dict[str, Any]] = {}
    scenes: dict[tuple[Any, ...], Scene] = {}
    for row in rows:
        figures, system = _printed_figures(row, declared), row.get("system") or ""
        if system and (other := {name: text for name, text in row.items() if name != "system" and text}):
            facts.setdefault(system, {}).update(other)
        if figures and system:
            levels = {name: level_of(row[name], declared.factors[name]) for name in declared.factors if row.get(name)}
            scene = scenes.setdefault(tuple(sorted(levels.items())), Scene(levels=levels, rows={}))
            together = {**scene.rows.get(system, [{}])[0], **figures}
            scenes[tuple(sorted(levels.items()))] = Scene(levels=levels, rows={**scene.rows, system: [together]})
    return Ground(scenes=list(scenes.values()), declared=declared, names=names, facts=facts, printed=True)


def _printed_figures(row: Mapping[str, str], declared: Declarations) -> Row:
    """Return the figures of a printed row: metrics that the study declares, and columns of ``runs.csv``."""
    metrics = declared.metrics.values()
    named = [(name, metric.column) for metric in metrics for name in (metric.printed, metric.column, metric.key)]
    found: dict[str, Value] = {"valid": True}
    for name, column in [*zip(FIGURES, FIGURES, strict=True), *named]:
        if (figure := number(row.get(name))) is not None:
            found[column] = figure
    return found if len(found) > 1 else {}


def level_of(text: str, factor: Mapping[str, Any]) -> Level:
    """Return a printed level as ours is called."""
    text = next((name for name, letter in printed_levels(factor).items() if letter == text), text)
    return int(text) if text.lstrip("-").isdecimal() else text


def _is_one(level: object, of: object) -> bool:
    # A printed number that does not name a factor holds at every level of it.
    return level is None or str(level) in {str(one) for one in (of if isinstance(of, list) else [of])}


def in_order(level: Level) -> tuple[bool, Level]:
    """Return a sorting key of levels: numbers by their size, then texts."""
    return isinstance(level, str), level
