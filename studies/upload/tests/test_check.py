"""What `check` makes of a request file, by hand-computed answers."""

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from upload_study import generator
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
    return run_spec(folder / "up", msgspec.convert(told, Load), **more)


def _write(folder: Path, *rows: str) -> None:
    (folder / "requests.jtl").write_text(HEADER + "".join(row + "\n" for row in rows))


def _store(folder: Path, count: int) -> None:
    (folder / "up").mkdir(exist_ok=True)
    for number in range(count):
        (folder / "up" / str(number)).write_text("x")


def _of_window(spec: RunSpec, folder: Path) -> dict[str, Any]:
    """Return the gates of the only window, by name."""
    (window,) = check(spec, folder)["windows"]
    return {gate["name"]: gate for gate in window["gates"]}


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


def test_what_ended_is_counted_for_each_whole_second_of_the_window(tmp_path):
    ends = ("2000,100", "2100,950", "2500,700", "3900,300")  # 0.1, 1.05, 1.2 and 2.2 s after the first start
    _write(tmp_path, *(f"{sent},Upload file,200,OK,true," for sent in ends))
    assert check(_spec(tmp_path), tmp_path)["counts"]["ended_per_s"] == [1, 2]


def test_an_upload_of_0_ms_at_the_start_of_the_window_has_ended_in_it(tmp_path):
    _write(tmp_path, *(f"{sent},Upload file,200,OK,true," for sent in ("2000,0", "2100,800", "2900,200")))
    (window,) = check(_spec(tmp_path), tmp_path)["windows"]
    assert (window["counts"]["ended"], window["counts"]["ended_per_s"]) == (3, [2])


def test_files_stored_since_the_proof_must_equal_the_good_answers_with_the_warm_up(tmp_path):
    _write(tmp_path, *MEASURED)
    _store(tmp_path, 5)
    gates = {gate["name"]: gate for gate in check(_spec(tmp_path), tmp_path)["gates"]}
    assert gates["uploads_stored"]["passed"]
    (tmp_path / "up" / "0").unlink()
    gates = {gate["name"]: gate for gate in check(_spec(tmp_path), tmp_path)["gates"]}
    assert not gates["uploads_stored"]["passed"]
    said = "3 files are stored for 4 uploads that the server said it stored."
    assert gates["uploads_stored"]["sentence"] == said


def test_where_nobody_can_look_stored_files_are_not_judged(tmp_path):
    _write(tmp_path, *MEASURED)
    result = check(msgspec.structs.replace(_spec(tmp_path), stored_in=None), tmp_path)
    assert result["counts"]["stored_files"] is None
    assert "uploads_stored" not in {gate["name"] for gate in result["gates"]}


@pytest.mark.parametrize(("stored", "passed"), [(4, False), (5, True), (6, True), (7, False)])
def test_an_upload_whose_answer_never_came_may_have_been_stored_or_not(tmp_path, stored, passed):
    code = "Non HTTP response code: java.net.SocketTimeoutException"
    _write(tmp_path, *MEASURED, f"2025,9,Upload file,{code},Read timed out,false,")
    _store(tmp_path, stored)
    gates = {gate["name"]: gate for gate in check(_spec(tmp_path, loops=5), tmp_path)["gates"]}
    assert gates["uploads_stored"]["passed"] is passed
    assert gates["injector_errors"]["passed"]


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("java.net.BindException", "Cannot assign requested address"),
        ("java.net.SocketException", "Too many open files"),
    ],
)
def test_a_request_that_failed_for_want_of_something_here_is_no_result_of_the_servers(tmp_path, code, message):
    _write(tmp_path, *MEASURED[:4], f"2020,1,Upload file,Non HTTP response code: {code},{message},false,")
    gates = {gate["name"]: gate for gate in check(_spec(tmp_path), tmp_path)["gates"]}
    assert (gates["injector_errors"]["figure"], gates["injector_errors"]["passed"]) == (1, False)


def test_a_load_that_sent_fewer_requests_than_planned_is_invalid(tmp_path):
    _write(tmp_path, *MEASURED)
    gates = _of_window(_spec(tmp_path, loops=3), tmp_path)
    assert not gates["requests_sent"]["passed"]
    assert gates["requests_sent"]["sentence"] == "The load generator sent 4 of 6 requests."


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


