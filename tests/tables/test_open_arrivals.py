"""Open arrivals and the settled part of a run: what runs.csv says of them, reckoned by hand."""

from functools import partial
from pathlib import Path

import pytest
from test_operations import recorded_as, run_of

from uploadlab.metrics.figures import request_figures, settling_figures
from uploadlab.raw.request_file import read_requests as read_any_requests
from uploadlab.results.campaign import Run
from uploadlab.statistics.distribution import Distribution

read_measured = partial(read_any_requests, label="Upload file")

START_MS = 1790000000000
# As JMeter writes it: the further column in quotes, null where a request had no time it was due.
HEADER = 'timeStamp,elapsed,label,responseCode,threadName,success,bytes,sentBytes,Latency,Connect,"scheduled_ms"'


def row(sent_ms: int, elapsed_ms: int, due_ms: int | None, label: str = "Upload file") -> str:
    due = "null" if due_ms is None else START_MS + due_ms
    return f"{START_MS + sent_ms},{elapsed_ms},{label},200,Users 1-1,true,388,1000,1,0,{due}"


# Due each 100 ms; the second is sent 40 ms late, the last 10.
ROWS = (row(-500, 7, None, "Warm-up upload"), row(0, 90, 0), row(140, 20, 100), row(200, 20, 200), row(310, 30, 300))


def write(folder: Path, *rows: str) -> Path:
    path = folder / "requests.jtl"
    path.write_text("\n".join([HEADER, *rows]) + "\n")
    return path


def figures(path: Path, **options: float) -> dict:
    counts = read_measured(path, **options)
    return request_figures(counts, Distribution.of(counts.elapsed_ms, counts.count))


def test_response_times_from_the_schedule_stand_beside_those_from_the_send(tmp_path):
    found = figures(write(tmp_path, *ROWS))
    # From the send 90, 20, 20, 30; from the schedule 90, 60, 20, 40; late by 0, 40, 0, 10.
    assert (found["mean_ms"], found["p50_ms"], found["p99_ms"]) == (40, 20, 90)
    assert (found["scheduled_mean_ms"], found["scheduled_p50_ms"], found["scheduled_p99_ms"]) == (52.5, 40, 90)
    assert (found["scheduled_max_ms"], found["late_mean_ms"], found["late_p99_ms"]) == (90, 12.5, 40)


def test_what_was_sent_before_the_run_had_settled_is_warm_up_and_counted_in_the_whole(tmp_path):
    path = write(tmp_path, *ROWS)
    counts = read_measured(path, from_ms=START_MS + 140)
    found = request_figures(counts, Distribution.of(counts.elapsed_ms, counts.count))
    assert (found["requests"], found["mean_ms"]) == (3, pytest.approx(70 / 3))
    assert found["scheduled_mean_ms"] == 40
    assert sum(counts.warmup.values()) == 2
    whole = settling_figures(run({"window": "settled"}, settled=True, cut=1), counts)
    assert whole["settled"] is True
    assert (whole["cut_requests"], whole["whole_mean_ms"], whole["whole_p99_ms"]) == (1, 40, 90)


def run(load: dict, *, settled: bool | None, cut: int) -> Run:
    """A run whose run.json says so much."""
    return recorded_as(run_of(Path()), load=load, settled={"settled": settled}, counts={"cut_requests": cut})


IN_US = '"start_us","elapsed_us","latency_us","connect_us"'


def test_times_in_microseconds_are_taken_where_the_file_has_them_and_no_clock_is_taken_out_of_them(tmp_path):
    # 0.4 and 0.8 ms, which whole milliseconds print as 0 and 1; due 0.1 and 0.3 ms before they were sent.
    path = tmp_path / "requests.jtl"
    us = START_MS * 1000
    rows = [
        f"{START_MS},0,Upload file,200,Users 1-1,true,388,1000,0,0,{us + 250},400,300,100,{START_MS},{us + 150}",
        f"{START_MS + 1},1,Upload file,200,Users 1-1,true,388,1000,1,0,{us + 1100},800,600,0,{START_MS},{us + 800}",
    ]
    path.write_text("\n".join([HEADER.replace(',"sch', f',{IN_US},"sch') + ',"scheduled_us"', *rows]) + "\n")
    found = figures(path)
    wanted = {"mean_ms": 0.6, "sd_ms": 0.08**0.5, "p50_ms": 0.4, "max_ms": 0.8, "ttfb_ms": 0.45, "connect_ms": 0.05}
    wanted |= {"scheduled_mean_ms": 0.8, "late_mean_ms": 0.2, "throughput_rps": 2 / 0.00165}
    assert {name: found[name] for name in wanted} == pytest.approx(wanted, rel=1e-3)
    assert (found["clock_variance_pct"], found["clock_mean_error_us"]) == (0.0, 0.0)
    assert (found["cv_without_clock"], found["sd_without_clock_ms"]) == (found["cv"], found["sd_ms"])
