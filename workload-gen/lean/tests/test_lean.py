"""The generator, run against servers that record what arrives and answer in every way."""

import hashlib
import os
import re
import socket
import struct
import subprocess
import threading
import time
from collections import Counter
from itertools import count, cycle, islice, pairwise
from statistics import median
from urllib.parse import urlencode

import pytest

from upload_study.plans import request_properties, with_request
from upload_study.spec import UploadTarget

from .conftest import FOLDER, SIZES, ok, schedule

JMETER = FOLDER.parents[1] / "jmeter"
# Of JMeter: a few requests, for which code that is compiled soon is better than code that is compiled well.
QUICK_START = {**os.environ, "JMETER_HEAP": "128m", "JVM_ARGS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}
JMETERS_COLUMNS = (
    "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,failureMessage,bytes,sentBytes,"
    "grpThreads,allThreads,URL,Latency,IdleTime,Connect"
)
PAGE = b"thanks"
SHA = hashlib.sha256(PAGE).hexdigest()


def boundary_of(head):
    return re.search(r"boundary=([\w-]+)", head)[1]


def sizes_of(server):
    return [int(re.search(rb'filename="(\d+)\.split"', body)[1]) for body in server.bodies]


EVERY_SETTING = {
    "written as JMeter does": {},
    "in few writes": {"write_bytes": 0},
    "in small writes": {"write_bytes": 1024},
    "in large writes": {"write_bytes": 1_000_000},
    "to another place, written down elsewhere": {
        **{"host": "localhost", "path": "/in/here", "field": "file", "label": "Upload file (50 % of capacity)"},
        **{"requests": "rows.csv", "log": "said.log"},
    },
    "after text fields": {"form": "album=sea+%C5%A1&empty="},
}


@pytest.mark.parametrize("setting", list(EVERY_SETTING))
def test_files_of_nine_sizes_arrive_to_the_byte_with_every_setting(serving, run, payloads, setting):
    server = serving()
    given = EVERY_SETTING[setting]
    left = run(server.port, list(SIZES), threads=1, loops=len(SIZES), warmup_loops=0, **given)
    assert {(row["success"], row["label"]) for row in left.rows} == {("true", given.get("label", "Upload file"))}
    assert sizes_of(server) == list(SIZES)
    for size, head, body in zip(SIZES, server.heads, server.bodies, strict=True):
        start = body.index(b"\r\n\r\n", body.index(b"filename=")) + 4
        assert body[start:] == (payloads / f"{size}.split").read_bytes() + f"\r\n--{boundary_of(head)}--\r\n".encode()
        assert head.startswith(f"POST {given.get('path', '/getimages')} HTTP/1.1\r\n")
        assert f'name="{given.get("field", "avatar")}"'.encode() in body[:start]
    sent = [len(head) + len(body) for head, body in zip(server.heads, server.bodies, strict=True)]
    assert [int(row["sentBytes"]) for row in left.rows] == sent


def test_a_file_that_the_server_takes_slowly_arrives_to_the_byte_and_is_no_silence(serving, run, payloads):
    def slowly(client, stream, size):
        # Else most of the file would be on its way at once, and nothing seen of the rest of the time.
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65_536)
        parts = []
        for left in range(size, 0, -1_000_000):
            time.sleep(0.15)
            parts.append(stream.read(min(left, 1_000_000)))
        return b"".join(parts)

    server = serving(read=slowly)
    left = run(server.port, [19_000_000], threads=1, loops=1, response_timeout_ms=1500)
    assert [row["success"] for row in left.rows] == ["true"]
    assert int(left.rows[0]["elapsed_us"]) > 1_500_000
    assert (payloads / "19000000.split").read_bytes() in server.bodies[0]


def test_no_light_load_is_made_where_a_line_says_at_once_to_go_on(serving, run):
    server = serving()
    light = {"background_s": 60, "waits": 1, "warmup_threads": 2, "warmup_loops": 2}
    left = run(server.port, [10], said="begin\ngo on\ngo on\n", threads=1, loops=3, then=[{"loops": 2}], **light)
    labels = [row["label"] for row in left.rows]
    assert labels.count("Upload file") == 5
    assert labels.count("Warm-up upload") == 4, "who was told before needs no light load"