OPEN = HEADER.replace("failureMessage\n", 'failureMessage,"scheduled_ms"\n')


def _open_spec(folder: Path, users: int = 3, **limits: float) -> RunSpec:
    load = {"arrivals": "open", "rate_per_s": 100, "duration_s": 1, "loops": None, "threads": users}
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
    gates = _of_window(_open_spec(tmp_path, pacing_pct=10.0), tmp_path)
    assert (gates["pacing"]["figure"], gates["pacing"]["passed"]) == (10.0, True)
    assert gates["requests_sent"]["passed"]
    gates = _of_window(_open_spec(tmp_path, pacing_pct=9.9), tmp_path)
    assert not gates["pacing"]["passed"]
    assert gates["pacing"]["sentence"] == (
        "Requests were sent 3.00 ms late on average though a user was free (99 % within 6 ms): 10.0 % of the response "
        "time from the schedule (at most 9.9 %, or 0.2 ms)."
    )


@pytest.mark.parametrize(("late_ms", "passed"), [(0.2, True), (0.25, False)])
def test_a_fast_server_is_not_left_out_because_the_generator_is_a_fifth_of_a_millisecond_late(late_ms, passed):
    # Of a response time of 0.6 ms from the schedule 0.2 are a third; beyond them the share counts.
    late = np.full(4, late_ms)
    (found,) = generator.pacing_gates(late, np.zeros(4), np.full(4, 0.4), {"pacing_pct": 10.0})
    assert found["passed"] is passed


def test_what_is_late_because_all_users_are_busy_is_the_servers_queue_and_the_rate_was_not_held(tmp_path):
    # One user: the second and the third are sent when the one before has been answered, 40 ms late on average.
    _open_run(
        tmp_path,
        "2000,40,Upload file,200,OK,true,,2000",
        "2040,40,Upload file,200,OK,true,,2010",
        "2080,40,Upload file,200,OK,true,,2020",
    )
    spec = _open_spec(tmp_path, users=1, pacing_pct=1.0)
    window = check(spec, tmp_path)["windows"][0]
    assert {gate["name"]: gate["passed"] for gate in window["gates"]} == {"requests_sent": True, "pacing": True}
    assert window["held"] is False
    assert window["mean_ms"] == (40 + 70 + 100) / 3
    assert check(_open_spec(tmp_path, users=3), tmp_path)["windows"][0]["held"] is False  # none ended in the window


def test_jmeters_collections_and_heap_are_gated_over_the_measured_window(tmp_path):
    _write(tmp_path, *MEASURED)
    # In the window from 2.000 to 2.030 s (epoch): 0.6 ms of pause, 2 %; 30 of 40 MB left. The long one came before.
    (tmp_path / "injector.gc.log").write_text(
        "[1970-01-01T00:00:01.000+0000][info][gc] GC(0) Pause Full (System.gc()) 39M->39M(40M) 900.000ms\n"
        "[1970-01-01T00:00:02.010+0000][info][gc] GC(1) Pause Young (Allocation Failure) 39M->30M(40M) 0.600ms\n"
    )
    spec = _spec(tmp_path, {"injector_gc_pct": 1.0, "injector_heap_pct": 80.0})
    gates = {name: (gate["figure"], gate["passed"]) for name, gate in _of_window(spec, tmp_path).items()}
    assert gates["injector_gc"] == (2.0, False)
    assert gates["injector_heap"] == (75.0, True)


def _served(folder: Path, label: str, begin_s: float, seconds: float, until_settled_s: float) -> list[str]:
    """Write what a server did under a load of 200 uploads a second: 4 ms of CPU each, at first twice as much."""
    path, cpu_ns = folder / "server.samples.csv", 0.0
    if not path.exists():
        path.write_text("time_ns,role_cpu_ns\n0,0\n")
    else:
        cpu_ns = float(path.read_text().splitlines()[-1].split(",")[1])
    with path.open("a") as file:
        for step in range(1, round(seconds * 10) + 1):
            cpu_ns += 20 * 4e6 * (2 if step / 10 <= until_settled_s else 1)
            file.write(f"{round((begin_s + step / 10) * 1e9)},{round(cpu_ns)}\n")
    starts = [round(1000 * begin_s) + 5 * number for number in range(round(200 * seconds))]
    return [f"{start},4,{label},200,OK,true,,{start}" for start in starts]


