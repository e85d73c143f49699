"""The fuzzer repeats itself by seed and index, passes a correct server and catches wrong ones."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.command import main
from conformance.fuzz import Fuzzer, judge_answer
from conformance.model import Verdict
from conformance.mutation import FuzzedRequest, fuzzed_request
from conformance.profile import PROFILES
from conformance.wire import Response

LIMITS = PROFILES["fuzzed"].limits
JSON = (("content-type", "application/json"),)


def fuzz(provider, count, seed=7):
    target, store = provider.target("fuzzed")
    return Fuzzer(target, store, seed).run(range(count), lambda _: None)


def test_the_same_seed_and_index_make_the_same_request_and_others_do_not():
    some = [fuzzed_request(5, index, LIMITS) for index in range(50)]
    assert some == [fuzzed_request(5, index, LIMITS) for index in range(50)]
    assert len({request.data for request in some}) == 50
    assert fuzzed_request(6, 0, LIMITS).data != some[0].data


def test_the_requests_are_a_mixture():
    some = [fuzzed_request(5, index, LIMITS) for index in range(1_000)]
    judged = [request for request in some if request.verdicts is not None]
    codes = Counter(request.verdicts[0].code for request in judged)
    assert 750 < len(judged) < 950
    assert codes[None] > 150
    assert {"malformed_multipart", "no_file", "unexpected_field", "too_many_files", "too_many_parts"} <= set(codes)
    assert sum(b"Transfer-Encoding: chunked" in request.data for request in some) > 100


@pytest.mark.parametrize(
    ("verdicts", "answer", "fault"),
    [
        ((Verdict(None, (b"x",)),), Response(status=200), None),
        ((Verdict(None, (b"x",)),), Response(status=400), "expected 200, got 400"),
        ((Verdict("no_file"),), Response(status=400, body=b'{"error":{"code":"no_file"}}'), None),
        ((Verdict("no_file"),), Response(status=200), "expected 400 no_file, got 200"),
        ((Verdict("no_file"),), "closed", "no answer: closed"),
        (None, "closed", None),
        (None, "silent", "no answer and no close: it hangs"),
        (None, Response(status=500), "answered 500 None"),
        (None, Response(status=501), None),
        (None, Response(status=404), None),
    ],
)
def test_an_answer_is_judged_by_the_grammar_or_by_the_general_rules(verdicts, answer, fault):
    assert judge_answer(FuzzedRequest(index=1, data=b"", verdicts=verdicts), answer) == fault


def test_a_correct_server_has_no_faults(start_reference):
    with start_reference() as provider:
        report = fuzz(provider, 400)
    assert report.faults == []
    assert report.requests == 400
    assert report.stored > 50
    assert report.descriptors is not None


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("accepts_cut_bodies", "got 200"),
        ("leaves_incomplete_files", "left behind"),
        ("trims_files", "not stored as sent"),
        ("keeps_the_first_file", "stored without a 200"),
    ],
)
def test_a_wrong_server_is_caught(start_reference, fault, words, monkeypatch):
    monkeypatch.setattr("conformance.fuzz.SETTLE_S", 0.5)
    if fault == "keeps_the_first_file":
        monkeypatch.setitem(PROFILES, "fuzzed", small_files())
    with start_reference(fault) as provider:
        report = fuzz(provider, 250)
    assert any(words in found.what for found in report.faults)


def small_files():
    return replace(PROFILES["fuzzed"], limits=replace(LIMITS, max_file_bytes=50))


def test_a_fault_can_be_seen_again_by_its_index(start_reference, capsys):
    reference = str(Path(__file__).parent / "reference")
    wrong = ["fuzz", "--system", reference, "--env", "FAULT=wrong_status", "--seed", "7"]
    good = ["fuzz", "--system", reference, "--seed", "7", "--only", "3"]
    assert main(good) == 0
    assert "as the contract says" in capsys.readouterr().out
    assert main([*wrong, "--requests", "200"]) == 1
    printed = capsys.readouterr().out
    index = printed.split("--only ")[1].split(")")[0].strip()
    assert main([*wrong, "--only", index]) == 1