def test_one_user_leaves_the_server_three_quarters_of_its_time_and_ends_by_itself_where_nobody_says_to_go_on(
    serving, run
):
    server = serving()
    light = {"background_s": 1, "waits": 1, "warmup_threads": 1, "warmup_loops": 1}
    left = run(server.port, [10], said="begin\n", threads=1, loops=1, **light)
    begun = sorted(
        (int(row["start_us"]), int(row["elapsed_us"])) for row in left.rows if row["label"] == "Warm-up upload"
    )[1:]
    assert begun[-1][0] - begun[0][0] > 5_000_000
    shares = [elapsed_us / (later_us - start_us) for (start_us, elapsed_us), (later_us, _) in pairwise(begun)]
    assert median(shares) < 0.3, "the mean would have the stalls of a busy machine, after which no longer pause is made"
    assert len(left.measured) == 1


def test_the_user_of_the_light_load_is_soon_back_after_a_single_stall(serving, run):
    def stalling(client, stream, size):
        if next(stalls):
            time.sleep(0.5)
        return stream.read(size)

    stalls = (number == 20 for number in count())
    light = {"background_s": 1, "waits": 1, "warmup_threads": 1, "warmup_loops": 1}
    left = run(serving(read=stalling).port, [10], said="begin\n", threads=1, loops=1, **light)
    begun = sorted(
        (int(row["start_us"]), int(row["elapsed_us"])) for row in left.rows if row["label"] == "Warm-up upload"
    )
    stall_us, round_us = max((took, later - start) for (start, took), (later, _) in pairwise(begun))
    assert stall_us > 500_000
    assert round_us < 3 * stall_us, "with a pause of three times the stall it would be four times"


def test_what_leads_in_a_load_is_sent_before_it_by_users_of_the_warm_up(serving, run, tmp_path):
    leading = schedule(tmp_path, [0, 100, 200], "lead_in.csv")
    measured = schedule(tmp_path, [0, 100, 200, 300, 400, 500])
    opened = {"threads": 50, "schedule_csv": measured, "lead_in_csv": leading}
    left = run(serving().port, [10], threads=1, loops=3, then=[opened])
    assert [row["label"] for row in left.rows] == ["Upload file"] * 3 + ["Warm-up upload"] * 3 + ["Upload file"] * 6
    assert {row["threadName"].rpartition(" ")[0] for row in left.rows[3:6]} == {"Warm-up users"}


def test_what_leads_in_is_left_out_while_all_users_are_busy_and_what_is_measured_is_sent_late(serving, run, tmp_path):
    schedule(tmp_path, [0] * 30)
    opened = {"threads": 4, "schedule_csv": "schedule.csv", "lead_in_csv": "schedule.csv"}
    left = run(serving().port, [10], threads=1, loops=1, then=[opened])
    labels = [row["label"] for row in left.rows]
    assert (labels.count("Warm-up upload"), labels.count("Upload file")) == (4, 1 + 30)


def jmeter(folder, *arguments):
    command = [JMETER / "bin" / "lab-jmeter", *arguments, "-j", "jmeter.log"]
    subprocess.run(command, cwd=folder, env=QUICK_START, check=True, capture_output=True, timeout=120)


@pytest.mark.parametrize(("form", "headers"), [({}, {}), ({"album": "sea š", "empty": ""}, {"X-Key": "a $KEY"})])
def test_the_bytes_on_the_wire_are_jmeters_but_for_boundary_and_program(
    serving, run, payloads, tmp_path, monkeypatch, form, headers
):
    monkeypatch.setenv("KEY", "s3cret")
    target = UploadTarget(path="/getimages", field="avatar", form=form, headers=headers)
    mine, jmeters = serving(), serving()
    monkeypatch.setenv("LEAN_HEADERS", "X-Key: a s3cret\r\n" if headers else "")
    run(mine.port, [10, 4097, 23_000], threads=1, loops=3, form=urlencode(form))
    settings = {"port": jmeters.port, "sizes_csv": "sizes.csv", "payload_dir": payloads, "threads": 1, "loops": 3}
    told = [f"-Jlab.{name}={value}" for name, value in {**settings, "lead_ms": 9}.items()]
    (tmp_path / "plan.jmx").write_text(with_request((JMETER / "upload.jmx").read_text(), target))
    with request_properties(target) as more:
        jmeter(tmp_path, *more, "-n", "-t", "plan.jmx", "-l", "jmeter.jtl", *told)
    kept = [path.read_text() for path in tmp_path.iterdir() if path.is_file()]
    assert not any("s3cret" in text for text in kept)
    alike = []
    for server in (mine, jmeters):
        requests = []
        for head, body in zip(server.heads, server.bodies, strict=True):
            boundary = boundary_of(head)
            assert 30 <= len(boundary) <= 40
            same = re.sub(r"(?m)^(User-Agent: )[\w/.-]+", r"\1X", head).replace(str(server.port), "PORT")
            shorter = body.replace(boundary.encode(), b"B")
            same = same.replace(boundary, "B").replace(str(len(body)), str(len(shorter)))
            requests.append((same, shorter))
        alike.append(requests)
    assert alike[0] == alike[1]


