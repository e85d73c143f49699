"""The answer as a table: which values stand in it, in which rows, and who is better in each."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from uploadlab.records import SATURATED
from uploadlab.report.summary import Metric, Rank, Summary, System
from uploadlab.results.windows import HALF_PCT
from uploadlab.tables.answer import Cell, Comparison, Estimate, Load

MEANS = "Values are means over runs, ratios geometric means over blocks: a slow run moves a value more."
FAR = 1.1
"""How many times the ratio of two values may be the one that stands beside them, or the reverse, without a word."""


@dataclass(frozen=True)
class Measure:
    """A metric at the load at which it is shown."""

    metric: Metric
    load: Load

    @property
    def title(self) -> str:
        """What it is called, with its unit and its load."""
        return self.metric.title(self.load)


@dataclass(frozen=True)
class AnswerTable:
    """A campaign's answer, by row and measure."""

    summary: Summary

    @cached_property
    def systems(self) -> list[System]:
        """What competes: all but the floors."""
        return [system for system in self.summary.systems if not system.floor]

    @cached_property
    def measures(self) -> list[Measure]:
        """The metrics in their order, each at the load at which it was decided, else half load, else saturated."""
        found = [(metric, self._load_of(metric)) for metric in self.summary.metrics if metric.shown]
        return [Measure(metric, loads[0]) for metric, loads in found if loads]

    def _load_of(self, metric: Metric) -> list[Load]:
        cells = [cell.load for cell in self.summary.cells if metric.id in cell.values]
        compared = [one for one in self.summary.comparisons if one.metric == metric.id]
        decided = [one.load for one in compared if one.decided]
        loads = decided or [one.load for one in compared if one.load in cells] or cells
        return sorted(set(loads), key=lambda load: (load != HALF_PCT, load != SATURATED, str(load)))[:1]

    @cached_property
    def rows(self) -> list[str]:
        """The rows, by the size of their files where they have one, else in the order of the cells."""
        sizes = {cell.row: cell.size_bytes or 0.0 for cell in self.summary.cells}
        return sorted(sizes, key=lambda row: sizes[row])

    @cached_property
    def sized(self) -> bool:
        """Whether each row is of one size of its own, so that they have an order."""
        sizes = {(cell.row, cell.size_bytes) for cell in self.summary.cells}
        return len({size for _, size in sizes}) == len(self.rows) and all(size is not None for _, size in sizes)

    @cached_property
    def loads(self) -> list[Load]:
        """Every load, shares first by their size."""
        loads = {cell.load for cell in self.summary.cells}
        return sorted(loads, key=lambda load: (not isinstance(load, int), load if isinstance(load, int) else str(load)))

    def cell(self, row: str, load: Load, system: str) -> Cell | None:
        """Return a cell, if it was measured."""
        return self._cells.get((row, load, system))

    @cached_property
    def _cells(self) -> dict[tuple[str, Load, str], Cell]:
        return {(cell.row, cell.load, cell.system): cell for cell in self.summary.cells}

    def value(self, row: str, measure: Measure, system: str) -> Estimate | None:
        """Return a system's value, if it was measured; in a judgement the one that is compared."""
        if self.summary.campaign.judged_against:
            for one in self.comparisons(row, measure):
                compared = one.a if system == one.system_a else one.b
                return None if compared is None else Estimate(value=compared)
        cell = self.cell(row, measure.load, system)
        return cell.values.get(measure.metric.id) if cell else None

    def comparisons(self, row: str, measure: Measure) -> list[Comparison]:
        """Return the comparisons of every two systems."""
        return [
            one
            for one in self.summary.comparisons
            if (one.row, one.metric, one.load) == (row, measure.metric.id, measure.load)
        ]

    @property
    def means_apart(self) -> bool:
        """Whether a ratio that is shown is far from that of the two values that it stands beside."""
        measures = [one for one in self.measures if one.metric.decided] or self.measures
        shown = [one for row in self.rows for measure in measures for one in self.comparisons(row, measure)]
        return any(one.a and one.b and one.ratio and not 1 / FAR < one.a / one.b / one.ratio < FAR for one in shown)

    def ranks(self, row: str, measure: Measure) -> list[Rank]:
        """Return where each system stands, the best first; those that share places by their value."""
        sign = 1 if measure.metric.lower_is_better else -1

        def standing(rank: Rank) -> tuple[int, int, float]:
            found = self.value(row, measure, rank.system)
            return rank.best, rank.worst, sign * (found.value if found else 0.0)

        return sorted(self._ranks.get((row, measure.load, measure.metric.id), ()), key=standing)

    @cached_property
    def _ranks(self) -> dict[tuple[str, Load, str], list[Rank]]:
        found: dict[tuple[str, Load, str], list[Rank]] = {}
        for rank in self.summary.ranks:
            found.setdefault((rank.row, rank.load, rank.metric), []).append(rank)
        return found

    def name(self, system: str) -> str:
        """Return what a system is called."""
        return self._names.get(system, system)

    @cached_property
    def _names(self) -> dict[str, str]:
        return {system.id: system.name for system in self.summary.systems}

    def names(self, systems: Sequence[str]) -> str:
        """Join the names of systems: A, B and C."""
        *first, last = [self.name(system) for system in systems]
        return f"{', '.join(first)} and {last}" if first else last
