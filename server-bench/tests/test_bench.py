"""The benchmark itself, with real servers; it asserts no absolute figure."""

import csv
import statistics
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from itertools import takewhile

import pytest

from server_bench.command import GENERATOR_CORE, main
from server_bench.contestant import PARSING_FLOOR, RAW_FLOOR, Contestant, floors
from server_bench.generator import Generator, Request
from server_bench.measurement import check_stored
from uploadlab.errors import LabError
from uploadlab.hosts.processes import Processes
from uploadlab.paths import STUDIES
from uploadlab.planning.study import load_study

SERVERS = ["node", "tomcat,delimiter_search=horspool"]
NAMES = [PARSING_FLOOR, RAW_FLOOR, *SERVERS]


def _bench(*arguments: str) -> int:
    return main(["servers", "--sizes", "23552", "--processes", "2", "--rounds", "2", "--uploads", "320", *arguments])


@pytest.mark.slow
def test_the_table_is_complete_and_its_ratios_come_from_the_measurements(tmp_path, capsys):
    raw = tmp_path / "raw.csv"
    code = _bench("--no-library-floors", "--csv", str(raw), *[word for name in SERVERS for word in ("--server", name)])
    lines = capsys.readouterr().out.splitlines()
    table = {
        cells[1]: cells
        for cells in ([cell.strip() for cell in line.split("|")[1:-1]] for line in takewhile(str.strip, lines[2:]))
    }
    with raw.open() as file:
        measured = list(csv.DictReader(file))
    assert list(table) == NAMES
    assert sorted((one["contestant"], one["round"]) for one in measured) == sorted(
        (name, str(round)) for name in NAMES for round in (1, 2, 3, 4)
    )
    cpu_s = {(one["contestant"], one["round"]): float(one["server_cpu_s"]) for one in measured}
    for name, cells in table.items():
        ratio = statistics.median(cpu_s[name, r] / cpu_s[PARSING_FLOOR, r] for r in ("1", "2", "3", "4"))
        assert cells[3] == f"{ratio:.2f}"
    assert all(int(one["uploads"]) == 320 for one in measured)
    dear = [one for one in table.values() if float(one[8]) >= 1]
    assert code == (1 if dear else 0)


@pytest.mark.slow
def test_a_server_that_gets_no_core_for_six_seconds_is_waited_for(tmp_path):
    class Late(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            time.sleep(6)
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    processes = Processes(tmp_path / "state")
    try:
        with HTTPServer(("127.0.0.1", 0), Late) as server:
            threading.Thread(target=server.handle_request, daemon=True).start()
            generator = Generator(processes, load_study(STUDIES / "upload"), GENERATOR_CORE)
            assert generator.send(server.server_port, Request(tmp_path, 100), 1, 1) > 5.5
    finally:
        processes.close()


def test_uploads_that_were_not_stored_as_sent_are_not_counted(tmp_path):
    sut = floors()[0].sut
    contestant = Contestant(name="forgetful", sut=sut)
    request = Request(tmp_path, 100)
    uploads = tmp_path / "uploads"
    uploads.mkdir()
    (uploads / "one").write_bytes(request.content)
    (uploads / "two").write_bytes(request.content[:-1])
    with pytest.raises(LabError, match="forgetful stored 2 files for 2 uploads of 100 bytes, 1 of them of another"):
        check_stored(contestant, uploads, request, 2)
    (uploads / "two").unlink()
    with pytest.raises(LabError, match="forgetful stored 1 files for 2 uploads"):
        check_stored(contestant, uploads, request, 2)
    check_stored(contestant, uploads, request, 1)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--server", "node,no_such_setting=1"], "node has no setting 'no_such_setting'"),
        (["--server", "apache"], "There is no system 'apache'"),
        (["--server", "node,backlog"], "expected SYSTEM[@STACK][,SETTING=VALUE]..."),
        (["--disk", "/no/such/folder"], "--disk /no/such/folder: expected a folder."),
        (["--csv", "/no/such/folder/raw.csv"], "--csv /no/such/folder/raw.csv cannot be written: No such file"),
        (["--csv", "/"], "--csv / cannot be written: Is a directory."),
        (["--server", "node", "--server", "node"], "--server node is given twice"),
        (["--megabytes", "1000000000"], "MB are needed"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(arguments, sentence, capsys):
    assert _bench(*arguments) == 2
    error = capsys.readouterr().err
    assert sentence in error
    assert len(error.splitlines()) == 1


def test_a_size_that_is_given_twice_is_refused(capsys):
    with pytest.raises(SystemExit) as refused:
        main(["servers", "--sizes", "4096,23552,4096"])
    assert refused.value.code == 2
    assert "expected each size once, not '4096,23552,4096'" in capsys.readouterr().err
