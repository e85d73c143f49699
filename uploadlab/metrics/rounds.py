"""The rounds of a run: levels within it that replicate each other, as papers do that measure one system once.

Where a cell was run once its rounds are its replicates, by which it is averaged and compared; where it was run several
times its runs are, each with the figures of all its rounds.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import duckdb

from uploadlab.errors import LabError
from uploadlab.metrics.figures import gate_figures, request_figures
from uploadlab.raw.database import connected, only_row
from uploadlab.raw.operations import SUFFIX, read_operations, recorded_every
from uploadlab.raw.raw_files import recorded_file
from uploadlab.raw.request_text import literal_path
from uploadlab.results.campaign import Run
from uploadlab.statistics.distribution import Distribution
from uploadlab.table_file import Value

Row = dict[str, Value]
Rounds = Mapping[tuple[Value, Value], Sequence[Row]]
"""The figures of each round, by the cell and the repeat of its run."""
LEAST_ROUNDS = 2
ROUND = "round"
"""The status of a row that is a round's."""
OF_RUN = "run: "
"""Before the name of a figure that rounds have: the whole run's, in the row of a run whose rounds stand beside it."""


def rounds_factor(study: Mapping[str, Any]) -> str | None:
    """Return the name of the factor whose levels within a run replicate each other; None where there is none."""
    factors = study.get("factors") or {}
    return next((name for name, of in factors.items() if of.get("kind") == "rounds"), None)


def round_figures(run: Run, declared: Mapping[str, Any]) -> list[Row]:
    """Return the figures of each round of a run, its level first; none of a run that has but one.

    Raises LabError when the records cannot be read, or hold more rounds than the factor has levels.
    """
    factor = rounds_factor(declared)
    if factor is None or not run.conducted:
        return []
    count, levels = _rounds_recorded(run), declared["factors"][factor]["levels"]
    if count < LEAST_ROUNDS:
        return []
    if count > len(levels):
        raise LabError(f"{run.folder}: {count} rounds were recorded; the factor {factor} has {len(levels)} levels.")
    # What never happened in the run never happened in a round of it. What did is told of the run alone: the driver
    # looked at all its messages, of which few may be recorded.
    counted = gate_figures(run, declared)
    never: Row = {name: 0 for name, figure in counted.items() if figure == 0}
    found: list[Row] = []
    for number, level in enumerate(levels[:count]):
        counts, operations = read_operations(replace(run, within_run=number), declared)
        distribution = Distribution.of(counts.elapsed_ms, counts.count)
        known = {**request_figures(counts, distribution, recorded_every(run)), **operations}
        known = {name: value for name, value in known.items() if value is not None and name not in counted}
        found.append({factor: level, **never, **known})
    return found


def _rounds_recorded(run: Run) -> int:
    """Return the number of rounds in the records, by the highest; the files' own statistics tell it."""
    highest = 0
    with connected() as database:
        for path in sorted(run.folder.glob(f"*{SUFFIX}")):
            with literal_path(recorded_file(run, path.name)) as name:
                try:
                    last = only_row(database, "SELECT max(op) FROM read_parquet($1)", [name])[0]
                except duckdb.Error as error:
                    raise LabError(f"{path}: cannot be read: {str(error).splitlines()[0]}") from None
            highest = max(highest, int(last or 0))
    return highest + 1


def round_rows(runs: Sequence[Row], rounds: Rounds) -> list[Row]:
    """Return the rows of ``rounds.csv``: what a run is, and the figures of each of its rounds."""
    return [_identity(run) | figures for run in runs for figures in rounds.get((run["cell"], run["repeat"]), ())]


def round_columns(study: Mapping[str, Any], columns: Sequence[str], rows: Sequence[Row]) -> list[str]:
    """Return the columns of ``rounds.csv``: those of ``runs.csv`` that rounds have, and the round after the repeat."""
    factor, known = rounds_factor(study), {name for row in rows for name in row}
    found = [name for name in columns if name in known]
    place = found.index("repeat") + 1
    return [*found[:place], str(factor), *found[place:]]


def replicates(runs: Sequence[Row], rounds: Rounds) -> Sequence[Row]:
    """Return the rows that a cell is averaged over: its valid runs, and where there is but one, its rounds.

    What no round has, CPU time for one, stands in a row of the run; `without_rounds` returns its other figures too.
    """
    if not rounds:
        return runs
    runs_of = Counter(run["cell"] for run in runs)
    valid_of = Counter(run["cell"] for run in runs if run["valid"] is True)
    found: list[Row] = []
    for run in runs:
        of_run = rounds.get((run["cell"], run["repeat"]), ())
        if not of_run or (valid_of[run["cell"]] or runs_of[run["cell"]]) > 1:
            found.append(run)
            continue
        in_rounds = {name for figures in of_run for name in figures}
        found += [_identity(run) | figures | {"status": ROUND, "block": None} for figures in of_run]
        of_whole_run: Row = {f"{OF_RUN}{name}": value for name, value in run.items() if name in in_rounds}
        found.append({name: None if name in in_rounds else value for name, value in run.items()} | of_whole_run)
    return found


def without_rounds(rows: Sequence[Mapping[str, Value]]) -> list[Mapping[str, Value]]:
    """Return the rows of the runs among those of `replicates`, as they were before: each with all its figures."""
    return [
        {**row, **{name.removeprefix(OF_RUN): value for name, value in row.items() if name.startswith(OF_RUN)}}
        for row in rows
        if row.get("status") != ROUND
    ]


def _identity(run: Row) -> Row:
    """Return which run a row is of, and what became of it: what stands before its figures."""
    names = list(run)
    return {name: run[name] for name in names[: names.index("reason") + 1]}