def test_each_load_is_measured_from_when_the_cpu_of_an_upload_has_settled_under_it(tmp_path):
    saturated = _served(tmp_path, "Upload file (saturated)", 10, 5, 1.0)
    half = _served(tmp_path, "Upload file (50 % of capacity)", 20, 6, 2.0)
    rows = [row.rpartition(",")[0] + ",null" for row in saturated] + half
    (tmp_path / "requests.jtl").write_text(OPEN + "".join(row + "\n" for row in rows))
    (tmp_path / "schedule-50.csv").write_text("start_ms,session\n" + "0,1\n" * len(half))
    windows = [{"load": "saturated"}, {"load": 50, "rate_per_s": 200.0}]
    told = {"generator": "lean", "windows": windows, "saturated_s": 5, "share_s": 6, "settling_s": 2.5, "loops": None}
    found = check(_spec(tmp_path, **told), tmp_path)
    first, second = found["windows"]
    assert [(one["load"], one["label"], one["users"], one["rate_per_s"]) for one in (first, second)] == [
        ("saturated", "Upload file (saturated)", 2, None),
        (50, "Upload file (50 % of capacity)", None, 200.0),
    ]
    # A quarter of a second of it is still within the tenth that thirds may differ.
    assert first["start_ns"] / 1e9 == pytest.approx(11, abs=0.26)
    assert second["start_ns"] / 1e9 == pytest.approx(22, abs=0.26)
    assert (first["settled"], second["settled"], first["held"], second["held"]) == (True, True, None, True)
    assert second["counts"]["cut_requests"] == pytest.approx(400, abs=52)
    assert second["counts"]["requests"] + second["counts"]["cut_requests"] == 1200
    per_s = second["counts"]["ended_ok"] / (second["end_ns"] - second["start_ns"]) * 1e9
    assert per_s == pytest.approx(200, rel=0.01)
    assert found["phases"]["measure_start_ns"] == first["start_ns"]
    assert found["counts"]["requests"] == first["counts"]["requests"] + second["counts"]["requests"]


def test_at_saturation_waiting_for_the_generator_is_no_reason_against_a_capacity(tmp_path):
    # Half of each response time is lean's own.
    micros = ',"scheduled_us","start_us","elapsed_us","delay_us"\n'
    rows = [
        *(
            f"{ms},4,Upload file (saturated),200,OK,true,,null,null,{ms}000,4000,2000"
            for ms in range(10_000, 16_000, 5)
        ),
        *(
            f"{ms},4,Upload file (50 % of capacity),200,OK,true,,{ms},{ms}000,{ms}000,4000,2000"
            for ms in range(20_000, 26_000, 5)
        ),
    ]
    (tmp_path / "requests.jtl").write_text(OPEN.replace("\n", micros) + "".join(row + "\n" for row in rows))
    (tmp_path / "schedule-50.csv").write_text("start_ms,session\n" + "0,1\n" * 1200)
    windows = [{"load": "saturated"}, {"load": 50, "rate_per_s": 200.0}]
    told = {"generator": "lean", "windows": windows, "saturated_s": 6, "share_s": 6, "settling_s": 1, "loops": None}
    for window in check(_spec(tmp_path, {"injector_delay_pct": 10.0}, **told), tmp_path)["windows"]:
        failed = [gate["name"] for gate in window["gates"] if not gate["passed"]]
        assert failed == ([] if window["load"] == "saturated" else ["injector_delay"])


