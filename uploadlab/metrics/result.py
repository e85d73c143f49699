"""One run, analysed: what the campaign's tables need of it once its raw files are closed again."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from uploadlab.metrics.figures import nmon_problem, read_recordings, run_figures
from uploadlab.metrics.rounds import round_figures
from uploadlab.metrics.series import timeline_rows
from uploadlab.metrics.slow_requests import Met, met_in_run
from uploadlab.metrics.variance import WithinRun, within_run
from uploadlab.results.campaign import Run
from uploadlab.statistics.distribution import Distribution
from uploadlab.table_file import Value

Rows = list[dict[str, Value]]


@dataclass(frozen=True, kw_only=True)
class RunResult:
    """The figures, series and distribution of one complete run."""

    run: Run
    figures: Mapping[str, Value]
    distribution: Distribution
    timeline: Rows
    within: WithinRun
    problems: tuple[str, ...]
    """One sentence for each recorder whose file cannot be used, or does not tell what it should."""
    rounds: Rows
    """The figures of each round, where the run has several that replicate each other."""
    met: tuple[Met, Met] | None
    """What its slowest requests met, and what all did; None of operations that parts record."""


def analyse_run(run: Run, declared: Mapping[str, Any]) -> RunResult:
    """Read and analyse one complete run; ``declared`` are the tables of its study.

    Raises LabError when its request file cannot be used.
    """
    recordings = read_recordings(run, declared)
    requests = recordings.requests
    distribution = Distribution.of(requests.elapsed_ms, requests.count)
    figures = run_figures(run, recordings, distribution)
    unknown = nmon_problem(run, recordings.snapshots, figures)
    return RunResult(
        run=run,
        figures=figures,
        distribution=distribution,
        timeline=timeline_rows(run, recordings),
        within=within_run(requests, distribution),
        problems=(*recordings.problems, *([unknown] if unknown else [])),
        rounds=round_figures(run, declared),
        met=None if run.conducted else met_in_run(run, declared, recordings),
    )
