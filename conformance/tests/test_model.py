"""The grammar as a program, against the written cases and answers worked out by hand."""

from __future__ import annotations

import pytest

from conformance.case import Limits, Send, SendInPieces
from conformance.cases import BLACK_BOX
from conformance.message import file, form, text
from conformance.model import Verdict, judge, read_boundary, read_parameters
from conformance.profile import PROFILES

TYPE = b"multipart/form-data; boundary=B"


def verdicts(body, **limits):
    return judge(TYPE, body, Limits(**limits))


def uploads():
    """Cases that are one upload with a length, whose outcome the body alone decides."""
    for case in BLACK_BOX:
        limits = PROFILES[case.profile].limits
        exchange = case.build(limits)
        plain = len(exchange.steps) == 1 and isinstance(exchange.steps[0], Send | SendInPieces)
        if case.group in ("failure", "http") or not plain:
            continue
        start, _, body = exchange.steps[0].data.partition(b"\r\n\r\n")
        headers = [line.partition(b":")[::2] for line in start.split(b"\r\n")[1:]]
        named = {}
        for name, value in headers:
            named.setdefault(name.lower(), value.strip())
        answers = {outcome.answers[0] for outcome in exchange.expected if outcome.answers}
        if b"transfer-encoding" in named or not answers or {answer.status for answer in answers} == {404}:
            continue
        yield case, exchange, named.get(b"content-type"), body, limits


def test_the_model_and_the_written_cases_agree():
    wrong, unclear, agreed = [], set(), 0
    for case, exchange, kind, body, limits in uploads():
        found = judge(kind, body, limits)
        allowed = {
            (outcome.answers[0].status, outcome.answers[0].code, outcome.stored)
            for outcome in exchange.expected
            if outcome.answers
        }
        if found is None:
            unclear.add(case.row)
        elif {(verdict.status, verdict.code, verdict.files) for verdict in found} <= allowed | beside(case):
            agreed += 1
        else:
            wrong.append(case.id)
    assert wrong == []
    assert agreed > 350
    assert unclear <= {"B2", "B11", "B20", "B21", "N5", "N9"}


def beside(case):
    """In a malformed body the model also allows what a server may take a damaged part for."""
    if case.group not in ("broken", "names", "framing"):
        return set()
    return {(400, code, ()) for code in ("unexpected_field", "too_many_files", "malformed_multipart")}


def test_a_good_form_has_one_verdict_with_its_files():
    body = form(text(), file(b"one"), file(b""), boundary="B")
    assert verdicts(body) == [Verdict(None, (b"one", b""))]


def test_every_error_of_a_body_is_allowed_because_reads_decide_which_is_seen_first():
    body = form(file(b"12345"), file(b"x", name="other"), boundary="B")
    assert {verdict.code for verdict in verdicts(body, max_file_bytes=4)} == {"file_too_large", "unexpected_field"}


def test_a_length_over_the_limit_is_the_only_error_because_the_body_is_not_read():
    body = form(file(b"12345"), file(b"x", name="other"), boundary="B")
    assert verdicts(body, max_request_bytes=len(body) - 1) == [Verdict("request_too_large")]
    assert verdicts(body, max_request_bytes=len(body)) == [Verdict("unexpected_field")]


def test_a_delimiter_in_the_middle_of_the_preamble_allows_both_readings():
    body = form(file(b"one"), file(b"two"), boundary="B", preamble=b"x")
    assert {verdict.files for verdict in verdicts(body)} == {(b"two",), (b"one", b"two")}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (b"multipart/form-data; boundary=a", b"a"),
        (b'Multipart/Form-Data;x="a;b";BOUNDARY="a b"', b"a b"),
        (b"multipart/form-data; boundary=" + b"x" * 70, b"x" * 70),
        (b"multipart/form-data; boundary=" + b"x" * 71, "malformed_multipart"),
        (b'multipart/form-data; boundary="a "', "malformed_multipart"),
        (b"multipart/form-data", "malformed_multipart"),
        (b"multipart/form-data;", "malformed_multipart"),
        (b"multipart/mixed; boundary=a", "unsupported_media_type"),
        (None, "unsupported_media_type"),
    ],
)
def test_a_content_type_gives_its_boundary_or_its_error(value, expected):
    assert read_boundary(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (b"; name=a; filename=b", {b"name": b"a", b"filename": b"b"}),
        (b' ; name = "a"', None),
        (b'; name="a\\"b"', {b"name": b'a"b'}),
        (b"; name=a; name=b", {b"name": b"a"}),
        (b"; name=a;", None),
        (b'; name="a', None),
        (b"; filename*=UTF-8''%41", {b"filename*": b"%41"}),
        (b"; filename*=UTF-8''%4", None),
        (b"; filename*=UTF-8''", None),
    ],
)
def test_parameters_are_read_as_the_contract_says(value, expected):
    assert read_parameters(value, extended=True) == expected
