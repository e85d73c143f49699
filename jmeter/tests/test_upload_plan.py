"""The plan, run without a window against a server that records what arrives."""

import re
import socket
from collections import Counter
from itertools import cycle, islice

import pytest

from .stub_server import Answer, StubServer

READERS = ["csv_data_set", "csv_read"]
COLUMNS = (
    "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,failureMessage,bytes,sentBytes,"
    "grpThreads,allThreads,URL,Latency,IdleTime,Connect"
)
GOLDEN_BODY = (
    b"--BOUNDARY\r\n"
    b'Content-Disposition: form-data; name="avatar"; filename="%d.split"\r\n'
    b"Content-Type: image/jpeg\r\n"
    b"Content-Transfer-Encoding: binary\r\n"
    b"\r\n"
    b"%b\r\n"
    b"--BOUNDARY--\r\n"
)


def sizes_of(arrivals):
    return [arrival.size for arrival in arrivals]


LIST = [4, 0, 300_000, 1, 23_000, 8192]


@pytest.fixture(scope="module", params=READERS)
def one_user(request, run_plan):
    """After a warm-up by three users one walks the list one and a half times: the run, and what the two parts sent."""
    load = {"threads": 1, "loops": 9, "warmup_threads": 3, "warmup_loops": 3, "lead_ms": 500}
    with StubServer() as stub:
        run = run_plan(stub.port, LIST, **load, reader=request.param, body_bytes=6)
        yield run, stub.arrivals[:9], stub.arrivals[9:]


def test_the_warm_up_is_labelled_and_comes_first_with_a_gap_after_it(one_user):
    run, warm_up, _ = one_user
    rows = run.labelled("Warm-up upload")
    assert len(rows) == len(warm_up) == 9
    assert sorted(sizes_of(warm_up)) == sorted(islice(cycle(LIST), 9))
    ends = [int(row["timeStamp"]) + int(row["elapsed"]) for row in rows]
    assert min(int(row["timeStamp"]) for row in run.measured) - max(ends) >= 500


def test_one_user_sends_the_list_in_file_order_from_its_start_and_begins_again_at_its_end(one_user):
    _, _, arrivals = one_user
    assert sizes_of(arrivals) == [*LIST, 4, 0, 300_000]


def test_each_file_arrives_to_the_byte_under_its_field_name_and_type(one_user, payloads):
    _, _, arrivals = one_user
    for arrival in arrivals:
        content = (payloads / arrival.file_name).read_bytes()
        wanted = GOLDEN_BODY % (len(content), content)
        assert arrival.body == wanted.replace(b"BOUNDARY", arrival.boundary.encode())


def test_every_request_is_a_row_of_the_results_contract(one_user):
    run, warm_up, arrivals = one_user
    assert ",".join(run.rows[0]) == COLUMNS
    assert len(run.rows) == len(warm_up) + len(arrivals) == 18
    assert len(run.measured) == len(arrivals) == 9
    for row in run.measured:
        assert row["responseCode"] == "200"
        assert row["success"] == "true"
        assert re.fullmatch(r"\d{13}", row["timeStamp"])
        assert int(row["bytes"]) > 6
        assert int(row["elapsed"]) >= int(row["Latency"]) >= int(row["Connect"])


@pytest.fixture(scope="module", params=READERS)
def many_users(request, run_plan):
    """Sixteen users send 61 files each, of five sizes."""
    with StubServer() as stub:
        run = run_plan(stub.port, [10, 20, 30, 40, 50], threads=16, loops=61, reader=request.param)
        yield run, stub.arrivals


def test_users_share_one_position_in_the_list(many_users):
    run, arrivals = many_users
    # 976 requests: each size 195 times and the first once more. A row taken twice or left out would show.
    assert Counter(sizes_of(arrivals)) == Counter(islice(cycle([10, 20, 30, 40, 50]), 16 * 61))
    assert {row["success"] for row in run.rows} == {"true"}


def test_a_user_keeps_its_connection_through_all_its_loops(many_users):
    run, arrivals = many_users
    assert sorted(Counter(arrival.connection for arrival in arrivals).values()) == [61] * 16
    assert sum(int(row["Connect"]) > 0 for row in run.rows) <= 16


