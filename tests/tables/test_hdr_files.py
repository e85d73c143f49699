"""HDR histogram logs, read back by the library that others read them with."""

import contextlib

import pytest
from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogReader

from uploadlab.statistics.distribution import Distribution
from uploadlab.tables.hdr_files import write_hdr

NS_PER_MS = 1_000_000


def _read(path):
    with contextlib.closing(HistogramLogReader(str(path), HdrHistogram(1, 3_600_000 * NS_PER_MS, 3))) as log:
        return log.get_next_interval_histogram()


def test_every_request_is_in_the_log_with_its_time_to_three_digits(tmp_path):
    path = tmp_path / "hdr" / "run.hlog"
    write_hdr(path, Distribution.of([1, 10, 1234, 60_000], [5, 3, 1, 1]), start_ns=10**18, end_ns=10**18 + 5 * 10**9)
    histogram = _read(path)
    assert histogram.get_total_count() == 10
    assert histogram.get_count_at_value(NS_PER_MS) == 5
    assert histogram.get_value_at_percentile(50) == pytest.approx(NS_PER_MS, rel=1e-3)
    assert histogram.get_value_at_percentile(80) == pytest.approx(10 * NS_PER_MS, rel=1e-3)
    assert histogram.get_value_at_percentile(90) == pytest.approx(1234 * NS_PER_MS, rel=1e-3)
    assert histogram.get_max_value() == pytest.approx(60_000 * NS_PER_MS, rel=1e-3)


def test_a_time_above_an_hour_counts_as_an_hour(tmp_path):
    path = tmp_path / "run.hlog"
    write_hdr(path, Distribution.of([4_000_000]), start_ns=0, end_ns=10**9)
    assert _read(path).get_max_value() == pytest.approx(3_600_000 * NS_PER_MS, rel=1e-3)