def test_the_rows_are_jmeters_with_the_times_in_microseconds_beside_them(serving, run):
    server = serving()
    left = run(server.port, [10, 23_000], threads=2, loops=3, body_bytes=6, body_sha256=SHA)
    assert list(left.rows[0]) == [
        *JMETERS_COLUMNS.split(","),
        *("start_us", "elapsed_us", "latency_us", "connect_us", "delay_us"),
    ]
    for row in left.rows:
        assert (row["responseCode"], row["responseMessage"], row["success"]) == ("200", "OK", "true")
        assert int(row["bytes"]) == len(ok())
        assert int(row["start_us"]) // 1000 == int(row["timeStamp"])
        assert abs(int(row["elapsed_us"]) / 1000 - int(row["elapsed"])) <= 0.5
        assert int(row["elapsed_us"]) >= int(row["latency_us"]) >= int(row["connect_us"])
    assert sum(int(row["connect_us"]) > 0 for row in left.rows) == 2


@pytest.mark.slow
def test_jmeters_dashboard_opens_them(serving, run, tmp_path):
    server = serving()
    run(server.port, [10], threads=2, loops=30)
    jmeter(tmp_path, "-g", "requests.jtl", "-o", "page")
    assert '"sampleCount" : 60' in (tmp_path / "page" / "statistics.json").read_text()


def test_users_share_one_position_in_the_list_and_the_warm_up_has_its_own(serving, run):
    server = serving()
    left = run(server.port, [1, 10, 4095], threads=16, loops=20, ramp_up_s=1, warmup_threads=2, warmup_loops=2)
    # Two users: which is written down first is chance.
    assert Counter(sizes_of(server)[:4]) == Counter([1, 10, 4095, 1])
    assert Counter(sizes_of(server)[4:]) == Counter(islice(cycle([1, 10, 4095]), 320))
    assert [row["label"] for row in left.rows] == ["Warm-up upload"] * 4 + ["Upload file"] * 320
    assert sorted(Counter(server.connections).values()) == [2] * 2 + [20] * 16


def test_a_duration_ends_users_that_have_no_end_of_their_own(serving, run):
    left = run(serving().port, [10], threads=2, loops=-1, duration_s=1, think_time_ms=5)
    starts = [int(row["start_us"]) for row in left.rows]
    assert len(starts) > 2
    assert max(starts) - min(starts) <= 1_000_000


def in_parts(*parts, pause_s=0.0, ends=False):
    def say(_, client):
        for part in parts:
            client.sendall(part)
            time.sleep(pause_s)
        if ends:
            client.shutdown(socket.SHUT_RDWR)

    return say


CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nthan\r\n2;x=y\r\nks\r\n0\r\nA: b\r\n\r\n"
GOOD = {
    "in one piece": in_parts(ok()),
    "a byte at a time": in_parts(*(bytes([byte]) for byte in ok())),
    "in chunks with an extension and a trailer": in_parts(CHUNKED),
    "in chunks a byte at a time": in_parts(*(bytes([byte]) for byte in CHUNKED)),
    "after 100 Continue": in_parts(b"HTTP/1.1 100 Continue\r\n\r\n", ok()),
    "without a reason": in_parts(ok(status=b"200")),
    "slowly": in_parts(*re.findall(b"(?s).{1,4}", ok()), pause_s=0.1),
    "in chunks, slowly": in_parts(*re.findall(b"(?s).{1,8}", CHUNKED), pause_s=0.1),
}


