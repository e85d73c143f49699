"""The main results as a LaTeX table: needs no package beyond LaTeX itself."""

from collections.abc import Sequence

from analysis.quantisation import is_never_bare
from analysis.report.facts import CPU_COST, SPEED, STEADINESS
from analysis.report.results import Cell, Results
from analysis.report.words.language import Language, capital

METRICS = (SPEED, "p99_ms", STEADINESS, "throughput_rps", CPU_COST)
_SPECIAL = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "–": "--",
    "−": "$-$",
    "\u00a0": "~",
    "µ": r"$\mu$",
    "²": "$^2$",
    "×": r"$\times$",
}


def escaped(text: str) -> str:
    """Return text with what LaTeX would read as a command written out."""
    return "".join(_SPECIAL.get(character, character) for character in text)


def latex_table(results: Results, words: Language, caption: str) -> str:
    """Return a table of every cell with a valid run: figures, and 95 % intervals over repeats in brackets."""
    axis = capital(words.scenario_axis(results)) if results.scenarios else words["scenario"]
    headings = [axis, words["system"], "n", *(words.column(metric) for metric in METRICS)]
    lines = [
        r"\begin{table}",
        rf"\caption{{{escaped(caption)}}}",
        r"\centering\small",
        rf"\begin{{tabular}}{{ll{'r' * (len(headings) - 2)}}}",
        r"\hline",
        _row(headings),
        r"\hline",
    ]
    for cell in results.cells:
        if cell.valid_runs:
            scenario = words.scenario_short(results.scenarios[cell.scenario])
            figures = [_figure(cell, metric, words) for metric in METRICS]
            lines.append(_row([scenario, results.systems[cell.system].name, str(len(cell.valid_runs)), *figures]))
    return "\n".join([*lines, r"\hline", r"\end{tabular}", r"\end{table}", ""])


def _row(fields: Sequence[str]) -> str:
    return f"{' & '.join(escaped(field) for field in fields)} \\\\"


def _figure(cell: Cell, metric: str, words: Language) -> str:
    text = words.figures.short(cell.value(metric))
    interval = cell.interval(metric)
    if interval and interval[0] < interval[1]:
        text += f" [{words.figures.span(*interval, '–')}]"
    if metric == STEADINESS and is_never_bare(cell.value(SPEED)):
        without_clock = words.say("without_clock", cv=words.figures.short(cell.value("cv_without_clock")))
        text += f" ({without_clock})"
    return text