def test_of_a_load_in_turns_the_time_of_its_turns_counts_from_the_first_one_that_has_settled(tmp_path):
    # Turns of 0.5 s begin 2 s apart; the third is the first after the 1 s of settling. Nothing says when it settled.
    rows = [
        f"{begin + ms},20,Upload file (50 % of capacity),200,OK,true,,{begin + ms}"
        for begin in range(20_000, 32_000, 2000)
        for ms in range(0, 500, 5)
    ]
    (tmp_path / "requests.jtl").write_text(OPEN + "".join(row + "\n" for row in rows))
    (tmp_path / "schedule-50.csv").write_text("start_ms,session\n" + "0,1\n" * len(rows))
    turns = [
        f"Upload file (50 % of capacity),{begin}000,{begin + lasted}000"
        for begin, lasted in zip(range(20_000, 32_000, 2000), (900, 500, 515, 520, 525, 530), strict=True)
    ]
    other = "Upload file (saturated),1000,9000"
    (tmp_path / "turns.csv").write_text("\n".join(["label,start_us,end_us", other, *turns]) + "\n")
    told = {"generator": "lean", "windows": [{"load": 50, "rate_per_s": 200.0}], "share_s": 3, "settling_s": 1}
    (window,) = check(_spec(tmp_path, **told, loops=None), tmp_path)["windows"]
    assert (window["start_ns"], window["end_ns"]) == (22_000_000_000, 30_530_000_000)
    assert window["active_ns"] == (500 + 515 + 520 + 525 + 530) * 1_000_000
    assert (window["counts"]["requests"], window["counts"]["cut_requests"]) == (500, 100)
    assert window["held"] is None, "a turn is too short for a queue"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("label,start_us\nUpload file,1\n", "expected the columns label, start_us and end_us"),
        ("label,start_us,end_us\n", "no turn"),
    ],
)
def test_turns_that_cannot_be_read_are_said_in_one_sentence(tmp_path, text, sentence):
    _write(tmp_path, *MEASURED)
    (tmp_path / "turns.csv").write_text(text)
    with pytest.raises(DriverError, match=sentence):
        check(_spec(tmp_path), tmp_path)


def test_a_load_that_never_settles_is_measured_all_the_same_and_says_so(tmp_path):
    rows = _served(tmp_path, "Upload file (50 % of capacity)", 20, 6, 4.0)
    (tmp_path / "requests.jtl").write_text(OPEN + "".join(row + "\n" for row in rows))
    (tmp_path / "schedule-50.csv").write_text("start_ms,session\n" + "0,1\n" * len(rows))
    windows = [{"load": 50, "rate_per_s": 200.0}]
    told = {"generator": "lean", "windows": windows, "share_s": 6, "settling_s": 2, "loops": None}
    (window,) = check(_spec(tmp_path, **told), tmp_path)["windows"]
    assert (window["settled"], window["start_ns"]) == (False, 22_000_000_000)
    assert all(gate["passed"] for gate in window["gates"])
    assert window["settling"]["sentence"] == (
        "The server's CPU per upload never settled: it is measured from 2 s on all the same."
    )


def test_what_lean_counts_in_microseconds_is_gated_in_microseconds(tmp_path):
    # 1.2 and 2.8 ms long, 0.1 and 0.3 ms late, 0.05 and 0.15 ms of them at most lean's own.
    (tmp_path / "requests.jtl").write_text(
        OPEN.replace("\n", ',"scheduled_us","start_us","elapsed_us","delay_us"\n')
        + "2000,1,Upload file,200,OK,true,,2000,2000100,2000200,1200,50\n"
        + "2010,3,Upload file,200,OK,true,,2010,2010100,2010400,2800,150\n"
    )
    (tmp_path / "schedule.csv").write_text("start_ms,session\n0,1\n10,2\n")
    found = check(_open_spec(tmp_path, pacing_pct=9.0, injector_delay_pct=5.0), tmp_path)
    window = found["windows"][0]
    gates = {gate["name"]: (gate["figure"], gate["passed"]) for gate in window["gates"]}
    assert window["mean_ms"] == pytest.approx(2.2)  # from when they were due
    assert gates["pacing"][0] == pytest.approx(100 * 0.2 / 2.2, abs=1e-3)
    assert gates["injector_delay"] == (5.0, True)
    assert found["phases"] == {"measure_start_ns": 2_000_000_000, "measure_end_ns": 2_014_000_000}
