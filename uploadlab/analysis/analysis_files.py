"""A campaign's raw runs to ``analysis/*.csv``: everything derived, recomputed from raw."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from uploadlab.analysis.answer import answer_of
from uploadlab.analysis.scenarios import scenarios_of
from uploadlab.claims.judge import CLAIM_COLUMNS, ROUNDS_COLUMNS, claim_rows
from uploadlab.errors import LabError
from uploadlab.metrics.cache import analyse_run_once
from uploadlab.metrics.figures import FIGURES
from uploadlab.metrics.groups import GROUP_COLUMNS, group_rows
from uploadlab.metrics.result import RunResult
from uploadlab.metrics.rounds import Rounds, replicates, round_columns, round_rows
from uploadlab.metrics.series import PERCENTILE_COLUMNS, TIMELINE_COLUMNS, percentile_rows
from uploadlab.metrics.variance import VARIANCE_COLUMNS, variance_row
from uploadlab.raw.operations import INTERVAL_FIGURES, OPERATION_FIGURES, ROLE_FIGURES
from uploadlab.records import key_of
from uploadlab.requirements import Outcome, Requirement, judge
from uploadlab.results.campaign import Campaign, DamagedRun, Run, checked_by, read_campaign, server_cpu_factor
from uploadlab.results.declarations import declarations
from uploadlab.statistics.distribution import Distribution
from uploadlab.table_file import Value, header_of, write_table
from uploadlab.tables.answer import Answer, Scenario
from uploadlab.tables.cells import cell_columns, cell_row, run_columns, run_row
from uploadlab.tables.comparisons import comparison_columns, comparison_rows
from uploadlab.tables.generator import GENERATOR_COLUMNS, beside_cell, generator_table
from uploadlab.tables.hdr_files import write_hdr
from uploadlab.tables.indicators import INDICATOR_COLUMNS, indicator_rows
from uploadlab.tables.load_curves import CURVE_COLUMNS, LIMIT_COLUMNS, load_curves
from uploadlab.tables.parquet_file import column_types, write_parquet
from uploadlab.tables.ranks import rank_columns, rank_rows
from uploadlab.tables.server_shares import ORDER_COLUMNS, SHARE_COLUMNS, order_rows, share_rows
from uploadlab.tables.study_tables import Measured, StudyTable, study_tables

Row = dict[str, Value]


@dataclass(frozen=True, kw_only=True)
class Analysis:
    """What was found in a campaign."""

    campaign: Campaign
    runs: Sequence[Row]
    """Rows of ``runs.csv``."""
    cells: Sequence[Row]
    comparisons: Sequence[Row]
    ranks: Sequence[Row]
    """Rows of ``ranks.csv``; none of fewer than three systems."""
    claims: Sequence[Mapping[str, Value]]
    scenarios: Mapping[str, Scenario]
    """By their key."""
    answer: Answer
    requirements: Sequence[Outcome]
    """What became of those that were asked."""
    share_orders: Sequence[Row]
    """Rows of ``share_orders.csv``; none where the server's share of its cores is no factor."""
    groups: Sequence[Row]
    """Cells whose runs fall into two groups."""
    indicators: Sequence[Row]
    load_limits: Sequence[Row]
    tables: Mapping[str, StudyTable]
    """Those of the study's paper, ours beside it, by name."""
    results: Sequence[RunResult]
    """Of each complete run, with its distribution and its seconds."""
    damaged: Sequence[DamagedRun]
    problems: Sequence[str]
    """One sentence for each recorder's file that cannot be used, in runs that otherwise count."""

    @property
    def invalid(self) -> Sequence[Row]:
        """Rows of the runs that are not valid."""
        return [run for run in self.runs if run["valid"] is not True]


