"""What a server's runtime wrote about itself: pauses of the JVM, or event-loop delay and collections of Node.js."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from monitoring.clocks import ONE_CLOCK, ClockAlignment
from monitoring.jvm_log import Pauses, read_jvm_log
from monitoring.node_metrics import read_node_metrics

JVM_FILE, NODE_FILE = "server.gc.log", "server.runtime.jsonl"
RUNTIME_FILES = (JVM_FILE, NODE_FILE)
NS_PER_MS = 1_000_000
Floats = NDArray[np.float64]
Instants = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Work:
    """Something a runtime did besides answering: when each piece of it ended (epoch ns), how long it took."""

    end_ns: Instants
    duration_ms: Floats
    count: Floats
    """How many pauses a piece holds: 1 in a JVM's log, those of a second in Node's."""

    def spent_ms(self, edges_ns: Instants) -> Floats:
        """Return the time of the pieces that ended in each window [edge, next edge)."""
        return _sums(self.end_ns, self.duration_ms, edges_ns)

    def pauses(self, edges_ns: Instants) -> Floats:
        """Return how many pauses ended in each window [edge, next edge)."""
        return _sums(self.end_ns, self.count, edges_ns)


@dataclass(frozen=True, kw_only=True)
class LoopDelay:
    """How late Node's event loop was: for each second, its end (epoch ns), the mean and the largest delay."""

    end_ns: Instants
    mean_ms: Floats
    max_ms: Floats

    def means(self, edges_ns: Instants) -> Floats:
        """Return the mean delay of the seconds that ended in each window; NaN where none did."""
        count = _sums(self.end_ns, np.ones(len(self.end_ns)), edges_ns)
        total = _sums(self.end_ns, self.mean_ms, edges_ns)
        means: Floats = np.divide(total, count, out=np.full(len(count), np.nan), where=count > 0)
        return means

    def largest_ms(self, start_ns: int, end_ns: int) -> float | None:
        """Return the largest delay between two instants."""
        inside = self.max_ms[(self.end_ns >= start_ns) & (self.end_ns < end_ns)]
        return float(np.nanmax(inside)) if np.isfinite(inside).any() else None


@dataclass(frozen=True, kw_only=True)
class Runtime:
    """What one run's server wrote about itself."""

    collections: Work
    """Garbage collections: pauses of the JVM, or what Node's main thread spent on them."""
    safepoints: Work | None
    """All stops of the JVM's threads, collections among them; None for Node."""
    loop_delay: LoopDelay | None
    """None for a JVM."""


def read_runtime(folder: Path, clocks: ClockAlignment = ONE_CLOCK) -> Runtime | None:
    """Read the runtime's file of a run's folder; None where its server wrote none.

    `clocks` moves its times from the server's clock to the load generator's.

    Raises RecordingError when the file is there and holds nothing usable.
    """
    if (folder / JVM_FILE).is_file():
        return _of_jvm(folder / JVM_FILE, clocks)
    if (folder / NODE_FILE).is_file():
        return _of_node(folder / NODE_FILE, clocks)
    return None


def _of_jvm(path: Path, clocks: ClockAlignment) -> Runtime:
    log = read_jvm_log(path)
    collections, safepoints = (_work(pauses, clocks) for pauses in (log.collections, log.safepoints))
    return Runtime(collections=collections, safepoints=safepoints, loop_delay=None)


def _work(pauses: Pauses, clocks: ClockAlignment) -> Work:
    order = np.argsort(pauses.end_ns, kind="stable")
    return Work(
        end_ns=clocks.on_injector(pauses.end_ns[order]),
        duration_ms=pauses.duration_ns[order] / NS_PER_MS,
        count=np.ones(len(order)),
    )


def _of_node(path: Path, clocks: ClockAlignment) -> Runtime:
    metrics = read_node_metrics(path)
    order = np.argsort(metrics.time_ns, kind="stable")
    end_ns = clocks.on_injector(metrics.time_ns[order])
    of = {name: np.nan_to_num(values[order]) for name, values in metrics.columns.items()}
    return Runtime(
        collections=Work(end_ns=end_ns, duration_ms=of["gc_ms"], count=of["gc_count"]),
        safepoints=None,
        loop_delay=LoopDelay(end_ns=end_ns, mean_ms=of["loop_delay_mean_ms"], max_ms=of["loop_delay_max_ms"]),
    )


def _sums(end_ns: Instants, values: Floats, edges_ns: Instants) -> Floats:
    window = np.searchsorted(edges_ns, end_ns, side="right") - 1
    inside = (window >= 0) & (window < len(edges_ns) - 1)
    return np.bincount(window[inside], values[inside], len(edges_ns) - 1).astype(np.float64)