@pytest.fixture(scope="module")
def elsewhere(run_plan):
    """A user sends to another place, each file on a connection of its own; no loops of warm-up.

    It gets a different answer to each of its requests, where a page of 6 bytes is wanted: the rows of the answers, and
    the server.
    """
    answers = {
        "200 and the page": Answer(),
        "200 and a shorter page": Answer(page=b"thank"),
        "200 and a longer page": Answer(page=b"thanks!"),
        "200 and no page": Answer(page=b""),
        "201 and the page": Answer(status=201),
        "302 and the page": Answer(status=302, headers=(("Location", "/other"),)),
        "500 and the page": Answer(status=500),
    }
    settings = {"path": "/elsewhere", "field": "file", "host": "localhost", "keep_alive": "false", "body_bytes": 6}
    settings["status"] = 200
    with StubServer(lambda number: list(answers.values())[number]) as stub:
        run = run_plan(stub.port, [10], threads=1, loops=len(answers), warmup_threads=5, warmup_loops=0, **settings)
        assert run.measured == run.rows
        yield dict(zip(answers, run.rows, strict=True)), stub


def test_path_field_and_host_are_settings_and_a_redirect_is_not_followed(elsewhere):
    _, stub = elsewhere
    for arrival in stub.arrivals:
        assert arrival.line == "POST /elsewhere HTTP/1.1"
        assert b'name="file"' in arrival.body
        assert arrival.headers["Host"] == f"localhost:{stub.port}"


def test_only_status_200_with_the_whole_page_is_a_success(elsewhere):
    rows, _ = elsewhere
    successes = [answer for answer, row in rows.items() if row["success"] == "true"]
    assert successes == [answer for answer, row in rows.items() if not row["failureMessage"]] == ["200 and the page"]


@pytest.fixture(scope="module")
def slow_answers(run_plan):
    """One user, where no size of the page is asked for: three pages after half a second, silence, a page at once."""
    answers = [Answer(page=page, delay_s=0.5) for page in (b"", b"x", b"x" * 5000)]
    answers += [Answer(delay_s=9), Answer()]
    with StubServer(answers.__getitem__) as stub:
        run = run_plan(stub.port, [10], threads=1, loops=len(answers), response_timeout_ms=3000)
        yield run.rows, stub.arrivals


def test_a_server_silent_for_longer_than_the_timeout_is_an_error_and_the_next_answer_is_not(slow_answers):
    rows, _ = slow_answers
    assert [row["success"] for row in rows[3:]] == ["false", "true"]
    assert "SocketTimeoutException" in rows[3]["responseCode"]
    assert int(rows[3]["elapsed"]) >= 2990


def test_a_server_that_does_not_take_the_connection_is_an_error_after_the_timeout(run_plan):
    with socket.create_server(("127.0.0.1", 0), backlog=0) as full:
        address = full.getsockname()
        waiting = [socket.socket() for _ in range(4)]
        for client in waiting:
            client.setblocking(False)
            client.connect_ex(address)
        run = run_plan(address[1], [10], threads=1, loops=1, connect_timeout_ms=600)
        for client in waiting:
            client.close()
    assert "ConnectTimeoutException" in run.rows[0]["responseCode"]
    assert 590 <= int(run.rows[0]["elapsed"]) < 60_000  # the kernel gives up after two minutes


@pytest.fixture(scope="module")
def for_three_seconds(run_plan):
    """The rows of two users who would never end, and think before each file."""
    with StubServer() as stub:
        return run_plan(stub.port, [10], threads=2, loops=-1, duration_s=3, think_time_ms=250).rows


def test_a_duration_ends_users_that_have_no_end_of_their_own(for_three_seconds):
    starts = [int(row["timeStamp"]) for row in for_three_seconds]
    assert len(starts) > 2
    assert 1000 <= max(starts) - min(starts) < 30_000  # users without an end of their own would go on


def test_the_think_time_is_between_the_requests_of_a_user(for_three_seconds):
    pauses = []
    for user in {row["threadName"] for row in for_three_seconds}:
        rows = [row for row in for_three_seconds if row["threadName"] == user]
        ends = [int(row["timeStamp"]) + int(row["elapsed"]) for row in rows]
        pauses += [int(row["timeStamp"]) - end for row, end in zip(rows[1:], ends, strict=False)]
    assert min(pauses) >= 249
    assert min(pauses) < 2 * 250  # the machine may hold up some, but not all of them