def write_analysis(folder: Path, requirements: Sequence[Requirement] = ()) -> Analysis:
    """Recompute every table of a campaign from its raw files and write them below ``analysis/``.

    Raises LabError when the folder is not a results folder or no run in it can be used, or it has nothing of what a
    requirement names.
    """
    campaign = read_campaign(folder)
    results, damaged, runs = _analysed(campaign)
    if not results and not any(not run.complete for run in campaign.runs):
        raise LabError(_nothing_usable(campaign, damaged))
    rounds = _rounds(results)
    replicated = replicates(runs, rounds)
    seed = seed_of(campaign)
    of_generator, _ = _analyse(campaign, campaign.baseline)
    generator_columns, generator = generator_table(campaign, of_generator)
    cells = [cell_row(campaign, list(rows), seed) for _, rows in groupby(replicated, key=lambda row: str(row["cell"]))]
    cells = [cell | beside_cell(campaign, cell, generator) for cell in cells]
    comparisons = list(comparison_rows(campaign, replicated, seed))
    target = folder / "analysis"
    write_table(target / "runs.csv", run_columns(campaign), runs)
    if rounds:
        rows = round_rows(runs, rounds)
        write_table(target / "rounds.csv", round_columns(campaign.record["study"], run_columns(campaign), rows), rows)
    write_table(target / "cells.csv", [*cell_columns(campaign), *GENERATOR_COLUMNS], cells)
    write_table(target / "generator.csv", generator_columns, generator)
    write_table(target / "comparisons.csv", comparison_columns(campaign), comparisons)
    ranks = list(rank_rows(campaign, replicated))
    if ranks:
        write_table(target / "ranks.csv", rank_columns(campaign), ranks)
    groups = list(group_rows(runs))
    write_table(target / "groups.csv", GROUP_COLUMNS, groups)
    share_orders = list(order_rows(campaign, comparisons))
    if server_cpu_factor(campaign.record):
        write_table(target / "server_shares.csv", SHARE_COLUMNS, share_rows(campaign, replicated, seed))
        write_table(target / "share_orders.csv", ORDER_COLUMNS, share_orders)
    points, limits = load_curves(campaign, runs, seed)
    write_table(target / "load_curves.csv", CURVE_COLUMNS, points)
    write_table(target / "load_limits.csv", LIMIT_COLUMNS, limits)
    _write_series(target, results)
    _write_histograms(target / "hdr", results)
    tables = study_tables(Measured(campaign=campaign, runs=runs, replicates=replicated))
    for name, table in tables.items():
        write_table(target / "tables" / f"{name}.csv", table.columns, table.rows)
    timeline = [row for result in results for row in result.timeline]
    claims = claim_rows(campaign, replicated, seed)
    on_rounds = [name for name in ROUNDS_COLUMNS if any(name in claim for claim in claims)]
    write_table(target / "claims.csv", [*CLAIM_COLUMNS, *on_rounds], claims)
    limited = campaign.server_cpu_limit_pct is not None
    answering = [run for run in runs if not checked_by(campaign.record, run)]  # two load generators are never pooled
    indicators = list(indicator_rows(answering, timeline, cpu_limited=limited))
    write_table(target / "indicators.csv", INDICATOR_COLUMNS, indicators)
    for name in ("runs", "timeline"):
        path = target / f"{name}.csv"
        write_parquet(path, column_types(header_of(path), campaign.whole_factors, campaign.factors))
    scenarios = scenarios_of(campaign, runs, tables)
    answer = answer_of(campaign, scenarios, runs, cells, comparisons)
    return Analysis(
        campaign=campaign,
        runs=runs,
        cells=cells,
        comparisons=comparisons,
        ranks=ranks,
        claims=claims,
        scenarios=scenarios,
        answer=answer,
        requirements=judge(requirements, answer.cells),
        share_orders=share_orders,
        groups=groups,
        indicators=indicators,
        load_limits=limits,
        tables=tables,
        results=results,
        damaged=damaged,
        problems=[
            *(_metrics_without_a_column(campaign, runs) if results else ()),
            *(f"{one.run.cell}/{one.run.repeat}: {problem}" for one in results for problem in one.problems),
        ],
    )


def claims_of(folder: Path) -> tuple[str, list[Row]]:
    """Return the id of a campaign's study and what became of its claims, analysing only runs that are new."""
    campaign = read_campaign(folder)
    results, _, runs = _analysed(campaign)
    return campaign.study, claim_rows(campaign, replicates(runs, _rounds(results)), seed_of(campaign))


def run_rows_of(campaign: Campaign) -> list[Row]:
    """Return the rows of ``runs.csv`` as far as the runs are made, analysing those that are new."""
    *_, runs = _analysed(campaign)
    return runs


def _analysed(campaign: Campaign) -> tuple[list[RunResult], list[DamagedRun], list[Row]]:
    """Return the complete runs analysed, those that cannot be used, and the rows of all."""
    results, damaged = _analyse(campaign, campaign.runs)
    damaged = [*campaign.damaged, *damaged]
    return results, damaged, _run_rows(campaign, results, damaged)


def _rounds(results: Iterable[RunResult]) -> Rounds:
    return {(result.run.cell, result.run.repeat): result.rounds for result in results if result.rounds}


def _analyse(campaign: Campaign, runs: Iterable[Run]) -> tuple[list[RunResult], list[DamagedRun]]:
    results: list[RunResult] = []
    damaged: list[DamagedRun] = []
    study = {**campaign.record["study"], "operation": declarations(campaign.record).operation}
    for run in runs:
        if run.complete:
            try:
                results.append(analyse_run_once(run, campaign.folder / "analysis" / "cache", study))
            except LabError as error:
                damaged.append(DamagedRun(cell=run.cell, repeat=run.repeat, sentence=str(error)))
    return results, damaged


