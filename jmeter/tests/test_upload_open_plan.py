"""The plan of open arrivals: requests leave when the schedule says, not when the last answer came."""

import statistics
import subprocess

import pytest
from finished import read_rows

from .conftest import JMETER
from .stub_server import Answer, StubServer

OFFSETS = [100 * number for number in range(12)]


def test_every_arrival_is_sent_once_not_before_it_is_due_and_its_row_says_when_that_was(run_plan, tmp_path):
    rows = [f"{offset},{number}\n" for number, offset in enumerate(OFFSETS, 1)]
    (tmp_path / "schedule.csv").write_text("".join(["start_ms,session\n", *rows]))
    settings = {"schedule_csv": tmp_path / "schedule.csv", "max_threads": 12, "lead_ms": 300}
    with StubServer(lambda _: Answer(delay_s=0.4)) as stub:
        run = run_plan(
            stub.port,
            [10, 20],
            plan="upload-open.jmx",
            extra=("-Jsample_variables=scheduled_ms",),
            warmup_threads=2,
            warmup_loops=2,
            **settings,
        )
    due = sorted(int(row["scheduled_ms"]) for row in run.measured)
    assert [moment - due[0] for moment in due] == OFFSETS
    assert all(int(row["timeStamp"]) >= int(row["scheduled_ms"]) for row in run.measured)


def test_a_schedule_without_its_heading_is_not_replayed_at_other_times_but_not_at_all(run_plan, tmp_path):
    (tmp_path / "schedule.csv").write_text("0\n100\n200\n")
    with StubServer() as stub:
        run = run_plan(stub.port, [10], plan="upload-open.jmx", schedule_csv=tmp_path / "schedule.csv", max_threads=2)
    assert run.rows == []
    assert stub.arrivals == []
    assert '"${start_ms}"' in run.log


@pytest.mark.slow
def test_a_schedule_that_the_lab_draws_is_replayed_as_it_is(run_plan, tmp_path):
    schedule = tmp_path / "arrivals.csv"
    lab = [JMETER.parent / "lab", "sizes", "arrivals", "--process", "sessions", "--rate", "20", "--seconds", "6"]
    subprocess.run([*lab, "--out", schedule], check=True, timeout=120)
    drawn = [(int(row["start_ms"]), row["session"]) for row in read_rows(schedule)]
    with StubServer() as stub:
        run = run_plan(
            stub.port,
            [10, 20],
            plan="upload-open.jmx",
            extra=("-Jsample_variables=scheduled_ms,session",),
            schedule_csv=schedule,
            max_threads=20,
            warmup_threads=4,
            warmup_loops=10,
        )
    due = sorted((int(row["scheduled_ms"]), row["session"]) for row in run.measured)
    clock_start_ms = due[0][0] - drawn[0][0]
    assert sorted((moment - clock_start_ms, session) for moment, session in due) == sorted(drawn)
    # The server's clock is the same machine's: what it received, and when, less the warm-up.
    received_ms = sorted(arrival.received_ms - clock_start_ms for arrival in stub.arrivals)[-len(drawn) :]
    late_ms = [came - start for came, (start, _) in zip(received_ms, drawn, strict=True)]
    gap_ms = drawn[-1][0] / len(drawn)
    assert min(late_ms) >= 0
    assert statistics.median(late_ms) < 10 * gap_ms
