"""The main results as a LaTeX table: needs no package beyond LaTeX itself."""

import textwrap
from collections.abc import Sequence

from uploadlab.report.facts import CPU_COST, SPEED, STEADINESS, without_clock
from uploadlab.report.results import Cell, Results
from uploadlab.words.language import Language

METRICS = (SPEED, "p99_ms", STEADINESS, "throughput_rps", CPU_COST)
STRUT = r"\rule{0pt}{2.3ex}"  # keeps text off the line above it
HEADING_CHARACTERS = 12
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


def latex_table(results: Results, words: Language) -> str:
    """Return a table of every cell with a valid run: figures, and below them 95 % intervals over repeats.

    It is as wide as a column of the class `article`: two lines a cell, and a line of its own for each scenario.
    """
    cells = [cell for cell in results.cells if cell.valid_runs]
    metrics = results.declared.matrix if results.declared.roles else METRICS
    headings = [words["system"], "n", *(words.column(metric) for metric in metrics)]
    caption = words.say("table_to_cite")
    if any(without_clock(cell) is not None for cell in cells):
        caption += " " + words.say("table_to_cite_clock")
    lines = [
        r"\begin{table}",
        rf"\caption{{{escaped(caption)}}}",
        r"\centering\footnotesize\setlength{\tabcolsep}{3pt}\renewcommand{\arraystretch}{0.82}",
        rf"\begin{{tabular}}{{@{{}}l{'r' * (len(headings) - 1)}@{{}}}}",
        r"\hline",
        _row([_stacked(heading) for heading in headings]),
    ]
    scenario = None
    for cell in cells:
        if cell.scenario != scenario:
            scenario = cell.scenario
            name = words.scenario_long(results.scenarios[scenario])
            lines += [r"\hline", rf"\multicolumn{{{len(headings)}}}{{@{{}}l}}{{{STRUT}{escaped(name)}}} \\"]
        lines += _rows(cell, results.systems[cell.system].name, metrics, words)
    return "\n".join([*lines, r"\hline", r"\end{tabular}", r"\end{table}", ""])


def _rows(cell: Cell, system: str, metrics: Sequence[str], words: Language) -> list[str]:
    """Return a cell's figures, its intervals in small below them, and where it is needed the CV without the clock."""
    name, _, stack = system.partition(" (")
    figures = [words.short(cell.value(metric), metric) for metric in metrics]
    rows = [_row([escaped(text) for text in (name, str(len(cell.valid_runs)), *figures)])]
    below = [
        escaped(text) for text in (stack and f"({stack}", "", *(_interval(cell, metric, words) for metric in metrics))
    ]
    if any(below):
        rows.append(_row([rf"{{\scriptsize {text}}}" if text else "" for text in below]))
    clock = without_clock(cell)
    if clock is not None and STEADINESS in metrics:
        texts = ["" for _ in metrics]
        texts[list(metrics).index(STEADINESS)] = rf"\textit{{{escaped(words.figures.short(clock))}}}"
        rows.append(_row(["", "", *texts]))
    return rows


def _interval(cell: Cell, metric: str, words: Language) -> str:
    interval = cell.interval(metric)
    return words.figures.span(*interval, "–") if interval and interval[0] < interval[1] else ""


def _row(fields: Sequence[str]) -> str:
    return f"{' & '.join(fields)} \\\\"


def _stacked(heading: str) -> str:
    """Return a heading in lines of a few words each, none wider than it must be."""
    lines = textwrap.wrap(heading, HEADING_CHARACTERS, break_long_words=False, break_on_hyphens=False)
    text = r" \\ ".join(map(escaped, lines))
    return rf"{STRUT}\shortstack[r]{{{text}}}"
