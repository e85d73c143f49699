"""The page: what each language's article is made of, and the one HTML file."""

import base64
import gzip
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import jinja2
import vl_convert

from analysis.report import facts
from analysis.report.drawing import COLOURS, Chart, Dataset, colour, shape
from analysis.report.facts import CPU_COST, QUESTIONS, SPEED, STEADINESS, Standing
from analysis.report.results import Cell, Results, Row, Run, Table, is_true, number
from analysis.report.words import answer, captions
from analysis.report.words.language import Language

PAPER_TABLES = ("table1", "table2", "table3", "table4", "table5", "table6")
LABELS = ("cell", "scenario", "system", "stack", "sample", "repeat", "block", "order", "status", "reason")
"""Columns that name something, even where they look like numbers."""
_ABSOLUTE_PATH = re.compile(r"(?<![\w:/.~-])/(?!dev/|proc/|sys/)(?:[^\s/,;:'\"]+/)+([^\s/,;:'\"]*)")


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


@dataclass(frozen=True, kw_only=True)
class Entry:
    """Who is better in one question of one scenario."""

    decision: str
    system: str
    figure: str
    more: str
    bar: "Bar | None" = None


@dataclass(frozen=True, kw_only=True)
class Bar:
    """A small interval beside an entry, in percent of its width: left of 50 the first system is lower."""

    at: float
    low: float | None
    high: float | None
    hue: str


def render(
    results: Results,
    languages: Mapping[Language, Sequence[Chart]],
    datasets: Iterable[Dataset],
    machine_paths: Sequence[str],
) -> str:
    """Return the HTML of the page: one article a language, the data and the drawing library once.

    `machine_paths` are folders of this machine that must not appear; they are cut from every text.
    """
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("analysis.report", "."),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["plain"] = lambda text: without_paths(text, machine_paths)
    payload = {
        "datasets": {dataset.name: _packed(dataset.csv) for dataset in datasets},
        "languages": {
            words.code: {
                "locale": words.format_locale,
                "charts": {chart.id: {"spec": chart.spec, "datasets": chart.datasets} for chart in charts},
            }
            for words, charts in languages.items()
        },
    }
    articles = [_article(results, words, charts) for words, charts in languages.items()]
    return environment.get_template("page.html.j2").render(
        title=articles[0]["headline"],
        articles=articles,
        payload=_script_json(payload),
        library=vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;").replace("</script", "<\\/script"),
        systems=_legend(results),
    )


def _packed(text: str) -> str:
    """Return text as base64 of gzip: a campaign's data are several times larger than all the rest of the page."""
    return base64.b64encode(gzip.compress(text.encode("utf-8"), mtime=0)).decode("ascii")


def _script_json(value: object) -> str:
    """Return JSON that is safe inside a script element."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def without_paths(text: object, machine_paths: Sequence[str]) -> str:
    """Return `text` without folders of this machine: the campaign's own cut off, others cut to their last part."""
    said = str(text)
    for path in machine_paths:
        said = said.replace(f"{path}/", "")
    return _ABSOLUTE_PATH.sub(r"…/\1", said)


def _legend(results: Results) -> list[dict[str, str]]:
    return [
        {"name": system.name, "colour": colour(system.index), "shape": shape(system.index), "key": system.key}
        for system in results.systems.values()
    ]


def _article(results: Results, words: Language, charts: Sequence[Chart]) -> dict[str, Any]:
    standings = {
        metric: [facts.standing(results, scenario, metric) for scenario in results.scenarios.values()]
        for metric in QUESTIONS
    }
    doubts = facts.doubts(results)
    campaign = results.campaign
    return {
        "w": words,
        "code": words.code,
        "headline": answer.headline(words, results, standings),
        "answers": [
            {"metric": metric, "text": text}
            for metric in QUESTIONS
            if (text := answer.answer(words, results, metric, standings[metric]))
        ],
        "study": str((campaign.get("study") or {}).get("title") or (campaign.get("study") or {}).get("id") or ""),
        "campaign": results.name,
        "profile": doubts.profile,
        "started": _date(campaign.get("started_ns")),
        "counted": answer.counted(words, doubts),
        "systems": list(results.systems.values()),
        "system_index": {system.key: system.index for system in results.systems.values()},
        "system_name": {system.key: system.name for system in results.systems.values()},
        "matrix": _matrix(results, words, standings),
        "doubts": answer.doubts(words, doubts),
        "charts": charts,
        "claims": _claims(results, words),
        "tables": _paper_tables(results, words),
        "cells": _cells(results, words),
        "problems": _problems(results, words),
        "gates": _gates(results, words),
        "machine": _facts_of(campaign.get("machine"), words),
        "versions": [
            {"name": "Upload Lab", "facts": _facts_of(campaign.get("versions"), words)},
            *(
                {"name": system.name, "facts": _facts_of({**system.versions}, words)}
                for system in results.systems.values()
            ),
        ],
        "settings": [
            {"name": system.name, "facts": _facts_of({**system.settings}, words)} for system in results.systems.values()
        ],
        "profile_settings": _facts_of((campaign.get("profile") or {}).get("settings"), words),
        "rig": _facts_of(_without_folders(campaign.get("rig")), words),
        "command": " ".join(str(part) for part in campaign.get("command") or []),
        "paragraph": answer.method(words, results, doubts),
        "raw": _raw(results, words),
        "scenarios": [{"key": one.key, "name": words.scenario_long(one)} for one in results.scenarios.values()],
    }


