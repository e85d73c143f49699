"""The summary of a campaign, from what its analysis found."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, cast

import msgspec

from uploadlab.analysis.analysis_files import Analysis
from uploadlab.report import details, warnings
from uploadlab.report.answer_table import AnswerTable
from uploadlab.report.scenarios import Scenario, scenarios_of
from uploadlab.report.sentence import answer
from uploadlab.report.summary import (
    Campaign,
    Cell,
    Claim,
    Comparison,
    Estimate,
    LeftOut,
    Metric,
    Summary,
    System,
    Verdict,
)
from uploadlab.results import metric_names
from uploadlab.results.campaign import checked_by, measured_once
from uploadlab.results.declarations import declarations
from uploadlab.table_file import Value, as_number
from uploadlab.tables.comparisons import system_key, terms_of

ALSO_SHOWN = ("memory_peak_mb", "memory_per_upload_kb")
ALSO_KEPT = ("p999_ms", "error_pct", "server_cpu_pct", "injector_cpu_pct", "steal_pct")
OF_WHOLE_RUN = ("memory_peak_mb", "memory_per_upload_kb")
Row = Mapping[str, Value]


def summarise(analysis: Analysis) -> Summary:
    """Return what a campaign found, computed from its rows in memory."""
    metrics = _metrics(analysis)
    scenarios = scenarios_of(analysis)
    summary = Summary(
        campaign=_campaign(analysis),
        answer="",
        systems=[
            System(id=key, name=analysis.campaign.system_name(key), description=str(of.get("description") or ""))
            for key, of in analysis.campaign.record["systems"].items()
            if any(system_key(cell) == key for cell in analysis.cells)
        ],
        metrics=metrics,
        cells=[_cell(row, scenarios, metrics) for row in analysis.cells],
        comparisons=list(_comparisons(analysis, scenarios, metrics)),
        claims=_claims(analysis),
        left_out=_left_out(analysis),
        grids=details.grids(analysis),
        curves=list(details.curves(analysis, scenarios)),
    )
    return msgspec.structs.replace(
        summary, answer=answer(AnswerTable(summary)), warnings=list(warnings.warnings(analysis, summary, scenarios))
    )


def _metrics(analysis: Analysis) -> list[Metric]:
    declared = declarations(analysis.campaign.record)
    by_column = {one.column: one for one in declared.metrics.values()}
    shown = [*dict.fromkeys((*by_column, *ALSO_SHOWN))]
    kept = [column for column in (*shown, *ALSO_KEPT) if any(cell.get(column) is not None for cell in analysis.cells)]
    return [
        Metric(
            id=column,
            name=metric_names.name_of(one := by_column.get(column) or declared.metric(column)),
            unit=metric_names.unit_of(one),
            lower_is_better=one.lower_is_better,
            decided=column in declared.questions,
            shown=column in (*declared.questions, *declared.matrix, *ALSO_SHOWN),
            of_whole_run=column in OF_WHOLE_RUN,
        )
        for column in dict.fromkeys(kept)
    ]


def _cell(row: Row, scenarios: Mapping[str, Scenario], metrics: Sequence[Metric]) -> Cell:
    scenario = scenarios[str(row["scenario"])]
    return Cell(
        scenario=scenario.key,
        row=scenario.row,
        size_bytes=scenario.size_bytes,
        load=scenario.load,
        system=system_key(row),
        values={
            metric.id: Estimate(value, as_number(row.get(f"{metric.id}_lo")), as_number(row.get(f"{metric.id}_hi")))
            for metric in metrics
            if (value := as_number(row.get(metric.id))) is not None
        },
        factors=scenario.factors,
        runs=int(cast(int, row["runs"])),
        valid_runs=int(cast(int, row["valid_runs"])),
    )


def _comparisons(
    analysis: Analysis, scenarios: Mapping[str, Scenario], metrics: Sequence[Metric]
) -> Iterator[Comparison]:
    decided = {metric.id for metric in metrics if metric.decided}
    for row in analysis.comparisons:
        scenario = scenarios[str(row["scenario"])]
        check = checked_by(analysis.campaign.record, scenario.factors)
        yield Comparison(
            scenario=scenario.key,
            row=scenario.row,
            size_bytes=scenario.size_bytes,
            load=scenario.load,
            metric=str(row["metric"]),
            system_a=str(row["system_a"]),
            system_b=str(row["system_b"]),
            **{name: as_number(row.get(name)) for name in ("a", "b", "ratio", "lo", "hi")},
            verdict=_verdict(row),
            decided=row["metric"] in decided and not check,
            more_repeats=cast(int | None, row.get("more_repeats")),
        )


def _verdict(row: Row) -> Verdict:
    if row["better"]:
        return "better" if row["better"] == row["system_a"] else "worse"
    return "equal" if str(row["verdict"]).startswith("equal") else "undecided"


def _claims(analysis: Analysis) -> list[Claim]:
    """Return what became of the claims; none where the campaign's loads decide none of them."""
    if not any(row["verdict"] != "undecided" for row in analysis.claims):
        return []
    return [
        Claim(
            id=str(row["claim"]),
            text=str(row["text"]),
            verdict=str(row["verdict"]),
            why=str(row["why"]),
            stack=str(row["stack"]),
            paper_verdict=str(row["paper_verdict"]),
            paper_why=str(row["paper_why"]),
        )
        for row in analysis.claims
    ]


def _left_out(analysis: Analysis) -> list[LeftOut]:
    """Name each invalid run with its reason, once, however many cells its levels are."""
    found: dict[tuple[Value, ...], LeftOut] = {}
    for row in analysis.invalid:
        run = LeftOut(run=f"{row['cell']}/{row['repeat']}", reason=str(row["reason"] or row["status"]))
        found.setdefault((row.get("order") or row["cell"], row["repeat"], row["reason"]), run)
    return list(found.values())


def _campaign(analysis: Analysis) -> Campaign:
    record = analysis.campaign.record
    declared = declarations(record)
    operation = str(declared.words.get("operation") or "request")
    repeats = [
        cast(int, cell["valid_runs"])
        for cell in analysis.cells
        if not measured_once(record, {name: cell.get(name) for name in analysis.campaign.factors})
    ]
    started = record.get("started_ns")
    return Campaign(
        name=analysis.campaign.folder.resolve().name,
        study=analysis.campaign.study,
        title=str(record["study"].get("title") or analysis.campaign.study),
        profile=str((record.get("profile") or {}).get("name") or ""),
        started=datetime.fromtimestamp(started / 1e9, UTC).strftime("%Y-%m-%d") if isinstance(started, int) else "",
        operation=operation,
        operations=str(declared.words.get("operations") or f"{operation}s"),
        planned_runs=len(record["runs"]),
        valid_runs=sum(run["valid"] is True for run in analysis.runs),
        invalid_runs=len(analysis.invalid),
        least_repeats=min(repeats, default=0),
        most_repeats=max(repeats, default=0),
        equal_margin_pct=100 * terms_of(record).margin,
        command=shlex.join(str(part) for part in record.get("command") or []),
        machine=dict(details.machine(record)),
        emulated=_mapping(record.get("rig")).get("emulated") is True,
    )


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
