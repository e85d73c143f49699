"""The command line: what it prints, writes and returns."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from conformance import conversation, suite, terminal
from conformance.command import main
from conformance.target import wait_until
from conformance.temporary import own_folder

REFERENCE = Path(__file__).parent / "reference"
ROW = ["--case", "L6"]


def test_the_list_names_every_group_and_runs_nothing(capsys):
    assert main(["--list"]) == 0
    printed = capsys.readouterr().out
    for word in ("good", "framing", "broken", "names", "limits", "failure", "http", "clients", "G1.1"):
        assert word in printed


def test_a_good_server_is_0_and_the_junit_file_has_its_cases(tmp_path, capsys):
    assert main(["--system", str(REFERENCE), *ROW, "--junit", str(tmp_path / "out" / "junit.xml")]) == 0
    root = ElementTree.parse(tmp_path / "out" / "junit.xml").getroot()
    suites = {suite.get("name"): suite for suite in root}
    assert set(suites) == {"limits"}
    assert (suites["limits"].get("tests"), suites["limits"].get("failures")) == ("4", "0")
    assert suites["limits"][0].get("name") == "L6.1 a file in another field is refused"


def test_a_wrong_server_is_1_and_says_what_was_expected_and_seen(tmp_path, capsys):
    junit = tmp_path / "junit.xml"
    wrong = ["--system", str(REFERENCE), "--env", "FAULT=wrong_page", "--case", "G1.1", "--junit", str(junit)]
    assert main(wrong) == 1
    printed = capsys.readouterr().out
    assert "the page is not the contract's" in printed
    assert "seen: 200; 1 stored; keep" in printed
    assert "the page is not" in ElementTree.parse(junit).getroot()[0][0][0].get("message")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "say which server"),
        (["--system", "nonsense"], "no system 'nonsense' was found"),
        (["--url", "http://127.0.0.1:1"], "--url needs --upload-dir"),
        (["--url", "ftp://x", "--upload-dir", "."], "is not the address of a server"),
        (["--url", "http://127.0.0.1:99999", "--upload-dir", "."], "is not the address of a server"),
        (["--url", "http://127.0.0.1:abc", "--upload-dir", "."], "is not the address of a server"),
        (["--url", "http://[::1", "--upload-dir", "."], "is not the address of a server"),
        (["--url", "http://a..b", "--upload-dir", "."], "is not the address of a server"),
        (["--url", "http://127.0.0.1:0", "--upload-dir", "."], "http://127.0.0.1:0/health is not answered with 200"),
        (["--url", "http://127.0.0.1:1", "--upload-dir", "."], "is not answered with 200"),
        (["--url", "http://127.0.0.1:1", "--upload-dir", "missing"], "is not a directory"),
        (["--system", str(REFERENCE), "--case", "Z9"], "there is no case 'Z9'"),
        (["--system", str(REFERENCE), *ROW, "--junit", "/"], "--junit / cannot be written: Is a directory"),
        (["--system", str(REFERENCE), "--against", "http://127.0.0.1:1"], "--against needs --upload-dir2"),
        (["--differential", "node"], "--differential wants two systems"),
        (["fuzz"], "say which server"),
        (["soak"], "say which server"),
    ],
)
def test_what_cannot_be_done_is_2_with_one_sentence(arguments, sentence, capsys):
    assert main(arguments) == 2
    said = capsys.readouterr().err.strip().splitlines()
    assert len(said) == 1
    assert sentence in said[0]


@pytest.mark.parametrize("arguments", [["fuzz", "--requests", "0"], ["soak", "--minutes", "-1"], ["--env", "x"]])
def test_a_wrong_option_is_2(arguments, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2


def test_a_running_server_is_tested_and_what_needs_its_process_is_not_run_with_the_reason(start_reference, capsys):
    with start_reference() as provider:
        target, _ = provider.target("standard")
        limits = ["--max-file-bytes", "1048576", "--max-request-bytes", "2097152", "--idle-timeout-ms", "10000"]
        server = ["--url", target.url, "--upload-dir", str(target.upload_dir), *limits]
        assert main([*server, "--case", "L1", "--case", "X5", "--case", "P1"]) == 0
        printed = " ".join(capsys.readouterr().out.split())
    assert "needs control of the server's process: run it with --system" in printed
    assert "needs a server with IDLE_TIMEOUT_MS of at most 5,000, not 10,000" in printed


def test_two_running_servers_are_compared(start_reference, capsys):
    with start_reference() as first, start_reference("wrong_page") as second:
        one, two = first.target("standard")[0], second.target("standard")[0]
        pair = ["--url", one.url, "--upload-dir", str(one.upload_dir)]
        pair += ["--against", two.url, "--upload-dir2", str(two.upload_dir)]
        assert main([*pair, "--case", "L6"]) == 0
        assert main([*pair, "--case", "G1.1"]) == 1
    printed = capsys.readouterr().out
    assert "4 cases sent to both: 0 differences" in printed
    assert "bytes of the page" in printed


def test_two_servers_that_break_the_contract_alike_are_1_and_each_case_is_printed_once(start_reference, capsys):
    with start_reference("wrong_page") as first, start_reference("wrong_page") as second:
        one, two = first.target("standard")[0], second.target("standard")[0]
        pair = ["--url", one.url, "--upload-dir", str(one.upload_dir)]
        pair += ["--against", two.url, "--upload-dir2", str(two.upload_dir)]
        assert main([*pair, "--case", "G1.1"]) == 1
    printed = " ".join(capsys.readouterr().out.split())
    assert printed.count("G1.1") == 1
    assert "the page is not the contract's" in printed
    assert "0 differences, 0 more where the contract leaves the choice, 1 more against the contract" in printed


@pytest.mark.slow
def test_a_group_is_stopped_after_so_many_timeouts_and_it_is_said_how_far_the_suite_is(monkeypatch, capsys):
    monkeypatch.setattr(conversation, "STORAGE_TIMEOUT_AFTER_ANSWER_S", 0.1)
    monkeypatch.setattr(suite, "TIMEOUT_S", 0.1)
    monkeypatch.setattr(terminal, "QUIET_S", 0.0)
    wrong = ["--system", str(REFERENCE), "--env", "FAULT=leaves_incomplete_files", "--env", "IDLE_TIMEOUT_MS=10000"]
    assert main([*wrong, "--case", "X1", "--case", "H12", "--timeouts", "2"]) == 1
    printed = " ".join(capsys.readouterr().out.split())
    assert printed.count("FAILED") == 2
    assert "group failure: no more cases: 2 cases of it failed by waiting for what did not come" in printed
    assert re.search(r"\d+ of \d+ cases, 2 failed; now in the group http", printed)


def _processes_with_temporary_files_in(folder: Path) -> list[int]:
    """Return the pids of all processes whose TMPDIR is the folder."""
    found = []
    for environment in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            if f"TMPDIR={folder}".encode() in environment.read_bytes().split(b"\0"):
                found.append(int(environment.parent.name))
    return found


@contextmanager
def _soaking(folder: Path):
    """A soak of the reference server that has stored uploads; its temporary files are in `folder`."""
    command = ["env", "--default-signal=HUP,INT", sys.executable]  # nohup or a shell may have had us ignore them
    command += ["-m", "conformance", "soak", "--system", str(REFERENCE), "--minutes", "1"]
    asked = subprocess.Popen(
        command, env={**os.environ, "TMPDIR": str(folder)}, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL
    )
    try:
        assert wait_until(lambda: any(folder.glob("**/uploads/*")), 30.0)
        yield asked
    finally:
        for pid in _processes_with_temporary_files_in(folder):
            os.kill(pid, signal.SIGKILL)
        asked.wait()


@pytest.mark.parametrize(
    ("number", "by"), [(signal.SIGTERM, "SIGTERM"), (signal.SIGHUP, "SIGHUP"), (signal.SIGINT, "the user")]
)
def test_a_signal_that_asks_the_suite_to_end_leaves_no_server_and_no_folder(number, by, tmp_path):
    with _soaking(tmp_path) as asked:
        asked.send_signal(number)
        said = asked.communicate(timeout=60)[1].decode()
        left = _processes_with_temporary_files_in(tmp_path)
    left_folders = list(tmp_path.glob("conformance-*"))
    assert (asked.returncode, said, left, left_folders) == (2, f"stopped by {by}\n", [], [])


def test_a_suite_that_is_killed_leaves_no_server_and_the_next_one_removes_its_folder(tmp_path, monkeypatch):
    with _soaking(tmp_path) as asked:
        asked.kill()
        asked.communicate(timeout=60)
        assert wait_until(lambda: not _processes_with_temporary_files_in(tmp_path), 30.0)
    (left,) = tmp_path.glob("conformance-*")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert main(["--list"]) == 0
    assert not left.exists()


def test_the_folder_of_a_suite_that_still_runs_and_one_of_somebody_else_are_left(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    other = tmp_path / "conformance-x"
    other.mkdir()
    with own_folder():
        (own,) = set(tmp_path.iterdir()) - {other}
        (own / "file").touch()
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
        assert main(["--list"]) == 0
        assert (own / "file").exists()
    assert list(tmp_path.iterdir()) == [other]


def test_a_system_with_a_broken_description_is_named(tmp_path, capsys):
    (tmp_path / "sut.toml").write_text("[system]\nid = 'x'\n")
    assert main(["--system", str(tmp_path)]) == 2
    assert str(tmp_path / "sut.toml") in capsys.readouterr().err


def test_a_system_that_does_not_start_is_2_with_its_own_last_words(capsys):
    assert main(["--system", str(REFERENCE), "--env", "STOP_GRACE_MS=never", "--case", "G1.1"]) == 2
    assert "STOP_GRACE_MS is 'never'" in capsys.readouterr().err
