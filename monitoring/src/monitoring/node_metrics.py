"""Read what the Node server writes about itself: one JSON object a second with event-loop delay and collections."""

from dataclasses import dataclass
from math import nan
from pathlib import Path
from typing import Annotated

import msgspec
import numpy as np
from numpy.typing import NDArray

from monitoring.errors import RecordingError, read_lines

_Figure = Annotated[float, msgspec.Meta(ge=0)]


class _Second(msgspec.Struct, kw_only=True):
    epoch_ns: Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
    loop_delay_mean_ms: _Figure = nan
    loop_delay_max_ms: _Figure = nan
    gc_count: _Figure = nan
    gc_ms: _Figure = nan


@dataclass(frozen=True, kw_only=True)
class NodeMetrics:
    """One row a second: `time_ns` (n,) is its end (epoch ns), `columns` are the figures of that second, each (n,).

    nan is what a line did not hold.
    """

    time_ns: NDArray[np.int64]
    columns: dict[str, NDArray[np.float64]]


def read_node_metrics(path: Path) -> NodeMetrics:
    """Read the metrics file of a Node server.

    Lines that are no such object are left out. Raises RecordingError with file and line when the file cannot be read or
    has no whole line.
    """
    lines = read_lines(path)[:-1]
    rows = [row for row in map(_second, lines) if row is not None]
    if not rows:
        raise RecordingError(path, max(1, len(lines)), 'has no whole line such as {"epoch_ns":...,"gc_count":...}')
    _, *names = _Second.__struct_fields__
    return NodeMetrics(
        time_ns=np.array([row.epoch_ns for row in rows], dtype=np.int64),
        columns={name: np.array([getattr(row, name) for row in rows], dtype=np.float64) for name in names},
    )


def _second(line: str) -> _Second | None:
    try:
        return msgspec.json.decode(line, type=_Second)
    except msgspec.DecodeError:
        return None