def test_an_answer_is_understood_in_every_way_it_may_come(serving, run):
    ways = [way for way in GOOD for _ in range(2)]
    server = serving(lambda number, client: GOOD[ways[number]](number, client))
    checked = {"body_bytes": 6, "body_sha256": SHA, "response_timeout_ms": 600}
    left = run(server.port, [10], threads=1, loops=len(ways), **checked)
    understood = [(way, row["responseCode"], row["success"]) for way, row in zip(ways, left.rows, strict=True)]
    assert understood == [(way, "200", "true") for way in ways]
    assert set(server.connections) == {0}
    for way, row in zip(ways, left.rows, strict=True):
        if "slowly" in way:  # in all for longer than the time-out, which is of silence
            assert int(row["elapsed_us"]) > 600_000


@pytest.mark.parametrize(
    "answer",
    [b"HTTP/1.1 200 OK\r\n\r\nthanks", ok(PAGE, b"Connection: close"), ok().replace(b"HTTP/1.1", b"HTTP/1.0")],
    ids=["without a length", "as it says", "as of old"],
)
def test_a_server_that_closes_after_its_answer_is_connected_to_again(serving, run, answer):
    server = serving(in_parts(answer, ends=True))
    left = run(server.port, [10], threads=1, loops=3, body_bytes=6, body_sha256=SHA)
    assert [row["success"] for row in left.rows] == ["true"] * 3
    assert server.connections == [0, 1, 2]


@pytest.mark.parametrize(("think_ms", "connections"), [(4100, [0, 1]), (100, [0, 0])])
def test_a_connection_that_was_idle_for_4_s_is_not_used_again(serving, run, think_ms, connections):
    """Node.js closes it after 5 s, and resets what comes just then."""
    server = serving()
    left = run(server.port, [10], threads=1, loops=2, warmup_loops=0, think_time_ms=think_ms)
    assert [row["success"] for row in left.rows] == ["true"] * 2
    assert server.connections == connections


BAD = {
    "another status": (in_parts(ok(status=b'500 No, "thanks"')), "500", "the status is 500"),
    "a redirect": (in_parts(ok(status=b"302 Found")), "302", "the status is 302"),
    "a shorter body": (in_parts(ok(b"thank")), "200", "5 bytes instead of 6"),
    "no body": (in_parts(ok(b"")), "200", "0 bytes instead of 6"),
    "a longer body": (in_parts(ok(b"x" * 100_000)), "200", "100000 bytes instead of 6"),
    "another body of that size": (in_parts(ok(b"thankz")), "200", "another than the first one"),
    "no HTTP": (in_parts(b"SSH-2.0 hello there\r\n\r\n"), "java.net.ProtocolException", "no HTTP"),
    "a status that is none": (in_parts(ok(status=b'2,"')), "java.net.ProtocolException", "no HTTP"),
    "another body in chunks": (in_parts(CHUNKED.replace(b"than", b"THAN")), "200", "another than the first one"),
    "a chunk whose length is none": (in_parts(CHUNKED.replace(b"2;", b"x;")), "ProtocolException", "not a number: x"),
    "a length that is none": (in_parts(ok().replace(b": 6", b": many")), "ProtocolException", "not a number: many"),
    "a head without end": (in_parts(b"HTTP/1.1 200 OK\r\nA: " + b"x" * 20_000), "ProtocolException", "longer than"),
    "the end at once": (in_parts(ends=True), "java.io.EOFException", "closed"),
    "the end in the body": (in_parts(ok()[:-1], ends=True), "java.io.EOFException", "closed"),
    "the end in a chunk": (in_parts(CHUNKED.partition(b"an")[0], ends=True), "java.io.EOFException", "closed"),
    "silence": (in_parts(b"", pause_s=4), "java.net.SocketTimeoutException", "Read timed out"),
    "silence in the body": (in_parts(ok()[:-1], pause_s=4), "java.net.SocketTimeoutException", "Read timed out"),
}


