"""The tables of the page: the paper's beside ours, claims, cells, gates, runs."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from uploadlab.report import facts
from uploadlab.report.facts import CPU_COST, SPEED, STEADINESS
from uploadlab.report.results import Cell, Results, Row, Run, Table, is_true
from uploadlab.report.sentences import captions
from uploadlab.tables.table_file import number
from uploadlab.words.language import Language

BESIDE = ("generator_mean_ms", "generator_cv", "wire_mean_ms", "wire_cv", "client_mean_ms", "client_variance_pct")
"""What is known of the generator's share beside each cell, where it was measured."""
OPEN = ("scheduled_mean_ms", "scheduled_p50_ms", "scheduled_p99_ms", "whole_mean_ms", "whole_p99_ms")
"""Of open arrivals: from when a request was due, and with what was cut before the run had settled."""
LABELS = ("cell", "scenario", "system", "stack", "repeat", "block", "order", "status", "reason")
"""Columns that name something, even where they look like numbers."""


CELL_METRICS = (SPEED, STEADINESS, "p99_ms", "throughput_rps", CPU_COST, "pswitch_per_s", "error_pct")
OF_GENERATOR = ("injector_cpu_pct", "injector_wait_ms_per_request")


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A figure in a table: its text, and the value it is written from."""

    text: str
    value: str = ""
    after: str = ""


@dataclass(frozen=True, kw_only=True)
class Grid:
    """A table of the page."""

    caption: str
    headings: Sequence[str]
    rows: Sequence[Sequence[Figure]]
    raw: Sequence[str] = ()
    """The columns' names in the CSV file, where they come from one."""
    marks: Sequence[Mapping[str, str]] = ()
    """Attributes of each row, for filters."""
    note: str = ""
    """What a reader should know of it."""

    @property
    def numeric(self) -> list[bool]:
        """Which columns hold figures and are aligned to the right."""
        return [any(row[place].value for row in self.rows) for place in range(len(self.headings))]


def claims(results: Results, words: Language) -> dict[str, Any] | None:
    """Return how many claims hold and a row for each, or None where the study declares none."""
    rows = results.table("claims").rows
    if not rows:
        return None
    verdicts = [row.get("verdict", "") for row in rows]
    counts = {verdict: verdicts.count(verdict) for verdict in ("holds", "fails", "undecided")}
    stacks = len({row.get("stack", "") for row in rows}) > 1
    return {
        "counted": captions.claims(words, counts),
        "rows": [_claim(row, words, stacks=stacks) for row in rows],
        "rounds": "rounds_verdict" in rows[0],
    }


def _claim(row: Row, words: Language, *, stacks: bool) -> dict[str, Any]:
    interval = [words.figures.plain(number(row.get(end))) for end in ("lo", "hi")]
    known = words.figures.missing not in interval and interval[0] != interval[1]
    claim, stack = row.get("claim", ""), row.get("stack", "")
    return {
        "id": f"{claim}-{stack}" if stacks else claim,
        "text": row.get(f"text_{words.code}") or row.get("text") or claim,
        "stack": stack if stacks else "",
        "verdict": row.get("verdict", ""),
        "figure": Figure(
            text=words.figures.plain(number(row.get("figure"))),
            value=row.get("figure", ""),
            after=words.phrases["to"].join(interval) if known else "",
        ),
        "n": row.get("n", ""),
        **_why(row, "why", words),
        "paper_verdict": row.get("paper_verdict", ""),
        "paper_figure": words.figures.plain(number(row.get("paper_figure"))) if row.get("paper_figure") else "",
        **_why(row, "paper_why", words),
        "rounds_verdict": row.get("rounds_verdict", ""),
        **_why(row, "rounds_why", words),
    }


def _why(row: Row, column: str, words: Language) -> dict[str, str]:
    """Return the reason in the page's language, and `en` as its language where it is known in English only."""
    own = row.get(column if words.code == "en" else f"{column}_{words.code}", "")
    return {column: own or row.get(column, ""), f"{column}_language": words.code if own else "en"}


