"""Systems of servers/ and proxies are installed as they say, store every byte, refuse what they should, and end."""

import hashlib
import http.client
import os
import random
import signal
import subprocess
from contextlib import closing
from pathlib import Path

import pytest
from waiting import wait_for

from uploadlab.hosts.ports import free_port, is_listened_on
from uploadlab.paths import REPOSITORY
from uploadlab.planning.install import set_up_systems
from uploadlab.planning.system import choose
from uploadlab.runs.server import how_to_start

pytestmark = [pytest.mark.slow, pytest.mark.long]
FOLDERS = sorted(
    path.parent for where in ("servers", "studies/upload/proxies") for path in (REPOSITORY / where).glob("*/sut.toml")
)
SIZES = (4, 23_000, 3_000_000)
"""Of the last a server that keeps small files in memory writes some to its disk first."""

ACCEPTS_UNSTORED = ("koa-formidable",)
"""formidable is done with a small file before its disk is: it does not say that it could not be written."""


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_server_stores_what_it_is_sent_and_ends_when_it_is_asked_to(tmp_path, folder):
    sut = choose(folder, "current", {})
    set_up_systems([sut])
    uploads, run_dir, port = tmp_path / "uploads", tmp_path / "run", free_port()
    for made in (uploads, run_dir):
        made.mkdir()
    place = {"host": "127.0.0.1", "port": port, "upload_dir": uploads}
    command, added = how_to_start(sut, **place, run_dir=run_dir, limits={})
    with (tmp_path / "log").open("w") as log:
        process = subprocess.Popen(
            command, cwd=folder, env={**os.environ, **added}, stdout=log, stderr=log, start_new_session=True
        )
    try:
        wait_for(lambda: process.poll() is not None or is_listened_on("127.0.0.1", port))
        assert process.poll() is None, (tmp_path / "log").read_text()
        sent = [random.Random(size).randbytes(size) for size in SIZES]
        upload = sut.system.upload
        with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
            for content in sent:
                status, kept_open = _post(connection, upload.path, upload.field, content)
                assert (status // 100, kept_open) == (2, True)
            assert _digests(uploads) == sorted(hashlib.sha256(content).hexdigest() for content in sent)
            assert 400 <= _post(connection, upload.path, "other", b"text", filename="")[0] < 500
        assert len(_digests(uploads)) == len(sent)
        away = uploads.rename(tmp_path / "away")
        uploads.touch()  # a file in the place of the folder: even root cannot write there
        with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
            status, _ = _post(connection, upload.path, upload.field, b"four")
            assert status >= 500 or folder.name in ACCEPTS_UNSTORED
        uploads.unlink()
        away.rename(uploads)
        process.send_signal(signal.SIGTERM)
        number = signal.SIGTERM
        assert process.wait(sut.system.stop.timeout_s + 30) in (0, -number, 128 + number)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _post(
    connection: http.client.HTTPConnection, path: str, field: str, content: bytes, filename: str = "a.bin"
) -> tuple[int, bool]:
    """Upload, and return the status and whether the connection stays open."""
    named = f'; filename="{filename}"\r\nContent-Type: application/octet-stream' if filename else ""
    head = f'--b0undary\r\nContent-Disposition: form-data; name="{field}"{named}\r\n\r\n'
    body = head.encode() + content + b"\r\n--b0undary--\r\n"
    connection.request("POST", path, body, {"Content-Type": "multipart/form-data; boundary=b0undary"})
    with connection.getresponse() as response:
        response.read()
        return response.status, not response.will_close


def _digests(uploads: Path) -> list[str]:
    return sorted(hashlib.sha256(path.read_bytes()).hexdigest() for path in uploads.rglob("*") if path.is_file())
