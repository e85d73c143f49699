"""What a person reads in the terminal once a campaign is analysed."""

import shlex
from collections.abc import Iterable, Mapping
from itertools import groupby

from rich import box
from rich.console import Console
from rich.table import Table

from uploadlab.analysis.analysis_files import Analysis
from uploadlab.metrics.groups import group_rows
from uploadlab.report.sentences.cautions import goes_with
from uploadlab.results.declarations import declarations
from uploadlab.statistics.quantisation import is_never_bare
from uploadlab.tables.comparisons import CANNOT_TELL, system_key, terms_of
from uploadlab.tables.server_shares import TURNS
from uploadlab.tables.table_file import Value, format_value
from uploadlab.words.language import Language
from uploadlab.words.languages import ENGLISH

Row = Mapping[str, Value]
SHORTEST_LINE = 100
LONGEST_LINE = 1000
MOST_PROBLEMS = 3
OTHER_FIGURES = ("throughput_rps", "cpu_pct", "server_cpu_us_per_request", "error_pct")


def print_summary(analysis: Analysis, console: Console, language: Language = ENGLISH) -> None:
    """Print the cells, who is better in what, and what does not count."""
    words = language.of(declarations(analysis.campaign.record))
    if not console.is_terminal:  # a file or a pipe has no edge that lines must keep to
        console.width = LONGEST_LINE
    cells, verdicts = (make(analysis, console.width, words) for make in (_cell_table, _verdict_table))
    if not console.is_terminal:
        console.width = max(SHORTEST_LINE, *(console.measure(table).maximum for table in (cells, verdicts)))
    title = analysis.campaign.record["study"].get("title", analysis.campaign.study)
    console.print(f"\n{title}", style="bold", highlight=False, markup=False)
    console.print(cells)
    if verdicts.row_count:
        console.print(words.say("terminal_who"), style="bold")
        console.print(verdicts)
    for sentence in _remarks(analysis, words):
        console.print(sentence, highlight=False, markup=False, soft_wrap=True)


def _remarks(analysis: Analysis, words: Language) -> list[str]:
    remarks = left_out(analysis.invalid, words)
    if any(not cell["valid_runs"] for cell in analysis.cells):
        remarks.insert(0, words.say("terminal_parentheses"))
    rig = analysis.campaign.record.get("rig") or {}
    if rig.get("emulated") is True:
        remarks.insert(0, words.say("doubt_emulated"))
    remarks = [*_cautions(analysis, words), *remarks]
    if without_clock := _without_clock(analysis, words):
        remarks.append(words.say("terminal_clock", figures=without_clock))
    remarks += [words.say("terminal_not_complete", problem=problem) for problem in analysis.problems[:MOST_PROBLEMS]]
    if (more := len(analysis.problems) - MOST_PROBLEMS) > 0:
        remarks.append(words.say("terminal_more_problems", count=more))
    if missing := len(analysis.campaign.missing):
        planned = len(analysis.campaign.record["runs"])
        begins = analysis.campaign.record.get("continue_with", "./lab run --resume")
        command = f"{begins} {shlex.quote(str(analysis.campaign.folder))}"
        remarks.append(words.say("terminal_missing", missing=missing, planned=planned, command=command))
    return remarks


def _others(count: int, words: Language) -> str:
    if not count:
        return ""
    return words.say("terminal_others", count=count) if count > 1 else words.say("terminal_one_other")


def left_out(invalid: Iterable[Row], words: Language = ENGLISH) -> list[str]:
    """Name each invalid run with its reason, once, however many cells its levels are."""
    cells: dict[tuple[Value, ...], list[Row]] = {}
    for row in invalid:
        cells.setdefault((row.get("order") or row["cell"], row["repeat"], row["reason"]), []).append(row)
    return [
        words.say(
            "terminal_left_out",
            run=f"{first['cell']}/{first['repeat']}",
            others=_others(len(others), words),
            reason=first["reason"],
        )
        for first, *others in cells.values()
    ]


def _cautions(analysis: Analysis, words: Language) -> list[str]:
    """Say what would mislead who reads the tables only."""
    limit_pct = analysis.campaign.server_cpu_limit_pct
    compared = analysis.share_orders and analysis.campaign.leading_cpu_limit_pct is None
    said = []
    if limit_pct is not None and not compared:
        said.append(words.say("caution_limit", percent=words.figures.plain(limit_pct)))
    said += [
        words.say(
            "terminal_order_turns",
            scenario=row["scenario"],
            metric=row["metric"],
            share=str(row["share_pct"]),
            better=analysis.campaign.system_name(str(row["better"])),
            against=str(row["against_pct"]),
            better_against=analysis.campaign.system_name(str(row["better_against"])),
        )
        for row in analysis.share_orders
        if row["order"] == TURNS
    ]
    for cell, rows in groupby(group_rows(analysis.runs), key=lambda row: row["cell"]):
        row = next(rows)
        ends = [
            f"{format_value(row[f'{kind}_from'])}–{format_value(row[f'{kind}_to'])}".replace(".", words.figures.decimal)
            for kind in ("low", "high")
        ]
        kinds = {"low": ends[0], "n_low": row["n_low"], "high": ends[1], "n_high": row["n_high"]}
        with_ = goes_with(words, row)
        said.append(words.say("terminal_groups", cell=cell, metric=row["metric"], **kinds, with_=with_))
    return [sentence.replace("\u00a0", " ") for sentence in said]


def _empty_table(width: int) -> Table:
    gap = 1 if width >= SHORTEST_LINE else 0
    return Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, gap, 0, 0))