def paper_tables(results: Results, words: Language) -> list[Grid]:
    """Return the paper's tables with our figures."""
    return [
        _paper_table(words.captioned(name, declared), table, declared, results, words)
        for name, declared in results.declared.tables.items()
        if (table := results.table(f"tables/{name}")).rows
    ]


def _paper_table(caption: str, table: Table, declared: Mapping[str, Any], results: Results, words: Language) -> Grid:
    """Return a table of the paper: `x_without_clock`, `x_paper` and `x_ratio` stand below our figure `x`."""
    names = [name for name in table.columns if not name.endswith(("_paper", "_ratio", "_without_clock"))]
    names += [name for name in table.columns if name.endswith("_paper") and name.removesuffix("_paper") not in names]
    rows = []
    for row in table.rows:
        figures = []
        for name in names:
            text = row.get(name, "")
            if name in ("system", "series"):
                text = _names_in(text, results)
            figure = Figure(text=words.table_text(text)) if number(text) is None else _figure(name, text, words)
            figures.append(Figure(text=figure.text, value=figure.value, after=_beside(row, name, words)))
        rows.append(figures)
    headings = [
        _level_heading(name, declared, results, words)
        or _value_heading(name, declared, results, words)
        or _heading(name, results, words)
        for name in names
    ]
    note = words.declared(declared.get("note"))
    return Grid(caption=caption, headings=headings, raw=names, rows=rows, note=note)


def _level_heading(name: str, declared: Mapping[str, Any], results: Results, words: Language) -> str:
    """Return the heading of a column that is a level of one factor, and of one of several values; else nothing."""
    factors, values = declared.get("columns") or [], _values(declared)
    said = next((one for one in values if len(values) > 1 and name.endswith(f"_{one}")), "")
    level = name.removesuffix(f"_{said}")
    if len(factors) != 1 or factors[0] not in words.factors or number(level) is None:
        return ""
    of_value = f", {words.column(results.declared.metric(said).column)}" if said else ""
    return f"{words.level(factors[0], level)}{of_value}"


def _value_heading(name: str, declared: Mapping[str, Any], results: Results, words: Language) -> str:
    """Return the heading of a column that is one of the metrics that a table has; else nothing."""
    if name not in _values(declared) or name not in results.declared.metrics:
        return ""
    return words.column(results.declared.metric(name).column)


def _values(declared: Mapping[str, Any]) -> list[str]:
    value = declared.get("value") or []
    return [*([value] if isinstance(value, str) else value), *filter(None, [declared.get("deviation")])]


def _heading(name: str, results: Results, words: Language) -> str:
    """Return the heading of a column of a table: a system's name, or what the column holds of which system."""
    if name in results.systems:
        return results.systems[name].name
    key = name.removeprefix("selected_").removesuffix("_paper")
    if name.startswith("selected_") and key in results.systems:
        said = words.say("selected", system=results.systems[key].name)
        return f"{said} ({words['paper']})" if name.endswith("_paper") else said
    return words.column(name)


def _names_in(series: str, results: Results) -> str:
    """Return a system's name, or those of the two whose difference a series is ("a - b")."""
    keys = series.split(" - ")
    known = all(key in results.systems for key in keys)
    return " − ".join(results.systems[key].name for key in keys) if known else series


def _beside(row: Row, name: str, words: Language) -> str:
    """Return what a figure is without the clock, what the paper printed for it, and the ratio of ours to it."""
    without = number(row.get(f"{name}_without_clock"))
    clock = "" if without == number(row.get(name)) else _without_clock(without, words)
    printed = row.get(f"{name}_paper", "")
    if not printed:
        return clock
    text = f"{clock} · " if clock else ""
    text += f"{words['paper']} {_figure(name, printed, words).text}"
    ratio = number(row.get(f"{name}_ratio"))
    return text if ratio is None else f"{text} · {words.figures.short(ratio, 2)}\u00a0×"


def _without_clock(cv: float | None, words: Language) -> str:
    return "" if cv is None else words.say("without_clock", cv=words.figures.short(cv))


