"""`verify` lets a good server pass and catches one that is wrong in a single way."""

import email.parser
import email.policy
import hashlib
import http.server
import itertools
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import ClassVar

import msgspec
import pytest

from upload_study.contract import verify
from upload_study.spec import Factors, GateError, Load, RunSpec, Verified

from .conftest import run_spec, server_at

PAGE = b"<!doctype html><title>stored</title>"


class Receiver(http.server.BaseHTTPRequestHandler):
    """A small correct upload server; each attribute can be made wrong."""

    protocol_version = "HTTP/1.1"
    status = 200
    content_type = "text/html; charset=utf-8"
    page: Callable[[], bytes] | bytes = PAGE
    more_headers: ClassVar[dict[str, str]] = {}
    folder: Path
    seen: ClassVar[list[tuple[str, list[tuple[str, bytes]], str]]] = []

    @staticmethod
    def name(sent: str) -> str:
        return str(uuid.uuid4())

    @staticmethod
    def keep(files: list[bytes]) -> list[bytes]:
        return files

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        head = f"Content-Type: {self.headers['Content-Type']}\r\n\r\n".encode()
        form = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(head + body)
        parts = list(form.iter_parts())
        files = [part for part in parts if part.get_filename()]
        text = [(part.get_param("name", header="content-disposition"), part.get_payload(decode=True)) for part in parts]
        self.seen.append((self.path, text, self.headers["Authorization"]))
        for content in self.keep([part.get_payload(decode=True) for part in files]):
            path = self.folder / self.name(files[0].get_filename())
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        page = self.page if isinstance(self.page, bytes) else self.page()
        self.send_response(self.status)
        for name, value in {"Content-Type": self.content_type, **self.more_headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)

    def log_message(self, *_: object) -> None:
        pass


class Many(http.server.ThreadingHTTPServer):
    """Takes as many connections at once as come."""

    request_queue_size = 64


@pytest.fixture
def serve(tmp_path) -> Iterator[Callable[..., RunSpec]]:
    """Return a function that starts a receiver with faults and gives the spec to verify it with."""
    servers = []

    def start(target: dict | None = None, **faults: object) -> RunSpec:
        handler = type("Faulty", (Receiver,), {"folder": tmp_path / "up", "seen": [], **faults})
        server = Many(("127.0.0.1", 0), handler)
        server.daemon_threads = True
        servers.append(server)
        threading.Thread(target=server.serve_forever).start()
        (tmp_path / "up").mkdir(exist_ok=True)
        return run_spec(
            tmp_path / "up",
            Load(rows=2000, threads=1, loops=1, warmup_threads=0, warmup_loops=0),
            factors=Factors(sample=3, disk="local"),
            server=server_at(server.server_port, **{"files": 2, "response": "same", **(target or {})}),
        )

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def verified(spec: RunSpec) -> dict:
    """Verify a second time, with what the first time found."""
    first = verify(spec)
    return verify(msgspec.structs.replace(spec, verified=msgspec.convert(first, Verified)))


def numbered() -> Callable[[], bytes]:
    counter = itertools.count()
    return lambda: b'{"id": %d}' % (10 ** next(counter))


def in_the_second_of_the_clock() -> bytes:
    return b'{"at": %d}' % time.time()


def test_a_server_that_keeps_the_contract_passes(serve):
    result = verify(serve())
    assert (result["files_before"], result["files_after"], result["files_per_upload"]) == (0, 37, 1)
    assert result["gate"]["passed"]
    assert result["begin"] == f"status=200\tbody_bytes={len(PAGE)}\tbody_sha256={hashlib.sha256(PAGE).hexdigest()}"


def test_what_is_stored_is_known_by_its_bytes_whatever_its_name_and_its_folder(serve):
    names = itertools.count()
    result = verified(serve(name=staticmethod(lambda sent: f"{next(names)}/of the day/{sent}.JPG")))
    assert (result["files_before"], result["files_after"]) == (37, 42)


def test_a_server_that_answers_first_and_stores_then_is_caught_when_it_has_much_to_do(serve, tmp_path):
    def keep(files: list[bytes]) -> list[bytes]:
        if threading.active_count() < 10:  # one upload at a time is stored before anybody can look
            return files
        for content in files:
            threading.Timer(0.05, (tmp_path / "up" / uuid.uuid4().hex).write_bytes, [content]).start()
        return []

    with pytest.raises(
        GateError, match=r"Of \d+ uploads to .*, 16 at once, \d+ were answered before their file was stored"
    ):
        verify(serve(keep=staticmethod(keep)))


@pytest.mark.parametrize(
    ("target", "faults", "sentence"),
    [
        ({}, {"status": 404}, "was answered with 404, not 200 to 299"),
        ({"accepted": [201]}, {}, "was answered with 200, not 201"),
        ({}, {"page": staticmethod(numbered())}, r"another body \(10 bytes\) than the run's first one"),
        ({}, {"more_headers": {"Connection": "close"}}, "the connection was not kept open"),
        ({}, {"name": staticmethod(lambda sent: sent)}, "stored under the name that the client gave it"),
        ({}, {"name": staticmethod(lambda sent: f"x{sent}")}, "left 0 new files"),
        ({}, {"keep": staticmethod(lambda files: [])}, "left 0 new files in .*, of which 0 have the bytes"),
        ({}, {"keep": staticmethod(lambda files: [file[:-1] for file in files])}, "1 new files .* of which 0 have"),
        ({}, {"keep": staticmethod(lambda files: files[:1])}, "left 1 new files in .*, of which 1 have .*, not 2"),
        ({}, {"keep": staticmethod(lambda files: [*files, b"x"])}, "left 3 new files, which is no number"),
    ],
)
def test_a_server_with_one_fault_is_caught(serve, target, faults, sentence):
    with pytest.raises(GateError, match=sentence):
        verify(serve(target, **faults))


@pytest.mark.parametrize("page", [numbered(), in_the_second_of_the_clock])
def test_where_responses_differ_later_ones_need_only_the_first_one_s_status_and_type(serve, page):
    spec = serve({"response": None}, status=201, content_type="application/json", page=staticmethod(page))
    result = verified(spec)
    assert result["begin"] == "status=201"
    assert "each with a body of its own" in result["gate"]["sentence"]


def test_where_responses_are_the_same_they_must_stay_so(serve):
    page = PAGE
    spec = serve({"response": None}, page=staticmethod(lambda: page))
    first = msgspec.convert(verify(spec), Verified)
    page = b"another"
    with pytest.raises(GateError, match="another body"):
        verify(msgspec.structs.replace(spec, verified=first))


def test_where_nobody_can_look_only_responses_are_compared(serve):
    result = verify(msgspec.structs.replace(serve(keep=staticmethod(lambda files: [])), stored_in=None))
    assert result["files_after"] == 0
    assert "(bytes not verified)" in result["gate"]["sentence"]


def test_form_fields_and_headers_go_with_each_upload_and_secrets_come_from_the_environment(serve, monkeypatch):
    monkeypatch.setenv("UPLOAD_TOKEN", "s3cret")
    seen: list = []
    target = {"form": {"album": "sea \u0161"}, "headers": {"Authorization": "Bearer $UPLOAD_TOKEN"}}
    verify(serve(target, seen=seen))
    assert {authorization for _, _, authorization in seen} == {"Bearer s3cret"}
    assert all(parts[0] == ("album", "sea \u0161".encode()) for _, parts, _ in seen)
