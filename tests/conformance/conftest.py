"""A server with one fault, as a process of its own that is started again when it ended."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from uploadlab.conformance.endpoint import Endpoint
from uploadlab.conformance.store import wait_until

SERVER = Path(__file__).with_name("faulty_server.py")
LIMIT = 4 << 20


class Faulty:
    def __init__(self, folder: Path) -> None:
        self.folder = folder / "in" / "uploads"
        self.folder.mkdir(parents=True)
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self.port = probe.getsockname()[1]
        self.process: subprocess.Popen[bytes] | None = None
        self.fault = ""

    def start(self, fault: str | None = None) -> Endpoint:
        self.stop()
        self.fault = self.fault if fault is None else fault
        told = {
            "PORT": str(self.port),
            "UPLOAD_DIR": str(self.folder),
            "FAULT": self.fault,
            "MAX_FILE_BYTES": str(LIMIT),
        }
        self.process = subprocess.Popen([sys.executable, str(SERVER)], env=os.environ | told)
        assert wait_until(lambda: self.endpoint.answers(1.0), 20.0)
        return self.endpoint

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/api/files"

    @property
    def endpoint(self) -> Endpoint:
        assert self.process is not None
        return Endpoint(name="faulty", host="127.0.0.1", port=self.port, path="/api/files", store=(self.folder,),
                        pid=self.process.pid, max_file_bytes=LIMIT)  # fmt: skip

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()


@pytest.fixture
def faulty(tmp_path: Path) -> Iterator[Faulty]:
    server = Faulty(tmp_path)
    yield server
    server.stop()