def _cell_table(analysis: Analysis, width: int, words: Language) -> Table:
    table = _empty_table(width)
    for name in ("scenario", "system"):
        table.add_column(words[f"terminal_{name}"], no_wrap=True)
    name, column, times = _first_figures(analysis, words)
    others = [*times, *OTHER_FIGURES]
    for title in (words["terminal_runs"], name, "95 %", *(words[f"terminal_{other}"] for other in others)):
        table.add_column(title, justify="right", no_wrap=True)
    before = None
    for cell in analysis.cells:
        if before not in (None, cell["scenario"]):
            table.add_section()
        table.add_row(
            "" if cell["scenario"] == before else str(cell["scenario"]),
            analysis.campaign.system_name(system_key(cell)),
            f"{cell['valid_runs']}/{cell['runs']}",
            _figure(analysis, cell, column, words),
            _range(cell, column, words),
            *(_figure(analysis, cell, other, words) for other in others),
        )
        before = str(cell["scenario"])
    return table


def _first_figures(analysis: Analysis, words: Language) -> tuple[str, str, tuple[str, ...]]:
    """Return title and column of the figure that has its interval beside it, and the columns of single operations.

    An operation that is one event takes no time: there the study's first question stands in the place of a mean.
    """
    declared = declarations(analysis.campaign.record)
    if "at" not in declared.operation:
        return words["terminal_mean_ms"], "mean_ms", ("p99_ms", "cv")
    metric = declared.metric(declared.questions[0])
    return words.unit(metric.column), metric.column, ()


def _questions(analysis: Analysis, words: Language) -> dict[str, str]:
    """Return the columns of the study's questions, with what a system is that is better in one."""
    declared = declarations(analysis.campaign.record)
    return {
        column: declared.metric(column).names.get(words.code) or words.labels.get(f"terminal_better_{column}", column)
        for column in declared.questions
    }


def _verdict_table(analysis: Analysis, width: int, words: Language) -> Table:
    metrics = _questions(analysis, words)
    table = _empty_table(width)
    table.add_column(words["terminal_scenario"], no_wrap=True)
    for name in metrics.values():
        table.add_column(name, no_wrap=True)
    pairs = dict.fromkeys((row["scenario"], row["system_a"], row["system_b"]) for row in analysis.comparisons)
    several = len({pair[1:] for pair in pairs}) > 1
    for scenario, a, b in pairs:
        rows = {
            row["metric"]: row
            for row in analysis.comparisons
            if (row["scenario"], row["system_a"], row["system_b"]) == (scenario, a, b)
        }
        label = f"{scenario}: {a}, {b}" if several else str(scenario)
        table.add_row(
            label,
            *(
                _verdict(analysis, rows[metric], words, with_interval=width >= SHORTEST_LINE) if metric in rows else ""
                for metric in metrics  # one that says nothing in this scenario is not compared there
            ),
        )
    return table


def _verdict(analysis: Analysis, row: Mapping[str, Value], words: Language, *, with_interval: bool) -> str:
    untold = words["undecided"]
    ratio, lo, hi = row.get("ratio"), row.get("lo"), row.get("hi")
    if not (isinstance(ratio, float) and isinstance(lo, float) and isinstance(hi, float)):
        return untold
    if row["verdict"] == CANNOT_TELL:
        more = row.get("more_repeats")
        phrase = "terminal_one_more" if more == 1 else "terminal_more_repeats"
        return words.say(phrase, verdict=untold, n=more) if more else untold
    equal = words.say("equal_cell", margin=100 * terms_of(analysis.campaign.record).margin).replace("\u00a0", " ")
    winner = analysis.campaign.system_name(str(row["better"])) if row["better"] else equal
    if row["better"] == row["system_b"]:
        ratio, lo, hi = 1 / ratio, 1 / hi, 1 / lo
    bare = words.figures.bare
    return f"{winner} {bare(ratio)}" + (f" ({bare(lo)}–{bare(hi)})" if with_interval else "")


def _range(cell: Mapping[str, Value], metric: str, words: Language) -> str:
    ends = [float(end) for side in ("lo", "hi") if isinstance(end := cell.get(f"{metric}_{side}"), (int, float))]
    return "–".join(map(words.figures.bare, ends)) if len(ends) == 2 else "-"


def _figure(analysis: Analysis, cell: Mapping[str, Value], column: str, words: Language) -> str:
    """Return a cell's figure; in parentheses the mean of its invalid runs where no run is valid."""
    value = _value(analysis, cell, column)
    if value is None:
        return "-"
    text = f"{_clock_mark(analysis, cell, column)}{words.figures.bare(value)}"
    return text if cell["valid_runs"] else f"({text})"


def _value(analysis: Analysis, cell: Mapping[str, Value], column: str) -> float | None:
    rows = [cell] if cell["valid_runs"] else [run for run in analysis.runs if run["cell"] == cell["cell"]]
    known = [float(value) for row in rows if isinstance(value := row.get(column), (int, float))]
    return sum(known) / len(known) if known else None


def _clock_mark(analysis: Analysis, cell: Mapping[str, Value], column: str) -> str:
    if column != "cv" or not is_never_bare(_value(analysis, cell, "mean_ms")):
        return ""
    return "~" if _value(analysis, cell, "cv_without_clock") != _value(analysis, cell, "cv") else ""


def _without_clock(analysis: Analysis, words: Language) -> str:
    cells = [cell for cell in analysis.cells if _clock_mark(analysis, cell, "cv")]
    figures = [(cell["cell"], _value(analysis, cell, "cv_without_clock")) for cell in cells]
    return ", ".join(f"{cell} {words.figures.bare(cv)}" for cell, cv in figures if cv is not None)
