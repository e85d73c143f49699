"""What `check` makes of a request file, by hand-computed answers."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from upload_study.check import check
from upload_study.spec import DriverError, Expected, Factors, Load, RunSpec, Verified

from .conftest import run_spec

HEADER = "timeStamp,elapsed,label,responseCode,responseMessage,success,failureMessage\n"


def _spec(folder: Path, limits: dict | None = None, generator: str = "jmeter", each: int = 1, **load: Any) -> RunSpec:
    (folder / "up").mkdir(exist_ok=True)
    told = {"rows": 2000, "threads": 2, "loops": 2, "warmup_threads": 1, "warmup_loops": 1, **load}
    factors = Factors(sample=5, disk="local", generator=generator)
    expected = Expected(status=200, type="text/html")
    verified = Verified(expected=expected, files_per_upload=each, files_before=0, files_after=1, gate={})
    found = len([*(folder / "up").glob("*")])
    after = Verified(expected=expected, files_per_upload=each, files_before=found, files_after=found + 1, gate={})
    more = {"factors": factors, "gates": limits or {}, "verified": verified, "verified_after": after}
    return run_spec(folder / "up", Load(**told), **more)


def _write(folder: Path, *rows: str) -> None:
    (folder / "requests.jtl").write_text(HEADER + "".join(row + "\n" for row in rows))


def _store(folder: Path, count: int) -> None:
    (folder / "up").mkdir(exist_ok=True)
    for number in range(count):
        (folder / "up" / str(number)).write_text("x")


MEASURED = (
    "1000,9,Warm-up upload,200,OK,true,",
    "2010,5,Upload file,200,OK,true,",
    "2000,30,Upload file,200,OK,true,",
    "2003,4,Upload file,200,OK,true,",
    "2020,1,Upload file,500,Server Error,false,bad",
)


def test_the_window_goes_from_the_first_start_to_the_last_end_without_the_warm_up(tmp_path):
    _write(tmp_path, *MEASURED)
    assert check(_spec(tmp_path), tmp_path)["phases"] == {
        "measure_start_ns": 2_000_000_000,
        "measure_end_ns": 2_030_000_000,
    }


def test_requests_errors_and_the_mean_count_measured_requests_only(tmp_path):
    _write(tmp_path, *MEASURED)
    _store(tmp_path, 5)
    result = check(_spec(tmp_path), tmp_path)
    counts = {"requests": 4, "errors": 1, "warmup_requests": 1, "stored_files": 4}
    assert result["counts"] == counts | {"cut_requests": 0, "cut_errors": 0, "ended_per_s": []}
    assert result["mean_ms"] == (5 + 30 + 4 + 1) / 4


def test_what_ended_is_counted_for_each_whole_second_of_the_window(tmp_path):
    ends = ("2000,100", "2100,950", "2500,700", "3900,300")  # 0.1, 1.05, 1.2 and 2.2 s after the first start
    _write(tmp_path, *(f"{sent},Upload file,200,OK,true," for sent in ends))
    assert check(_spec(tmp_path), tmp_path)["counts"]["ended_per_s"] == [1, 2]


def test_files_stored_since_the_proof_must_equal_the_good_answers_with_the_warm_up(tmp_path):
    _write(tmp_path, *MEASURED)
    _store(tmp_path, 5)
    gates = {gate["name"]: gate for gate in check(_spec(tmp_path), tmp_path)["gates"]}
    assert gates["uploads_stored"]["passed"]
    (tmp_path / "up" / "0").unlink()
    gates = {gate["name"]: gate for gate in check(_spec(tmp_path), tmp_path)["gates"]}
    assert not gates["uploads_stored"]["passed"]
    assert gates["uploads_stored"]["sentence"] == "3 files are stored, and 4 uploads were answered as good ones."


def test_a_server_that_leaves_two_files_for_an_upload_is_counted_so(tmp_path):
    _write(tmp_path, *MEASURED)
    _store(tmp_path, 1 + 2 * 4)
    gates = {gate["name"]: gate for gate in check(_spec(tmp_path, each=2), tmp_path)["gates"]}
    assert gates["uploads_stored"]["passed"]


def test_where_nobody_can_look_stored_files_are_not_judged(tmp_path):
    _write(tmp_path, *MEASURED)
    result = check(msgspec.structs.replace(_spec(tmp_path), stored_in=None), tmp_path)
    assert result["counts"]["stored_files"] is None
    assert "uploads_stored" not in {gate["name"] for gate in result["gates"]}


@pytest.mark.parametrize(("generator", "asked", "kept"), [("jmeter", None, 8192), ("lean", None, 8192), ("lean", 0, 0)])
def test_how_much_of_a_file_was_written_at_once_is_among_what_run_json_keeps_of_the_load(
    tmp_path, generator, asked, kept
):
    _write(tmp_path, *MEASURED)
    found = check(_spec(tmp_path, generator=generator, write_bytes=asked), tmp_path)
    assert found["load"]["write_bytes"] == kept


def test_a_load_that_sent_fewer_requests_than_planned_is_invalid(tmp_path):
    _write(tmp_path, *MEASURED)
    gates = {gate["name"]: gate for gate in check(_spec(tmp_path, loops=3), tmp_path)["gates"]}
    assert not gates["requests_sent"]["passed"]
    assert gates["requests_sent"]["sentence"] == "The load generator sent 4 of 6 requests."


def test_a_row_with_quoted_newlines_and_commas_is_one_request(tmp_path):
    _write(tmp_path, *MEASURED[:4], '2020,1,Upload file,500,"Server\n""Error"", bad",false,"two\nlines"')
    assert check(_spec(tmp_path), tmp_path)["counts"]["requests"] == 4


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (HEADER, "it has no request labelled 'Upload file'"),
        ("timeStamp,label\n1,x\n", "line 1: the column 'elapsed' is missing"),
        (HEADER + "1000,9,Upload file,200,OK,true,\n1000,9,Uplo", "line 3: the row is cut off"),
    ],
)
def test_a_damaged_request_file_is_named_with_its_line(tmp_path, content, sentence):
    (tmp_path / "requests.jtl").write_text(content)
    with pytest.raises(DriverError, match=sentence):
        check(_spec(tmp_path), tmp_path)


def test_a_missing_request_file_is_named(tmp_path):
    with pytest.raises(DriverError, match=r"requests\.jtl: cannot be read"):
        check(_spec(tmp_path), tmp_path)


OPEN = HEADER.replace("failureMessage\n", 'failureMessage,"scheduled_ms"\n')


def _open_spec(folder: Path, **limits: float) -> RunSpec:
    load = {"arrivals": "open", "rate_per_s": 100, "duration_s": 1, "loops": None}
    return _spec(folder, limits, **load, warmup_threads=0, warmup_loops=0)


def _open_run(folder: Path, *rows: str) -> None:
    (folder / "requests.jtl").write_text(OPEN + "".join(row + "\n" for row in rows))
    (folder / "schedule.csv").write_text("start_ms,session\n0,1\n10,2\n20,3\n")


def test_open_arrivals_are_held_to_their_schedule(tmp_path):
    # Sent 0, 6 and 3 ms late: 3 ms on average of a response time from the schedule of 30 ms.
    _open_run(
        tmp_path,
        "2000,27,Upload file,200,OK,true,,2000",
        "2016,27,Upload file,200,OK,true,,2010",
        "2023,27,Upload file,200,OK,true,,2020",
        "1990,5,Warm-up upload,200,OK,true,,null",
    )
    gates = {gate["name"]: gate for gate in check(_open_spec(tmp_path, pacing_pct=10.0), tmp_path)["gates"]}
    assert (gates["pacing"]["figure"], gates["pacing"]["passed"]) == (10.0, True)
    assert gates["requests_sent"]["passed"]
    gates = {gate["name"]: gate for gate in check(_open_spec(tmp_path, pacing_pct=9.9), tmp_path)["gates"]}
    assert not gates["pacing"]["passed"]
    assert gates["pacing"]["sentence"] == (
        "Requests were sent 3.0 ms after they were due on average (99 % within 6 ms): 10.0 % of the response time from "
        "the schedule (at most 9.9 %)."
    )


def test_a_request_of_the_schedule_that_was_not_sent_is_missed(tmp_path):
    _open_run(tmp_path, "2000,30,Upload file,200,OK,true,,2000")
    gates = {gate["name"]: gate for gate in check(_open_spec(tmp_path), tmp_path)["gates"]}
    assert gates["requests_sent"]["sentence"] == "The load generator sent 1 of 3 requests."


def test_jmeters_collections_and_heap_are_gated_over_the_measured_window(tmp_path):
    _write(tmp_path, *MEASURED)
    # In the window from 2.000 to 2.030 s (epoch): 0.6 ms of pause, 2 %; 30 of 40 MB left. The long one came before.
    (tmp_path / "injector.gc.log").write_text(
        "[1970-01-01T00:00:01.000+0000][info][gc] GC(0) Pause Full (System.gc()) 39M->39M(40M) 900.000ms\n"
        "[1970-01-01T00:00:02.010+0000][info][gc] GC(1) Pause Young (Allocation Failure) 39M->30M(40M) 0.600ms\n"
    )
    spec = _spec(tmp_path, {"injector_gc_pct": 1.0, "injector_heap_pct": 80.0})
    gates = {gate["name"]: (gate["figure"], gate["passed"]) for gate in check(spec, tmp_path)["gates"]}
    assert gates["injector_gc"] == (2.0, False)
    assert gates["injector_heap"] == (75.0, True)


def test_where_the_settled_part_is_measured_the_window_begins_there_and_the_rest_is_counted_as_cut(tmp_path):
    # 1,000 requests a millisecond apart, the first 200 of 60 ms, the others of 20 ms.
    rows = [f"{2000 + i},{60 if i < 200 else 20},Upload file,200,OK,true," for i in range(1000)]
    _write(tmp_path, *rows)
    whole = check(_spec(tmp_path, threads=10, loops=100), tmp_path)
    assert (whole["counts"]["requests"], whole["mean_ms"]) == (1000, 28)
    assert (whole["settled"]["requests_before"], whole["settled"]["cut"]) == (200, False)
    result = check(_spec(tmp_path, threads=10, loops=100, window="settled"), tmp_path)
    assert (result["counts"]["requests"], result["counts"]["cut_requests"], result["mean_ms"]) == (800, 200, 20)
    assert result["phases"]["measure_start_ns"] == 2_200_000_000
    assert {gate["name"]: gate["passed"] for gate in result["gates"]}["settled"]


def test_requests_of_one_millisecond_are_cut_together_or_not_at_all(tmp_path):
    # Two start in each millisecond, the last slow one and the first fast one in 2.100 s.
    rows = [f"{2000 + (i + 1) // 2},{60 if i < 200 else 20},Upload file,200,OK,true," for i in range(1000)]
    _write(tmp_path, *rows)
    result = check(_spec(tmp_path, threads=10, loops=100, window="settled"), tmp_path)
    assert result["phases"]["measure_start_ns"] == 2_100_000_000
    assert (result["counts"]["requests"], result["counts"]["cut_requests"]) == (801, 199)
    assert result["settled"]["sentence"].startswith("The first 199 of 1000 requests")


def test_a_closed_loop_that_runs_for_a_time_sends_as_many_as_it_can(tmp_path):
    _write(tmp_path, *MEASURED)
    result = check(_spec(tmp_path, loops=None, duration_s=1), tmp_path)
    assert result["load"]["requests"] == 4
    assert "requests_sent" not in {gate["name"] for gate in result["gates"]}


@pytest.mark.parametrize(
    ("load", "sentence"),
    [
        (
            {"arrivals": "open", "duration_s": 1},
            "a load of open arrivals needs duration_s and rate_per_s, and only that",
        ),
        ({"loops": 1, "duration_s": 1}, "a load of closed arrivals needs loops or duration_s, and only that"),
        ({"arrivals": "open", "rate_per_s": 0, "duration_s": 1}, "rate_per_s must be above 0, not 0"),
    ],
)
def test_a_load_that_makes_no_sense_is_refused(load, sentence):
    given = {"rows": 1, "threads": 1, "warmup_threads": 0, "warmup_loops": 0} | load
    with pytest.raises(msgspec.ValidationError, match=sentence):
        msgspec.convert(given, Load)


def test_what_lean_counts_in_microseconds_is_gated_in_microseconds(tmp_path):
    # 1.2 and 2.8 ms long, 0.1 and 0.3 ms late, 0.05 and 0.15 ms of them at most lean's own.
    (tmp_path / "requests.jtl").write_text(
        OPEN.replace("\n", ',"scheduled_us","start_us","elapsed_us","delay_us"\n')
        + "2000,1,Upload file,200,OK,true,,2000,2000100,2000200,1200,50\n"
        + "2010,3,Upload file,200,OK,true,,2010,2010100,2010400,2800,150\n"
    )
    (tmp_path / "schedule.csv").write_text("start_ms,session\n0,1\n10,2\n")
    found = check(_open_spec(tmp_path, pacing_pct=9.0, injector_delay_pct=5.0), tmp_path)
    gates = {gate["name"]: (gate["figure"], gate["passed"]) for gate in found["gates"]}
    assert found["mean_ms"] == pytest.approx(2.0)
    assert gates["pacing"] == (pytest.approx(100 * 0.2 / 2.2, abs=1e-3), False)
    assert gates["injector_delay"] == (5.0, True)
    assert found["phases"] == {"measure_start_ns": 2_000_000_000, "measure_end_ns": 2_013_000_000}
