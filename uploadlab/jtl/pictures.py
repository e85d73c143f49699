"""The charts of the page: the report's own, with a file in the place of a system and a label in that of a scenario."""

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from altair.utils.schemapi import debug_mode

from uploadlab.jtl.figures import Name, name_of
from uploadlab.jtl.result_file import ALL
from uploadlab.jtl.words import ENGLISH_JTL, label_of
from uploadlab.report.charts import percentiles, sizes, timeline
from uploadlab.report.drawing import Chart, Dataset
from uploadlab.report.results import Cell, Results, Run, Scenario, System, Table
from uploadlab.tables.table_file import Value, format_value
from uploadlab.words.language import Language

SENT, RECEIVED = "sent", "received"
Rows = Sequence[Mapping[str, Value]]


@dataclass(frozen=True, kw_only=True)
class Figures:
    """Everything that is known of some files; each row says which file it is of."""

    files: tuple[str, ...]
    summary: Rows
    percentiles: Rows
    timeline: Rows
    latency_heat: Rows
    size_heat: Rows
    size_shares: Mapping[tuple[str, str], float | None]
    """By file and `sent` or `received`: how much of the variance the bytes explain, %."""


def together(parts: Sequence[Figures]) -> Figures:
    """Return the figures of several files as those of all."""
    tables = ("summary", "percentiles", "timeline", "latency_heat", "size_heat")
    return Figures(
        files=tuple(name for part in parts for name in part.files),
        size_shares={key: share for part in parts for key, share in part.size_shares.items()},
        **{table: [row for part in parts for row in getattr(part, table)] for table in tables},
    )


def datasets(figures: Figures) -> dict[str, Dataset]:
    """Return the data of all charts."""
    results = _results(figures, ENGLISH_JTL)
    made = (percentiles.data(results), timeline.data(results), timeline.heat(results), sizes.data(results))
    return {dataset.name: dataset for dataset in made}


@debug_mode(False)  # as in a campaign's report
def charts(figures: Figures, data: Mapping[str, Dataset], words: Language) -> list[Chart]:
    """Return the charts in one language; one without data is left out."""
    results = _results(figures, words)
    curve = percentiles.chart(results, data["percentiles"], words)
    over_time = timeline.chart(results, data["timeline"], data["latency_heat"], words)
    by_size = sizes.chart(results, data["sizes"], words)
    return [
        *([_showing(replace(curve, switches=()), ALL)] if curve else []),
        *([over_time] if over_time else []),
        *([replace(by_size, chooser=words["axis_size"], wide=True)] if by_size else []),
    ]


def _showing(chart: Chart, choice: str) -> Chart:
    """Return the chart with another first choice."""
    spec = copy.deepcopy(chart.spec)
    for parameter in spec.get("params", []):
        if parameter.get("name") == "chosen":
            parameter["value"] = choice
    return replace(chart, spec=spec, chosen=choice)


def _results(figures: Figures, words: Language) -> Results:
    curves = {name_of(row): label_of(words, row) for row in figures.percentiles if row["kind"] != ALL}
    names = {ALL: words["all_requests"], RECEIVED: words["bytes_received"], SENT: words["bytes_sent"]}
    names |= {f"l{place}": said for place, said in enumerate(curves.values())}
    keys = {name: f"l{place}" for place, name in enumerate(curves)}
    systems = {name: f"f{place}" for place, name in enumerate(figures.files)}
    counts: dict[tuple[str, str], Value] = {}
    rates: dict[str, Value] = {}
    for row in figures.summary:
        scenario = ALL if row["kind"] == ALL else keys.get(name_of(row))
        if scenario is not None:
            counts[str(row["file"]), scenario] = row["requests"]
        if row["kind"] == ALL:
            counts[str(row["file"]), SENT] = counts[str(row["file"]), RECEIVED] = row["requests"]
            rates[str(row["file"])] = row["throughput_rps"]
    cells = {
        (file, scenario): _cell(systems[file], scenario, requests, rates[file])
        for (file, scenario), requests in counts.items()
    }
    return Results(
        name="",
        campaign={},
        systems={key: System(key=key, name=name, index=place) for place, (name, key) in enumerate(systems.items())},
        scenarios={
            key: Scenario(key=key, factors={"": name}, varying=("",), size_bytes=None) for key, name in names.items()
        },
        runs=tuple(cells[file, ALL].runs[0] for file in figures.files),
        cells=tuple(cells.values()),
        tables=_tables(figures, keys, systems),
    )


def _cell(system: str, scenario: str, requests: Value, rate: Value) -> Cell:
    run = Run(
        cell=f"{scenario}-{system}",
        repeat="1",
        system=system,
        scenario=scenario,
        status="complete",
        valid=True,
        row={"requests": format_value(requests), "throughput_rps": format_value(rate)},
    )
    return Cell(key=run.cell, system=system, scenario=scenario, row={}, runs=(run,))


def _tables(figures: Figures, keys: Mapping[Name, str], systems: Mapping[str, str]) -> dict[str, Table]:
    def table(rows: Rows, scenario_of: Callable[[Mapping[str, Value]], str], repeat: str) -> Table:
        found = []
        for row in rows:
            text = {name: format_value(value) for name, value in row.items()}
            found.append({**text, "cell": f"{scenario_of(row)}-{systems[str(row['file'])]}", "repeat": repeat})
        return Table(columns=tuple(found[0]) if found else (), rows=tuple(found))

    shares = [
        {"cell": f"{which}-{systems[file]}", "size_pct": format_value(share)}
        for (file, which), share in figures.size_shares.items()
    ]
    return {
        "percentiles": table(figures.percentiles, lambda row: keys.get(name_of(row), ALL), "all"),
        "timeline": table(figures.timeline, lambda _: ALL, "1"),
        "latency_heat": table(figures.latency_heat, lambda _: ALL, "1"),
        "size_heat": table(figures.size_heat, lambda row: str(row["bytes"]), "all"),
        "variance": Table(columns=("cell", "size_pct"), rows=tuple(shares)),
    }