def _date(started_ns: object) -> str:
    if not isinstance(started_ns, int):
        return ""
    return datetime.fromtimestamp(started_ns / 1e9, UTC).strftime("%Y-%m-%d %H:%M UTC")


def _matrix(
    results: Results, words: Language, standings: Mapping[str, Sequence[Standing]]
) -> list[tuple[str, str, list[Entry]]]:
    rows = []
    reach = {metric: _reach(standings[metric]) for metric in QUESTIONS}
    for position, scenario in enumerate(results.scenarios.values()):
        entries = []
        for metric in QUESTIONS:
            one = standings[metric][position]
            more = ""
            if one.decision == "undecided" and one.more_repeats:
                more = f"{words.figures.count(one.more_repeats)} {words['more_repeats']}"
            entries.append(
                Entry(
                    decision=one.decision,
                    system=one.best,
                    figure=answer.standing(words, one) if one.rival else "",
                    more=more,
                    bar=_bar(results, one, reach[metric]) if len(results.systems) == 2 else None,
                )
            )
        rows.append((words.scenario_short(scenario), words.figures.size(scenario.size_bytes), entries))
    return rows


def _reach(standings: Sequence[Standing]) -> float:
    """Return the largest |log ratio| that a question's bars show; intervals beyond are cut at a factor of four."""
    ratios = [ratio for one in standings for ratio in (one.ratio, one.low, one.high) if ratio and ratio > 0]
    return min(max((abs(math.log(ratio)) for ratio in ratios), default=0.0) * 1.08 or 1.0, math.log(4))


def _bar(results: Results, one: Standing, reach: float) -> Bar | None:
    if not one.ratio or one.ratio <= 0:
        return None
    index = results.systems[one.best].index
    turn = 1 if index == 0 else -1

    def place(ratio: float) -> float:
        share = max(-1.0, min(1.0, turn * math.log(ratio) / reach))
        return round(50 + 48 * share, 1)

    ends = sorted(place(ratio) for ratio in (one.low, one.high) if ratio and ratio > 0)
    low, high = (ends[0], ends[1]) if len(ends) == 2 else (None, None)
    hue = f"s{index % len(COLOURS)}" if one.decision == "better" else "open"
    return Bar(at=place(one.ratio), low=low, high=high, hue=hue)


def _claims(results: Results, words: Language) -> dict[str, Any] | None:
    rows = results.table("claims").rows
    if not rows:
        return None
    counts = {
        verdict: sum(1 for row in rows if row.get("verdict") == verdict) for verdict in ("holds", "fails", "undecided")
    }
    return {"counted": captions.claims(words, counts), "rows": [_claim(row, words) for row in rows]}


def _claim(row: Row, words: Language) -> dict[str, Any]:
    text = row.get(f"text_{words.code}") or row.get("text") or row.get("claim", "")
    figure = words.figures.short(number(row.get("figure")))
    low, high = number(row.get("lo")), number(row.get("hi"))
    if low is not None and high is not None:
        figure += f" ({words.figures.short(low)} – {words.figures.short(high)})"
    return {
        "id": row.get("claim", ""),
        "text": text,
        "verdict": row.get("verdict", ""),
        "figure": Figure(text=figure, value=row.get("figure", "")),
        "n": row.get("n", ""),
        "why": row.get("why", ""),
        "paper_verdict": row.get("paper_verdict", ""),
        "paper_figure": words.figures.short(number(row.get("paper_figure"))),
        "paper_why": row.get("paper_why", ""),
    }


def _paper_tables(results: Results, words: Language) -> list[Grid]:
    return [
        _paper_table(words[name], table, results, words)
        for name in PAPER_TABLES
        if (table := results.table(f"tables/{name}")).rows
    ]


def _paper_table(caption: str, table: Table, results: Results, words: Language) -> Grid:
    """Return a table of the paper: a column `x` takes its `x_paper` and `x_ratio` with it, below our figure."""
    names = [name for name in table.columns if name.removesuffix("_paper").removesuffix("_ratio") == name]
    names += [name for name in table.columns if name.endswith("_paper") and name.removesuffix("_paper") not in names]
    rows = []
    for row in table.rows:
        figures = []
        for name in names:
            text = row.get(name, "")
            if name in ("system", "series") and text in results.systems:
                text = results.systems[text].name
            figure = Figure(text=words.table_text(text)) if number(text) is None else _figure(name, text, words)
            figures.append(Figure(text=figure.text, value=figure.value, after=_beside(row, name, words)))
        rows.append(figures)
    headings = [results.systems[name].name if name in results.systems else words.column(name) for name in names]
    return Grid(caption=caption, headings=headings, raw=names, rows=rows)


