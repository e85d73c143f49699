"""What a person reads in the terminal once a campaign is analysed."""

from collections.abc import Iterable, Mapping
from itertools import groupby

from rich import box
from rich.console import Console
from rich.table import Table

from analysis.analysis_files import Analysis
from analysis.declarations import declarations
from analysis.report.words.cautions import goes_with
from analysis.report.words.english import ENGLISH
from analysis.runs.groups import group_rows
from analysis.statistics.quantisation import is_never_bare
from analysis.tables.comparisons import CANNOT_TELL, system_key
from analysis.tables.server_shares import TURNS
from analysis.tables.table_file import Value, format_number, format_value

Row = Mapping[str, Value]
SHORTEST_LINE = 100
LONGEST_LINE = 1000
USUAL_QUESTIONS = {"mean_ms": "faster", "cv": "steadier", "server_cpu_us_per_request": "cheaper"}
MOST_PROBLEMS = 3
OTHER_FIGURES = {
    "req/s": "throughput_rps", "CPU %": "cpu_pct", "CPU µs": "server_cpu_us_per_request", "err %": "error_pct"
}  # fmt: skip


def print_summary(analysis: Analysis, console: Console) -> None:
    """Print the cells, who is better in what, and what does not count."""
    if not console.is_terminal:  # a file or a pipe has no edge that lines must keep to
        console.width = LONGEST_LINE
    cells, verdicts = _cell_table(analysis, console.width), _verdict_table(analysis, console.width)
    if not console.is_terminal:
        console.width = max(SHORTEST_LINE, *(console.measure(table).maximum for table in (cells, verdicts)))
    title = analysis.campaign.record["study"].get("title", analysis.campaign.study)
    console.print(f"\n{title}", style="bold", highlight=False, markup=False)
    console.print(cells)
    if verdicts.row_count:
        console.print("Who is better: ratio of the better to the other, 95 % interval over repeats", style="bold")
        console.print(verdicts)
    for sentence in _remarks(analysis):
        console.print(sentence, highlight=False, markup=False, soft_wrap=True)


def _remarks(analysis: Analysis) -> list[str]:
    remarks = left_out(analysis.invalid)
    if any(not cell["valid_runs"] for cell in analysis.cells):
        remarks.insert(0, "Figures in parentheses are those of invalid runs: to look at, not to conclude from.")
    rig = analysis.campaign.record.get("rig") or {}
    if rig.get("emulated") is True:
        remarks.insert(0, ENGLISH.say("doubt_emulated"))
    remarks = [*_cautions(analysis), *remarks]
    if without_clock := _without_clock(analysis):
        remarks.append(f"~ A mean below 10 ms; the CV without JMeter's clock of whole milliseconds: {without_clock}.")
    remarks += [f"Not complete: {problem}" for problem in analysis.problems[:MOST_PROBLEMS]]
    if (more := len(analysis.problems) - MOST_PROBLEMS) > 0:
        remarks.append(f"And {more} more: the column reason of analysis/runs.csv has each.")
    missing = len(analysis.campaign.missing)
    if missing:
        planned = len(analysis.campaign.record["runs"])
        folder = analysis.campaign.folder
        remarks.append(f"{missing} of {planned} planned runs were not made; ./lab run --resume {folder} makes them.")
    return remarks


def left_out(invalid: Iterable[Row]) -> list[str]:
    """Name each invalid run with its reason, once, however many cells its levels are."""
    cells: dict[tuple[Value, ...], list[Row]] = {}
    for row in invalid:
        cells.setdefault((row.get("order") or row["cell"], row["repeat"], row["reason"]), []).append(row)
    others = {key: f" and {len(rows) - 1} more cells of that run" if rows[1:] else "" for key, rows in cells.items()}
    return [
        f"Left out: {rows[0]['cell']}/{rows[0]['repeat']}{others[key]}: {rows[0]['reason']}"
        for key, rows in cells.items()
    ]


def _cautions(analysis: Analysis) -> list[str]:
    """Say what would mislead who reads the tables only."""
    limit_pct = analysis.campaign.server_cpu_limit_pct
    compared = analysis.share_orders and analysis.campaign.leading_cpu_limit_pct is None
    said = []
    if limit_pct is not None and not compared:
        said.append(ENGLISH.say("caution_limit", percent=ENGLISH.figures.plain(limit_pct)).replace("\u00a0", " "))
    said += [
        f"{row['scenario']}, {row['metric']}: the order turns with the share of the core: at {row['share_pct']} % "
        f"{analysis.campaign.system_name(str(row['better']))} is better, at {row['against_pct']} % "
        f"{analysis.campaign.system_name(str(row['better_against']))}."
        for row in analysis.share_orders
        if row["order"] == TURNS
    ]
    for cell, rows in groupby(group_rows(analysis.runs), key=lambda row: row["cell"]):
        row = next(rows)
        ends = [f"{format_value(row[f'{group}_from'])}–{format_value(row[f'{group}_to'])}" for group in ("low", "high")]
        said.append(
            f"{cell}: the runs are of two kinds, which a mean and its interval hide: {row['metric']} {ends[0]} in "
            f"{row['n_low']}, {ends[1]} in {row['n_high']}.{goes_with(ENGLISH, row)}".replace("\u00a0", " ")
        )
    return said


