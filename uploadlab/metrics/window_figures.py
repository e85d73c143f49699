"""What a run's window says that a run measured as a whole does not: capacity, memory, what a failed upload counts as.

Rates and CPU per upload count the uploads that *ended* within the window, whenever they began: those under way at its
edges would else be lost. Response times are of those that were due within it, however late they ended.
"""

import numpy as np

from uploadlab.raw.recordings import Samples
from uploadlab.raw.request_file import RequestCounts
from uploadlab.records import SATURATED
from uploadlab.results.campaign import Run
from uploadlab.results.windows import AS_GIVEN
from uploadlab.statistics.distribution import Distribution
from uploadlab.table_file import Value

WINDOW_FIGURES = ("rate_per_s", "held", "capacity_per_s", "in_flight", "memory_peak_mb", "memory_per_upload_kb")
_NS_PER_SECOND = 1_000_000_000
_MB, _KB = 1_000_000, 1000


def window_figures(run: Run, counts: RequestCounts, server: Samples | None) -> dict[str, Value]:
    """Return WINDOW_FIGURES of a run's window, and the figures that a window counts otherwise; none without one."""
    window = run.window
    if window is None or window.end_ns <= window.start_ns:
        return {}
    seconds = run.active_ns / _NS_PER_SECOND
    ended, ended_ok = window.counts.ended, window.counts.ended_ok
    in_flight = float(np.dot(counts.elapsed_ms, counts.count)) / 1000 / seconds
    saturated = window.load == SATURATED
    figures: dict[str, Value] = {
        "rate_per_s": window.rate_per_s,
        "held": window.held,
        "in_flight": in_flight,
        "capacity_per_s": ended_ok / seconds if saturated and ended_ok is not None else None,
        "memory_peak_mb": memory_peak_mb(run, server),
        "memory_per_upload_kb": memory_per_upload_kb(run, server, in_flight) if saturated else None,
    }
    if window.load != AS_GIVEN:  # else its requests are all of the run, and are counted as in any run
        figures["throughput_rps"] = None if ended is None else ended / seconds
    return figures | _percentiles(counts)


def memory_peak_mb(run: Run, server: Samples | None) -> float | None:
    """Return the most memory that the server had in all windows of the run (PSS), MB; None where that is unknown."""
    windows = run.record.windows
    begin_ns, end_ns = min(one.start_ns for one in windows), max(one.end_ns for one in windows)
    held = None if server is None else _memory(server, begin_ns, end_ns)
    return None if held is None else float(held.max()) / _MB


def memory_per_upload_kb(run: Run, server: Samples | None, in_flight: float) -> float | None:
    """Return by how much memory grew for each upload in flight, kB; None where that is unknown.

    (mean PSS in the saturated window - PSS before the load) / mean uploads in flight (Little's law: the sum of the
    response times over the length of the window). What a runtime holds on to, garbage for one, is in it: the line
    through the idle server and the saturated one, not what an upload needs at the least.
    """
    load_start_ns = run.record.phases.load_start_ns
    if server is None or load_start_ns is None or in_flight <= 0:
        return None
    idle, busy = _memory(server, 0, load_start_ns), _memory(server, *run.window_ns)
    return None if idle is None or busy is None else (float(busy.mean()) - float(idle[-1])) / in_flight / _KB


def _memory(samples: Samples, start_ns: int, end_ns: int) -> np.ndarray | None:
    """Return the server's memory (PSS, bytes) in each sample between two instants; None where there is none.

    To read the PSS takes a walk over all pages, so it is read less often than the RSS: in between, the share of the RSS
    that it was is taken to change evenly.
    """
    rss, pss = samples.columns.get("role_rss_bytes"), samples.columns.get("role_pss_bytes")
    if rss is None or pss is None:
        return None
    known = ~np.isnan(pss) & (rss > 0)
    inside = (samples.time_ns >= start_ns) & (samples.time_ns <= end_ns) & (rss > 0)
    if not known.any() or not inside.any():
        return None
    times = (samples.time_ns - samples.time_ns[0]).astype(np.float64)
    found: np.ndarray = rss[inside] * np.interp(times[inside], times[known], pss[known] / rss[known])
    return found


def _percentiles(counts: RequestCounts) -> dict[str, Value]:
    """Return the percentiles in which a failed upload counts as slow as the slowest: failing fast is no speed."""
    if not counts.failed.any():
        return {}
    slowest = np.where(counts.failed, counts.elapsed_ms.max(), counts.elapsed_ms)
    found = _named("p{}_ms", Distribution.of(slowest, counts.count))
    if counts.scheduled is not None and counts.scheduled_ok is not None:
        failures = counts.scheduled.n - counts.scheduled_ok.n
        together = [counts.scheduled_ok, Distribution.of([counts.scheduled.values.max()], [failures])]
        found |= _named("scheduled_p{}_ms", Distribution.together(together))
    return found


def _named(pattern: str, distribution: Distribution) -> dict[str, Value]:
    quantiles = {"50": 0.5, "90": 0.9, "99": 0.99, "999": 0.999}
    return {pattern.format(name): distribution.percentile(quantile) for name, quantile in quantiles.items()}