def _beside(row: Row, name: str, words: Language) -> str:
    """Return what the paper printed for a figure, and the ratio of ours to it."""
    printed = row.get(f"{name}_paper", "")
    if not printed:
        return ""
    text = f"{words['paper']} {_figure(name, printed, words).text}"
    ratio = number(row.get(f"{name}_ratio"))
    return text if ratio is None else f"{text} · {words.figures.short(ratio, 2)}\u00a0×"


def _figure(name: str, text: str, words: Language) -> Figure:
    """Return a CSV field as the page writes it: numbers in the language's way, the field itself as the value."""
    value = number(text)
    if value is None or name in LABELS:
        return Figure(text=text)
    decimals = len(text.partition(".")[2])
    if len(text.strip("-0.").replace(".", "")) <= 4:
        return Figure(text=words.figures.exact(value, decimals), value=text)
    return Figure(text=words.figures.short(value, 4), value=text)


def _cells(results: Results, words: Language) -> Grid:
    metrics = (SPEED, STEADINESS, "p99_ms", "throughput_rps", CPU_COST, "pswitch_per_s", "error_pct")
    headings = [words["system"], words["scenario"], words["valid_of"], *(words.column(name) for name in metrics)]
    headings += [words.column("injector_cpu_pct"), words.column("injector_wait_ms_per_request"), words["wait_share"]]
    rows = []
    for cell in results.cells:
        scenario = results.scenarios[cell.scenario]
        figures = [
            Figure(text=results.systems[cell.system].name),
            Figure(text=words.scenario_short(scenario)),
            Figure(text=f"{len(cell.valid_runs)} / {len(cell.runs)}"),
        ]
        figures += [_cell_figure(cell, metric, words) for metric in metrics]
        figures += [
            _plain_figure(_mean(run.value(name) for run in cell.valid_runs), words)
            for name in ("injector_cpu_pct", "injector_wait_ms_per_request")
        ]
        figures.append(_plain_figure(_mean(facts.generator_wait_pct(run) for run in cell.valid_runs), words))
        rows.append(figures)
    return Grid(caption=words["cells_caption"], headings=headings, rows=rows)


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
    return Figure(text=words.figures.short(value), value=raw if value is not None else "", after=after)


def _problems(results: Results, words: Language) -> list[tuple[str, str]]:
    said = [(run.key, run.reason or captions.problem(words, run)) for run in results.runs if not run.valid]
    return said + [(key, words["missing_run"]) for key in results.missing]


def _gates(results: Results, words: Language) -> list[dict[str, Any]]:
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


def _without_folders(rig: object) -> object:
    """Return the rig without the folders of its disks: they are this machine's business."""
    if isinstance(rig, dict):
        return {key: _without_folders(value) for key, value in rig.items() if key not in ("path", "folder")}
    return rig


def _facts_of(document: object, words: Language) -> list[tuple[str, str]]:
    """Return the leaves of a JSON document as pairs of a name and a text, in their order."""
    pairs: list[tuple[str, str]] = []
    _collect(document, "", pairs, words)
    return pairs


def _collect(value: object, name: str, pairs: list[tuple[str, str]], words: Language) -> None:
    if isinstance(value, dict):
        for key, inner in value.items():
            _collect(inner, f"{name} {key}".strip().replace("_", " "), pairs, words)
    elif isinstance(value, list):
        pairs.append((name, ", ".join(_leaf(inner, words) for inner in value)))
    elif isinstance(value, int) and name.endswith(" bytes"):
        pairs.append((name.removesuffix(" bytes"), words.figures.size(value)))
    elif value not in (None, ""):
        pairs.append((name, _leaf(value, words)))


def _leaf(value: object, words: Language) -> str:
    if isinstance(value, bool):
        return words["yes"] if value else words["no"]
    if isinstance(value, float):
        return words.figures.short(value, 4)
    if isinstance(value, dict):
        return ", ".join(f"{key} {_leaf(inner, words)}" for key, inner in value.items())
    if value is None:
        return words.figures.missing
    return str(value)


def _raw(results: Results, words: Language) -> Grid:
    runs: dict[str, Run] = {run.key: run for run in results.runs}
    first, last = ("cell", "repeat", "valid", "status"), ("scenario", "system", "stack", "block", "order", "reason")
    between = [name for name in results.run_table.columns if name not in (*first, *last)]
    columns = [name for name in (*first, *between, *last) if name in results.run_table.columns]
    rows, marks = [], []
    for row in results.run_table.rows:
        run = runs[f"{row['cell']}/{row.get('repeat', '')}"]
        rows.append([_raw_figure(name, row.get(name, ""), words) for name in columns])
        marks.append({"system": run.system, "scenario": run.scenario, "valid": "true" if run.valid else "false"})
    return Grid(
        caption=words["raw_caption"],
        headings=[words.column(name) for name in columns],
        raw=columns,
        rows=rows,
        marks=marks,
    )


def _raw_figure(name: str, text: str, words: Language) -> Figure:
    if name == "valid" and text:
        return Figure(text=words["yes"] if is_true(text) else words["no"], value=text)
    return _figure(name, text, words)