def _empty_table(width: int) -> Table:
    gap = 1 if width >= SHORTEST_LINE else 0
    return Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, gap, 0, 0))


def _cell_table(analysis: Analysis, width: int) -> Table:
    table = _empty_table(width)
    for name in ("scenario", "system"):
        table.add_column(name, no_wrap=True)
    name, column, times = _first_figures(analysis)
    for title in ("runs", name, "95 %", *times, *OTHER_FIGURES):
        table.add_column(title, justify="right", no_wrap=True)
    before = None
    for cell in analysis.cells:
        if before not in (None, cell["scenario"]):
            table.add_section()
        table.add_row(
            "" if cell["scenario"] == before else str(cell["scenario"]),
            analysis.campaign.system_name(system_key(cell)),
            f"{cell['valid_runs']}/{cell['runs']}",
            _figure(analysis, cell, column),
            _range(cell, column),
            *(_figure(analysis, cell, one) for one in (*times.values(), *OTHER_FIGURES.values())),
        )
        before = str(cell["scenario"])
    return table


def _first_figures(analysis: Analysis) -> tuple[str, str, dict[str, str]]:
    """Return the title and the column of the figure that has its interval beside it, and of those of single operations.

    An operation that is one event takes no time: there the study's first question stands in the place of a mean.
    """
    declared = declarations(analysis.campaign.record)
    if "at" not in declared.operation:
        return "mean ms", "mean_ms", {"p99 ms": "p99_ms", "CV": "cv"}
    metric = declared.metric(declared.questions[0])
    return metric.unit, metric.column, {}


def _questions(analysis: Analysis) -> dict[str, str]:
    """Return the columns of the study's questions, with what a system is that is better in one."""
    declared = declarations(analysis.campaign.record)
    return {
        column: declared.metric(column).names.get("en") or USUAL_QUESTIONS.get(column, column)
        for column in declared.questions
    }


def _verdict_table(analysis: Analysis, width: int) -> Table:
    metrics = _questions(analysis)
    table = _empty_table(width)
    table.add_column("scenario", no_wrap=True)
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
            label, *(_verdict(analysis, rows[metric], with_interval=width >= SHORTEST_LINE) for metric in metrics)
        )
    return table


def _verdict(analysis: Analysis, row: Mapping[str, Value], *, with_interval: bool) -> str:
    ratio, lo, hi = row.get("ratio"), row.get("lo"), row.get("hi")
    if not (isinstance(ratio, float) and isinstance(lo, float) and isinstance(hi, float)):
        return CANNOT_TELL
    if row["verdict"] == CANNOT_TELL:
        more = row.get("more_repeats")
        return f"{CANNOT_TELL} ({more} more repeat{'' if more == 1 else 's'})" if more else CANNOT_TELL
    winner = analysis.campaign.system_name(str(row["better"])) if row["better"] else str(row["verdict"])
    if row["better"] == row["system_b"]:
        ratio, lo, hi = 1 / ratio, 1 / hi, 1 / lo
    return f"{winner} {_digits(ratio)}" + (f" ({_digits(lo)}–{_digits(hi)})" if with_interval else "")


def _range(cell: Mapping[str, Value], metric: str) -> str:
    lo, hi = cell.get(f"{metric}_lo"), cell.get(f"{metric}_hi")
    return f"{_digits(lo)}–{_digits(hi)}" if isinstance(lo, (int, float)) and isinstance(hi, (int, float)) else "-"


def _figure(analysis: Analysis, cell: Mapping[str, Value], column: str) -> str:
    """Return a cell's figure; in parentheses the mean of its invalid runs where no run is valid."""
    value = _value(analysis, cell, column)
    if value is None:
        return "-"
    text = f"{_clock_mark(analysis, cell, column)}{_digits(value)}"
    return text if cell["valid_runs"] else f"({text})"


def _value(analysis: Analysis, cell: Mapping[str, Value], column: str) -> float | None:
    rows = [cell] if cell["valid_runs"] else [run for run in analysis.runs if run["cell"] == cell["cell"]]
    known = [float(value) for row in rows if isinstance(value := row.get(column), (int, float))]
    return sum(known) / len(known) if known else None


def _clock_mark(analysis: Analysis, cell: Mapping[str, Value], column: str) -> str:
    if column != "cv" or not is_never_bare(_value(analysis, cell, "mean_ms")):
        return ""
    return "~" if _value(analysis, cell, "cv_without_clock") != _value(analysis, cell, "cv") else ""


def _without_clock(analysis: Analysis) -> str:
    cells = [cell for cell in analysis.cells if _clock_mark(analysis, cell, "cv")]
    figures = [(cell["cell"], _value(analysis, cell, "cv_without_clock")) for cell in cells]
    return ", ".join(f"{cell} {_digits(cv)}" for cell, cv in figures if cv is not None)


def _digits(value: float) -> str:
    return format_number(float(value), 3)
