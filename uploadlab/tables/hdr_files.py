"""Response times as HDR histogram logs, which the viewers of that format open."""

from pathlib import Path

from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogWriter

from uploadlab.statistics.distribution import Distribution

NS_PER_MS = 1_000_000
LONGEST_NS = 3_600_000 * NS_PER_MS
SIGNIFICANT_DIGITS = 3


def write_hdr(path: Path, distribution: Distribution, *, start_ns: int, end_ns: int) -> None:
    """Write the response times of a run (ms) as one interval of an HDR histogram log, in nanoseconds as is usual.

    Values keep three digits; those above an hour count as an hour. `start_ns` and `end_ns` are epoch times of the run.
    """
    histogram = HdrHistogram(1, LONGEST_NS, SIGNIFICANT_DIGITS)
    for value, count in zip(distribution.values.tolist(), distribution.counts.tolist(), strict=True):
        histogram.record_value(min(round(value * NS_PER_MS), LONGEST_NS), count)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as file:
        log = HistogramLogWriter(file)
        log.output_log_format_version()
        log.output_legend()
        log.output_interval_histogram(histogram, start_ns / 1e9, end_ns / 1e9)
