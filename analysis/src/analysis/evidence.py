"""What a claim is tested on: figures by sample and system, from a campaign's repeats or as a paper printed them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from analysis.comparisons import Figures, figures_by_block
from analysis.intervals import Interval, generator_for, interval_of_ratio
from analysis.published import DISKS, Published
from analysis.run_figures import valid_figures
from analysis.table_file import Value

Row = Mapping[str, Value]
PRINTED_COLUMNS = (
    "mean_ms", "sd_ms", "mad_ms", "cpu_pct", "cpu_sd", "error_pct", "wait_pct", "cv", "pswitch_per_s",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """Figures by (sample, disk), system and column: one value a repeat, or the one value that was printed."""

    figures: Mapping[tuple[int, str], Mapping[str, Mapping[str, Sequence[float]]]]
    """By (sample, kind of disk: ``S``, ``D`` or another name), then system, then column."""
    throughput: Mapping[tuple[int, str], Mapping[str, Sequence[Sequence[float]]]] = field(default_factory=dict)
    """By (sample, disk) and system: for each repeat the requests that ended in each second of its steady window."""
    samples: tuple[int, ...]
    """Every sample that a statement about all of them means."""
    printed: bool
    """Whether each value stands alone and is taken as exact."""
    runs: Mapping[tuple[int, str], Mapping[str, Sequence[Row]]] = field(default_factory=dict)
    """By (sample, disk) and system: the rows of the valid runs, which are compared within their blocks."""
    most_blocks: int | None = None
    """Where the campaign went on until it was sure, how many blocks of a scenario there could be; else None."""
    seed: int = 0

    @property
    def measured(self) -> tuple[int, ...]:
        """The samples with any figure."""
        return tuple(sample for sample in self.samples if any(key[0] == sample for key in self.figures))

    def scenario(self, sample: int, systems: Iterable[str] = ()) -> tuple[int, str] | None:
        """Return a sample's scenario that has all the systems: on SSD where there are several."""
        disks = sorted(
            (disk for known, disk in self.figures if known == sample),
            key=lambda disk: (disk != "S", disk != "D", disk),
        )
        for disk in disks:
            if all(system in self.figures[sample, disk] for system in systems):
                return sample, disk
        return None

    def values(self, scenario: tuple[int, str] | None, system: str, column: str) -> Sequence[float]:
        """Return a column's values over the valid repeats; none when not measured."""
        if scenario is None:
            return ()
        return self.figures.get(scenario, {}).get(system, {}).get(column, ())

    def mean(self, scenario: tuple[int, str] | None, system: str, column: str) -> float | None:
        """Return the mean of a column over the valid repeats."""
        values = self.values(scenario, system, column)
        return float(np.mean(values)) if len(values) else None

    def ratio(
        self,
        column: str,
        first: tuple[tuple[int, str] | None, str],
        second: tuple[tuple[int, str] | None, str],
    ) -> Interval | None:
        """Return the ratio of a column between two (scenario, system), with its interval; None if there is none."""
        a, b = self.values(*first, column), self.values(*second, column)
        if not len(a) or not len(b) or min(*a, *b) <= 0:
            return None
        if self.printed:
            ratio = a[0] / b[0]
            return Interval(estimate=ratio, lo=ratio, hi=ratio, method="printed")
        generator = generator_for(self.seed, f"{column} {first} {second}")
        rows_a, rows_b = (self.runs.get(key, {}).get(system, ()) for key, system in (first, second) if key)
        if rows_a and rows_b and (first[0] == second[0] or self.most_blocks is not None):
            apart = Interval(estimate=float(np.mean(a) / np.mean(b)), lo=None, hi=None, method="none")
            return Figures.of(rows_a, rows_b, column).interval(self.most_blocks, generator) or apart
        return interval_of_ratio(a, b, generator)

    def by_block(self, scenario: tuple[int, str], system: str, column: str) -> dict[int, float]:
        """Return a column's value in each block of a scenario that has a valid run of the system."""
        return figures_by_block(self.runs.get(scenario, {}).get(system, ()), column)


def campaign_evidence(
    runs: Sequence[Row],
    timeline: Sequence[Row],
    stack: str,
    samples: tuple[int, ...],
    seed: int,
    most_blocks: int | None = None,
) -> Evidence:
    """Return the evidence of a campaign's valid runs on one stack, its systems named without the stack."""
    figures: dict[tuple[int, str], dict[str, dict[str, list[float]]]] = {}
    throughput: dict[tuple[int, str], dict[str, list[list[float]]]] = {}
    rows: dict[tuple[int, str], dict[str, list[Row]]] = {}
    by_run: dict[tuple[str, str], list[Row]] = {}
    for row in timeline:
        by_run.setdefault((str(row["cell"]), str(row["repeat"])), []).append(row)
    for run in runs:
        sample = run.get("sample")
        if run["valid"] is not True or (run["stack"] or "current") != stack or not isinstance(sample, int):
            continue
        disk = str(run.get("disk", ""))
        key, system = (sample, DISKS.get(disk, disk)), str(run["system"])
        rows.setdefault(key, {}).setdefault(system, []).append(run)
        columns = figures.setdefault(key, {}).setdefault(system, {})
        for column in run:
            columns.setdefault(column, []).extend(valid_figures([run], column))
        seconds = by_run.get((str(run["cell"]), str(run["repeat"])), [])
        throughput.setdefault(key, {}).setdefault(system, []).append(steady_seconds(run, seconds))
    return Evidence(
        figures=figures,
        throughput=throughput,
        runs=rows,
        most_blocks=most_blocks,
        samples=samples or tuple(sorted({key[0] for key in figures})),
        printed=False,
        seed=seed,
    )


def printed_evidence(published: Published) -> Evidence:
    """Return the paper's printed numbers as evidence."""
    figures: dict[tuple[int, str], dict[str, dict[str, list[float]]]] = {}
    for system, rows in published.responses.items():
        for key in rows:
            columns = figures.setdefault(key, {}).setdefault(system, {})
            for column in PRINTED_COLUMNS:
                value = published.figure(key, system, column)
                if value is not None:
                    columns[column] = [value]
    return Evidence(figures=figures, samples=tuple(published.samples), printed=True)


def stacks_of(runs: Sequence[Row]) -> list[str]:
    """Return the stacks that occur in a campaign, ``current`` first."""
    return sorted({str(run["stack"] or "current") for run in runs}, key=lambda stack: (stack != "current", stack))


def steady_seconds(run: Row, timeline: Sequence[Row]) -> list[float]:
    """Return the measured requests that ended in each whole second of a run's steady window."""
    begin, end = run.get("steady_from_s"), run.get("steady_to_s")
    if not isinstance(begin, (int, float)) or not isinstance(end, (int, float)):
        return []
    seconds = [(int(str(row["second"])), float(str(row["requests"]))) for row in timeline]
    return [requests for second, requests in seconds if begin <= second and second + 1 <= end]
