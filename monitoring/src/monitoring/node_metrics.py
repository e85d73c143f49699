"""Read what the Node server writes about itself: one JSON object a second with event-loop delay and collections."""

import json
import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from monitoring.errors import DamagedLine, RecordingError, read_lines

_FIGURES = ("loop_delay_mean_ms", "loop_delay_p99_ms", "loop_delay_max_ms", "gc_count", "gc_ms")
_LAST_NS = 2**63 - 1


@dataclass(frozen=True, kw_only=True)
class NodeMetrics:
    """One row a second: `time_ns` (n,) is its end (epoch ns), `columns` are the figures of that second, each (n,).

    nan is what a line did not hold.
    """

    time_ns: NDArray[np.int64]
    columns: dict[str, NDArray[np.float64]]
    damages: tuple[DamagedLine, ...]


def read_node_metrics(path: Path) -> NodeMetrics:
    """Read the metrics file of a Node server.

    Lines that are no such object are left out and listed in `damages`. Raises RecordingError with file and line when
    the file cannot be read or has no whole line.
    """
    lines, cut = read_lines(path)
    times: list[int] = []
    rows: list[list[float]] = []
    damages: list[DamagedLine] = []
    for number, line in enumerate(lines, 1):
        row = _object_of(line)
        time_ns = row.get("epoch_ns")
        if type(time_ns) is not int or not 0 <= time_ns <= _LAST_NS:
            damages.append(DamagedLine(line=number, sentence=f"is no object with epoch_ns, left out: {line[:60]!r}"))
            continue
        figures = [_figure(row.get(name)) for name in _FIGURES]
        missing = [name for name, figure in zip(_FIGURES, figures, strict=True) if math.isnan(figure)]
        if missing:
            damages.append(DamagedLine(line=number, sentence=f"has no number for {', '.join(missing)}"))
        times.append(time_ns)
        rows.append(figures)
    if not rows:
        raise RecordingError(path, max(1, len(lines)), 'has no whole line such as {"epoch_ns":...,"gc_count":...}')
    table = np.array(rows, dtype=np.float64)
    return NodeMetrics(
        time_ns=np.array(times, dtype=np.int64),
        columns={name: table[:, place] for place, name in enumerate(_FIGURES)},
        damages=(*damages, *cut),
    )


def _object_of(line: str) -> dict[str, object]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _figure(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
        return math.nan
    try:
        figure = float(value)
    except OverflowError:
        return math.nan
    return figure if math.isfinite(figure) else math.nan
