"""The answer as a picture: which of two systems is better by what is decided, by how much, with intervals."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from uploadlab.report.answer_table import AnswerTable, Measure

WIDTH, LEFT, RIGHT, TOP, LINE, GAP = 760, 130, 30, 58, 22, 34
COLOURS = ("#1b7837", "#762a83")
UNDECIDED = "#777777"
FONT = 'font-family="sans-serif" font-size="13"'
TIMES = (1.0, 1.5, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0, 100.0)
TICKS = sorted({*TIMES, *(1 / times for times in TIMES)})
LEAST_APART = 36
"""From 1 to the first tick beside it, so that their labels stay apart."""


@dataclass(frozen=True)
class _Line:
    """How many times better the second system is than the first."""

    row: str
    times: float
    lo: float
    hi: float
    colour: str


def drawn(table: AnswerTable) -> str:
    """Return the picture of a campaign of two systems as SVG."""
    first, second = table.systems
    panels = {measure: list(_lines(table, measure)) for measure in table.measures if measure.metric.decided}
    ends = [abs(math.log(end)) for lines in panels.values() for line in lines for end in (line.lo, line.hi)]
    span = min(max([*ends, math.log(2)]) * 1.05, math.log(TICKS[-1]))
    height = TOP + sum(len(lines) * LINE + GAP for lines in panels.values()) + 24
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" {FONT}>',
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
        _text(_x(0, span) - 12, 22, f"← {first.name} better", COLOURS[0], "end", bold=True),
        _text(_x(0, span) + 12, 22, f"{second.name} better →", COLOURS[1], "start", bold=True),
    ]
    y = TOP
    for measure, lines in panels.items():
        parts += [_text(8, y, measure.title.partition(",")[0], "#000000", "start", bold=True)]
        for line in lines:
            y += LINE
            parts += _drawn_line(line, y, span)
        y += GAP
    parts += _axis(span, TOP - 14, height - 22)
    return "\n".join([*parts, "</svg>", ""])


def _lines(table: AnswerTable, measure: Measure) -> Iterator[_Line]:
    for row in table.rows:
        for one in table.comparisons(row, measure):
            of = one if measure.metric.lower_is_better else one.turned()
            if of.ratio is None or of.lo is None or of.hi is None:
                continue
            systems = [system.id for system in table.systems]
            colour = COLOURS[systems.index(of.winner)] if of.winner else UNDECIDED
            yield _Line(row, of.ratio, of.lo, of.hi, colour)


def _drawn_line(line: _Line, y: int, span: float) -> list[str]:
    ends = [_x(math.log(end), span) for end in (line.lo, line.hi)]
    at = _x(math.log(line.times), span)
    return [
        _text(LEFT - 12, y + 4, line.row, "#000000", "end"),
        f'<line x1="{ends[0]:.1f}" x2="{ends[1]:.1f}" y1="{y}" y2="{y}" stroke="{line.colour}" stroke-width="3"/>',
        f'<circle cx="{at:.1f}" cy="{y}" r="5" fill="{line.colour}"/>',
    ]


def _axis(span: float, top: int, bottom: int) -> Iterator[str]:
    for tick in TICKS:
        x = _x(math.log(tick), span)
        if abs(math.log(tick)) <= span and (tick == 1 or abs(x - _x(0, span)) >= LEAST_APART):
            shade = 0.6 if tick == 1 else 0.12
            yield f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{top}" y2="{bottom}" stroke="#000000" opacity="{shade}"/>'
            yield _text(x, bottom + 16, f"{max(tick, 1 / tick):g}×", "#555555", "middle")


def _x(logarithm: float, span: float) -> float:
    within = max(-span, min(span, logarithm))
    return LEFT + (WIDTH - LEFT - RIGHT) * (within + span) / (2 * span)


def _text(x: float, y: float, text: str, colour: str, anchor: str, *, bold: bool = False) -> str:
    weight = ' font-weight="bold"' if bold else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}" text-anchor="{anchor}"{weight}>{escape(text)}</text>'
