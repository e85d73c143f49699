from functools import partial
from pathlib import Path

import pytest

from uploadlab.errors import LabError
from uploadlab.metrics.figures import request_figures
from uploadlab.raw.request_file import read_requests as read_any_requests
from uploadlab.statistics.distribution import Distribution

read_measured = partial(read_any_requests, label="Upload file")

HEADER = "timeStamp,elapsed,label,responseCode,threadName,success,bytes,sentBytes,Latency,Connect"
ROWS = (
    "1790000000000,10,Warm-up upload,200,Warm-up 1-1,true,388,500,9,1",
    "1790000001000,100,Upload file,200,Uploads 1-1,true,388,1000,90,5",
    "1790000001000,300,Upload file,200,Uploads 1-2,true,388,3000,280,0",
    "1790000001900,200,Upload file,500,Uploads 1-1,false,388,2000,190,0",
)


def write(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines) + "\n")
    return path


def test_requests_with_the_measured_label_are_counted_in_the_second_in_which_they_end(tmp_path):
    counts = read_measured(write(tmp_path / "requests.jtl", HEADER, *ROWS))
    assert counts.elapsed_ms.tolist() == [100, 300, 200]
    assert counts.failed.tolist() == [False, False, True]
    assert counts.count.tolist() == [1, 1, 1]
    assert counts.second.tolist() == [0, 0, 1]
    assert counts.warmup == {-1: 1}
    assert (counts.start_ms, counts.end_ms) == (1790000001000, 1790000002100)
    assert counts.ttfb_ms == pytest.approx((90 + 280 + 190) / 3)
    assert counts.connect_ms == pytest.approx(5 / 3)
    assert counts.sent_bytes == 6000
    assert counts.bytes_slope_ms == pytest.approx(0.1)  # 100 ms, 200 ms, 300 ms at 1000, 2000, 3000 bytes
    assert counts.bytes_r2 == pytest.approx(1)


def test_the_first_measured_request_of_each_user_is_told_from_its_others(tmp_path):
    counts = read_measured(write(tmp_path / "requests.jtl", HEADER, *ROWS))
    figures = request_figures(counts, Distribution.of(counts.elapsed_ms, counts.count))
    assert figures["first_requests"] == 2  # 100 and 300 ms; 200 ms is the mean of all, so the two are all the variance
    assert figures["first_mean_ms"] == 200
    assert figures["first_max_ms"] == 300
    assert figures["first_variance_pct"] == pytest.approx(100)
    assert (figures["later_mean_ms"], figures["later_p99_ms"]) == (200, 200)


def test_the_steady_window_runs_from_everybodys_second_answer_to_the_first_users_last(tmp_path):
    rows = [
        f"{1790000000000 + start},{elapsed},Upload file,200,{user},true,388,1000,1,0"
        for user, requests in {
            "Uploads 1-1": [(0, 100), (100, 200), (300, 100), (400, 100)],  # second answer at 300, last at 500
            "Uploads 1-2": [(0, 50), (50, 100), (150, 700)],  # second answer at 150, last at 850
        }.items()
        for start, elapsed in requests
    ]
    counts = read_measured(write(tmp_path / "requests.jtl", HEADER, *rows))
    assert counts.steady_from_ms == 1790000000300
    assert counts.steady_to_ms == 1790000000500
    assert counts.steady.counts.tolist() == [2]  # the two that start at 300 and 400
    assert counts.steady.values.tolist() == [100]


@pytest.mark.parametrize(
    "row",
    [
        "1446032251256,162,Upload file,200,OK,商品 1-1,text,true,12953,1,1,162",
        "1446032251256,162,Upload file,200,OK,users 1-1,text,true,,12953,1,1,162,0",
        "1446032251256,162,Upload file,200,OK,users 1-1,text,true,,12953,400,1,1,162,0,1",
        "1446032251256,162,Upload file,200,OK,users 1-1,text,true,,12953,400,1,1,http://x/,162,0,1",
    ],
    ids=["JMeter 2", "JMeter 3.0", "JMeter 3.1 to 4", "JMeter 5"],
)
def test_jmeters_own_layouts_are_read_without_a_header(tmp_path, row):
    counts = read_measured(write(tmp_path / "requests.jtl", row))
    assert counts.elapsed_ms.tolist() == [162]
    assert counts.ttfb_ms == 162


def test_columns_that_are_not_needed_may_be_missing(tmp_path):
    counts = read_measured(
        write(tmp_path / "r.jtl", "timeStamp,elapsed,label,success", "1790000001000,5,Upload file,true")
    )
    assert counts.ttfb_ms is None
    assert counts.sent_bytes is None
    assert counts.bytes_r2 is None


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        (["<?xml version='1.0'?>", "<testResults/>"], "line 1: this is JMeter's XML format"),
        (["1,2,3,4,5,6,7,8,9,10,11,12"], "line 1: no header line"),
        (["timeStamp,elapsed,elapsed,label,success"], "line 1: the column elapsed appears twice"),
        ([HEADER, ROWS[1], "1790000001000,7"], "line 3: expected 10 columns"),
        ([HEADER, ROWS[0]], "no measured request: no row has the label Upload file"),
    ],
)
def test_what_cannot_be_read_is_said_in_one_sentence_with_its_place(tmp_path, lines, sentence):
    path = write(tmp_path / "requests.jtl", *lines)
    with pytest.raises(LabError) as error:
        read_measured(path)
    assert str(error.value).startswith(str(path))
    assert sentence in str(error.value)
