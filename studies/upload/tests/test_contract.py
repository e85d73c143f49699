"""`verify` lets a good server pass and catches one that is wrong in a single way."""

import email.parser
import email.policy
import hashlib
import http.server
import threading
import tomllib
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from upload_study.contract import verify
from upload_study.spec import REPOSITORY, Contract, Factors, GateError, Load, RunSpec

from .conftest import run_spec, server_at

PAGE = b"<!doctype html><title>stored</title>"


class Receiver(http.server.BaseHTTPRequestHandler):
    """A small correct upload server; each attribute can be made wrong."""

    status = 200
    content_type = "text/html; charset=utf-8"
    page = PAGE
    folder: Path

    @staticmethod
    def name() -> str:
        return str(uuid.uuid4())

    @staticmethod
    def keep(files: list[bytes]) -> list[bytes]:
        return files

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        head = f"Content-Type: {self.headers['Content-Type']}\r\n\r\n".encode()
        form = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(head + body)
        for content in self.keep([part.get_payload(decode=True) for part in form.iter_parts()]):
            (self.folder / self.name()).write_bytes(content)
        self.send_response(self.status)
        self.send_header("Content-Type", self.content_type)
        self.send_header("Content-Length", str(len(self.page)))
        self.end_headers()
        self.wfile.write(self.page)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def serve(tmp_path) -> Iterator[Callable[..., RunSpec]]:
    """Return a function that starts a receiver with faults and gives the spec to verify it with."""
    servers = []

    def start(**faults: object) -> RunSpec:
        handler = type("Faulty", (Receiver,), {"folder": tmp_path / "up", **faults})
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        servers.append(server)
        threading.Thread(target=server.serve_forever).start()
        (tmp_path / "up").mkdir(exist_ok=True)
        return run_spec(
            tmp_path / "up",
            Load(rows=2000, threads=1, loops=1, warmup_threads=0, warmup_loops=0),
            driver=Contract(page_bytes=len(PAGE), page_sha256=hashlib.sha256(PAGE).hexdigest()),
            factors=Factors(sample=3, disk="local"),
            server=server_at(server.server_port),
        )

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def test_a_server_that_keeps_the_contract_passes(serve):
    result = verify(serve())
    assert result["stored_files"] == 5
    assert result["gate"]["passed"]


@pytest.mark.parametrize(
    ("faults", "sentence"),
    [
        ({"status": 201}, "was answered with 201, not 200"),
        ({"content_type": "text/html"}, "was answered as 'text/html', not"),
        ({"page": PAGE + b" "}, "another page"),
        ({"keep": staticmethod(lambda files: [])}, "left 0 new files in the upload folder, not 1"),
        ({"keep": staticmethod(lambda files: files * 2)}, "left 2 new files in the upload folder, not 1"),
        ({"keep": staticmethod(lambda files: [file[:-1] for file in files])}, "stored with other bytes"),
        ({"keep": staticmethod(lambda files: files[:1])}, "left 1 new files in the upload folder, not 2"),
    ],
)
def test_a_server_with_one_fault_is_caught(serve, faults, sentence):
    with pytest.raises(GateError, match=sentence):
        verify(serve(**faults))


def test_a_server_that_is_not_there_is_one_sentence(serve):
    with pytest.raises(GateError, match="failed: "):
        verify(msgspec.structs.replace(serve(), server=server_at(9)))


def test_the_page_that_the_study_wants_is_that_of_the_conformance_suite():
    wanted = tomllib.loads((REPOSITORY / "studies" / "upload" / "study.toml").read_text())["driver"]
    page = (REPOSITORY / "conformance" / "src" / "conformance" / "page.html").read_bytes()
    assert (len(page), hashlib.sha256(page).hexdigest()) == (wanted["page_bytes"], wanted["page_sha256"])