def _figure(name: str, text: str, words: Language) -> Figure:
    """Return a CSV field as the page writes it: numbers in the language's way, the field itself as the value."""
    value = number(text)
    if value is None or name in LABELS or name in words.factors:
        return Figure(text=text)
    decimals = len(text.partition(".")[2])
    if len(text.strip("-0.").replace(".", "")) <= 4:
        return Figure(text=words.figures.exact(value, decimals), value=text)
    return Figure(text=words.figures.short(value, 4), value=text)


def cells(results: Results, words: Language) -> Grid:
    """Return every cell's figures with their intervals, and the load generator's share beside them."""
    parts = bool(results.declared.roles)
    metrics = _declared_columns(results) if parts else CELL_METRICS
    headings = [words["system"], words["scenario"], words["valid_of"], *(words.column(name) for name in metrics)]
    if not parts:
        headings += [words.column(name) for name in OF_GENERATOR] + [words["wait_share"]]
    beside = [name for name in (*OPEN, *BESIDE) if any(c.value(name) for c in results.cells)]
    headings += [words.column(name) for name in beside]
    rows, every = [], list(results.scenarios.values())
    for cell in results.cells:
        scenario = results.scenarios[cell.scenario]
        figures = [
            Figure(text=results.systems[cell.system].name),
            Figure(text=words.scenario_entry(scenario, every)),
            Figure(text=f"{len(cell.valid_runs)} / {len(cell.runs)}"),
        ]
        figures += [_cell_figure(cell, metric, words) for metric in metrics]
        if not parts:
            figures += [
                _plain_figure(_mean(run.value(name) for run in cell.valid_runs), words) for name in OF_GENERATOR
            ]
            figures.append(_plain_figure(_mean(facts.generator_wait_pct(run) for run in cell.valid_runs), words))
        figures += [_plain_figure(cell.value(name), words) for name in beside]
        rows.append(figures)
    caption = [words["cells_caption_parts" if parts else "cells_caption"]]
    caption += [words["clock_caption"]] if any(cell.value("clock_variance_pct") for cell in results.cells) else []
    caption += [words["generator_caption"]] if BESIDE[0] in beside else []
    return Grid(caption=". ".join(caption), headings=headings, rows=rows)


def shares(results: Results, words: Language) -> Grid | None:
    """Return each server's figures at less than the largest share of its cores, beside the change; None without any."""
    found: dict[tuple[str, str], list[Row]] = {}
    known = [row for row in results.table("server_shares").rows if row["a"]]
    metrics = [name for name in results.declared.matrix if any(row["metric"] == name for row in known)]
    for row in known:
        found.setdefault((row["scenario"], row["system"]), []).append(row)
    rows = [
        [
            Figure(text=words.scenario(results.scenarios[scenario])),
            Figure(text=results.systems[system].name),
            *(_changed(next((row for row in of_both if row["metric"] == name), {}), name, words) for name in metrics),
        ]
        for (scenario, system), of_both in found.items()
    ]
    headings = [words["scenario"], words["system"], *(words.column(name) for name in metrics)]
    return Grid(caption=words["shares_caption"], headings=headings, rows=rows) if rows else None


def _changed(row: Row, metric: str, words: Language) -> Figure:
    """Return a figure, and beside it by how much it differs from what it is compared with."""
    ratio, *ends = (number(row.get(name)) for name in ("ratio", "lo", "hi"))
    after = f"{words.change(ratio)}\u00a0%" if ratio is not None else ""
    if None not in ends:
        after += f" ({words.phrases['to'].join(words.change(end or 1.0) for end in ends)}\u00a0%)"
    return Figure(text=words.short(number(row.get("a")), metric), value=row.get("a", ""), after=after)


def _declared_columns(results: Results) -> list[str]:
    """Return the columns of the study's metrics, questions first."""
    declared = results.declared
    return list(dict.fromkeys((*declared.questions, *(one.column for one in declared.metrics.values()))))


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _plain_figure(value: float | None, words: Language) -> Figure:
    return Figure(text=words.figures.short(value), value="" if value is None else format(value, ".6g"))