@pytest.mark.parametrize(
    ("told", "good"),
    [
        ("begin", ["200", "201", "299"]),
        ("status=201", ["201"]),
        (f"status=201\tbody_bytes=6\tbody_sha256={SHA}", ["201"]),
        ("status=201\tbody_bytes=7", []),
    ],
)
def test_what_a_good_answer_is_may_be_told_with_the_word_to_begin(serving, run, told, good):
    codes = [200, 201, 299, 302]
    server = serving(lambda number, client: client.sendall(ok(status=b"%d Said" % codes[number])))
    left = run(server.port, [10], said=told, threads=1, loops=len(codes), waits=1)
    assert [row["responseCode"] for row in left.rows if row["success"] == "true"] == good


def test_a_bad_answer_of_any_kind_fails_its_request_and_no_other(serving, run):
    answers = list(BAD.values())

    def say(number, client):
        answers[number // 2][0](number, client) if number % 2 else client.sendall(ok())

    checked = {"body_bytes": 6, "body_sha256": SHA, "response_timeout_ms": 1500}
    left = run(serving(say).port, [10], threads=1, loops=2 * len(BAD) + 1, **checked)
    assert [row["success"] for row in left.rows] == ["true", "false"] * len(BAD) + ["true"]
    for (kind, (_, code, reason)), row in zip(BAD.items(), left.rows[1::2], strict=True):
        assert code in row["responseCode"], kind
        assert reason in row["failureMessage"] + row["responseMessage"], kind
        if "timed out" in reason:
            assert int(row["elapsed_us"]) >= 1_500_000, kind


def reset(client, stream):
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.close()
    stream.close()
    raise ConnectionAbortedError


WHILE_IT_IS_SENT = {
    "an answer": (lambda client, _: client.sendall(ok(status=b"413 Too Large")), "413", "the status is 413"),
    "the end": (lambda client, _: client.shutdown(socket.SHUT_WR), "java.io.EOFException", "closed"),
    "a reset": (reset, "java.", "reset|Broken pipe"),
    "silence": (None, "java.net.SocketTimeoutException", "Read timed out"),
}


@pytest.mark.parametrize("instead", list(WHILE_IT_IS_SENT))
def test_a_server_that_does_not_take_the_whole_file_fails_its_request_and_no_other(serving, run, instead):
    act, code, reason = WHILE_IT_IS_SENT[instead]
    numbers, went_on = count(), threading.Event()

    def read(client, stream, size):
        number = next(numbers)
        if number == 0:  # kernels with a large tcp_rmem would in time hold the whole file unread
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1_000_000)
        elif number == 2:
            went_on.set()
        elif number == 1:
            act(client, stream) if act else went_on.wait(60)
        return stream.read(size)

    left = run(serving(read=read).port, [19_000_000], threads=1, loops=3, body_bytes=6, response_timeout_ms=1500)
    assert [row["success"] for row in left.rows] == ["true", "false", "true"]
    assert int(left.rows[1]["sentBytes"]) < 19_000_000
    assert code in left.rows[1]["responseCode"]
    assert re.search(reason, left.rows[1]["failureMessage"] + left.rows[1]["responseMessage"])


def test_a_server_that_does_not_take_the_connection_is_an_error_after_the_timeout(run):
    with socket.create_server(("127.0.0.1", 0), backlog=0) as full:
        waiting = [socket.socket() for _ in range(4)]
        for client in waiting:
            client.setblocking(False)
            client.connect_ex(full.getsockname())
        left = run(full.getsockname()[1], [10], threads=1, loops=1, connect_timeout_ms=300)
        for client in waiting:
            client.close()
    assert left.rows[0]["responseMessage"].endswith("Connect timed out")
    assert int(left.rows[0]["elapsed_us"]) >= 300_000


