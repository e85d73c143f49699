"""What counts as kept and what as broken, on observations made by hand."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from conformance.case import Answer, Observation, Outcome, accepted, problems, refused
from conformance.differential import differences
from conformance.page import PAGE
from conformance.store import Contents, Store, digest, digests
from conformance.wire import Response

UUID = "0b9fdd3e-8f0a-4c53-9a58-1d9f3c1c8a11"
PAGE_HEADERS = (("content-type", "text/html;charset=UTF-8"), ("content-length", str(len(PAGE))))
ERROR = Response(
    status=413,
    headers=(("content-type", "application/json"), ("connection", "close")),
    body=b'{"error":{"code":"file_too_large","message":"x"}}',
)
GOOD = Observation(
    responses=(Response(status=200, headers=PAGE_HEADERS, body=PAGE),),
    connection="keep",
    contents=Contents(stored=digests([b"a"])),
)
BAD = Observation(responses=(ERROR,), connection="close", contents=Contents(stored=Counter()))
NOTHING = Contents(stored=Counter())
STORED, REFUSED = accepted(b"a")[0], refused(413, "file_too_large")[0]


def test_what_the_contract_says_is_no_problem():
    assert problems(STORED, GOOD, PAGE) == []
    assert problems(REFUSED, BAD, PAGE) == []


def with_header(name, value):
    response = GOOD.responses[0]
    headers = tuple((key, value if key == name else old) for key, old in response.headers)
    return replace(GOOD, responses=(replace(response, headers=headers),))


@pytest.mark.parametrize(
    ("seen", "sentence"),
    [
        (replace(GOOD, responses=()), "expected 1 answers, got 0"),
        (replace(GOOD, responses=GOOD.responses * 2), "expected 1 answers, got 2"),
        (replace(GOOD, responses=(ERROR,)), "expected 200, got 413 file_too_large"),
        (replace(GOOD, responses=(replace(GOOD.responses[0], body=PAGE + b" "),)), "the page is not the contract's"),
        (with_header("content-type", "text/html"), "the page's Content-Type is 'text/html'"),
        (with_header("content-length", "1"), "the page's Content-Length is 1"),
        (replace(GOOD, contents=Contents(stored=digests([b"b"]))), "1 of 1 files are not stored as sent"),
        (replace(GOOD, contents=Contents(stored=digests([b"a", b"a"]))), "1 files are stored that should not be"),
        (replace(GOOD, contents=Contents(stored=digests([b"a"]), strays=("x.tmp",))), "left behind: x.tmp"),
        (replace(GOOD, connection="close"), "expected the connection to be keep, it is close"),
        (replace(GOOD, interim=(100,)), "expected the interim answers (), got (100,)"),
        (replace(GOOD, reset=True), "the connection was reset"),
    ],
)
def test_everything_else_about_a_good_upload_is_a_problem(seen, sentence):
    assert any(problem.startswith(sentence) for problem in problems(STORED, seen, PAGE))


@pytest.mark.parametrize(
    ("response", "sentence"),
    [
        (
            replace(ERROR, body=b'{"error":{"code":"request_too_large"}}'),
            "expected 413 file_too_large, got 413 request",
        ),
        (replace(ERROR, body=b"<html>"), "expected 413 file_too_large, got 413 None"),
        (replace(ERROR, headers=ERROR.headers[1:]), "the error's Content-Type is ''"),
        (replace(ERROR, headers=ERROR.headers[:1]), "the error does not carry Connection: close"),
    ],
)
def test_an_error_without_its_code_type_or_close_is_a_problem(response, sentence):
    assert any(problem.startswith(sentence) for problem in problems(REFUSED, replace(BAD, responses=(response,)), PAGE))


def test_an_error_of_the_http_parser_may_reset_and_have_any_body():
    outcome = Outcome(answers=refused(400)[0].answers)
    assert problems(outcome, replace(BAD, responses=(Response(status=400, body=b"no"),), reset=True), PAGE) == []


@pytest.mark.parametrize(
    ("body", "kind", "found"),
    [
        (b'{"status":"ok"}', "application/json;charset=utf-8", 0),
        (b'{"status": "ok"}', "application/json", 1),
        (b'{"status":"ok"}', "text/html", 1),
    ],
)
def test_the_health_check_is_compared_to_the_byte(body, kind, found):
    outcome = Outcome(answers=(Answer(status=200, health=True),), connection="keep")
    response = Response(status=200, headers=(("content-type", kind), ("content-length", "15")), body=body)
    assert (
        len(problems(outcome, Observation(responses=(response,), connection="keep", contents=NOTHING), PAGE)) == found
    )


def test_allow_is_compared_as_a_set():
    outcome = refused(405, "method_not_allowed", allow="GET, HEAD")[0]
    headers = (*ERROR.headers, ("allow", "HEAD,GET"))
    body = b'{"error":{"code":"method_not_allowed","message":"x"}}'
    seen = replace(BAD, responses=(Response(status=405, headers=headers, body=body),))
    assert problems(outcome, seen, PAGE) == []


def test_two_observations_differ_in_what_is_named_and_not_in_their_times():
    assert differences(GOOD, replace(GOOD, elapsed_s=9.0)) == []
    other = replace(GOOD, connection="close", contents=Contents(stored=digests([b"b"])))
    assert differences(GOOD, other) == ["stored files", "connection"]
    assert differences(BAD, replace(BAD, responses=(replace(ERROR, status=400),))) == ["status"]


def test_the_store_tells_whole_files_from_strays_and_leaves_alone_what_was_there(tmp_path):
    (tmp_path / "before").write_bytes(b"")
    store = Store(tmp_path)
    (tmp_path / UUID).write_bytes(b"a")
    (tmp_path / UUID.upper()).write_bytes(b"a")
    (tmp_path / ".incomplete-x").write_bytes(b"a")
    assert store.look() == Contents(stored=Counter([digest(b"a")]), strays=(".incomplete-x", UUID.upper()))
    assert store.incomplete() == 1
    store.clear()
    assert sorted(path.name for path in tmp_path.iterdir()) == [".incomplete-x", UUID.upper(), "before"]
    assert store.look() == Contents(stored=Counter())


def test_a_missing_directory_is_empty(tmp_path):
    assert Store(tmp_path / "none").look() == Contents(stored=Counter())
