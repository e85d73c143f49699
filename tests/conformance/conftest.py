"""A server with one fault, as a system that the lab starts, and starts again when it ended."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from uploadlab.conformance.runner import Runner
from uploadlab.conformance.system import StartedSystem
from uploadlab.planning.system import choose

FOLDER = Path(__file__).with_name("faulty")


class Faulty(StartedSystem):
    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__(choose(FOLDER, "current", {}), {}, folder)
        self._set = monkeypatch.setenv
        self._takes_limit = True

    def with_fault(self, fault: str) -> Runner:
        self._set("FAULT", fault)
        return Runner(self.start(), self)

    @property
    def url(self) -> str:
        host, port = self.endpoint.address
        return f"http://{host}:{port}/api/files"

    @property
    def stored(self) -> list[Path]:
        return [path for path in self.uploads.rglob("*") if path.is_file()]


@pytest.fixture
def faulty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Faulty]:
    server = Faulty(tmp_path, monkeypatch)
    yield server
    server.stop()
