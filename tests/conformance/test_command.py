"""`./lab conformance` as a user types it."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import jsonschema
import pytest

from uploadlab import cli
from uploadlab.conformance import endpoint
from uploadlab.conformance import fuzz as fuzzing_module
from uploadlab.conformance.fuzz import fuzz, judge, send, shrunk
from uploadlab.conformance.message import Forms
from uploadlab.conformance.mutation import fuzzed
from uploadlab.conformance.outputs import SCHEMA

FOLDER = Path(__file__).with_name("faulty")
FEW = "smuggling/cl-*|broken/cut-f*|broken/empty*|http/limit-*|lasting/descriptors-good"


def lab(capsys, *arguments):
    code = cli.main(["conformance", *map(str, arguments)])
    said = capsys.readouterr()
    return code, said.out.splitlines(), said.err.splitlines()


def seen(faulty):
    return ["--store", faulty.uploads, "--pid", faulty.endpoint.pid, "--max-file-bytes", 4 << 20]


def test_a_good_server_gives_0_and_the_last_line_sums_up(faulty, capsys):
    faulty.with_fault("")
    code, out, _ = lab(capsys, faulty.url, *seen(faulty), "--only", FEW)
    assert code == 0
    assert out[-1].startswith("must ")
    assert out[-1].endswith(", 0 skipped")
    assert max(map(len, out)) <= 80
    assert faulty.stored == []


def test_what_cannot_be_looked_at_is_skipped_and_counted(faulty, capsys):
    faulty.with_fault("")
    code, out, _ = lab(capsys, faulty.url, "--only", "http/limit-at|names/path-up|lasting/descriptors-good|process/*")
    assert (code, out[-1]) == (0, "must 0 of 0, should 0 of 0, 7 skipped")


def test_a_system_is_started_and_its_own_process_tried(capsys):
    code, out, _ = lab(capsys, FOLDER, "--only", "process/*|good/size-1")
    assert (code, out[-1]) == (0, "must 5 of 5, should 3 of 3, 0 skipped")
    assert not (FOLDER / ".conformance.json").exists()  # only of a whole run


def test_a_must_that_fails_gives_1_and_every_output_says_how_to_repeat_it(faulty, capsys, tmp_path):
    faulty.with_fault("takes_both_lengths")
    files = {name: tmp_path / f"out.{name}" for name in ("json", "junit", "markdown", "page")}
    options = [word for name, path in files.items() for word in (f"--{name}", path)]
    code, out, _ = lab(capsys, faulty.url, *options, "--header", "Authorization: Bearer s3cret", "--only", FEW)
    assert code == 1
    assert any(line.startswith("must smuggling/cl-te: ") for line in out)
    texts = {name: path.read_text() for name, path in files.items()}
    assert not any("s3cret" in text for text in texts.values())
    told = json.loads(texts["json"])
    jsonschema.validate(told, json.loads(SCHEMA.read_text()))
    assert told["counts"]["must"]["failed"] == 1
    case = next(case for case in told["cases"] if case["id"] == "smuggling/cl-te")
    assert case["reproduce"] in texts["markdown"]
    suite = ElementTree.fromstring(texts["junit"].encode())
    assert suite.get("failures") == "1"
    failed = suite.find("testcase[failure]")
    assert (failed.get("classname"), failed.get("name")) == ("conformance.must", "smuggling/cl-te")
    assert case["reproduce"] in failed.find("failure").text
    again = case["reproduce"].replace("<Authorization>", "Bearer s3cret")
    done = subprocess.run([sys.executable, "-c", again], capture_output=True, text=True, check=True)
    assert "HTTP/1.1 201" in done.stdout


def test_a_dead_server_is_a_sentence_and_2(faulty, capsys):
    code, _, err = lab(capsys, faulty.url)
    assert code == 2
    assert "cannot be used: [Errno 111] Connection refused." in err[-1]


def test_a_silent_server_is_a_sentence_and_2(capsys, monkeypatch):
    assert endpoint.FIRST_ANSWER_S <= 15
    monkeypatch.setattr(endpoint, "FIRST_ANSWER_S", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        code, _, err = lab(capsys, f"http://127.0.0.1:{listener.getsockname()[1]}/")
    assert code == 2
    assert "is silent: no response within 0.5 s" in err[-1]


@pytest.mark.slow
def test_nothing_is_sent_to_any_address_but_the_one_that_was_given(faulty):
    faulty.with_fault("")
    told = """
import sys
from uploadlab.cli import main

