"""The wheel in an empty environment: its commands without a checkout, JMeter or Maven."""

import http.server
import os
import shutil
import subprocess
import threading
from pathlib import Path

import pytest
from windowed_campaigns import Server, write_windowed_campaign

from uploadlab.paths import REPOSITORY

UV = REPOSITORY / ".lab" / "bootstrap" / "bin" / "uv"
JTL = REPOSITORY / "tests" / "jtl" / "data" / "csv-taurus-hostname-500s.jtl"

pytestmark = pytest.mark.slow


class Refusing(http.server.BaseHTTPRequestHandler):
    """An endpoint that stores nothing."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(400)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def test_the_wheel_reads_results_and_asks_endpoints_where_there_is_nothing_else(tmp_path: Path) -> None:
    # Of a copy: what builds it leaves nothing in the checkout, and the checkout is not what is imported.
    source, bare = tmp_path / "source", tmp_path / "bare"
    files = subprocess.run(["git", "ls-files"], cwd=REPOSITORY, capture_output=True, text=True, check=True).stdout
    for name in files.splitlines():
        if name.startswith(("uploadlab/", "monitoring/")) or "/" not in name or name.endswith("/pyproject.toml"):
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(REPOSITORY / name, source / name)
    _run([UV, "build", "--quiet", "--wheel", "--out-dir", tmp_path / "dist", source], tmp_path)
    (wheel,) = (tmp_path / "dist").glob("uploadlab-*.whl")
    _run([UV, "venv", "--quiet", "--python", "python3", bare], tmp_path)
    _run([UV, "pip", "install", "--quiet", "--python", bare / "bin" / "python", wheel], tmp_path)
    shutil.rmtree(source)

    def uploadlab(*arguments: object, code: int = 0) -> subprocess.CompletedProcess[str]:
        return _run([bare / "bin" / "uploadlab", *arguments], tmp_path, code, PATH="/usr/bin:/bin")

    assert "599 requests in 7.21 s" in uploadlab("jtl", JTL, "--require", "mean_ms < 5000", code=3).stdout
    campaign = write_windowed_campaign(tmp_path / "campaign", {"node": Server(), "tomcat": Server()}, samples=(5,))
    assert uploadlab("report", campaign).stdout.splitlines()[-1].endswith("report/index.html")
    assert "node" in uploadlab("compare", campaign, campaign).stdout
    assert uploadlab("history", campaign, "--out", "history").stdout.splitlines()[-1].endswith("history/index.html")
    assert uploadlab("nmon", "--help").stdout
    assert "expected http://HOST:PORT/PATH" in uploadlab("conformance", "node", code=2).stderr
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Refusing) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        said = uploadlab("conformance", f"http://127.0.0.1:{server.server_address[1]}/up", code=2).stderr
        server.shutdown()
    assert "400" in said.splitlines()[-1]


def _run(command: list[object], folder: Path, code: int = 0, **environment: str) -> "subprocess.CompletedProcess[str]":
    done = subprocess.run(
        list(map(str, command)),
        cwd=folder,
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done