def test_open_arrivals_leave_when_they_are_due_and_say_when_that_was(serving, run, tmp_path):
    offsets = [0, 0, 30, 60, 61, 150]
    left = run(serving().port, [1, 10], threads=6, schedule_csv=schedule(tmp_path, offsets), warmup_loops=1)
    due_us = sorted(int(row["scheduled_us"]) for row in left.measured)
    assert [(due - due_us[0]) / 1000 for due in due_us] == offsets
    late_us = [int(row["start_us"]) - int(row["scheduled_us"]) for row in left.measured]
    assert min(late_us) >= 0
    assert all(int(row["scheduled_us"]) // 1000 == int(row["scheduled_ms"]) for row in left.measured)
    assert {row["scheduled_us"] for row in left.rows if row["label"] == "Warm-up upload"} == {"null"}


def slowly(_, client):
    time.sleep(0.2)
    client.sendall(ok())


def test_an_arrival_that_finds_all_users_busy_is_late_and_its_row_says_that_it_was_for_that(serving, run, tmp_path):
    late_us, full_us = {}, {}
    for users in (8, 1):
        offsets = [50 * n for n in range(8)]
        left = run(serving(slowly).port, [1], threads=users, schedule_csv=schedule(tmp_path, offsets))
        rows = sorted(left.measured, key=lambda row: int(row["scheduled_us"]))
        late_us[users] = [int(row["start_us"]) - int(row["scheduled_us"]) for row in rows]
        full_us[users] = [int(row["full_us"]) for row in rows]
    assert late_us[1][-1] >= 7 * 150_000
    assert full_us[8] == [0] * 8
    own_us = [late - full for late, full in zip(late_us[1], full_us[1], strict=True)]
    assert full_us[1][0] == 0
    assert min(full_us[1][2:]) > 0  # from 300 ms on, less what a busy machine made lean late by
    assert min(own_us) >= -1
    assert sum(own_us) < sum(full_us[1]) / 2  # the generator's own part stays small though the queue grows


def test_as_many_uploads_are_under_way_as_there_may_be_users_where_the_server_answers_none(run, tmp_path):
    with socket.create_server(("127.0.0.1", 0), backlog=16_000) as silent:
        offsets = [n / 100 for n in range(3000)]
        settings = {"threads": 2000, "schedule_csv": schedule(tmp_path, offsets), "response_timeout_ms": 1500}
        left = run(silent.getsockname()[1], [1], **settings)
    assert len(left.measured) == 3000
    assert max(int(row["allThreads"]) for row in left.measured) == 2000
    waited = [int(row["full_us"]) > 0 for row in sorted(left.measured, key=lambda row: int(row["scheduled_us"]))]
    assert waited == [False] * 2000 + [True] * 1000


def test_loads_follow_each_other_each_with_the_settings_and_the_label_of_its_own(serving, run, tmp_path):
    server = serving()
    given = {"threads": 2, "loops": 3, "label": "one", "warmup_threads": 1, "warmup_loops": 2}
    then = {"label": "two", "threads": 5, "schedule_csv": schedule(tmp_path, [0, 20, 40])}
    left = run(server.port, [1, 10], then=[then, {"label": "three", "schedule_csv": "", "threads": 1}], **given)
    labels = [row["label"] for row in left.rows]
    assert labels == ["Warm-up upload"] * 2 + ["one"] * 6 + ["two"] * 3 + ["three"] * 3
    assert [row["scheduled_us"] != "null" for row in left.rows] == [label == "two" for label in labels]
    said = [line.partition(" ")[2] for line in (tmp_path / "lean.log").read_text().splitlines()]
    assert said == ["The warm-up is over.", *["The load is over."] * 3]


@pytest.mark.parametrize("offset", ["29.9", "Infinity", "soon"])
def test_a_schedule_whose_times_are_none_or_go_back_is_refused_with_the_line(serving, run, tmp_path, offset):
    server = serving()
    path = schedule(tmp_path, [0, 30, 30, offset, 40])
    left = run(server.port, [1], threads=1, schedule_csv=path)
    said = f"{path}, line 5: expected milliseconds from 0 on, in ascending order, found {offset}.\n"
    assert (left.code, left.error, server.heads) == (2, said, [])


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"treads": 5}, "treads=5: expected SETTING=VALUE, as in threads=50."),
        ({"threads": 0}, "threads=0: expected a whole number, 1 or above."),
        ({"sizes_csv": "/no/such.csv"}, "/no/such.csv cannot be read"),
        ({"host": "no-such-host.invalid"}, "host=no-such-host.invalid: there is no such host."),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(run, settings, sentence):
    left = run(1, [10], **settings)
    assert left.code == 2
    assert sentence in left.error
    assert len(left.error.splitlines()) == 1
