"""What the usual columns of ``runs.csv`` are called, with their units; a study's own names come first."""

from uploadlab.results.declarations import WINDOW_METRICS, Metric

NAMES = {
    "mean_ms": "mean response time",
    "median_ms": "median",
    "p50_ms": "median",
    "rate_per_s": "offered rate",
    "in_flight": "in flight",
    "error_pct": "errors",
    "p99_ms": "p99",
    "p999_ms": "p99.9",
    "cv": "coefficient of variation",
    "throughput_rps": "throughput",
    "server_cpu_us_per_request": "server CPU per request",
    "memory_peak_mb": "peak memory",
}
UNITS = {"throughput_rps": "requests/s", "server_cpu_us_per_request": "µs"}
_BY_ENDING = {"_per_s": "/s", "_ms": "ms", "_us": "µs", "_mb": "MB", "_kb": "KB", "_pct": "%"}


def name_of(metric: Metric) -> str:
    """Return what a metric is called."""
    of_windows = WINDOW_METRICS.get(metric.column, {})
    return metric.name or NAMES.get(metric.column) or of_windows.get("name") or metric.column.replace("_", " ")


def unit_of(metric: Metric) -> str:
    """Return a metric's unit; nothing where it has none."""
    by_ending = next((unit for ending, unit in _BY_ENDING.items() if metric.column.endswith(ending)), "")
    of_windows = WINDOW_METRICS.get(metric.column, {})
    return metric.unit or of_windows.get("unit") or UNITS.get(metric.column, by_ending)
