"""The summary of a campaign, from what its analysis found."""

import shlex
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from msgspec.structs import replace

from uploadlab.analysis import details, warnings
from uploadlab.analysis.analysis_files import Analysis
from uploadlab.analysis.explanation import explanation
from uploadlab.claims import FAILS, HOLDS
from uploadlab.paths import REPOSITORY
from uploadlab.records import SATURATED
from uploadlab.report.answer_table import AnswerTable
from uploadlab.report.sentence import answer
from uploadlab.report.summary import Campaign, Claim, LeftOut, Metric, Rank, Requirement, Summary, System
from uploadlab.results.declarations import SHOWN_METRICS, declarations
from uploadlab.results.windows import asks_at_loads
from uploadlab.table_file import Value, as_number
from uploadlab.tables.comparisons import system_key, terms_of

OF_WHOLE_RUN = ("memory_peak_mb", "memory_per_upload_kb")


def summarise(analysis: Analysis) -> Summary:
    """Return what a campaign found, computed from its rows in memory."""
    record = analysis.campaign.record
    not_competing = {*analysis.campaign.floors, record.get("noise")}
    declared = declarations(record)
    summary = Summary(
        campaign=_campaign(analysis),
        answer="",
        systems=[
            System(
                id=key,
                name=analysis.campaign.system_name(key),
                description=str(of.get("description") or ""),
                floor=key in not_competing,
                versions={name: str(version) for name, version in _mapping(of.get("versions")).items()},
                facts={name: one for name, one in _mapping(of.get("facts")).items() if isinstance(one, str | int)},
            )
            for key, of in record["systems"].items()
            if any(system_key(cell) == key for cell in analysis.cells)
        ],
        metrics=_metrics(analysis),
        cells=[
            replace(cell, values={n: of for n, of in cell.values.items() if declared.metric(n).asked(cell.factors)})
            for cell in analysis.answer.cells
        ],
        comparisons=[
            one.turned() if one.system_b == record.get("judged_against") else one
            for one in analysis.answer.comparisons
            if not not_competing & {one.system_a, one.system_b}
        ],
        ranks=_ranks(analysis),
        requirements=_requirements(analysis),
        claims=_claims(analysis),
        left_out=_left_out(analysis),
        conformance=_conformance(analysis),
        grids=[*explanation(analysis), *details.grids(analysis)],
        curves=list(details.curves(analysis)),
    )
    return replace(summary, answer=answer(AnswerTable(summary)), warnings=list(warnings.warnings(analysis, summary)))


def _metrics(analysis: Analysis) -> list[Metric]:
    declared = declarations(analysis.campaign.record)
    decided = {one.metric for one in analysis.answer.comparisons if one.decided}
    there = {name for cell in analysis.answer.cells for name in cell.values}
    asked = {metric.key for metric in declared.metrics.values() if metric.column in declared.matrix}
    of_loads = SHOWN_METRICS if asks_at_loads(analysis.campaign.record) else ()
    shown = of_loads or [*asked, *decided]
    return [
        Metric(
            id=key,
            name=(metric := declared.metric(key)).name,
            unit=metric.unit,
            lower_is_better=metric.lower_is_better,
            decided=key in decided,
            shown=key in shown,
            of_whole_run=key in OF_WHOLE_RUN,
        )
        for key in dict.fromkeys((*(key for key in of_loads if key in there), *declared.metrics, *sorted(there)))
        if key in there
    ]


def _requirements(analysis: Analysis) -> list[Requirement]:
    return [
        Requirement(
            text=outcome.text,
            metric=outcome.metric,
            system=outcome.cell.system,
            row=outcome.cell.row,
            load=outcome.cell.load,
            value=outcome.value,
            verdict=outcome.verdict,
        )
        for outcome in analysis.requirements
    ]


def _conformance(analysis: Analysis) -> dict[str, str] | None:
    """Return what was known of each server when the campaign began, or what would tell; None where none is one."""
    systems, floors = analysis.campaign.record["systems"], analysis.campaign.floors
    return {
        key: of["conformance"]
        or f"not known; ./lab conformance {shlex.quote(_as_typed(of.get('folder') or key))} tells"
        for key, of in systems.items()
        if "conformance" in of and key not in floors
    } or None


