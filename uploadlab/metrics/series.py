"""What one run shows over time, and its percentile curve."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from uploadlab.metrics.figures import MB, NS_PER_SECOND, RunRecordings, finite
from uploadlab.raw.operations import recorded_every
from uploadlab.raw.recordings import Samples, Snapshots
from uploadlab.raw.request_file import RequestCounts
from uploadlab.raw.runtime import Runtime
from uploadlab.results.campaign import Run
from uploadlab.statistics.distribution import Distribution
from uploadlab.table_file import Value, format_number

MARGIN_S = 5
CURVE_STEPS_PER_DECADE = 20
QUANTILE_DIGITS = 12

TIMELINE_COLUMNS = (
    "cell", "repeat", "second", "requests", "errors", "warmup_requests", "mean_ms", "cv", "p50_ms", "p99_ms",
    "cpu_pct", "wait_pct", "steal_pct", "switches_per_s", "server_switches_per_s", "server_wait_ms_per_s",
    "server_cpu_pct", "injector_cpu_pct", "retransmits", "listen_overflows", "psi_cpu_pct", "psi_io_pct", "dirty_mb",
    "gc_ms", "safepoint_ms", "loop_delay_mean_ms",
)  # fmt: skip
PERCENTILE_COLUMNS = ("cell", "repeat", "quantile", "elapsed_ms")
Seconds = NDArray[np.int64]


def curve_quantiles(n: int) -> list[float]:
    """Return the quantiles of a curve of n values: even steps of log10(1 / (1 - q)) up to 1 - 1/n, then 1.

    The median, which is no such step, is one of them: sentences about a curve name it.
    """
    steps = int(np.floor(np.log10(n) * CURVE_STEPS_PER_DECADE)) if n > 1 else 0
    inner = [1 - 10 ** (-step / CURVE_STEPS_PER_DECADE) for step in range(steps + 1)]
    if n > 1:
        inner = sorted([*inner, 0.5])
    return [*inner, *([1 - 1 / n] if n > 1 and inner[-1] < 1 - 1 / n else []), 1.0]


def percentile_rows(cell: str, repeat: str, distribution: Distribution) -> Iterator[dict[str, Value]]:
    """Yield the percentile curve of some requests."""
    if not distribution.n:
        return
    quantiles = curve_quantiles(distribution.n)
    for quantile, elapsed_ms in zip(quantiles, distribution.percentiles(quantiles), strict=True):
        yield {
            "cell": cell,
            "repeat": repeat,
            "quantile": format_number(quantile, QUANTILE_DIGITS),
            "elapsed_ms": elapsed_ms.item(),
        }


def timeline_rows(run: Run, recordings: RunRecordings) -> list[dict[str, Value]]:
    """Return one row a second, from 5 s before the measured window to 5 s after it."""
    start_ns, end_ns = run.window_ns
    last = int((end_ns - start_ns - 1) // NS_PER_SECOND)
    seconds = np.arange(-MARGIN_S, last + MARGIN_S + 1, dtype=np.int64)
    edges_ns = start_ns + np.arange(-MARGIN_S, last + MARGIN_S + 2, dtype=np.int64) * NS_PER_SECOND
    series: dict[str, NDArray[np.float64]] = {
        **_nmon_series(run, recordings.snapshots, edges_ns),
        **_server_series(recordings.server, edges_ns),
        **_runtime_series(recordings.runtime, edges_ns),
    }
    if recordings.injector is not None:
        cores = max(1, len(run.injector_cores))
        series["injector_cpu_pct"] = recordings.injector.increase("role_cpu_ns", edges_ns) / NS_PER_SECOND * 100 / cores
    every = recorded_every(run)
    latency = _latency_by_second(recordings.requests, every)
    return [
        {
            "cell": run.cell,
            "repeat": run.repeat,
            "second": second,
            **latency.get(second, {"requests": 0, "errors": 0}),
            "warmup_requests": recordings.requests.warmup.get(second, 0) * every,
            **{name: finite(values[place]) for name, values in series.items()},
        }
        for place, second in enumerate(seconds.tolist())
    ]


def _latency_by_second(counts: RequestCounts, every: int) -> dict[int, dict[str, Value]]:
    found: dict[int, dict[str, Value]] = {}
    distinct, begins = np.unique(counts.second, return_index=True)
    ends = [*begins[1:].tolist(), len(counts.second)]
    for second, begin, end in zip(distinct.tolist(), begins.tolist(), ends, strict=True):
        part = slice(begin, end)
        distribution = Distribution.of(counts.elapsed_ms[part], counts.count[part])
        found[second] = {
            "requests": distribution.n * every,
            "errors": int(counts.count[part][counts.failed[part]].sum()) * every,
            "mean_ms": distribution.mean,
            "cv": distribution.cv,
            "p50_ms": distribution.percentile(0.5),
            "p99_ms": distribution.percentile(0.99),
        }
    return found


def _nmon_series(run: Run, snapshots: Snapshots | None, edges_ns: Seconds) -> dict[str, NDArray[np.float64]]:
    """Spread nmon's snapshots over the seconds: each second takes the snapshot stamped in it."""
    if snapshots is None:
        return {}
    result = {}
    window = np.searchsorted(edges_ns, snapshots.stamp_s * NS_PER_SECOND, side="right") - 1
    usable = (window >= 0) & (window < len(edges_ns) - 1) & (snapshots.number > 1)
    for name, values in (
        ("cpu_pct", snapshots.cpu_pct(run.server_cores)),
        ("wait_pct", snapshots.share("wait", run.server_cores)),
        ("steal_pct", snapshots.share("steal", run.server_cores)),
        ("switches_per_s", snapshots.pswitch_per_s),
    ):
        spread = np.full(len(edges_ns) - 1, np.nan)
        spread[window[usable]] = values[usable]
        result[name] = spread
    return result


def _server_series(server: Samples | None, edges_ns: Seconds) -> dict[str, NDArray[np.float64]]:
    if server is None:
        return {}
    return {
        "cpu_pct": server.busy_pct("busy", edges_ns),
        "wait_pct": server.busy_pct("iowait", edges_ns),
        "steal_pct": server.busy_pct("steal", edges_ns),
        "switches_per_s": server.increase("ctxt", edges_ns),
        "server_switches_per_s": server.increase("role_voluntary_switches", edges_ns)
        + server.increase("role_involuntary_switches", edges_ns),
        "server_wait_ms_per_s": server.increase("role_wait_ns", edges_ns) / 1e6,
        "server_cpu_pct": server.increase("role_cpu_ns", edges_ns) / NS_PER_SECOND * 100,
        "retransmits": server.increase("tcp_retransmitted_segments", edges_ns).round(),
        "listen_overflows": server.increase("tcp_listen_overflows", edges_ns).round(),
        "psi_cpu_pct": server.increase("psi_cpu_some_us", edges_ns) / 1e4,
        "psi_io_pct": server.increase("psi_io_some_us", edges_ns) / 1e4,
        "dirty_mb": server.largest("memory_dirty_bytes", edges_ns) / MB,
    }


def _runtime_series(runtime: Runtime | None, edges_ns: Seconds) -> dict[str, NDArray[np.float64]]:
    if runtime is None:
        return {}
    series = {"gc_ms": runtime.collections.spent_ms(edges_ns)}
    if runtime.safepoints:
        series["safepoint_ms"] = runtime.safepoints.spent_ms(edges_ns)
    if runtime.loop_delay:
        series["loop_delay_mean_ms"] = runtime.loop_delay.means(edges_ns)
    return series