sent = ("socket.connect", "socket.sendto")
sys.addaudithook(lambda what, of: what in sent and sys.stdout.write(f"{what} {of[1]}\\n"))
sys.exit(main(["conformance", *sys.argv[1:]]))
"""
    groups = "good/*|http/*|smuggling/*|broken/*|names/*|hostile/*|lasting/together"
    done = subprocess.run([sys.executable, "-c", told, faulty.url, "--only", groups], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    met = {line for line in done.stdout.splitlines() if line.startswith("socket.")}
    assert met == {f"socket.connect {faulty.endpoint.address}"}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["http://192.0.2.1/files"], "192.0.2.1 is not this machine"),
        (["ftp://127.0.0.1/"], "expected http://HOST:PORT/PATH"),
        (["http://[::1/"], "http://[::1/: Invalid IPv6 URL."),
        ([], "expected a URL or a SYSTEM"),
        (["--differential", "http://127.0.0.1:1/"], "expected two endpoints"),
        (["http://127.0.0.1:1/", "--store", "/nonexistent/folder"], "there is no such folder"),
        (["nonesuch"], "There is no system 'nonesuch'"),
    ],
)
def test_a_wrong_word_is_a_sentence_and_2(given, said, capsys):
    code, out, err = lab(capsys, *given)
    assert (code, out) == (2, [])
    assert said in err[-1]


def test_an_endpoint_that_refuses_a_plain_upload_is_not_tested(faulty, capsys, tmp_path):
    faulty.with_fault("")
    code, _, err = lab(capsys, faulty.url, "--field", "other")
    assert code == 2
    assert "in the field 'other' to /api/files was answered with 400" in err[-1]
    (tmp_path / "elsewhere").mkdir()
    code, _, err = lab(capsys, faulty.url, "--store", tmp_path / "elsewhere")
    assert code == 2
    assert "no file with its bytes is in" in err[-1]


@pytest.mark.slow
def test_the_fuzzer_finds_a_request_that_ends_the_server_and_makes_it_small(faulty, capsys):
    assert fuzz(faulty.with_fault("ends_at_nul"), 400, 1) == 1
    out = capsys.readouterr().out
    assert "must: the server ended (" in out
    body = re.search(r"(?s:made smaller:.*?)s.sendall\((.*)\)", out)[1].partition(r"\r\n\r\n")[2]
    assert r"\x00" in body
    assert len(body) < 120


@pytest.mark.slow
def test_the_fuzzer_finds_nothing_in_a_good_server_and_every_good_upload_in_the_store(faulty, capsys):
    assert fuzz(faulty.with_fault(""), 400, 2) == 0
    assert "400 damaged and 400 good requests" in capsys.readouterr().out
    assert faulty.stored == []


@pytest.mark.slow
def test_a_fuzz_that_is_ended_prints_what_it_found_so_far():
    command = [sys.executable, "-m", "uploadlab", "conformance", str(FOLDER), "--fuzz", "1000000"]
    with subprocess.Popen(
        command, env=os.environ | {"FAULT": "ends_at_nul"}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as fuzzing:
        first = fuzzing.stdout.readline()
        fuzzing.send_signal(signal.SIGTERM)
        out, err = fuzzing.communicate()
    assert first.startswith("must: the server ended, request ")
    assert "must: the server ended (" in out
    assert "damaged and" in out.splitlines()[-1]
    assert (fuzzing.returncode, err.splitlines()[-1]) == (130, "Interrupted; nothing was left running.")


def test_a_response_that_is_late_is_waited_for_again_and_is_no_fault(faulty, capsys, monkeypatch):
    monkeypatch.setattr(fuzzing_module, "ANSWER_S", 0.5)
    assert fuzz(faulty.with_fault("late_now_and_then"), 50, 1) == 0
    assert re.search("^[1-9][0-9]* late", capsys.readouterr().out, re.MULTILINE)


def test_a_response_without_a_head_is_right_only_to_a_request_without_a_version(faulty):
    runner = faulty.with_fault("says_nonsense")
    assert send(runner, b"POST /api/files\r\n\r\n", 5.0) == "HTTP/0.9"
    assert judge(send(runner, b"POST /api/files HTTP/1.1\r\n\r\n", 5.0)) == "what it says is not HTTP"


def test_no_damage_makes_the_data_of_a_request_those_of_another():
    forms = Forms(host="x", target="/", field="file")
    batch = [fuzzed(forms, 1, index) for index in range(15_600, 15_620)]  # a bit of 15616 is flipped to 15606
    sent = {request.index: request.data(request.damages) for request in batch}
    for request in batch:
        for tag in set(re.findall(rb"fuzz-[^:]+:", request.data([]))):
            assert [index for index, data in sent.items() if tag in data and index != request.index] == []


def test_what_is_shrunk_still_fails_and_has_nothing_to_leave_out():
    assert shrunk("xxaxxbxx", lambda text: "a" in text and "b" in text, tries=50) == "ab"


def test_two_endpoints_that_answer_alike_have_no_differences_and_others_have(faulty, capsys):
    faulty.with_fault("")
    code, out, _ = lab(capsys, "--differential", f"{faulty.url},{faulty.url}", "--only", "broken/*")
    assert code == 0
    assert out[-1].endswith("cases sent to both: 0 differences")