def _as_typed(folder: str) -> str:
    """Return a system's folder as a command in the project's folder names it."""
    path = Path(folder)
    return str(path.relative_to(REPOSITORY)) if path.is_relative_to(REPOSITORY) else folder


def _ranks(analysis: Analysis) -> list[Rank]:
    declared = declarations(analysis.campaign.record)
    return [
        Rank(
            scenario=(of := analysis.scenarios[str(row["scenario"])]).scenario,
            row=of.row,
            load=of.load,
            metric=declared.metric(str(row["metric"])).key,
            system=str(row["system"]),
            best=int(str(row["best"])),
            worst=int(str(row["worst"])),
            held=row["held"] if isinstance(row["held"], bool) else None,
        )
        for row in analysis.ranks
    ]


def _claims(analysis: Analysis) -> list[Claim]:
    """Return what became of the claims; none where the campaign's loads are others, or decide none of them."""
    if not details.as_published(analysis) or not any(row["verdict"] in (HOLDS, FAILS) for row in analysis.claims):
        return []
    return [
        Claim(
            id=str(row["claim"]),
            text=str(row["text"]),
            place=str(row["place"]),
            verdict=str(row["verdict"]),
            figure=as_number(row["figure"]),
            lo=as_number(row["lo"]),
            hi=as_number(row["hi"]),
            n=int(str(row["n"])),
            at_scale=row["at_scale"] is True,
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
        found.setdefault((*_run_of(row), row["reason"]), run)
    return list(found.values())


def _campaign(analysis: Analysis) -> Campaign:
    record = analysis.campaign.record
    declared = declarations(record)
    operation = str(declared.words.get("operation") or "request")
    repeats = [cast(int, cell["valid_runs"]) for cell in analysis.cells]
    settings = _mapping(_mapping(record.get("profile")).get("settings"))
    started, invalid = record.get("started_ns"), {_run_of(run) for run in analysis.invalid}
    counted = {_run_of(run) for run in analysis.runs if run["valid"] is True}
    return Campaign(
        name=analysis.campaign.folder.resolve().name,
        study=analysis.campaign.study,
        title=str(record["study"].get("title") or analysis.campaign.study),
        profile=str((record.get("profile") or {}).get("name") or ""),
        started=datetime.fromtimestamp(started / 1e9, UTC).strftime("%Y-%m-%d") if isinstance(started, int) else "",
        operation=operation,
        operations=str(declared.words.get("operations") or f"{operation}s"),
        planned_runs=len({_run_of(entry) for entry in record["runs"]}),
        valid_runs=len(counted - invalid),
        partly_valid_runs=len(counted & invalid),
        invalid_runs=len(invalid - counted),
        least_repeats=min(repeats, default=0),
        most_repeats=max(repeats, default=0),
        equal_margin_pct=100 * terms_of(record).margin,
        command=shlex.join(str(part) for part in record.get("command") or []),
        machine=dict(details.machine(record)),
        shares_of=str(settings.get("shares_of") or ""),
        after_saturation=_after_saturation(analysis),
        turn_ms=int(cast(int, settings.get("turn_ms") or 0)),
        emulated=_mapping(record.get("rig")).get("emulated") is True,
        judged_against=str(record.get("judged_against") or ""),
    )


def _after_saturation(analysis: Analysis) -> bool:
    """Return whether runs measured a share of the capacity after saturation, in the same server process."""
    loads_of: dict[tuple[Any, ...], set[object]] = {}
    for run in analysis.runs:
        loads_of.setdefault(_run_of(run), set()).add(run.get(analysis.campaign.windows_factor or ""))
    return any(SATURATED in loads and len(loads) > 1 for loads in loads_of.values())


def _run_of(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return what tells a run from others: its levels and windows have rows of their own, but one place in order."""
    return (row.get("order") or row["cell"], row["repeat"])


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