def _metrics_without_a_column(campaign: Campaign, runs: Sequence[Row]) -> Iterator[str]:
    """Yield a sentence for each of the study's metrics that is a figure of no run, and could be of none."""
    study = campaign.record.get("study") or {}
    if not study.get("metrics"):
        return
    intervals = study.get("intervals") or {}
    of_intervals = {f"{name}_{figure}" for name in intervals for figure in INTERVAL_FIGURES}
    of_roles = {f"{name}_{figure}" for name in study.get("roles") or {} for figure in ROLE_FIGURES}
    there = {*FIGURES, *OPERATION_FIGURES, *of_intervals, *of_roles}.union(*runs)
    for metric in declarations(campaign.record).metrics.values():
        if metric.column not in there:
            yield f"[metrics.{metric.key}] of study.toml names the column '{metric.column}', which no run has."


def _nothing_usable(campaign: Campaign, damaged: Sequence[DamagedRun]) -> str:
    if damaged:
        more = f" ({len(damaged)} runs are damaged; this is the first)" if len(damaged) > 1 else ""
        return f"{campaign.folder} holds no run that can be used: {damaged[0].sentence.removesuffix('.')}{more}."
    return f"{campaign.folder} holds no complete run; finish it with ./lab run --resume {campaign.folder}."


def _run_rows(campaign: Campaign, results: Iterable[RunResult], damaged: Iterable[DamagedRun]) -> list[Row]:
    rows = [run_row(result.run, result.figures, result.problems) for result in results]
    rows += [run_row(run, {}) for run in campaign.runs if not run.complete]
    known = {(run.cell, run.repeat): run for run in campaign.runs}
    for broken in damaged:
        run = known.get((broken.cell, broken.repeat)) or _planned(campaign, broken)
        identity = run_row(run, {}) if isinstance(run, Run) else dict(run)
        rows.append(identity | {"status": "damaged", "valid": False, "reason": broken.sentence})
    return sorted(rows, key=lambda row: (str(row["scenario"]), str(row["cell"]), str(row["repeat"])))


def _planned(campaign: Campaign, broken: DamagedRun) -> Mapping[str, Value]:
    """Return what the plan knows of a run whose own record cannot be read."""
    row: Row = {"cell": broken.cell, "repeat": broken.repeat, "scenario": broken.cell, "system": "", "stack": ""}
    for entry in campaign.record["runs"]:
        if entry["cell"] == broken.cell:
            system = str(entry.get("system", ""))
            stack = str(entry.get("stack") or "current")
            scenario = broken.cell.removesuffix(f"-{key_of(system, stack)}")
            row |= {"system": system, "stack": stack, "scenario": scenario}
            row |= dict(entry.get("factors", {}))
            if entry["repeat"] == broken.repeat:
                row |= {"block": entry.get("block"), "order": entry.get("order")}
    return row


def _write_series(target: Path, results: Sequence[RunResult]) -> None:
    write_table(target / "percentiles.csv", PERCENTILE_COLUMNS, _all_percentiles(results))
    write_table(target / "timeline.csv", TIMELINE_COLUMNS, (row for result in results for row in result.timeline))
    write_table(
        target / "variance.csv",
        VARIANCE_COLUMNS,
        (variance_row(cell, [result.within for result in valid]) for cell, valid in _valid_cells(results)),
    )


def _write_histograms(target: Path, results: Sequence[RunResult]) -> None:
    for result in results:
        start_ns, end_ns = result.run.window_ns
        path = target / f"{result.run.cell}-{result.run.repeat}.hlog"
        write_hdr(path, result.distribution, start_ns=start_ns, end_ns=end_ns)


def _valid_cells(results: Sequence[RunResult]) -> Iterator[tuple[str, list[RunResult]]]:
    for cell, group in groupby(results, key=lambda result: result.run.cell):
        yield cell, [result for result in group if result.run.valid]


def _all_percentiles(results: Sequence[RunResult]) -> Iterator[Row]:
    for result in results:
        yield from percentile_rows(result.run.cell, result.run.repeat, result.distribution)
    for cell, valid in _valid_cells(results):
        yield from percentile_rows(cell, "all", Distribution.together(result.distribution for result in valid))


def seed_of(campaign: Campaign) -> int:
    """Return the campaign's seed, from which every resampling starts."""
    seed = campaign.record.get("seed")
    return seed if isinstance(seed, int) and seed >= 0 else 0
