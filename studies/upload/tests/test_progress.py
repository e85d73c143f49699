"""What the driver says while JMeter runs, from the files that JMeter writes meanwhile."""

import json
import subprocess
from types import SimpleNamespace

import pytest

from upload_study import jmeter
from upload_study.jmeter import follow

ROW = "1,5,{},200,OK,u,text,{},,9,9,1,1,u,1,0,0\n"


@pytest.fixture
def clock(monkeypatch):
    """Return the driver's clock, which goes on only while it waits for a process of these tests."""
    clock = SimpleNamespace(now_s=0.0)
    monkeypatch.setattr(jmeter, "time", SimpleNamespace(monotonic=lambda: clock.now_s))
    return clock


class Running:
    """A process that ends so many seconds from now, and appends texts to files meanwhile: when, to which, and what."""

    def __init__(self, clock, lasts_s, *writes):
        self.clock, self.lasts_s, self.writes = clock, lasts_s, list(writes)

    def wait(self, seconds):
        until_s = self.clock.now_s + seconds
        self.clock.now_s = min(until_s, self.lasts_s)
        while self.writes and self.writes[0][0] <= self.clock.now_s:
            _, path, text = self.writes.pop(0)
            with path.open("a") as file:
                file.write(text)
        if until_s < self.lasts_s:
            raise subprocess.TimeoutExpired("it", seconds)


def test_the_requests_are_counted_by_kind_while_their_file_grows(tmp_path, capfd, clock):
    requests = tmp_path / "requests.jtl"
    requests.write_text("timeStamp,elapsed,label\n" + 3 * ROW.format("Warm-up upload", "true"))
    more = ROW.format("Upload file", "false") + "1,5,Upload fi"
    follow(Running(clock, 2.5, (1.5, requests, more)), requests)
    told = [json.loads(line)["progress"] for line in capfd.readouterr().out.splitlines()]
    assert [(one["phase"], one["requests"], one["errors"]) for one in told] == [
        ("warming up", 3, 0),
        ("measuring", 1, 1),
    ]


def test_the_rate_is_that_of_the_phase_though_rows_come_many_at_a_time(tmp_path, capfd, clock):
    requests = tmp_path / "requests.jtl"
    requests.write_text(900 * ROW.format("Warm-up upload", "true"))
    rows = 70 * ROW.format("Upload file", "true")  # every three seconds
    follow(Running(clock, 6.5, (1.5, requests, rows), (4.5, requests, rows)), requests)
    told = [json.loads(line)["progress"] for line in capfd.readouterr().out.splitlines()]
    measuring = [one for one in told if one["phase"] == "measuring"]
    assert measuring[-1]["requests"] == 140
    assert measuring[-1]["per_s"] == pytest.approx(140 / 5)
    # Neither 0 while no rows come, nor the 900 of the warm-up.
    assert all(0 < one["per_s"] <= 70 for one in measuring)


@pytest.mark.parametrize(("settle_s", "said"), [(0.3, '{"warmed_up": true}\n'), (5.0, "")])
def test_that_the_warm_up_is_over_is_said_once_and_not_before_the_server_had_its_time(
    settle_s, said, tmp_path, capfd, clock
):
    log = tmp_path / "jmeter.log"
    log.write_text("INFO a.b: Thread started: Clock 2-1\nINFO a.b: Clock 2-1  :  The warm-up is over.\n")
    follow(Running(clock, 1.5), tmp_path / "requests.jtl", log, settle_s=settle_s)
    assert capfd.readouterr().out == said


def test_each_time_that_the_server_may_finish_its_background_work_is_said_with_the_most_that_it_may_take(
    tmp_path, capfd, clock
):
    log = tmp_path / "lean.log"
    may = "2026-11-28T14:00:00Z The server may finish its background work.\n"
    log.write_text(may + "2026-11-28T14:00:01Z The warm-up is over.\n")
    more = "2026-11-28T14:00:02Z The load is over.\n" + may
    follow(Running(clock, 4, (0.8, log, more)), tmp_path / "requests.jtl", log, background_s=20.0)
    told = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert told == [{"background_s": 20.0}, {"warmed_up": True}, {"background_s": 20.0}]
