"""A flame graph as one SVG: a frame is as wide as its share of the time, and stands on the one that called it."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from xml.sax.saxutils import escape

from uploadlab.explain.stacks import Place, Stack

WIDTH, ROW, LEAST_WIDTH = 1200, 17, 0.4
LETTER = 6.6
COLOURS: dict[Place, str] = {
    "kernel": "#b7c4cf",
    "gc": "#e8a0a0",
    "runtime": "#f2d7a0",
    "library": "#a9c9e8",
    "own": "#a8d8a8",
}
MIXED = "#e6e6e6"
NAMES: dict[Place, str] = {
    "kernel": "kernel",
    "gc": "garbage collection",
    "runtime": "runtime",
    "library": "library",
    "own": "own code",
}


@dataclass(kw_only=True)
class _Frame:
    name: str
    seconds: float = 0.0
    places: dict[Place, float] = field(default_factory=dict)
    """Of the time in which it was the innermost."""
    called: "dict[str, _Frame]" = field(default_factory=dict)

    @property
    def depth(self) -> int:
        return 1 + max((frame.depth for frame in self.called.values()), default=0)


def flame_graph(title: str, stacks: Iterable[Stack]) -> str:
    """Return the SVG; a frame's colour says where the time went in which it was the innermost, if anywhere."""
    root = _Frame(name=title)
    for stack in stacks:
        at = root
        at.seconds += stack.seconds
        for name in stack.frames:
            at = at.called.setdefault(name, _Frame(name=name))
            at.seconds += stack.seconds
        at.places[stack.place] = at.places.get(stack.place, 0.0) + stack.seconds
    height = (root.depth + 2) * ROW
    legend = "".join(
        f'<rect x="{10 + 170 * n}" y="3" width="11" height="11" fill="{COLOURS[place]}"/>'
        f'<text x="{26 + 170 * n}" y="13">{name}</text>'
        for n, (place, name) in enumerate(NAMES.items())
    )
    drawn = "".join(_drawn(root, root, 0.0, 0, height)) if root.seconds else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="monospace" '
        f'font-size="11"><title>{escape(title)}</title>{legend}{drawn}</svg>\n'
    )


def _drawn(frame: _Frame, root: _Frame, x: float, level: int, height: int) -> Iterable[str]:
    width = WIDTH * frame.seconds / root.seconds
    if width < LEAST_WIDTH:
        return
    y = height - (level + 1) * ROW
    place = max(frame.places, key=lambda one: frame.places[one], default=None)
    share = f"{100 * frame.seconds / root.seconds:.1f}% of {root.seconds:.1f} s"
    letters = int(width / LETTER) - 1
    text = f'<text x="{x + 2:.1f}" y="{y + 12}">{escape(frame.name[:letters])}</text>' if letters > 2 else ""
    yield (
        f'<g><title>{escape(frame.name)}: {share}</title><rect x="{x:.1f}" y="{y}" width="{width:.1f}" '
        f'height="{ROW - 1}" fill="{COLOURS[place] if place else MIXED}"/>{text}</g>'
    )
    for called in sorted(frame.called.values(), key=lambda one: one.name):
        yield from _drawn(called, root, x, level + 1, height)
        x += WIDTH * called.seconds / root.seconds