def _cell_figure(cell: Cell, metric: str, words: Language) -> Figure:
    value = cell.value(metric) if cell.valid_runs else None
    raw = cell.row.get(metric) or ("" if value is None else format(value, ".6g"))
    interval = cell.interval(metric) if cell.valid_runs else None
    after = ""
    if interval and interval[0] < interval[1]:
        after = words.figures.span(*interval, " – ")
    if metric == STEADINESS and cell.valid_runs:
        after = " · ".join(part for part in (after, _without_clock(facts.without_clock(cell), words)) if part)
    return Figure(text=words.short(value, metric), value=raw if value is not None else "", after=after)


def problems(results: Results, words: Language) -> list[tuple[str, str]]:
    """Return each run that does not count, with the sentence that says why."""
    said = [(run.key, run.reason or captions.problem(words, run)) for run in results.runs if not run.valid]
    return said + [(key, words["missing_run"]) for key in results.missing]


def events(results: Results, words: Language) -> list[tuple[str, str]]:
    """Return each run in which something happened that shows in its tail or its steadiness, with what it was.

    It does not make the run invalid.
    """
    said = [(run.key, _event(run, words)) for run in results.runs]
    return [(key, sentence) for key, sentence in said if sentence]


def _event(run: Run, words: Language) -> str:
    parts = [
        words.say(phrase, count=words.figures.exact(count, 0))
        for phrase, name in (("event_overflows", "listen_overflows"), ("event_retransmits", "retransmits"))
        if (count := run.value(name))
    ]
    if run.row.get("settled") == "false":
        parts.append(words["event_unsettled"])
    return "; ".join(parts)


def gates(results: Results, words: Language) -> list[dict[str, Any]]:
    """Return each gate with its limit, the extremes of its figure and the runs that did not pass."""
    names = list(dict.fromkeys(gate.name for run in results.runs for gate in run.gates))
    said = []
    for name in names:
        held = [(run, gate) for run in results.runs for gate in run.gates if gate.name == name]
        span = facts.extent(gate.figure for _, gate in held)
        units = {gate.unit for _, gate in held}
        limits = facts.extent(gate.threshold for _, gate in held)
        unit = f"\u00a0{next(iter(units))}" if len(units) == 1 and next(iter(units)) else ""
        said.append(
            {
                "name": name.replace("_", " "),
                "limit": f"{words.figures.span(*limits, ' – ')}{unit}" if limits else words.figures.missing,
                "extremes": f"{words.figures.span(*span, ' – ')}{unit}" if span else words.figures.missing,
                "passed": f"{sum(1 for _, gate in held if gate.passed)} / {len(held)}",
                "failed": [run.key for run, gate in held if not gate.passed],
            }
        )
    return said


def raw(results: Results, words: Language) -> Grid:
    """Return runs.csv: what names a run first, its figures, then the rest of the plan and the reason."""
    runs: dict[str, Run] = {run.key: run for run in results.runs}
    first, last = ("cell", "repeat", "valid", "status"), ("scenario", "system", "stack", "block", "order", "reason")
    between = [name for name in results.run_table.columns if name not in (*first, *last)]
    columns = [name for name in (*first, *between, *last) if name in results.run_table.columns]
    rows, marks = [], []
    for row in results.run_table.rows:
        run = runs[f"{row['cell']}/{row.get('repeat', '')}"]
        rows.append([_raw_figure(name, run, words) for name in columns])
        marks.append({"system": run.system, "scenario": run.scenario, "valid": "true" if run.valid else "false"})
    return Grid(
        caption=words["raw_caption"],
        headings=[words.column(name) for name in columns],
        raw=columns,
        rows=rows,
        marks=marks,
    )


def _raw_figure(name: str, run: Run, words: Language) -> Figure:
    text = run.row.get(name, "")
    if name in ("valid", "settled") and text:
        return Figure(text=words["yes"] if is_true(text) else words["no"])
    figure = _figure(name, text, words)
    if name in ("cv", "steady_cv"):
        return replace(figure, after=_without_clock(facts.without_clock(run, name.removesuffix("cv")), words))
    return figure
