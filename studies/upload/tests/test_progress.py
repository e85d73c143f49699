"""What the driver says while JMeter runs, from the files that JMeter writes meanwhile."""

import json
import subprocess
import threading

import pytest

from upload_study.jmeter import follow

ROW = "1,5,{},200,OK,u,text,{},,9,9,1,1,u,1,0,0\n"


def test_the_requests_are_counted_by_kind_while_their_file_grows(tmp_path, capfd):
    requests = tmp_path / "requests.jtl"
    running = subprocess.Popen(["sleep", "2.5"])
    requests.write_text("timeStamp,elapsed,label\n" + 3 * ROW.format("Warm-up upload", "true"))
    writer = threading.Timer(1.5, lambda: _append(requests, ROW.format("Upload file", "false") + "1,5,Upload fi"))
    writer.start()
    follow(running, requests)
    told = [json.loads(line)["progress"] for line in capfd.readouterr().out.splitlines()]
    assert [(one["phase"], one["requests"], one["errors"]) for one in told] == [
        ("warming up", 3, 0),
        ("measuring", 1, 1),
    ]


def test_the_rate_is_that_of_the_phase_though_rows_come_many_at_a_time(tmp_path, capfd):
    requests = tmp_path / "requests.jtl"
    requests.write_text(900 * ROW.format("Warm-up upload", "true"))
    running = subprocess.Popen(["sleep", "6.5"])
    for at_s in (1.5, 4.5):  # 70 rows every three seconds
        threading.Timer(at_s, lambda: _append(requests, 70 * ROW.format("Upload file", "true"))).start()
    follow(running, requests)
    told = [json.loads(line)["progress"] for line in capfd.readouterr().out.splitlines()]
    measuring = [one for one in told if one["phase"] == "measuring"]
    assert measuring[-1]["requests"] == 140
    assert measuring[-1]["per_s"] == pytest.approx(140 / 5, rel=0.5)
    # Neither 0 while no rows come, nor the 900 of the warm-up.
    assert all(0 < one["per_s"] <= 140 for one in measuring)


@pytest.mark.parametrize(("settle_s", "said"), [(0.3, '{"warmed_up": true}\n'), (5.0, "")])
def test_that_the_warm_up_is_over_is_said_once_and_not_before_the_server_had_its_time(settle_s, said, tmp_path, capfd):
    log = tmp_path / "jmeter.log"
    running = subprocess.Popen(["sleep", "1.5"])
    log.write_text("INFO a.b: Thread started: Clock 2-1\nINFO a.b: Clock 2-1  :  The warm-up is over.\n")
    follow(running, tmp_path / "requests.jtl", log, settle_s=settle_s)
    assert capfd.readouterr().out == said


def test_each_time_that_the_server_may_finish_its_background_work_is_said_with_the_most_that_it_may_take(
    tmp_path, capfd
):
    log = tmp_path / "lean.log"
    running = subprocess.Popen(["sleep", "4"])
    may = "2026-11-28T14:00:00Z The server may finish its background work.\n"
    log.write_text(may + "2026-11-28T14:00:01Z The warm-up is over.\n")
    writer = threading.Timer(0.8, lambda: _append(log, "2026-11-28T14:00:02Z The load is over.\n" + may))
    writer.start()
    follow(running, tmp_path / "requests.jtl", log, background_s=20.0)
    told = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert told == [{"background_s": 20.0}, {"warmed_up": True}, {"background_s": 20.0}]


def _append(path, text):
    with path.open("a") as file:
        file.write(text)
